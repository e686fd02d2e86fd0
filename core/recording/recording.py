"""A demonstration that is recorded: what is told while it goes on, and what it leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

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
