"""How large videos may be, by the settings: those that are to be analysed, and those that were recorded here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from config.settings import Settings

_RECORDED_SECONDS: Final = 7200.0
"""No segment of the recording is as long: a film that is was not recorded here."""

MOST_PIXELS: Final = 33_177_600
"""Of one frame: 8K UHD."""


class VideoLimits(TypedDict):
    """What all that reads videos takes by these names."""

    max_bytes: int
    max_seconds: float
    max_pixels: int


def video_limits(settings: Settings) -> VideoLimits:
    """The limits of videos that are to be analysed."""
    return VideoLimits(
        max_bytes=settings.max_video_bytes,
        max_seconds=settings.max_video_seconds,
        max_pixels=MOST_PIXELS,
    )


def recording_limits(settings: Settings) -> VideoLimits:
    """The limits of segments of the continuous recording, whose length the settings for analyses do not bound."""
    return {**video_limits(settings), "max_seconds": max(_RECORDED_SECONDS, settings.max_video_seconds)}
