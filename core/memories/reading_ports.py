"""What reading the recording asks of the outside, beside a place for memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from core.analysis import Findings
    from core.memory import Procedure, Source
    from core.recording.input_log import InputLog
    from core.recording.segments import Segment


class ReadingMarks(Protocol):
    """Which segments have been read: what is left of it when the daemon is killed. Safe to call from any thread.

    Raises ``StorageFailed`` when they cannot be read or written.
    """

    def is_read(self, segment_id: str) -> bool:
        """Whether nothing is left to be read of it."""
        ...

    def begin(self, segment_id: str) -> int:
        """It is going to be read; tells how many times it has been begun, this time too, and not finished."""
        ...

    def put_back(self, segment_id: str) -> None:
        """That it was begun does not count: it was stopped for reasons that are not its own."""
        ...

    def finish(self, segment_id: str) -> None:
        """It is read, or never will be."""
        ...

    def forget(self, segment_ids: Collection[str]) -> None:
        """They are gone."""
        ...

    def keep_only(self, segment_ids: Collection[str]) -> None:
        """All others are gone."""
        ...


class ProceduresOf(Protocol):
    """Tells what was done from what was seen and the input log: ``core.procedures.procedures.procedures_of``."""

    def __call__(
        self,
        findings: Findings,
        log: InputLog | None,
        *,
        video: str,
        source: Source,
        started_at: datetime,
        duration_ms: int,
        complete: bool,
        size: tuple[int, int] | None,
    ) -> Sequence[Procedure]:
        """One procedure after another."""
        ...


class SegmentReader(Protocol):
    """Reads a segment while it grows."""

    def follow(
        self, segment: Segment, tell: Callable[[Findings, int], None], is_ended: Callable[[], bool]
    ) -> tuple[Findings, int]:
        """Watch a segment from its begin until ``is_ended`` and all that was written has been read; blocks.

        Args:
            segment: it may still be growing.
            tell: called with the findings so far and how many milliseconds they cover, soon after each change that
                was read, and not more often than is useful.
            is_ended: whether the segment grows no more; asked several times a second, also when it has said so. What
                this or ``tell`` raises ends the reading, and is raised here.

        Returns:
            the findings and the milliseconds of the whole.

        MUST leave no process and no file behind, however it ends. Raises ``InvalidVideo``, ``Internal``.
        """
        ...
