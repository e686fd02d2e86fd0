"""A video library elsewhere, and what is known of the segments that were put there."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

from pydantic import Field

from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


class RemoteMoment(NamedTuple):
    """A moment that a library names, in the name of its video there."""

    video_no: str
    t_ms: int


class Moment(NamedTuple):
    """A moment of a segment."""

    video: str
    """The segment's id."""
    began: datetime
    """When the segment did."""
    t_ms: int
    """Within it."""


class RemoteRanking(Protocol):
    """Somebody else's idea of what answers a question."""

    def rank(self, query: str, limit: int) -> Sequence[Moment]:
        """The best moments, best first; blocks, for a bounded time. Raises ``VaiderError``."""
        ...


class VideoLibrary(Protocol):
    """Keeps videos and answers questions about them. Raises ``ProviderError`` and what ``heed`` raises."""

    @property
    def name(self) -> str:
        """As the setting ``memory_refiner`` spells it."""
        ...

    @property
    def host(self) -> str:
        """Where videos go."""
        ...

    def unavailable(self) -> str | None:
        """What is missing as a sentence that says how to supply it, without contacting anybody."""
        ...

    def upload(self, film: Path, name: str, heed: Callable[[], None]) -> str:
        """Put a film there under a name; tells the number that it has there."""
        ...

    def find(self, name: str) -> str | None:
        """The number of the film that was put there under a name, ``None`` when there is none."""
        ...

    def is_ready(self, video_no: str) -> bool:
        """Whether it can be asked about by now. Raises ``ProviderError`` when it never will."""
        ...

    def delete(self, video_nos: Sequence[str]) -> None:
        """Remove them, with all that was made of them; those that are gone already are no fault."""
        ...

    def moments(self, query: str, video_nos: Sequence[str], limit: int) -> Sequence[RemoteMoment]:
        """The moments of these videos that answer a question, best first."""
        ...


class RemoteVideo(Value):
    """What is known of one segment that was sent, or is about to be; nothing of what it shows."""

    name: str
    """There; known before it is sent, so that whatever arrives can be found and deleted."""
    began: datetime
    ended: datetime
    video_no: str | None = None
    ready: bool = False
    doomed: bool = False
    """Whether it is to be deleted there."""
    forgotten: bool = False
    """Whether somebody wanted it forgotten: then no line tells any more what it was."""
    failures: Annotated[int, Field(ge=0)] = 0
    due: datetime | None = None
    """When what failed is tried again."""


class RemoteNotes(Value):
    """What must outlive the daemon."""

    day: date | None = None
    calls: int = 0
    """Made on that day."""
    videos: dict[str, RemoteVideo] = Field(default_factory=dict)
    """By the segments' ids, oldest first."""


class RemoteNoteFile(Protocol):
    """Keeps the notes. Raises ``StorageFailed``."""

    def read(self) -> RemoteNotes:
        """As they were written last."""
        ...

    def write(self, notes: RemoteNotes, /) -> None:
        """Keep them."""
        ...
