"""Events for many viewers at once: one ring of the newest, and the store for viewers that are further behind."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from bisect import bisect_right
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from core.jobs import Job, JobEvent, JobState, NewJob, Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from adapters.jobs.waiting import WaitingJobs
    from core.ports import JobStore

T = TypeVar("T")

_RING = 4096
_BATCH = 256
_FINAL = frozenset(state.value for state in JobState if state.is_final)


class EventStream:
    """Hands each viewer the stored events above its last one, then the live ones, in order and without a gap.

    A viewer is a position, nothing more: a thousand of them share one list, a slow one holds no memory and delays
    nobody. All methods but ``publish_soon``, ``wake_soon`` and ``look_soon`` belong to the loop that the stream was
    opened in.

    A viewer who is up to date also sees how the line moves: of one job its place, of all jobs the first ten places.
    These events have the id 0, for they are computed for the viewer and not stored.
    """

    def __init__(self, store: JobStore, waiting: WaitingJobs) -> None:
        self._store = store
        self._waiting = waiting
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ring: list[JobEvent] = []
        self._floor = 0
        """Every event above this id is in the ring."""
        self._last_id = 0
        self._news = asyncio.Event()
        self._ends: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        self._closed = False

    @property
    def last_id(self) -> int:
        """The newest event's id."""
        return self._last_id

    def open(self, last_id: int) -> None:
        """Begin with what was stored up to ``last_id``."""
        self._loop = asyncio.get_running_loop()
        self._floor = self._last_id = last_id

    def publish_soon(self, event: JobEvent) -> None:
        """Hand on an event that is stored; from any thread, in the order of ids."""
        self._soon(self._publish, event)

    def wake_soon(self, job_id: str) -> None:
        """Wake who waits for the job's end; from any thread."""
        self._soon(self._end, job_id)

    def look_soon(self) -> None:
        """Have viewers look at the line; from any thread."""
        with contextlib.suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """End every viewer's iteration and every waiting."""
        self._closed = True
        for end in list(self._ends.values()):
            end.set()
        self._wake()

    def end_of(self, job_id: str) -> asyncio.Event:
        """Set when the job becomes final, or the stream ends; take it before looking how the job is."""
        end = self._ends.setdefault(job_id, asyncio.Event())
        if self._closed:
            end.set()
        return end

    async def until_final(self, job_id: str, seconds: float | None, get: Callable[[str], Awaitable[Job]]) -> Job:
        """The job, as ``get`` reads it, when it is final, or after ``seconds`` as it then is."""
        end = self.end_of(job_id)
        job = await get(job_id)
        if job.state.is_final:
            return job
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(end.wait(), seconds)
        return await get(job_id)

    async def follow(self, after: int, job_id: str | None) -> AsyncIterator[JobEvent]:
        """Events above ``after`` for ever, or of one job only. An id that was never given counts as the newest."""
        at = min(after, self._last_id)
        reported = dict(self._places(job_id)) if job_id is None else {}
        while not self._closed:
            news = self._news
            upto = self._last_id
            if at >= upto:
                places = self._places(job_id)
                for moved in [each for each in places if reported.get(each) != places[each]]:
                    yield _place_event(moved, places[moved])
                reported = dict(places)
                await news.wait()
                continue
            batch = self._recent(at) if at >= self._floor else await self._stored(at, job_id)
            # A batch that is not full holds all there was, also when the rest was other jobs'.
            at = batch[-1].id if len(batch) == _BATCH else max(upto, batch[-1].id if batch else 0)
            for event in batch:
                if job_id is None or event.job_id == job_id:
                    if "place" in event.data:
                        reported[event.job_id] = event.data["place"]
                    yield event

    def _places(self, job_id: str | None) -> Mapping[str, int]:
        if job_id is None:
            return self._waiting.front()
        place = self._waiting.place(job_id)
        return {} if place is None else {job_id: place}

    def _soon(self, report: Callable[[T], None], news: T) -> None:
        # The loop is closed when a job's thread outlives the engine: then no viewer is left.
        with contextlib.suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(report, news)

    def _publish(self, event: JobEvent) -> None:
        self._ring.append(event)
        self._last_id = event.id
        if len(self._ring) > 2 * _RING:
            self._floor = self._ring[_RING - 1].id
            del self._ring[:_RING]
        if event.stage.value in _FINAL:
            self._end(event.job_id)
        self._wake()

    def _end(self, job_id: str) -> None:
        end = self._ends.get(job_id)
        if end is not None:
            end.set()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _recent(self, after: int) -> Sequence[JobEvent]:
        start = bisect_right(self._ring, after, key=_id)
        return self._ring[start : start + _BATCH]

    async def _stored(self, after: int, job_id: str | None) -> Sequence[JobEvent]:
        return await asyncio.to_thread(self._store.events, after=after, job_id=job_id, limit=_BATCH)


class Publisher:
    """Stores events and hands them to the stream in the order of their ids; safe from any thread."""

    def __init__(self, store: JobStore, stream: EventStream) -> None:
        self._store = store
        self._stream = stream
        # Without it, two threads could store 5 and 6 and publish 6 and 5: a viewer would lose 5.
        self._lock = threading.Lock()

    def create(self, new: NewJob, data: Mapping[str, Any]) -> None:
        """Store a new job and publish its first event."""
        with self._lock:
            self._stream.publish_soon(self._store.create(new, data))

    def create_done(self, new: NewJob, result: Mapping[str, Any]) -> Job:
        """Store a job that is done already, and publish its events."""
        with self._lock:
            first, last = self._store.create_done(new, result)
            self._stream.publish_soon(first)
            self._stream.publish_soon(last)
        return Job(
            id=new.id,
            kind=new.kind,
            state=JobState.DONE,
            request=dict(new.request),
            result=dict(result),
            progress=last,
            created_at=first.t,
            finished_at=last.t,
        )

    def publish_places(self) -> None:
        """Have viewers look at the line, which has moved."""
        self._stream.look_soon()

    def append(self, job_id: str, stage: Stage, data: Mapping[str, Any]) -> None:
        """Store and publish a progress event, unless another process does the job by now."""
        with self._lock:
            event = self._store.append(job_id, stage, data)
            if event is not None:
                self._stream.publish_soon(event)

    def finish(
        self,
        job_id: str,
        state: JobState,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the job final and publish its last event, unless it was final before."""
        with self._lock:
            event = self._store.finish(job_id, state, result=result, error=error)
            if event is not None:
                self._stream.publish_soon(event)


def _place_event(job_id: str, place: int) -> JobEvent:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return JobEvent(id=0, job_id=job_id, t=now, stage=Stage.QUEUED, data={"place": place})


def _id(event: JobEvent) -> int:
    return event.id
