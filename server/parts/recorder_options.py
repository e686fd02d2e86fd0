"""What the settings say of the continuous recorder, and what they would do to the windows that are shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from core.errors import DesktopUnavailable, InvalidRequest
from core.recording.exclusion_preview import ExclusionPreview
from core.recording.recorder import Exclusions, RecorderOptions, Retention
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
    """What the settings say of the recorder. Raises ``ValidationError``."""
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
    """What the settings say may be kept."""
    return Retention(
        segments=settings.record_keep_segments,
        hours=settings.record_keep_days * 24,
        size_bytes=settings.record_keep_bytes,
    )


def preview_of(
    settings: Settings, wishes: ExclusionWishes, environment: Mapping[str, str] = os.environ
) -> ExclusionPreview:
    """Which of the windows that are shown now would be blacked out, or why nobody can tell; blocks."""
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
        # No failure of whoever asks, again and again, on a machine without a display.
        return ExclusionPreview(reason=error.message)
