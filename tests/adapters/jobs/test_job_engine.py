import asyncio
import threading
from collections.abc import Awaitable, Callable
from itertools import groupby
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.jobs.engine import DbosJobs
from core.errors import Conflict, InvalidRequest, NotFound, StorageFailed
from core.jobs import JobEvent, JobState, Stage, sentence
from storage.database import Database
from storage.job_events import SqlJobStore
from tests.adapters.jobs.conftest import ON_BOTH
from tests.fakes.jobs.job_work import LIMIT, Count, Works, engine, stored_events

Start = Callable[..., Awaitable[DbosJobs]]

pytestmark = pytest.mark.anyio


def _read_reports(events: list[JobEvent]) -> list[tuple[Stage, dict[str, Any]]]:
    return [(event.stage, event.data) for event in events]


@ON_BOTH
async def test_a_job_ends_with_its_answer_and_its_progress_is_stored(start: Start) -> None:
    jobs = await start()
    job = await jobs.submit("count", Count(n=3))
    ended = await jobs.wait(job.id, LIMIT)
    assert (ended.state, ended.result, ended.error) == (JobState.DONE, {"n": 3}, None)
    events = await stored_events(jobs)
    queued, first, *_, last, done = _read_reports(events)
    assert (queued, done) == ((Stage.QUEUED, {}), (Stage.DONE, {}))
    assert first == (Stage.DECODING, {"done": 1, "total": 3})
    assert last == (Stage.DECODING, {"done": 3, "total": 3})
    assert ended.progress == events[-1]
    assert [event.id for event in events] == sorted({event.id for event in events})


async def test_what_a_running_job_has_found_is_told_with_it_until_it_has_its_answer(start: Start, works: Works) -> None:
    jobs = await start()
    job = await jobs.submit("find", Count())
    await works.gate.reached()
    waited = await jobs.wait(job.id, 0.01)
    works.gate.open()
    ended = await jobs.wait(job.id, LIMIT)
    assert waited.so_far is not None
    assert [event.text for event in waited.so_far.timeline] == ["Saved", "Signed out"]
    assert (waited.so_far.first_screen, waited.so_far.done) == (("Profile",), 10)
    assert waited.progress is not None
    assert sentence(waited.progress) == "found: Signed out appeared."
    assert (ended.state, ended.so_far) == (JobState.DONE, None)


@ON_BOTH
async def test_a_job_that_is_asked_for_again_under_its_id_is_the_one_there_is(
    start: Start,
) -> None:
    jobs = await start()
    asked = [jobs.submit_once("job-of-nine-o-clock", "count", Count(n=number)) for number in (1, 2, 3)]
    found = await asyncio.gather(*asked)
    ended = await jobs.wait("job-of-nine-o-clock", LIMIT)
    again = await jobs.submit_once("job-of-nine-o-clock", "count", Count(n=4))
    assert {job.id for job in found} == {"job-of-nine-o-clock"}
    assert (again.state, again.result) == (JobState.DONE, ended.result)
    assert len(await jobs.list()) == 1
    assert [stage for stage, _ in _read_reports(await stored_events(jobs))].count(Stage.DONE) == 1


async def test_a_running_job_is_cancelled_at_its_next_report_and_ends_once(start: Start, works: Works) -> None:
    jobs = await start()
    job, follower = await jobs.submit("hold", Count()), await jobs.submit("count", Count(n=1))
    await works.gate.reached()
    assert (await jobs.cancel(job.id)).state is JobState.RUNNING
    await jobs.cancel(job.id)
    works.gate.open()
    ended = await jobs.wait(job.id, LIMIT)
    assert (ended.state, ended.error) == (
        JobState.CANCELLED,
        {"error": "The job was cancelled.", "code": "cancelled"},
    )
    assert (await jobs.cancel(job.id)) == ended
    assert (await jobs.wait(follower.id, LIMIT)).state is JobState.DONE
    finals = [event.stage for event in await stored_events(jobs, job_id=job.id) if event.stage in {"done", "cancelled"}]
    assert finals == [Stage.CANCELLED]


