"""What remembering asks of the outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from core.analysis import Findings
    from core.memory import Procedure
    from core.segments import Segment


class Memories(Protocol):
    """The procedures that are remembered. Safe to call from any thread; each method is one transaction.

    Raises ``StorageFailed`` when they cannot be read or written.
    """

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        """Make these the only ones of that video: a segment is read again as it grows."""
        ...

    def get(self, procedure_id: str) -> Procedure | None:
        """The one of that id."""
        ...

    def newest(self, limit: int, *, before: datetime | None = None) -> Sequence[Procedure]:
        """Those that began last, before a moment if one is given; the newest first."""
        ...

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove everything that touches the stretch, so that no byte of it is left in any file; tells how many."""
        ...

    def forget_procedure(self, procedure_id: str) -> bool:
        """Remove one in the same way; tells whether there was one."""
        ...

    def prune(self, before: datetime) -> int:
        """Remove those that ended before a moment, without holding up a search; tells how many."""
        ...

    def count(self) -> int:
        """How many there are."""
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
            is_ended: whether the segment grows no more.

        Returns:
            the findings and the milliseconds of the whole.

        MUST leave no process and no file behind, however it ends. Raises ``InvalidVideo``, ``Internal``.
        """
        ...
