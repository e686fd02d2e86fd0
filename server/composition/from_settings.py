"""What the settings mean: the recorder's options, with a preview of their effect, and how large videos may be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

from pydantic import Field

from core.errors import DesktopUnavailable, InvalidRequest
from core.recording.recorder import ExclusionPreview, Exclusions, RecorderOptions, Retention
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from config.settings import Settings


_Patterns = Annotated[
    tuple[Annotated[str, Field(max_length=300)], ...] | None, Field(max_length=200, description="As the setting.")
]


class ExclusionWishes(Value):
    """Patterns to be tried; `null` stands for what the settings say."""

    exclude_apps: _Patterns = None
    exclude_titles: _Patterns = None
    exclude_urls: _Patterns = None
    exclude_usual: bool | None = None


def options_of(settings: Settings) -> RecorderOptions:
    """The recorder's options from the settings. Raises ``ValidationError``."""
    return RecorderOptions(
        display=settings.record_display,
        fps=settings.record_fps,
        size=settings.record_size,
        segment_seconds=settings.record_segment_seconds,
        border=settings.record_border,
        log=settings.record_input_log,
        exclusions=Exclusions(
            applications=settings.record_exclude_apps,
            titles=settings.record_exclude_titles,
            urls=settings.record_exclude_urls,
            usual=settings.record_exclude_usual,
        ),
    )


def retention_of(settings: Settings) -> Retention:
    """The retention from the settings."""
    return Retention(
        segments=settings.record_keep_segments,
        hours=settings.record_keep_days * 24,
        size_bytes=settings.record_keep_bytes,
    )


def preview_of(
    settings: Settings, wishes: ExclusionWishes, environment: Mapping[str, str] = os.environ
) -> ExclusionPreview:
    """The current windows that would be blacked out, or the reason why that is unknown; blocks."""
    from adapters.recording.continuous.exclusion_preview import preview  # noqa: PLC0415 - only to look at a display

    options = options_of(settings)
    wished = {
        "applications": wishes.exclude_apps,
        "titles": wishes.exclude_titles,
        "urls": wishes.exclude_urls,
        "usual": wishes.exclude_usual,
    }
    changes = {name: value for name, value in wished.items() if value is not None}
    try:
        return preview(options.display, options.exclusions.model_copy(update=changes), environment)
    except (DesktopUnavailable, InvalidRequest) as error:
        # An answer rather than an error, because a page polls it also on a machine without a display.
        return ExclusionPreview(reason=error.message)


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
