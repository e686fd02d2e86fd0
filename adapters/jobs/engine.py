"""Implements ``core.ports.Jobs``: jobs wait in line, run durably, and tell how far they are."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, Unpack

from adapters.jobs.job_queue import JobQueue
from adapters.jobs.runner import Runner
from adapters.jobs.runtime import DbosRuntime, keep_step
from adapters.jobs.stream import EventStream, Publisher
from adapters.jobs.waiting import WaitingJobs
from core.analysis import FindingsSoFar
from core.errors import InvalidRequest, NotFound, StorageFailed
from core.jobs import LONGEST_SECONDS, NOBODY, Job, JobEvent, JobFilter, JobState, NewJob, Sender, Stage, new_job_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence

    from adapters.jobs.runner import Work
    from core.job_briefs import BriefJob
    from core.ports import JobStore
    from core.values import Value

T = TypeVar("T")

_LOG = logging.getLogger("vaider.jobs")
_MOST_PARTS: Final = 10_000
"""Two a second for an hour are fewer."""


class DbosJobs:
    """The job engine; an asynchronous context manager, one at a time in a process, and started once.

    Args:
        store: where jobs and events are kept.
        url: the same database, for DBOS.
        work: what to do for each kind of job; blocks, runs in a thread of its own.
        max_parallel: more jobs than this wait in line.
        job_timeout_seconds: how long one may run, anew after each resumption.
        keep_events_days: how long the events of finished jobs are kept.
        once: the kinds that never go on after the daemon's end.
        quiet_seconds: as in ``adapters.jobs.suspects.Suspects``.
        idle_seconds: after so long without a job DBOS is stopped, until the next one.

    """

    def __init__(
        self,
        *,
        store: JobStore,
        url: str,
        work: Mapping[str, Work],
        max_parallel: int = 2,
        job_timeout_seconds: float = LONGEST_SECONDS,
        keep_events_days: int = 30,
        once: Collection[str] = (),
        quiet_seconds: float = 10.0,
        idle_seconds: float = 60.0,
    ) -> None:
        self._store = store
        self._kinds = frozenset(work)
        self._keep_events_days = keep_events_days
        # One thread moves the line: it needs no lock, and starts workflows from outside of any workflow.
        self._mover = ThreadPoolExecutor(1, thread_name_prefix="vaider-line")
        self._runtime = DbosRuntime(url, store.owner, self._run)
        self._waiting = WaitingJobs()
        self._stream = EventStream(store, self._waiting)
        self._publisher = publisher = Publisher(store, self._stream)
        self._runner = Runner(
            store=store,
            publisher=publisher,
            work=work,
            seconds=job_timeout_seconds,
            keep_step=keep_step,
            once=once,
        )
        self._queue = JobQueue(
            store=store,
            publisher=publisher,
            runtime=self._runtime,
            mover=self._mover,
            waiting=self._waiting,
            capacity=max_parallel,
            once=once,
            quiet_seconds=quiet_seconds,
            idle_seconds=idle_seconds,
        )
        self._unsaved: dict[str, StorageFailed] = {}
        self._stopped = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Launch, and go on with what a crash or a stop has left.

        Raises:
            Conflict: another process runs this machine's jobs.
            StorageFailed: the database cannot be used.

        """
        try:
            self._stream.open(await self._move(self._prepare))
            await self._move(self._queue.take_up)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Interrupt what runs, so that it goes on at the next start, and let go of the database."""
        if self._stopped:
            return
        self._stopped = True
        self._stream.close()
        await self._move(self._queue.suspend)
        await asyncio.to_thread(self._let_go)

    async def submit(self, kind: str, request: Value, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        """Start a job, or put it in line when enough are running; it survives a crash from here on.

        While a job with the same ``question`` is under way, that one is returned, and nothing is started.
        """
        return await self._admit(new_job_id(), kind, request, question, sender)

    async def submit_once(self, job_id: str, kind: str, request: Value) -> Job:
        """The same under an id of the caller's, which names one job for ever: who asks again gets the job there is."""
        return await self._admit(job_id, kind, request, None, NOBODY)

    async def answered(self, job_id: str, kind: str, request: Value, result: Value, *, sender: Sender = NOBODY) -> Job:
        """Keep a job whose answer is known already: it waits for nothing."""
        new = NewJob(job_id, kind, request.model_dump(mode="json"), None, *sender)
        return await asyncio.to_thread(self._publisher.create_done, new, result.model_dump(mode="json"))

    async def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        """Change the result of a job that is done."""
        return await asyncio.to_thread(self._store.amend, job_id, change)

    async def get(self, job_id: str) -> Job:
        """The job as it is now, with what it has found so far."""
        job = await asyncio.to_thread(self._read, job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id!r}.")
        return self._as_it_is(job)

    async def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """Jobs, newest first."""
        jobs = await asyncio.to_thread(self._store.list, **which)
        return [self._as_it_is(job) for job in jobs]

    async def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        """Jobs as lists show them, newest first."""
        found = await asyncio.to_thread(self._store.briefs, **which)
        return [self._brief_as_it_is(brief) for brief in found]

    async def counts(self) -> Mapping[JobState, int]:
        """How many jobs there are of each state."""
        return await asyncio.to_thread(self._store.counts)

    async def cancel(self, job_id: str) -> Job:
        """Ask the job to stop; returns at once. A finished job stays as it is."""
        await self._move(lambda: self._queue.cancel(job_id))
        return await self.get(job_id)

    async def leave(self, job_id: str) -> Job:
        """Want the job no more: it is cancelled unless others asked for it as well."""
        await self._move(lambda: self._queue.leave(job_id))
        return await self.get(job_id)

    async def wait(self, job_id: str, seconds: float | None = None) -> Job:
        """Return when the job is final, or after ``seconds`` as it then is."""
        return await self._stream.until_final(job_id, seconds, self.get)

    async def history(self, job_id: str, *, after: int = 0, limit: int = 500) -> Sequence[JobEvent]:
        """A job's events so far, the oldest first."""
        await self.get(job_id)
        return await asyncio.to_thread(self._store.events, after=after, job_id=job_id, limit=limit)

    async def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncIterator[JobEvent]:
        """Stored events with an id above ``after`` in order, then live ones, until the engine stops."""
        if job_id is not None:
            await self.get(job_id)
        async for event in self._stream.follow(after, job_id):
            yield event

    async def last_event_id(self) -> int:
        """The newest event's id, 0 when there is none."""
        return self._stream.last_id

    async def _admit(self, job_id: str, kind: str, request: Value, question: str | None, sender: Sender) -> Job:
        if kind not in self._kinds:
            raise InvalidRequest(f"There is no kind of job {kind!r}.")
        new = NewJob(job_id, kind, request.model_dump(mode="json"), question, *sender)
        return await self.get(await self._move(lambda: self._queue.admit(new)))

    async def _move(self, change: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._mover, change)

    def _read(self, job_id: str) -> Job | None:
        job = self._store.get(job_id)
        if job is None or job.state is not JobState.RUNNING:
            return job
        found = self._store.events(after=0, job_id=job_id, stage=Stage.FOUND, limit=_MOST_PARTS)
        parts = [FindingsSoFar.model_validate(event.data) for event in found]
        return job.model_copy(update={"so_far": reduce(FindingsSoFar.and_then, parts)}) if parts else job

    def _prepare(self) -> int:
        self._store.claim()
        self._store.prune(self._keep_events_days)
        return self._store.last_event_id()

    def _let_go(self) -> None:
        self._mover.shutdown()
        self._runtime.destroy()
        self._store.release()

    def _run(self, job_id: str) -> None:
        control = self._queue.control(job_id)
        control.await_release()
        control.begun.set()
        final = False
        try:
            self._runner.run(job_id, control)
            final = True
        except StorageFailed as error:
            _LOG.exception("the end of job %s could not be stored", job_id)
            self._unsaved[job_id] = error
            self._stream.wake_soon(job_id)
        finally:
            control.ended.set()
            self._queue.leave_soon(job_id, final=final)

    def _as_it_is(self, job: Job) -> Job:
        """The stored job, with what only this process knows: its place, or that its end could not be stored."""
        if job.id in self._unsaved and not job.state.is_final:
            return job.model_copy(update={"state": JobState.FAILED, "error": self._unsaved[job.id].to_json()})
        if job.state.is_final:
            return job
        place = self._waiting.place(job.id)
        reported = {"place": place, "asked_by": self._queue.asked_by(job.id), "progress": _placed(job.progress, place)}
        return job.model_copy(update=reported)

    def _brief_as_it_is(self, brief: BriefJob) -> BriefJob:
        if brief.id in self._unsaved and not brief.state.is_final:
            error = self._unsaved[brief.id]
            return brief.model_copy(
                update={"state": JobState.FAILED, "outcome": "failed", "reason": error.message, "code": error.code}
            )
        place = self._waiting.place(brief.id) if brief.state is JobState.QUEUED else None
        return brief.model_copy(update={"place": place, "progress": _placed(brief.progress, place)}) if place else brief


def _placed(progress: JobEvent | None, place: int | None) -> JobEvent | None:
    """The newest event of a job that waits, with its place now: the stored one is where its wait began."""
    if progress is None or place is None:
        return progress
    return progress.model_copy(update={"data": {**progress.data, "place": place}})
