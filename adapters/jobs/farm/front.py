"""Implements ``core.ports.Jobs`` where no job is done: several processes take jobs and tell of them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from adapters.jobs.stream import EventStream
from adapters.jobs.waiting import WaitingJobs
from core.errors import Cancelled, InvalidRequest, NotFound, StorageFailed
from core.jobs import NOBODY, Job, JobEvent, JobFilter, JobState, NewJob, Sender, Stage, new_job_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from adapters.jobs.farm.queue import FarmQueue
    from core.farm import FarmJobStore
    from core.job_briefs import BriefJob
    from core.values import Value

_LOG = logging.getLogger("vaider.jobs")
_LOOK_SECONDS: Final = 0.25
_PAGE: Final = 500
_ANYBODY: Final = "anybody"
KINDS: Final = frozenset({"analysis"})
"""What a farm does: runs on desktops stay on one host."""


class FarmJobs:
    """The jobs of a farm; an asynchronous context manager.

    Each process looks four times a second for events above the last it has seen, from all processes: their ids are
    committed in order, so that a viewer misses none at any process, nor when it comes back to another one.

    Args:
        store: where jobs and events are kept.
        queue: the way to the workers.

    """

    def __init__(self, store: FarmJobStore, queue: FarmQueue) -> None:
        self._store = store
        self._queue = queue
        self._stream = EventStream(store, WaitingJobs())
        self._tail: asyncio.Task[None] | None = None
        self._closing = False

    async def __aenter__(self) -> Self:
        self._stream.open(await asyncio.to_thread(self._store.newest_event))
        self._tail = asyncio.ensure_future(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._stream.close()
        if self._tail is not None:
            self._tail.cancel()
            await asyncio.gather(self._tail, return_exceptions=True)

    async def submit(self, kind: str, request: Value, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        """Put a job in line; one with the same question that is under way is returned instead."""
        if kind not in KINDS:
            raise InvalidRequest(f"A farm does no jobs of the kind {kind!r}; ask a daemon on one machine.")
        new = NewJob(new_job_id(), kind, request.model_dump(mode="json"), question, *sender)
        return await self.get(await asyncio.to_thread(self._create, new))

    async def answered(self, job_id: str, kind: str, request: Value, result: Value, *, sender: Sender = NOBODY) -> Job:
        """Keep a job whose answer is known already."""
        new = NewJob(job_id, kind, request.model_dump(mode="json"), None, *sender)
        await asyncio.to_thread(self._store.create_done, new, result.model_dump(mode="json"))
        return await self.get(job_id)

    async def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        """Change the result of a job that is done."""
        return await asyncio.to_thread(self._store.amend, job_id, change)

    async def get(self, job_id: str) -> Job:
        """The job as it is now."""
        return await asyncio.to_thread(self._read, job_id)

    async def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """Jobs, newest first."""
        return await asyncio.to_thread(self._store.list, **which)

    async def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        """Jobs as lists show them, newest first."""
        return await asyncio.to_thread(self._store.briefs, **which)

    async def counts(self) -> Mapping[JobState, int]:
        """How many jobs there are of each state."""
        return await asyncio.to_thread(self._store.counts)

    async def cancel(self, job_id: str) -> Job:
        """End the job; its worker finds it ended within a second, and stops."""
        await asyncio.to_thread(self._cancel, job_id)
        return await self.get(job_id)

    async def leave(self, job_id: str) -> Job:
        """Cancel the job, for all callers: a farm does not count how many asked for it."""
        return await self.cancel(job_id)

    async def wait(self, job_id: str, seconds: float | None = None) -> Job:
        """Return when the job is final, or after ``seconds`` as it then is."""
        return await self._stream.until_final(job_id, seconds, self.get)

    async def history(self, job_id: str, *, after: int = 0, limit: int = 500) -> Sequence[JobEvent]:
        """A job's events so far, the oldest first."""
        await self.get(job_id)
        return await asyncio.to_thread(self._store.events, after=after, job_id=job_id, limit=limit)

    async def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncIterator[JobEvent]:
        """Stored events with an id above ``after`` in order, then live ones, until this process stops."""
        if job_id is not None:
            await self.get(job_id)
        # Another process may have shown more than this one has seen: the viewer is not sent them again.
        seen = min(after, await self.last_event_id())
        while self._stream.last_id < seen and not self._closing:  # noqa: ASYNC110 - it happens once in a while
            await asyncio.sleep(_LOOK_SECONDS / 5)
        async for event in self._stream.follow(after, job_id):
            yield event

    async def last_event_id(self) -> int:
        """The newest event's id, at whatever process."""
        return await asyncio.to_thread(self._store.newest_event)

    def _create(self, new: NewJob) -> str:
        if new.question is not None and (same := self._store.under_way(new.question)) is not None:
            return same
        submitter = new.submitter or _ANYBODY
        self._store.create(new, {}, lambda connection: self._queue.enqueue(connection, new.id, submitter))
        return new.id

    def _cancel(self, job_id: str) -> None:
        if not self._read(job_id).state.is_final:
            error = Cancelled("The job was cancelled.").to_json()
            self._store.finish(job_id, JobState.CANCELLED, error=error)
            self._queue.cancel(job_id)

    def _read(self, job_id: str) -> Job:
        job = self._store.get(job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id!r}.")
        if job.state is not JobState.QUEUED:
            return job
        place = self._store.place(job_id)
        progress = job.progress
        if progress is not None and progress.stage is Stage.QUEUED and place:
            progress = progress.model_copy(update={"data": {**progress.data, "place": place}})
        return job.model_copy(update={"place": place, "progress": progress})

    async def _look(self) -> None:
        """Hand on the events that any process has stored since."""
        last = self._stream.last_id
        while True:
            try:
                page = await asyncio.to_thread(self._store.events, after=last, limit=_PAGE)
            except StorageFailed as error:
                _LOG.warning("events cannot be read just now: %s", error.message)
                page = ()
            for event in page:
                self._stream.publish_soon(event)
                last = event.id
            if len(page) < _PAGE:
                await asyncio.sleep(_LOOK_SECONDS)
