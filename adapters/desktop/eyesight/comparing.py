"""The pictures that anchors are made of, and whether a recorded target stands at a place of the screen."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.likeness import alike, ink_of, is_same, is_same_but_frames, resembles
from core.screens import Box, Picture, Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.reload.entry import Anchor

    Pixels = NDArray[np.uint8]


STRICT: Final = 255
"""Opaque: the target, and what tells it from others of its kind. Every letter of it has to be there again."""
LOOSE: Final = 128
"""Half transparent: what stands nearby. Most of it has to be there again."""
_MOST_LETTERS: Final = 4_000_000
"""Of base64; the largest screen's crop takes a tenth."""
_MOST_SIDE: Final = 8192
_MOST_PIXELS: Final = 8_000_000
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_SIZE_AT: Final = 16
_KEPT: Final = 128
_WITHOUT_FILTER: Final = (cv2.IMWRITE_PNG_COMPRESSION, 6, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE)
"""Of a PNG: rows of screens are small and soon written without a filter."""


def encoded(bgra: Pixels) -> str:
    """Base64 of a PNG; what is transparent holds nothing."""
    known = np.where(bgra[..., 3:] == 0, np.uint8(0), bgra)
    return base64.b64encode(cv2.imencode(".png", known, _WITHOUT_FILTER)[1].tobytes()).decode("ascii")


@lru_cache(maxsize=_KEPT)
def decoded(image: str) -> Pixels | None:
    """The pixels (height, width, 4), not to be written to; ``None`` for what is no PNG, or too large to be an anchor.

    Nothing is trusted: what somebody imported may be anything.
    """
    file = _file(image)
    if file is None:
        return None
    width, height = struct.unpack_from(">II", file, _SIZE_AT)
    if not 0 < width <= _MOST_SIDE or not 0 < height <= _MOST_SIDE or width * height > _MOST_PIXELS:
        return None
    try:
        found = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    if found is None or found.dtype != np.uint8 or found.shape[:2] != (height, width):
        return None
    pixels = _with_opacity(np.asarray(found, np.uint8))
    pixels.setflags(write=False)
    return pixels


def _file(image: str) -> bytes | None:
    if len(image) > _MOST_LETTERS:
        return None
    try:
        file = base64.b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        return None
    return file if file.startswith(_SIGNATURE) and len(file) >= _SIZE_AT + 8 else None


def _with_opacity(pixels: Pixels) -> Pixels:
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]  # noqa: PLR2004 - brightness alone
    code = {1: cv2.COLOR_GRAY2BGRA, 3: cv2.COLOR_BGR2BGRA}.get(channels)
    return pixels if code is None else np.asarray(cv2.cvtColor(pixels, code), np.uint8)


def clipped(box: Box, within: Box) -> Box | None:
    """The part of a box that lies in another; ``None`` when there is none."""
    inside = box.common(within)
    return inside if inside.width and inside.height else None


def whole(picture: Picture) -> Box:
    """All of a picture."""
    return Box(x=0, y=0, width=picture.width, height=picture.height)


def part(pixels: Pixels, box: Box) -> Pixels:
    """What a box holds of a picture, a view; the box must lie in it."""
    return pixels[box.y : box.y + box.height, box.x : box.x + box.width]


_NEARBY: Final = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """An anchor's picture, taken apart."""

    bgra: Pixels
    core: Box
    strict: NDArray[np.bool_]
    """Where every letter has to be the same, the core aside."""
    zone: Box
    """Around that, and around the core."""
    loose: NDArray[np.bool_]
    nearby: Box
    """Around that."""
    drawn: Box | None
    """Around all that is drawn and has to be there."""

    @classmethod
    def of(cls, anchor: Anchor) -> Recorded | None:
        """``None`` when its picture is none, or its boxes do not lie in it: what was imported may be anything."""
        core, point = anchor.core, anchor.point
        return _recorded(anchor.image, core.x, core.y, core.width, core.height, point.x, point.y)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.bgra.shape[1], self.bgra.shape[0]


