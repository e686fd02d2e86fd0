"""Stores memories: of finished analyses and runs, and of each segment of the recording while it is read."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import InvalidRequest, StorageFailed, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from core.analysis import Analysis, Findings
    from core.memory import Procedure
    from core.recall.ports import Memories
    from core.recording.input_log import InputLog
    from core.recording.recordings import Segment
    from core.runs.run import Run
    from core.tasks.ports import InputLogs
    from core.workflows.workflow import Workflow


_LOG: Final = logging.getLogger("vaider.memory")


def remember_analysis(analysis: Analysis, memories: Memories, *, started_at: datetime) -> tuple[Procedure, ...]:
    """Store the procedures of an analysed video in place of its earlier ones, and return them.

    Args:
        analysis: the source of the timeline; every step is inferred.
        memories: the store.
        started_at: when its first picture was taken, in UTC.

    Raises ``StorageFailed``.

    """
    # Imported late, because a daemon without memories does not need it.
    from core.procedures.procedures import procedures_of_video  # noqa: PLC0415

    procedures = procedures_of_video(analysis, started_at=started_at)
    memories.replace(analysis.video.path, procedures)
    return procedures


def remember_run(
    run: Run, memories: Memories, *, workflow: Workflow | None = None, rows: Iterable[Mapping[str, Any]] = ()
) -> Procedure | None:
    """Store the procedure of a run whose success was verified; ``None`` for other runs.

    Args:
        run: as it ended, sensitive values masked.
        memories: the store.
        workflow: as it was rendered for the run.
        rows: of its ``events.jsonl``.

    Raises ``StorageFailed``.

    """
    from core.procedures.run_steps import procedure_of_run  # noqa: PLC0415 - as above

    procedure = procedure_of_run(run, workflow, rows)
    if procedure is not None:
        memories.replace(run.run_id, [procedure])
    return procedure


class MemoryWriter:
    """Stores the results of use cases. A failure is logged and never fails the use case.

    Args:
        memories: where it is kept; called when there is something to keep.

    """

    def __init__(self, memories: Callable[[], Memories]) -> None:
        self._memories = memories

    def analysis(self, analysis: Analysis) -> None:
        """Store a finished analysis."""
        with _log_and_continue(analysis.job_id):
            remember_analysis(analysis, self._memories(), started_at=began_at(analysis))

    def run(self, run: Run, workflow: Workflow) -> None:
        """Store a finished run."""
        with _log_and_continue(run.job_id):
            remember_run(run, self._memories(), workflow=workflow)


@contextmanager
def _log_and_continue(job: str) -> Generator[None]:
    try:
        yield
    except VaiderError as error:
        _LOG.warning("%s is not remembered: %s", job, error.message)
    except Exception:  # noqa: BLE001 - the job itself is done, and stays so
        _LOG.exception("%s is not remembered", job)


def began_at(analysis: Analysis) -> datetime:
    """The start of a video by its file: the modification time is that of the last picture; else now."""
    length = timedelta(milliseconds=analysis.video.duration_ms)
    try:
        return datetime.fromtimestamp(Path(analysis.video.path).stat().st_mtime, UTC) - length
    except (OSError, ValueError, OverflowError):
        return datetime.now(UTC) - length


_EVERY_SECONDS: Final = 1.0
_SHARE: Final = 0.1
"""The largest share of time for deriving and storing procedures while a segment grows."""
_AGAIN_SECONDS: Final = 10.0


@dataclass(frozen=True)
class Remembering:
    """The dependencies: the memories and the input logs."""

    memories: Memories
    logs: InputLogs
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
        # Held during a write and while it is forgotten, so that a forgotten segment is not written again.
        self._lock = threading.Lock()
        self.problem: str | None = None
        """The last failure, ``None`` after the next success."""

    @property
    def read_until(self) -> datetime | None:
        """The last moment that has been read."""
        if self._newest is None:
            return None
        return self._segment.started_at + timedelta(milliseconds=self._newest[1])

    def forget(self) -> None:
        """Store nothing more of it; on return no write is in progress."""
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
        from core.procedures.procedures import procedures_of  # noqa: PLC0415 - as above

        segment = self._segment
        self.problem = None
        procedures = procedures_of(
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
