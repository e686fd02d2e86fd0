"""Single frames of a video as small JPEGs."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2

from adapters.video.decoding.decode import decode, decode_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.video.decoding.files import Limits
    from adapters.video.frame import Frame
    from core.analysis import Region, Video
    from core.looking import Shot

_QUALITY: Final = 85
_LEAST_SIDE: Final = 16


def stills(video: Video, shots: Sequence[Shot], pixels: int, *, seeks: bool, limits: Limits) -> list[Mapping[str, Any]]:
    """For each shot the frame that stood then, cropped, of at most so many pixels; JPEG in base64.

    Decodes from the beginning, or where it ``seeks`` from a little before the first moment, up to the last one.
    Raises as ``decode``.
    """
    path = Path(video.path)
    frames = (
        decode_from(path, min(shot.t_ms for shot in shots), limits=limits)
        if seeks
        else decode(path, video, limits=limits, warn=lambda _: None)
    )
    wanted = sorted(range(len(shots)), key=lambda place: shots[place].t_ms)
    found: dict[int, Mapping[str, Any]] = {}
    last: Frame | None = None
    for frame in frames:
        while wanted and last is not None and shots[wanted[0]].t_ms < frame.t_ms:
            place = wanted.pop(0)
            found[place] = _still(last, shots[place], pixels)
        if not wanted:
            break
        last = frame
    for place in wanted:
        assert last is not None  # noqa: S101 - both raise where there is no frame
        found[place] = _still(last, shots[place], pixels)
    return [found[place] for place in range(len(shots))]


def _still(frame: Frame, shot: Shot, pixels: int) -> Mapping[str, Any]:
    picture = frame.bgr()
    x, y, width, height = _within(shot.region, picture.shape[1], picture.shape[0])
    picture = picture[y : y + height, x : x + width]
    scale = min((pixels / (width * height)) ** 0.5, 1.0)
    size = (max(int(width * scale), 1), max(int(height * scale), 1))
    if size != (width, height):
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()
    return {
        "t_ms": frame.t_ms,
        "data": base64.b64encode(data).decode(),
        "width": size[0],
        "height": size[1],
        "region": (x, y, width, height),
        "why": shot.why,
    }


def _within(region: Region | None, width: int, height: int) -> Region:
    """The part of the region that the frame has; all of the frame where that is next to nothing."""
    if region is None:
        return 0, 0, width, height
    left, top = min(max(region[0], 0), width), min(max(region[1], 0), height)
    right, bottom = min(region[0] + region[2], width), min(region[1] + region[3], height)
    if right - left < _LEAST_SIDE or bottom - top < _LEAST_SIDE:
        return 0, 0, width, height
    return left, top, right - left, bottom - top
