"""What of the screen's recording left this machine: the list that refiners cannot get around."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field

from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Segments that lie elsewhere and should not: not deleted there so far, or nobody is switched on to do it."""
    problem: str | None = None
    """What the one that is switched on lacks, as a sentence that says how to supply it."""
