"""The continuous recording: pieces of a few minutes, the oldest of which give way to the newest."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

from pydantic import Field

from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence


class Segment(Value):
    """One piece: a film that can be played at every moment, up to its last seconds while it is being recorded."""

    id: str
    """Also the name of its files, e.g. ``20261121T191317.250Z``: when it began, in UTC."""
    started_at: datetime
    """Of its first picture, in UTC."""
    path: Path
    """The film; times within it are milliseconds from its first picture."""
    log: Path | None
    """Its input log, if there is one."""
    duration_ms: Annotated[int, Field(ge=0)]
    width: int
    height: int
    size_bytes: int
    complete: bool
    """Whether nothing will be added to it."""

    @property
    def ended_at(self) -> datetime:
        """When its last picture ended, as far as it is known."""
        return self.started_at + timedelta(milliseconds=self.duration_ms)


class Segments(Protocol):
    """The folder of the recording. Its files are the index: what is not there does not exist.

    Safe to call from any thread. Raises ``StorageFailed`` when the folder cannot be read or written.
    """

    def list(self) -> Sequence[Segment]:
        """All that there are, oldest first."""
        ...

    def find(self, segment_id: str) -> Segment | None:
        """The segment of that id, ``None`` when it is gone or never was; the id may be anything."""
        ...


class SegmentViewer(Protocol):
    """Is told what happens to segments; called on any thread, returns at once and raises nothing."""

    def opened(self, segment: Segment) -> None:
        """Its first picture is in the file."""
        ...

    def changed(self, segment_id: str) -> None:
        """A picture that shows something new, or an event of the input log, has been added to it."""
        ...

    def closed(self, segment: Segment) -> None:
        """It is complete."""
        ...

    def removed(self, segment_ids: Sequence[str]) -> None:
        """Their files are gone: too old, too many, or forgotten."""
        ...
