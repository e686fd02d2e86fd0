"""Whoever runs least goes first: the order of jobs of several submitters."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from adapters.jobs.engine import DbosJobs
from adapters.jobs.waiting import WaitingJobs
from core.jobs import JobState, Sender
from tests.fakes.jobs.job_work import LIMIT, Count, Works

Start = Callable[..., Awaitable[DbosJobs]]


def _line(**jobs: int) -> WaitingJobs:
    waiting = WaitingJobs()
    for submitter, count in jobs.items():
        for number in range(count):
            waiting.append(f"{submitter}{number}", submitter)
    return waiting


def test_five_of_one_begin_within_two_rounds_although_five_thousand_of_another_came_first() -> None:
    waiting, slots = _line(a=5000, b=5), 6
    running = [waiting.pop() for _ in range(slots)]
    begun = list(running)
    while not {f"b{number}" for number in range(5)} <= set(begun):
        waiting.ended(running.pop(0))
        running.append(waiting.pop())
        begun.append(running[-1])
    assert len(begun) <= 2 * slots


def test_with_one_slot_submitters_take_turns_and_each_ones_jobs_keep_their_order() -> None:
    waiting = _line(a=3, b=2, c=1)
    begun: list[str] = []
    while waiting:
        begun.append(waiting.pop())
        waiting.ended(begun[-1])
    assert begun == ["a0", "b0", "c0", "a1", "b1", "a2"]


def test_who_has_none_running_goes_before_who_has() -> None:
    waiting = _line(a=3)
    assert [waiting.pop(), waiting.pop()] == ["a0", "a1"]
    waiting.append("b0", "b")
    assert waiting.next_place("a") == 3
    assert (waiting.place("b0"), waiting.place("a2")) == (1, 2)
    assert waiting.pop() == "b0"
    waiting.began("c0", "c")
    waiting.append("c1", "c")
    assert dict(waiting.front()) == {"c1": 1, "a2": 2}


@pytest.mark.parametrize("jobs", [{"a": 30}, {"a": 9, "b": 4, "c": 1}, {"a": 1, "b": 8}])
def test_places_and_the_front_are_the_order_in_which_jobs_begin(jobs: dict[str, int]) -> None:
    waiting = _line(**jobs)
    ids = [f"{submitter}{number}" for submitter, count in jobs.items() for number in range(count)]
    by_place = sorted(ids, key=lambda job_id: waiting.place(job_id) or 0)
    assert sorted(waiting.place(job_id) or 0 for job_id in ids) == list(range(1, len(ids) + 1))
    assert list(waiting.front()) == by_place[:10]
    assert [waiting.pop() for _ in ids] == by_place


@pytest.mark.nightly
@pytest.mark.anyio
async def test_the_engine_keeps_the_order_also_after_a_restart(start: Start, works: Works) -> None:
    jobs = await start(max_parallel=1)
    running = await jobs.submit("loop", Count(), sender=Sender("heavy"))
    heavy = [await jobs.submit("hold", Count(), sender=Sender("heavy")) for _ in range(3)]
    light = await jobs.submit("hold", Count(), sender=Sender("light"))
    assert await asyncio.to_thread(works.looping.acquire, timeout=LIMIT)
    assert [(await jobs.get(job.id)).place for job in (light, *heavy)] == [1, 2, 3, 4]
    await jobs.stop()
    again = await start(max_parallel=1)
    assert await asyncio.to_thread(works.looping.acquire, timeout=LIMIT)
    assert [(await again.get(job.id)).place for job in (light, *heavy)] == [1, 2, 3, 4]
    await again.cancel(running.id)
    await works.gate.reached()
    assert [(await again.get(job.id)).place for job in (light, *heavy)] == [None, 1, 2, 3]
    works.gate.open()
    ends = [await again.wait(job.id, LIMIT) for job in (*heavy, light)]
    assert [job.state for job in ends] == [JobState.DONE] * 4
