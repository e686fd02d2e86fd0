"""Ports of reading and refining memories, and the list of what left this machine, which no refiner gets around."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field

from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from core.analysis import Findings
    from core.memories.refinements import Refinement
    from core.memory import Procedure
    from core.recording.recordings import Segment


class ReadingMarks(Protocol):
    """Persistent marks of the segments that have been read. Safe to call from any thread.

    Raises ``StorageFailed`` when they cannot be read or written.
    """

    def is_read(self, segment_id: str) -> bool:
        """Whether the segment is read."""
        ...

    def begin(self, segment_id: str) -> int:
        """Count a started reading; returns the number of unfinished readings, including this one."""
        ...

    def put_back(self, segment_id: str) -> None:
        """Undo the count of ``begin``, because the segment did not cause the end of its reading."""
        ...

    def finish(self, segment_id: str) -> None:
        """Mark it as read, or as never to be read."""
        ...

    def forget(self, segment_ids: Collection[str]) -> None:
        """Drop the marks of these segments."""
        ...

    def keep_only(self, segment_ids: Collection[str]) -> None:
        """Drop the marks of all other segments."""
        ...


class SegmentReader(Protocol):
    """Reads a segment while it grows."""

    def follow(
        self, segment: Segment, report: Callable[[Findings, int], None], is_ended: Callable[[], bool]
    ) -> tuple[Findings, int]:
        """Watch a segment from its begin until ``is_ended`` and all that was written has been read; blocks.

        Args:
            segment: it may still be growing.
            report: called with the findings so far and how many milliseconds they cover, soon after each change that
                was read, and not more often than is useful.
            is_ended: whether the segment grows no more; asked several times a second, also when it has said so. What
                this or ``report`` raises ends the reading, and is raised here.

        Returns:
            the findings and the milliseconds of the whole.

        MUST leave no process and no file behind, however it ends. Raises ``InvalidVideo``, ``Internal``.
        """
        ...


What = Literal["pictures", "clip", "segment", "question", "words", "deleted", "not deleted"]
"""``question``: words of somebody who asked to be reminded, and no picture; ``words``: those of a memory. ``deleted``
and ``not deleted``: whether what was sent before could be removed there again."""
MOST_TIMES = 512


class Sent(Value):
    """One request that left, or what became of an earlier one."""

    at: datetime
    """In UTC."""
    what: What
    host: str
    """Where it went."""
    refiner: str
    """Whose it is, as the setting ``memory_refiner`` calls it."""
    model: str = ""
    memory: str | None = None
    """The procedure that it was sent for."""
    video: str | None = None
    """The segment, or the path of the video, that it was taken from."""
    seen_from: datetime | None = None
    """When what it shows was on the screen, in UTC."""
    seen_until: datetime | None = None
    times_ms: tuple[int, ...] = ()
    """Of the pictures, within the video; of a clip its begin and end."""
    bytes: Annotated[int, Field(ge=0)] = 0
    """Of the pictures or the film."""
    text_bytes: Annotated[int, Field(ge=0)] = 0
    """Of the words that went along, without those of the prompt folders, which are the same for everybody."""

    def touches(self, since: datetime, until: datetime) -> bool:
        """Whether it shows something of that stretch; of what shows nothing, whether it was sent then."""
        begin = self.seen_from if self.seen_from is not None else self.at
        end = self.seen_until if self.seen_until is not None else self.at
        return end >= since and begin <= until


class SentLedger(Protocol):
    """The list. Safe to call from any thread and process. Raises ``StorageFailed``."""

    def add(self, sent: Sent) -> None:
        """Write it down; on return it is in the file, so that nothing leaves unlisted."""
        ...

    def newest(self, limit: int) -> Sequence[Sent]:
        """The last so many, the newest first."""
        ...

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove what tells of that stretch; tells how many lines."""
        ...


class SentList(Value):
    """What ``GET /memory/sent`` and ``vaider record sent`` tell."""

    refiner: str
    """The one that is switched on now; ``none`` means that nothing leaves."""
    sent: tuple[Sent, ...]
    """The newest first."""
    left_there: tuple[str, ...] = ()
    """Segments that lie elsewhere and should not: not deleted there so far, or no refiner is switched on to do it."""
    problem: str | None = None
    """What the one that is switched on lacks, as a sentence that says how to supply it."""


class EgressGate(Protocol):
    """Records every request before it leaves the machine."""

    def send(self, what: What, *, times_ms: Sequence[int], size_bytes: int, text_bytes: int) -> None:
        """Count and list a request before it is sent.

        Raises ``DailyCallsSpent``, ``StorageFailed``, ``Cancelled``: then it MUST not leave.
        """
        ...

    def report_outcome(self, what: What) -> None:
        """List the outcome of an earlier request: ``deleted`` or ``not deleted``. Raises ``StorageFailed``."""
        ...

    def raise_if_cancelled(self) -> None:
        """Raise ``Cancelled`` once the work shall stop."""
        ...


class Refiner(Protocol):
    """A model that watches recorded film and describes the steps in it."""

    @property
    def name(self) -> str:
        """As the setting ``memory_refiner`` spells it."""
        ...

    @property
    def host(self) -> str:
        """Where pictures go."""
        ...

    @property
    def model(self) -> str:
        """The model's name, for answers."""
        ...

    def unavailable(self) -> str | None:
        """What is missing as a sentence that says how to supply it, without contacting a server."""
        ...

    def refine(self, procedure: Procedure, film: Path, asked: Sequence[int], egress: EgressGate) -> Refinement:
        """Ask about the steps of these numbers, from 1; blocks.

        All that leaves MUST be sent through ``egress`` first, and be of the film between the procedure's begin and end.
        Raises ``ProviderError``, ``InvalidVideo``, ``Internal`` and what ``egress`` raises.
        """
        ...
