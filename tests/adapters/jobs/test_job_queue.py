"""Jobs that wait in line, are joined by others who ask the same, or need no line at all."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from adapters.jobs.engine import DbosJobs
from core.jobs import JobEvent, JobState, Stage
from tests.fakes.jobs.job_work import LIMIT, Count, Works, stored_events

Start = Callable[..., Awaitable[DbosJobs]]

pytestmark = pytest.mark.anyio


def _read_reports(events: list[JobEvent]) -> list[tuple[Stage, dict[str, Any]]]:
    return [(event.stage, event.data) for event in events]


async def test_more_jobs_than_slots_wait_in_line_and_tell_their_place(start: Start, works: Works) -> None:
    jobs = await start(max_parallel=2)
    submitted = [await jobs.submit("hold", Count()) for _ in range(5)]
    await works.gate.reached()
    await works.gate.reached()
    states = [await jobs.get(job.id) for job in submitted]
    assert [job.state for job in states] == [JobState.RUNNING] * 2 + [JobState.QUEUED] * 3
    assert [job.place for job in states] == [None, None, 1, 2, 3]
    await jobs.cancel(submitted[2].id)
    assert [(await jobs.get(job.id)).place for job in submitted[3:]] == [1, 2]
    works.gate.open()
    ended = [await jobs.wait(job.id, LIMIT) for job in submitted]
    assert [job.state for job in ended] == [JobState.DONE] * 2 + [JobState.CANCELLED] + [JobState.DONE] * 2


async def test_a_viewer_of_a_waiting_job_sees_it_move_up_and_no_event_is_stored_for_that(
    start: Start, works: Works
) -> None:
    jobs = await start()
    submitted = [await jobs.submit("hold", Count()) for _ in range(4)]
    await works.gate.reached()
    moved = asyncio.Event()

    async def view(job_id: str | None) -> list[JobEvent]:
        seen: list[JobEvent] = []
        async for event in jobs.events(after=0, job_id=job_id):
            seen.append(event)
            if event.data.get("place") == 3:
                moved.set()
            if event.job_id == submitted[3].id and event.data.get("place") == 1:
                return seen
        raise AssertionError("the stream ended")

    async with asyncio.timeout(LIMIT):
        viewers = [asyncio.create_task(view(submitted[3].id)), asyncio.create_task(view(None))]
        await moved.wait()
        works.gate.open()
        of_one, of_all = await asyncio.gather(*viewers)
    ended = [await jobs.wait(job.id, LIMIT) for job in submitted]
    assert [job.state for job in ended] == [JobState.DONE] * 4
    places = [event.data["place"] for event in of_one]
    assert places == sorted(places, reverse=True)
    assert [event.data["place"] for event in of_one if event.id] == [3]
    assert {event.job_id for event in of_all if not event.id} <= {job.id for job in submitted[1:]}
    stored = _read_reports(await stored_events(jobs, job_id=submitted[3].id))
    assert [data["place"] for stage, data in stored if stage is Stage.QUEUED] == [3]


async def test_the_same_question_joins_the_job_that_answers_it(start: Start, works: Works) -> None:
    jobs = await start()
    first = await jobs.submit("hold", Count(), question="q")
    await works.gate.reached()
    joined, other = await jobs.submit("hold", Count(), question="q"), await jobs.submit("hold", Count(), question="p")
    assert (joined.id, joined.asked_by) == (first.id, 2)
    assert other.id != first.id
    assert (await jobs.submit("hold", Count(), question="p")).id == other.id
    await jobs.cancel(other.id)
    works.gate.open()
    assert (await jobs.wait(first.id, LIMIT)).state is JobState.DONE
    assert (await jobs.submit("hold", Count(), question="q")).id != first.id
    assert (await jobs.submit("hold", Count(), question="p")).id != other.id


async def test_a_shared_job_ends_when_the_last_who_asked_for_it_leaves(start: Start, works: Works) -> None:
    jobs = await start()
    job = await jobs.submit("hold", Count(), question="q")
    await works.gate.reached()
    await jobs.submit("hold", Count(), question="q")
    left = await jobs.leave(job.id)
    assert (left.state, left.asked_by) == (JobState.RUNNING, 1)
    await jobs.leave(job.id)
    works.gate.open()
    assert (await jobs.wait(job.id, LIMIT)).state is JobState.CANCELLED


async def test_a_waiting_job_is_joined_also_after_the_next_start(start: Start, works: Works) -> None:
    jobs = await start()
    await jobs.submit("loop", Count())
    waiting = await jobs.submit("count", Count(n=1), question="q")
    assert await asyncio.to_thread(works.looping.acquire, timeout=LIMIT)
    await jobs.stop()
    jobs = await start()
    assert (await jobs.submit("count", Count(n=1), question="q")).id == waiting.id
    for job in await jobs.list():
        await jobs.cancel(job.id)


async def test_a_job_that_is_answered_already_waits_for_nothing(start: Start, works: Works) -> None:
    jobs = await start()
    held = await jobs.submit("hold", Count())
    await works.gate.reached()
    job = await jobs.answered("job-answered", "count", Count(n=2), Count(n=3))
    assert (job.id, job.state, job.result) == ("job-answered", JobState.DONE, {"n": 3})
    assert [stage for stage, _ in _read_reports(await stored_events(jobs, job_id=job.id))] == [Stage.QUEUED, Stage.DONE]
    await jobs.cancel(held.id)
