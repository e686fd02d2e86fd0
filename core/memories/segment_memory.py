"""What is remembered of one segment while it is read: procedures of what has been seen, and of its input log."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from core.errors import InvalidRequest, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from core.analysis import Findings
    from core.memories.reading_ports import ProceduresOf
    from core.memory import Procedure
    from core.recall.ports import Memories
    from core.recording.input_log import InputLog
    from core.recording.segments import Segment
    from core.tasks.learning_ports import InputLogs

_EVERY_SECONDS: Final = 1.0
_SHARE: Final = 0.1
"""The most of the time that may go into telling procedures and keeping them while a segment grows."""
_AGAIN_SECONDS: Final = 10.0


@dataclass(frozen=True)
class Remembering:
    """What it takes to remember: where memories are kept, where input logs are, what makes procedures of both."""

    memories: Memories
    logs: InputLogs
    procedures: ProceduresOf
    clock: Callable[[], float] = time.monotonic


class SegmentMemory:
    """Of one segment. Used by one thread, but for ``forget``."""

    def __init__(self, segment: Segment, how: Remembering) -> None:
        self._segment = segment
        self._how = how
        self._newest: tuple[Findings, int] | None = None
        self._stale = False
        self._logged_bytes = -1
        self._written: Sequence[Procedure] | None = None
        self._next = float("-inf")
        self._gone = False
        # Held while it is written, and while it is said to be gone: what was forgotten is not written again.
        self._lock = threading.Lock()
        self.problem: str | None = None
        """What went wrong last, ``None`` when all is well again."""

    @property
    def read_until(self) -> datetime | None:
        """The last moment that has been read."""
        if self._newest is None:
            return None
        return self._segment.started_at + timedelta(milliseconds=self._newest[1])

    def forget(self) -> None:
        """Remember nothing more of it; when this returns, nothing is being written any more."""
        with self._lock:
            self._gone = True

    def know(self, findings: Findings, until_ms: int) -> None:
        """Take what is known so far; less than was known before, as when it is read again, is not taken."""
        if self._newest is None or until_ms >= self._newest[1]:
            self._newest, self._stale = (findings, until_ms), True

    def keep_up(self) -> None:
        """Remember what is known so far and was logged, if that is more than before, now and then."""
        if self._newest is None or self._how.clock() < self._next:
            return
        logged = _size(self._segment)
        if not self._stale and logged == self._logged_bytes:
            return
        began = self._how.clock()
        try:
            self._write(*self._newest, complete=False)
        except StorageFailed as error:
            self.problem, self._next = error.message, began + _AGAIN_SECONDS
            return
        self._stale, self._logged_bytes = False, logged
        self._next = began + max(_EVERY_SECONDS, (self._how.clock() - began) / _SHARE)

    def finish(self, findings: Findings, until_ms: int) -> None:
        """Remember the whole of it. Raises ``StorageFailed``."""
        self._newest = findings, until_ms
        self._write(findings, until_ms, complete=True)

    def _write(self, findings: Findings, until_ms: int, *, complete: bool) -> None:
        segment = self._segment
        self.problem = None
        procedures = self._how.procedures(
            findings,
            self._input_log(),
            video=segment.id,
            source="recorder",
            started_at=segment.started_at,
            duration_ms=until_ms,
            complete=complete,
            size=(segment.width, segment.height),
        )
        with self._lock:
            if not self._gone and procedures != self._written:
                self._how.memories.replace(segment.id, procedures)
                self._written = procedures

    def _input_log(self) -> InputLog | None:
        try:
            return None if self._segment.log is None else self._how.logs.of(self._segment.path)
        except InvalidRequest as error:
            self.problem = error.message
            return None


def _size(segment: Segment) -> int:
    """Of the input log so far, in bytes."""
    with suppress(OSError):
        return 0 if segment.log is None else segment.log.stat().st_size
    return 0
