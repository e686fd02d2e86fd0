"""Turns the recording into memories: each segment is read while it grows, and its procedures are stored.

``adapters/video/local.py`` reads the segment in a process of its own. About once a second ``SegmentMemory``
passes the findings so far and the input log to ``core/procedures``, which groups what was done and puts it in a
sentence; ``storage/memories/memories.py`` replaces what was kept of that segment. Analyses and runs are remembered in
the same way by ``MemoryWriter``.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.errors import StorageFailed, VaiderError
from core.memories.remembering import Remembering, SegmentMemory
from core.recording.recorder import ReadingStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from core.analysis import Findings
    from core.memories.ports import ReadingMarks, SegmentReader
    from core.recording.recordings import Segment, Segments

MOST_TRIES: Final = 3
MOST_WAITING: Final = 24
"""Most segments that may wait; beyond, the oldest are left unread, because reading would never catch up."""
AGAIN_SECONDS: Final = 10.0
_BUSY_SECONDS: Final = 60.0
"""Seconds after activity in which the next segment is read from its start, because the work probably goes on."""
_PATIENCE_SECONDS: Final = 60.0
"""Seconds after its end until an unread segment goes back into the queue, because the newest has priority."""
_log = logging.getLogger("vaider.memory")


class _StoppedError(Exception):
    """Reading was cancelled: its segment was removed, or the daemon stops."""


class _PutOffError(Exception):
    """Reading was postponed: it takes too long, and a newer segment waits."""


@dataclass(slots=True, eq=False)
class _Work:
    """One segment that is to be read, or is being read."""

    segment: Segment
    memory: SegmentMemory
    waits: bool
    """Whether it is queued with the complete segments."""
    closed: bool
    """Whether the segment is complete."""
    changed: bool
    """Whether it contains activity."""
    changed_at: float = float("-inf")
    closed_at: float = float("inf")
    reading: bool = False
    gone: bool = False
    not_before: float = float("-inf")


class MemoryReading:
    """Implements ``core.recording.recordings.SegmentViewer``. Reads on threads of its own, started when needed.

    One thread follows the segment that is being recorded, from the first change in it on; another one reads those
    that are complete and were never read to their end, the oldest first.

    Args:
        reader: reads a segment.
        remembering: makes memories of the findings, and stores them.
        segments: which there are when it starts.
        marks: which segments have been read.
        when_read: called with each complete segment that was read to its end; returns at once.
        clock: seconds.
        most_waiting: so many segments may wait.
        again_seconds: after which one that could not be read is tried again.

    """

    def __init__(
        self,
        *,
        reader: SegmentReader,
        remembering: Remembering,
        segments: Segments,
        marks: ReadingMarks,
        when_read: Callable[[Segment], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        most_waiting: int = MOST_WAITING,
        again_seconds: float = AGAIN_SECONDS,
    ) -> None:
        self._reader = reader
        self._remembering = remembering
        self._segments = segments
        self._marks = marks
        self._when_read = when_read
        self._clock = clock
        self._most_waiting = most_waiting
        self._again_seconds = again_seconds
        self._state = threading.Condition()
        self._works: dict[str, _Work] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._stopped = False
        self._left_out = self._failed = 0
        self._read_until: datetime | None = None
        self._problem: str | None = None

    def start(self) -> None:
        """Queue the complete segments that were not read. Raises ``StorageFailed`` when they cannot be listed."""
        # A thread takes the oldest that is queued as soon as one is.
        there = sorted(self._segments.list(), key=lambda segment: segment.started_at)
        self._note(lambda: self._marks.keep_only([segment.id for segment in there]))
        for segment in there:
            if segment.complete:
                self.closed(segment)

    def stop(self) -> None:
        """Cancel reading; it is repeated after the next start. Waits until no process is left."""
        with self._state:
            self._stopped = True
            self._state.notify_all()
            threads = list(self._threads.values())
        for thread in threads:
            thread.join()

    def opened(self, segment: Segment) -> None:
        """See the port."""
        with self._state:
            now = self._clock()
            busy = any(now - work.changed_at <= _BUSY_SECONDS for work in self._works.values())
            self._works[segment.id] = self._work(segment, closed=False, changed=busy)
            self._wake()

    def changed(self, segment_id: str) -> None:
        """See the port."""
        with self._state:
            work = self._works.get(segment_id)
            if work is not None:
                work.changed_at = self._clock()
                if not work.changed:
                    work.changed = True
                    self._wake()

    def closed(self, segment: Segment) -> None:
        """See the port. A segment without any change is not read, because nothing was done in it."""
        with self._state:
            work = self._works.get(segment.id)
            if work is None:
                if not self._is_read(segment.id):
                    self._works[segment.id] = self._work(segment, closed=True, changed=True)
                    self._leave_out()
                    self._wake()
            elif not work.closed:
                work.segment, work.closed, work.closed_at = segment, True, self._clock()
                if not work.changed:
                    self._finish(work)

    def removed(self, segment_ids: Sequence[str]) -> None:
        """See the port. Their memories stay; after this returns, none is added."""
        with self._state:
            gone = [work for one in segment_ids if (work := self._works.pop(one, None)) is not None]
            for work in gone:
                work.gone = True
            self._note(lambda: self._marks.forget(segment_ids))
        for work in gone:
            work.memory.forget()

    def status(self) -> ReadingStatus:
        """The status of reading."""
        with self._state:
            reading = [work.segment.id for work in self._works.values() if work.reading]
            return ReadingStatus(
                reading=tuple(sorted(reading)),
                waiting=len(self._waiting()),
                left_out=self._left_out,
                failed=self._failed,
                read_until=self._read_until,
                problem=self._problem,
            )

    def _work(self, segment: Segment, *, closed: bool, changed: bool) -> _Work:
        memory = SegmentMemory(segment, self._remembering)
        return _Work(segment, memory, waits=closed, closed=closed, changed=changed)

    def _wake(self) -> None:
        """Wake or start the reading threads. The caller holds the state's lock."""
        self._state.notify_all()
        if self._stopped:
            return
        takes = {"live": self._newest_live, "waiting": self._oldest_waiting}
        needed = {"waiting" if work.waits else "live" for work in self._works.values() if work.changed}
        for kind in needed - self._threads.keys():
            thread = threading.Thread(target=self._run, args=(takes[kind],), name=f"reading {kind}", daemon=True)
            self._threads[kind] = thread
            thread.start()

    def _run(self, take: Callable[[float], _Work | None]) -> None:
        while (work := self._next(take)) is not None:
            try:
                self._read(work)
            finally:
                with self._state:
                    work.reading = False
                    self._wake()

    def _next(self, take: Callable[[float], _Work | None]) -> _Work | None:
        with self._state:
            while not self._stopped:
                now = self._clock()
                work = take(now)
                if work is not None:
                    work.reading = True
                    return work
                later = [one.not_before - now for one in self._works.values() if one.not_before > now]
                self._state.wait(min(later, default=None))
        return None

    def _newest_live(self, now: float) -> _Work | None:
        """The newest changed segment; older ones, which have ended meanwhile, are queued."""
        ready = [work for work in self._works.values() if work.changed and not work.waits and not work.reading]
        ready.sort(key=lambda work: work.segment.started_at)
        for work in ready[:-1]:
            self._put_off(work)
        return ready[-1] if ready and ready[-1].not_before <= now else None

    def _oldest_waiting(self, now: float) -> _Work | None:
        return next((work for work in self._waiting() if work.not_before <= now), None)

    def _waiting(self) -> list[_Work]:
        waiting = [work for work in self._works.values() if work.waits and not work.reading]
        return sorted(waiting, key=lambda work: work.segment.started_at)

    def _put_off(self, work: _Work) -> None:
        work.waits = True
        self._leave_out()
        self._wake()

    def _leave_out(self) -> None:
        waiting = self._waiting()
        for work in waiting[: max(0, len(waiting) - self._most_waiting)]:
            self._finish(work)
            self._left_out += 1
            self._problem = "Segments come faster than they can be read: the oldest are left unread."

    def _read(self, work: _Work) -> None:
        segment_id = work.segment.id
        tries = self._begin(segment_id)
        if tries > MOST_TRIES:
            self._give_up(work)
            return

        def report(findings: Findings, until_ms: int) -> None:
            work.memory.know(findings, until_ms)
            self._keep_up(work)

        try:
            work.memory.finish(*self._reader.follow(work.segment, report, lambda: self._is_closed(work)))
        except _StoppedError:
            self._put_back(work)
        except _PutOffError:
            self._put_back(work)
            with self._state:
                self._put_off(work)
        except StorageFailed as error:
            # The segment did not cause this failure.
            self._put_back(work)
            self._try_again(work, error.message)
        except Exception as error:  # noqa: BLE001 - one that cannot be read must not stop the others
            _log.exception("memory.reading_failed", extra={"segment": segment_id, "tries": tries})
            if tries >= MOST_TRIES:
                self._give_up(work)
            else:
                self._try_again(work, error.message if isinstance(error, VaiderError) else type(error).__name__)
        else:
            with self._state:
                self._advance(work)
                self._finish(work)
                is_there = not work.gone
            if is_there:
                self._when_read(work.segment)

    def _is_closed(self, work: _Work) -> bool:
        """Whether the segment grows no more. Raises when it is to be read no further."""
        with self._state:
            if self._stopped or work.gone:
                raise _StoppedError
            late = not work.waits and self._clock() - work.closed_at > _PATIENCE_SECONDS
            others = (one for one in self._works.values() if one is not work and not one.waits)
            if late and any(one.changed for one in others):
                raise _PutOffError
        self._keep_up(work)
        return work.closed

    def _keep_up(self, work: _Work) -> None:
        """Store the findings so far, except for a complete segment, which may have been read further before."""
        if not work.waits:
            work.memory.keep_up()
            with self._state:
                self._advance(work)

    def _advance(self, work: _Work) -> None:
        self._problem = work.memory.problem
        read_until = work.memory.read_until
        if read_until is not None:
            self._read_until = max(self._read_until or read_until, read_until)

    def _finish(self, work: _Work) -> None:
        """Mark it as read, unless it was removed. The caller holds the state's lock."""
        if not work.gone and self._works.pop(work.segment.id, None) is not None:
            self._note(lambda: self._marks.finish(work.segment.id))

    def _give_up(self, work: _Work) -> None:
        with self._state:
            self._finish(work)
            self._failed += 1
            self._problem = f"Segment {work.segment.id} could not be read, {MOST_TRIES} times."

    def _try_again(self, work: _Work, problem: str) -> None:
        with self._state:
            self._problem = problem
            work.not_before = self._clock() + self._again_seconds

    def _put_back(self, work: _Work) -> None:
        with self._state:
            if not work.gone:
                self._note(lambda: self._marks.put_back(work.segment.id))

    def _begin(self, segment_id: str) -> int:
        try:
            return self._marks.begin(segment_id)
        except StorageFailed as error:
            self._problem = error.message
            return 1

    def _is_read(self, segment_id: str) -> bool:
        try:
            return self._marks.is_read(segment_id)
        except StorageFailed as error:
            self._problem = error.message
            return False

    def _note(self, write: Callable[[], None]) -> None:
        """Log a failure and go on, because a missing mark only means that a segment is read once more."""
        try:
            write()
        except StorageFailed as error:
            self._problem = error.message
