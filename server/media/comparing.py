"""Two analyses compared, with their pixels and the pictures of a page."""

from __future__ import annotations

import io
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal

from PIL import Image

from adapters.video.video_files import VideoPairs, VideoStills
from core.comparison.comparing_videos import VideoComparison
from core.errors import CallerError, NotFound
from core.looking import Shot
from server.composition.from_settings import video_limits
from storage.observed import sightings_of
from storage.reports.comparison_page import comparison_page
from storage.reports.page import Thumbnail

if TYPE_CHECKING:
    from config.settings import Settings
    from core.comparison.comparing_videos import Watcher
    from core.comparison.values import Comparison, Pictures, Seen

_MOST_SHOWN: Final = 20
_PIXELS: Final = 640 * 400
_QUALITY: Final = 75


def build_comparison(settings: Settings, analysis: Watcher) -> VideoComparison:
    """Build the use case; nothing is started before the first comparison."""

    def pictures(good: Seen, bad: Seen) -> Pictures | None:
        if any(PurePath(each.analysis.video.path).suffix == ".zip" for each in (good, bad)):
            return None
        try:
            pairs = VideoPairs(**video_limits(settings))
            return pairs.compare(good.analysis.video, bad.analysis.video, (good.places, bad.places))
        except CallerError:
            # Texts can be compared all the same, and the comparison says that pictures were not.
            return None

    return VideoComparison(analysis, sightings_of, pictures)


def shared_comparison(comparison: Comparison, settings: Settings) -> bytes:
    """The page of it, with pictures of both runs at each of the first differences; of videos that are gone, none."""
    shown = comparison.differences[:_MOST_SHOWN]
    stills = VideoStills(**video_limits(settings))
    pictures: dict[str, Thumbnail] = {}
    for side, video in zip(("good", "bad"), comparison.videos or (), strict=False):
        shots = [Shot(t_ms=each.good_ms if side == "good" else each.bad_ms) for each in shown]
        try:
            taken = stills.take(video, shots, _PIXELS) if shots else ()
        except CallerError:
            continue
        for place, still in enumerate(taken):
            file = io.BytesIO()
            Image.open(io.BytesIO(still.data)).save(file, "WEBP", quality=_QUALITY)
            pictures[f"{side}-{place}"] = Thumbnail(file.getvalue(), still.width, still.height)
    return comparison_page(comparison, pictures).encode("utf-8", "replace")


def compared_picture(
    comparison: Comparison, side: Literal["good", "bad"], place: int | None, settings: Settings
) -> bytes:
    """A JPEG of one run at the difference of that place, or where it ended. Raises ``NotFound``."""
    if comparison.videos is None or (place is not None and place >= len(comparison.differences)):
        raise NotFound("The comparison has no such picture.")
    good, bad = comparison.videos
    video, moment = (good, good.duration_ms) if side == "good" else (bad, bad.duration_ms)
    if place is not None:
        difference = comparison.differences[place]
        moment = difference.good_ms if side == "good" else difference.bad_ms
    try:
        (still,) = VideoStills(**video_limits(settings)).take(video, [Shot(t_ms=moment)], _PIXELS, seeks=True)
    except CallerError as error:
        raise NotFound(f"There is no picture of the {side} run: {error.message}") from None
    return still.data
