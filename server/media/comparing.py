"""Two analyses compared, with their pixels and the pictures of a page."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from PIL import Image

from adapters.video.video_files import VideoPairs, VideoStills
from core.comparison.comparing_videos import VideoComparison
from core.comparison.values import SIDES
from core.errors import CallerError
from core.looking import Shot
from server.composition.from_settings import video_limits
from storage.observed import sightings_of
from storage.reports.comparison_page import comparison_page
from storage.reports.page import Thumbnail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from config.settings import Settings
    from core.analysis import Analysis
    from core.comparison.comparing_videos import Watcher
    from core.comparison.values import Comparison, Pictures, Side

_MOST_SHOWN: Final = 20
_PIXELS: Final = 640 * 400
_QUALITY: Final = 75


def build_comparison(settings: Settings, analysis: Watcher) -> VideoComparison:
    """Build the use case; nothing is started before the first comparison."""

    def pictures(good: Analysis, bad: Analysis) -> Pictures | None:
        if any(PurePath(each.video.path).suffix == ".zip" for each in (good, bad)):
            return None
        try:
            return VideoPairs(**video_limits(settings)).compare(good.video, bad.video)
        except CallerError:
            # Texts can be compared all the same, and the comparison says that pictures were not.
            return None

    return VideoComparison(analysis, sightings_of, pictures)


def shared_comparison(comparison: Comparison, settings: Settings) -> bytes:
    """The page of it, with pictures of both runs at each of the first differences; of videos that are gone, none."""
    shown = comparison.differences[:_MOST_SHOWN]
    pictures: dict[str, Thumbnail] = {}
    for side in SIDES:
        moments = [each.good_ms if side == "good" else each.bad_ms for each in shown]
        with suppress(CallerError):
            for place, taken in enumerate(_pictures(comparison, side, moments, settings)):
                pictures[f"{side}-{place}"] = taken
    return comparison_page(comparison, pictures).encode("utf-8", "replace")


def compared_picture(comparison: Comparison, side: Side, place: int | None, settings: Settings) -> bytes | None:
    """A WebP of one run at the difference of that place, or where it ended; ``None`` where there is none."""
    if comparison.videos is None or (place is not None and place >= len(comparison.differences)):
        return None
    moment = comparison.videos[SIDES.index(side)].duration_ms
    if place is not None:
        difference = comparison.differences[place]
        moment = difference.good_ms if side == "good" else difference.bad_ms
    found = _pictures(comparison, side, [moment], settings)
    return found[0].webp if found else None


def _pictures(comparison: Comparison, side: Side, moments: Sequence[int], settings: Settings) -> Sequence[Thumbnail]:
    """Of one run at these moments. Raises ``CallerError`` for a video that is gone."""
    if comparison.videos is None or not moments:
        return ()
    stills = VideoStills(**video_limits(settings))
    found: list[Thumbnail] = []
    for still in stills.take(comparison.videos[SIDES.index(side)], [Shot(t_ms=each) for each in moments], _PIXELS):
        file = io.BytesIO()
        Image.open(io.BytesIO(still.data)).save(file, "WEBP", quality=_QUALITY)
        found.append(Thumbnail(file.getvalue(), still.width, still.height))
    return found