async def test_a_failure_is_told_in_the_one_error_shape_and_a_fault_of_ours_gives_nothing_away(
    start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = await start()
    refused = await jobs.wait((await jobs.submit("refuse", Count(n=7))).id, LIMIT)
    assert refused.state is JobState.FAILED
    assert refused.error == {"error": "Clip 7 is no video.", "code": "invalid_video", "codec": "none"}
    broken = await jobs.wait((await jobs.submit("break_down", Count())).id, LIMIT)
    assert broken.error is not None
    assert broken.error["code"] == "internal_error"
    assert "ZeroDivision" not in str(broken.error)
    looping = await jobs.submit("loop", Count())
    await jobs.cancel(looping.id)
    await jobs.wait(looping.id, LIMIT)
    await jobs.stop()
    assert capfd.readouterr() == ("", "")


async def test_a_job_over_its_limit_of_time_is_stopped(start: Start) -> None:
    jobs = await start(job_timeout_seconds=0.05)
    ended = await jobs.wait((await jobs.submit("loop", Count())).id, LIMIT)
    assert ended.state is JobState.FAILED
    assert ended.error is not None
    assert ended.error["code"] == "timeout"


async def test_wait_returns_in_time_with_the_job_as_it_is(start: Start, works: Works) -> None:
    jobs = await start()
    job = await jobs.submit("hold", Count())
    await works.gate.reached()
    assert (await jobs.wait(job.id, 0.01)).state is JobState.RUNNING
    works.gate.open()
    waiting = [jobs.wait(job.id, LIMIT) for _ in range(100)]
    assert {ended.state for ended in await asyncio.gather(*waiting)} == {JobState.DONE}


@pytest.mark.nightly
@ON_BOTH
async def test_two_hundred_viewers_see_all_events_in_order_and_a_slow_one_holds_up_nobody(start: Start) -> None:
    jobs = await start(max_parallel=4)
    first = await jobs.wait((await jobs.submit("count", Count())).id, LIMIT)
    assert first.progress is not None
    slow = jobs.events(after=0)
    assert (await anext(slow)).id == 1

    async def view(after: int, until: asyncio.Future[int]) -> list[int]:
        seen: list[int] = []
        async for event in jobs.events(after=after):
            if event.id == 0:
                # A place in line: it is told to those who watch, and not kept.
                continue
            seen.append(event.id)
            if until.done() and event.id >= until.result():
                break
        return seen

    end: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    starts = [number % (first.progress.id + 1) for number in range(200)]
    viewers = [asyncio.create_task(view(after, end)) for after in starts]
    submitted = [await jobs.submit("count", Count(n=3)) for _ in range(20)]
    for job in submitted:
        await jobs.wait(job.id, LIMIT)
    # One more event wakes whoever had already seen the last when it became known that it is the last.
    last = await jobs.wait((await jobs.submit("count", Count(n=1))).id, LIMIT)
    assert last.progress is not None
    end.set_result(last.progress.id)
    await jobs.wait((await jobs.submit("count", Count(n=1))).id, LIMIT)
    async with asyncio.timeout(LIMIT):
        seen = await asyncio.gather(*viewers)
    everything = [event.id for event in await stored_events(jobs)]
    for after, ids in zip(starts, seen, strict=True):
        assert ids == [number for number in everything if after < number <= ids[-1]]
        assert ids[-1] >= last.progress.id
    assert [(await anext(slow)).id for _ in everything[1:]] == everything[1:]
    await slow.aclose()  # pyright: ignore[reportAttributeAccessIssue] - an async generator behind the port's iterator


async def test_a_viewer_of_one_job_sees_only_that(start: Start) -> None:
    jobs = await start()
    one, two = await jobs.submit("count", Count(n=5)), await jobs.submit("count", Count(n=5))
    await jobs.wait(two.id, LIMIT)
    stages: list[Stage] = []
    async for event in jobs.events(job_id=one.id):
        assert event.job_id == one.id
        stages.append(event.stage)
        if event.stage is Stage.DONE:
            break
    # How many reports of one stage are kept depends on how long the job took.
    assert [stage for stage, _ in groupby(stages)] == [Stage.QUEUED, Stage.DECODING, Stage.DONE]


async def test_a_viewer_whose_last_id_was_never_given_sees_what_comes_next(start: Start) -> None:
    jobs = await start()
    viewer = jobs.events(after=10**9)
    coming = asyncio.ensure_future(anext(viewer))
    job = await jobs.submit("count", Count(n=1))
    async with asyncio.timeout(LIMIT):
        assert (await coming).job_id == job.id


@pytest.mark.nightly
async def test_a_stop_ends_the_viewers_and_the_next_start_goes_on_without_a_repeat(start: Start, works: Works) -> None:
    works.gate.open()
    jobs = await start()
    done = await jobs.submit("steps", Count())
    await jobs.wait(done.id, LIMIT)
    looping, waiting = await jobs.submit("loop", Count()), await jobs.submit("steps", Count())
    assert await asyncio.to_thread(works.looping.acquire, timeout=LIMIT)
    seen = await stored_events(jobs)
    # More often than a job may take the process along: an orderly stop is held against nobody.
    for _ in range(4):
        viewer = asyncio.ensure_future(anext(jobs.events(after=await jobs.last_event_id())))
        waiter = asyncio.ensure_future(jobs.wait(looping.id))
        await jobs.stop()
        async with asyncio.timeout(LIMIT):
            assert not (await waiter).state.is_final
        with pytest.raises(StopAsyncIteration):
            await viewer
        jobs = await start()
        assert await asyncio.to_thread(works.looping.acquire, timeout=LIMIT)
    await jobs.cancel(looping.id)
    assert (await jobs.wait(looping.id, LIMIT)).state is JobState.CANCELLED
    assert (await jobs.wait(waiting.id, LIMIT)).result == {"n": 80}
    after = await stored_events(jobs, after=seen[-1].id)
    assert [event.stage for event in after if event.job_id == looping.id] == [Stage.CANCELLED]
    assert (await jobs.get(done.id)).state is JobState.DONE
    assert works.done == ["first", "second"] * 2


async def test_an_idle_engine_has_no_thread_that_wakes_up_by_itself_and_takes_the_next_job(start: Start) -> None:
    jobs = await start(idle_seconds=0.1)
    for _ in range(2):
        job = await jobs.submit("count", Count(n=2))
        assert (await jobs.wait(job.id, LIMIT)).result == {"n": 2}
        # One that ends may have begun another.
        async with asyncio.timeout(LIMIT):
            while awake := [thread for thread in threading.enumerate() if not _sleeps(thread)]:
                await asyncio.to_thread(awake[0].join, LIMIT)


@ON_BOTH
async def test_only_one_process_runs_a_machines_jobs_at_a_time(start: Start, url: str) -> None:
    jobs = await start()
    database, second = engine(url, Works())
    with pytest.raises(Conflict, match="Another Vaider process"):
        await second.start()
    database.close()
    assert (await jobs.wait((await jobs.submit("count", Count(n=1))).id, LIMIT)).state is JobState.DONE
    await jobs.stop()
    await start()


async def test_unknown_jobs_and_kinds_are_refused(start: Start) -> None:
    jobs = await start()
    with pytest.raises(InvalidRequest):
        await jobs.submit("paint", Count())
    for ask in (jobs.get("job-x"), jobs.cancel("job-x"), jobs.wait("job-x"), anext(jobs.events(job_id="job-x"))):
        with pytest.raises(NotFound):
            await ask


async def test_jobs_are_listed_newest_first_and_by_state(start: Start) -> None:
    jobs = await start()
    ids = [(await jobs.submit(kind, Count(n=1))).id for kind in ("count", "refuse", "count")]
    for job_id in ids:
        await jobs.wait(job_id, LIMIT)
    assert [job.id for job in await jobs.list()] == ids[::-1]
    assert [job.id for job in await jobs.list(state=JobState.FAILED)] == [ids[1]]
    assert [job.id for job in await jobs.list(limit=1)] == [ids[2]]
    assert [job.id for job in await jobs.list(kinds=("count",), before=ids[2])] == [ids[0]]
    assert [job.id for job in await jobs.briefs(kinds=("count", "refuse"), limit=2)] == ids[:0:-1]
    assert [brief.code for brief in await jobs.briefs(state=JobState.FAILED)] == ["invalid_video"]


async def test_a_brief_tells_the_place_in_line_and_the_newest_progress(start: Start) -> None:
    jobs = await start(max_parallel=1)
    await jobs.submit("hold", Count(n=1))
    await jobs.submit("hold", Count(n=1))
    brief = (await jobs.briefs(limit=1))[0]
    assert (brief.state, brief.place) == (JobState.QUEUED, 1)
    assert brief.progress
    assert brief.progress.stage is Stage.QUEUED


async def test_steps_of_ended_jobs_do_not_pile_up(start: Start, works: Works, url: str) -> None:
    works.gate.open()
    jobs = await start()
    for _ in range(5):
        await jobs.wait((await jobs.submit("steps", Count(n=1))).id, LIMIT)
    await jobs.stop()
    assert await asyncio.to_thread(_kept_steps, url) <= 2 * 2
    jobs = await start()
    await jobs.stop()
    assert await asyncio.to_thread(_kept_steps, url) == 0


def _kept_steps(url: str) -> int:
    database = Database(url)
    database.open()
    table = "operation_outputs" if database.path else "dbos.operation_outputs"
    with database.read() as connection:
        count = connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one()  # noqa: S608 - two constants
    database.close()
    return count


class FullDisk(SqlJobStore):
    """The disk fills up while a job runs: its end cannot be written."""

    def finish(self, *_: Any, **__: Any) -> JobEvent | None:
        raise StorageFailed("There is no room left.")


async def test_an_end_that_cannot_be_stored_is_told_at_once_and_written_at_the_next_start(
    start: Start, works: Works, url: str
) -> None:
    database = Database(url)
    database.open()
    async with DbosJobs(store=FullDisk(database, "here"), url=url, work=works.table()) as jobs:
        job = await jobs.submit("count", Count(n=1))
        lost = await jobs.wait(job.id, LIMIT)
        assert lost.state is JobState.FAILED
        assert lost.error == {"error": "There is no room left.", "code": "storage_failed"}
    database.close()
    again = await start()
    ended = await again.wait(job.id, LIMIT)
    assert ended.state is JobState.FAILED
    assert [event.stage for event in await stored_events(again)][-1] is Stage.FAILED


def _sleeps(thread: threading.Thread) -> bool:
    """Threads that wait for work: of pools, and of event loops."""
    pools = ("MainThread", "vaider-line", "dbos-executor", "asyncio_")
    return thread.name.startswith(pools) or "_run_event_loop" in thread.name or thread.name == "canary"


async def test_a_job_that_had_acted_is_interrupted_when_the_engine_stops_in_good_order(
    start: Start, works: Works
) -> None:
    jobs = await start()
    job = await jobs.submit("act", Count())
    await works.gate.reached()
    stopping = asyncio.create_task(jobs.stop())
    await jobs.wait(job.id, LIMIT)
    works.gate.open()
    await stopping
    jobs = await start()
    job = await jobs.wait(job.id, LIMIT)
    assert (job.state, (job.error or {})["code"]) == (JobState.FAILED, "interrupted")
