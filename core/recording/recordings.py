"""The recording of a demonstration, and the segments of the continuous recording."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Final, Literal, Protocol

from pydantic import Field

from core.values import Value

MAX_BYTES: Final = 2 * 1024**3
MAX_SECONDS: Final = 300.0
"""Of one recording: at the first of the two it stops by itself, and what was recorded is kept."""

StoppedBy = Literal["escape", "interrupt", "time", "limit", "display lost", "disk", "failure"]
"""``time`` is the one that was asked for, ``limit`` one of those above; after the last three something is missing."""


class RecordingState(Value):
    """How far a recording is; ``warnings`` are all until now."""

    display: str
    elapsed_ms: Annotated[int, Field(ge=0)]
    size_bytes: Annotated[int, Field(ge=0)]
    width: int
    height: int
    escape_stops: bool
    microphone: str | None
    """Which one is recorded, if any is."""
    warnings: tuple[str, ...] = ()


class Recording(Value):
    """A recording that has ended: a file that can be played, whole up to where it stopped."""

    path: Path
    log: Path | None
    """The input log beside it; ``None`` where input cannot be watched."""
    duration_ms: int
    size_bytes: int
    width: int
    height: int
    fps: float
    """How often the display was looked at; a look that shows nothing new makes no picture."""
    microphone: str | None
    stopped_by: StoppedBy
    warnings: tuple[str, ...] = ()


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
    """Observes segments; called on any thread, returns at once and raises nothing."""

    def opened(self, segment: Segment) -> None:
        """Its first picture is in the file."""
        ...

    def changed(self, segment_id: str) -> None:
        """A picture that shows something new, or an event of the input log, has been added to it."""
        ...

    def closed(self, segment: Segment) -> None:
        """The segment is complete."""
        ...

    def removed(self, segment_ids: Sequence[str]) -> None:
        """Their files are gone: too old, too many, or forgotten."""
        ...
