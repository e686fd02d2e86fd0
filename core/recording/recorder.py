"""The continuous recorder: its exclusions, its retention, its options and its status."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from pydantic import Field

from core.screens import Box
from core.values import Value
from core.window_kinds import is_browser, is_manager, is_our_page, is_private_title, starts_private

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.recording.recordings import Segment


class ReadingStatus(Value):
    """The truth about the reading; numbers count from the start of the daemon."""

    reading: tuple[str, ...] = ()
    """The segments that are being read, the oldest first."""
    waiting: int = 0
    """Segments that are complete, and are read one after the other."""
    left_out: int = 0
    """Segments that were left unread because too many waited."""
    failed: int = 0
    """Segments that could not be read."""
    read_until: datetime | None = None
    """The moment up to which the newest of what was seen has been remembered; after it nothing new was seen so far."""
    problem: str | None = None
    """What went wrong last, if nothing has gone well since."""


SEGMENT_ID: Final = re.compile(r"\d{8}T\d{6}\.\d{3}Z")
"""The id of a segment, and the only text that becomes a file name."""
NATIVE: Final = "native"
"""The size that is the screen's own."""
_SCHEME: Final = re.compile(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", re.IGNORECASE)


class Exclusions(Value):
    """Which windows are never recorded. Patterns regard no case.

    One without ``*`` and ``?`` is looked for anywhere in the text; one with them has to match the whole of it.
    """

    applications: tuple[str, ...] = ()
    """Of a window's class, or of the name of its program."""
    titles: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    """Addresses as a title or the program's arguments may hold them, e.g. ``https://bank.example/*``."""
    usual: bool = True
    """Also password managers, private windows of browsers, and the daemon's own pages."""


class WindowFacts(NamedTuple):
    """The properties of a window that exclusions look at."""

    application: str
    """Both words of its class."""
    title: str
    command: str
    """The arguments that its program was started with, zeros or blanks between them."""


class Exclusion(NamedTuple):
    """Why a window is not recorded, and for how long."""

    why: str
    lasts: Literal["title", "window", "program"]
    """As long as its title stays; as long as the window does; and all windows of the program."""


def exclusion_of(window: WindowFacts, exclusions: Exclusions) -> Exclusion | None:
    """Why a window must not be recorded; ``None`` when it may."""
    # Chromium writes its arguments anew, with blanks between them.
    program = re.split("[\0 ]", window.command, maxsplit=1)[0].rsplit("/", 1)[-1]
    for pattern in exclusions.applications:
        if any(_matches(pattern, word) for word in (*window.application.split("\0"), window.application, program)):
            return Exclusion(f"the application {pattern}", "program")
    found = _usual(window, program) if exclusions.usual else None
    if found is not None:
        return found
    for pattern in exclusions.titles:
        if _matches(pattern, window.title):
            return Exclusion(f"the title {pattern}", "title")
    for pattern in exclusions.urls:
        address = _SCHEME.sub("", pattern).rstrip("*").lower()
        if address and address in window.title.lower():
            return Exclusion(f"the address {pattern}", "title")
        if address and address in window.command.lower():
            return Exclusion(f"the address {pattern}", "program")
    return None


def _usual(window: WindowFacts, program: str) -> Exclusion | None:
    if is_manager(window.application) or is_manager(program):
        return Exclusion("a password manager", "program")
    if is_manager(window.title):
        return Exclusion("a password manager", "title")
    if is_browser(window.application) or is_browser(program):
        if starts_private(window.command):
            return Exclusion("private browsing", "program")
        if is_private_title(window.title):
            # Chromium says so in the title of a window's first tab alone: it stays private whatever it shows later.
            return Exclusion("private browsing", "window")
        if is_our_page(window.title):
            return Exclusion("a page of Vaider", "title")
    return None


def _matches(pattern: str, text: str) -> bool:
    wanted, found = pattern.strip().lower(), text.lower()
    if not wanted:
        return False
    return fnmatchcase(found, wanted) if "*" in wanted or "?" in wanted else wanted in found


class Retention(Value):
    """What is kept of the recording; 0 is no limit. The newest segment is always kept."""

    segments: Annotated[int, Field(ge=0)] = 12
    hours: Annotated[float, Field(ge=0)] = 0.0
    size_bytes: Annotated[int, Field(ge=0)] = 0


def segments_to_prune(segments: Sequence[Segment], kept: Retention, now: datetime) -> tuple[str, ...]:
    """The ids of the segments that have to go, oldest first; one that is being recorded never has.

    Args:
        segments: all, oldest first.
        kept: the limits.
        now: in UTC.

    """
    found: list[str] = []
    held = total = 0
    for segment in reversed(segments):
        total += segment.size_bytes
        old = bool(kept.hours) and segment.ended_at < now - timedelta(hours=kept.hours)
        many = bool(kept.segments) and held >= kept.segments
        large = bool(kept.size_bytes) and total > kept.size_bytes
        if segment.complete and held and (old or many or large):
            found.append(segment.id)
        else:
            held += 1
    return tuple(reversed(found))


class RecorderOptions(Value):
    """What is recorded, and how."""

    display: str = "current"
    """``current`` or ``:N``, and a monitor of it as in ``current@HDMI-1``; without one, all of them."""
    fps: Annotated[float, Field(gt=0, le=60)] = 2.0
    size: Annotated[str, Field(pattern=r"^(native|\d{3,5}x\d{3,5})$")] = "1280x720"
    """The most that a monitor has in the film: it is made smaller to fit, never larger."""
    segment_seconds: Annotated[float, Field(ge=1, le=3600)] = 300.0
    border: bool = True
    log: bool = True
    """Whether what is done is written beside the film."""
    exclusions: Exclusions = Exclusions()

    def fitted(self, size: tuple[int, int], monitor: tuple[int, int]) -> tuple[int, int]:
        """Width and height of the film, even numbers, of a screen whose largest monitor is so large."""
        width, height = size
        if self.size != NATIVE:
            wide, high = (int(number) for number in self.size.split("x"))
            scale = min(1.0, wide / monitor[0], high / monitor[1])
            width, height = round(width * scale), round(height * scale)
        return max(2, width + width % 2), max(2, height + height % 2)


class RecorderPhase(StrEnum):
    """What it does."""

    OFF = "off"
    STARTING = "starting"
    RECORDING = "recording"
    PAUSED = "paused"
    LOCKED = "locked"
    """The screen is locked or asleep; it goes on by itself."""
    FAILED = "failed"
    """It cannot record; ``reason`` says why and what it waits for."""


class RecorderStatus(Value):
    """The truth about the recorder."""

    phase: RecorderPhase = RecorderPhase.OFF
    reason: str | None = None
    """Why it does not record, or what is missing."""
    display: str | None = None
    segment: str | None = None
    """The one that is being recorded."""
    width: int = 0
    height: int = 0
    newest_picture_at: datetime | None = None
    """When the newest picture was taken that was read back from the disk and is not all black."""
    newest_picture_age_seconds: float | None = None
    """How long ago that is."""
    frames: int = 0
    """Written since it was started; a picture that stays counts each time that it is written."""
    masked: int = 0
    """Of them with something blacked out."""
    veiled: bool = False
    """Whether something is blacked out now."""
    dropped: int = 0
    """Looks that were not written, because it was not sure what they showed."""
    gaps: int = 0
    """Stretches without a picture while it should have recorded."""
    cpu_percent: float = 0.0
    """Of one core, over the last seconds."""
    memory_bytes: int = 0
    segments: int = 0
    """How many there are."""
    size_bytes: int = 0
    """Of all of them."""
    oldest_at: datetime | None = None
    restarts: int = 0
    reading: ReadingStatus | None = None
    """How far what was recorded has been read; ``None`` while there was nothing to read."""
    warnings: tuple[str, ...] = ()

    @property
    def is_amiss(self) -> bool:
        """Whether it should record and does not."""
        return self.phase is RecorderPhase.FAILED


class PreviewedWindow(Value):
    """A window that is shown now."""

    box: Box
    """On its display, with its frame."""
    application: str
    """The class that its program gives it; empty where it says none."""
    title: str | None
    """`None` for a window that would be blacked out, because its title is private."""
    excluded: bool
    why: str | None
    """Why it would be blacked out."""


class ExclusionPreview(Value):
    """A display without its pixels."""

    reason: str | None = None
    """Why there is nothing to be seen: no display, or Wayland; then all else is empty."""
    display: str | None = None
    width: int = 0
    height: int = 0
    area: Box | None = None
    """What of it is recorded."""
    windows: tuple[PreviewedWindow, ...] = ()
    """The lowest first."""