@lru_cache(maxsize=_KEPT)
def _recorded(image: str, x: int, y: int, width: int, height: int, at_x: int, at_y: int) -> Recorded | None:  # noqa: PLR0917 - what an anchor is made of, each hashed quickly
    bgra = decoded(image)
    if bgra is None:
        return None
    core, picture = Box(x=x, y=y, width=width, height=height), Box(x=0, y=0, width=bgra.shape[1], height=bgra.shape[0])
    if width < 1 or height < 1 or clipped(core, picture) != core or not picture.contains(Point(x=at_x, y=at_y)):
        return None
    alpha = bgra[..., 3]
    if not part(alpha, core).any():
        return None
    strict = alpha == STRICT
    strict[y : y + height, x : x + width] = False
    loose = (alpha > 0) & ~strict
    loose[y : y + height, x : x + width] = False
    # Where the picture ends against what is transparent, and black, nothing is drawn.
    within = np.asarray(cv2.erode((alpha > 0).view(np.uint8), np.ones((3, 3), np.uint8))) > 0
    drawn = _around(ink_of(bgra) & strict & within)
    return Recorded(bgra, core, strict, _around(strict) or core, loose, _around(loose) or core, drawn)


def _around(mask: NDArray[np.bool_]) -> Box | None:
    x, y, width, height = cv2.boundingRect(mask.view(np.uint8))
    return Box(x=x, y=y, width=width, height=height) if width else None


def compared(recorded: Recorded, pixels: Pixels, area: Box, origin: Point, *, nearby: float = _NEARBY) -> str | None:
    """Why it is not at that place, as the middle of a sentence; ``None`` when it is.

    Args:
        recorded: the target.
        pixels: the screen (height, width, 4).
        area: the window's part of it.
        origin: where the top left corner of the recorded picture is to be.
        nearby: which share of what stands nearby has to agree.

    """
    core = _at(recorded.core, origin)
    if clipped(core, area) != core:
        return "its place is not on the screen"
    one = part(recorded.bgra, recorded.core)
    if not is_same(one, part(pixels, core), one[..., 3] > 0):
        return "it looks different now"
    width, height = recorded.size
    seen = clipped(Box(x=origin.x, y=origin.y, width=width, height=height), area)
    drawn = _at(recorded.drawn, origin) if recorded.drawn is not None else None
    if seen is None or (drawn is not None and clipped(drawn, seen) != drawn):
        return "what stands beside it is not on the screen"
    if (zone := clipped(_at(recorded.zone, origin), seen)) is not None:
        own = _at(zone, Point(x=-origin.x, y=-origin.y))
        if not is_same_but_frames(part(recorded.bgra, own), part(pixels, zone), _part(recorded.strict, own)):
            return "what stands beside it is different now"
    if (around := clipped(_at(recorded.nearby, origin), seen)) is None:
        return None
    own = _at(around, Point(x=-origin.x, y=-origin.y))
    share = alike(part(recorded.bgra, own), part(pixels, around), _part(recorded.loose, own))
    return None if share >= nearby else "what is around it is different now"


def may_be(recorded: Recorded, pixels: Pixels, area: Box, origin: Point) -> bool:
    """Whether a place may as well show the target: then the target is there twice."""
    core, zone = _at(recorded.core, origin), clipped(_at(recorded.zone, origin), area)
    if clipped(core, area) != core:
        return False
    one = part(recorded.bgra, recorded.core)
    if not resembles(one, part(pixels, core), one[..., 3] > 0):
        return False
    if zone is None:
        return True
    own = _at(zone, Point(x=-origin.x, y=-origin.y))
    return resembles(part(recorded.bgra, own), part(pixels, zone), _part(recorded.strict, own))


def _at(box: Box, origin: Point) -> Box:
    return Box(x=box.x + origin.x, y=box.y + origin.y, width=box.width, height=box.height)


def _part(mask: NDArray[np.bool_], box: Box) -> NDArray[np.bool_]:
    return mask[box.y : box.y + box.height, box.x : box.x + box.width]
