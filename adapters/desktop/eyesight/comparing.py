"""Whether a recorded target stands at a place of the screen: itself, what tells it from its like, what is nearby."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.anchors import STRICT, clipped, decoded, part
from adapters.desktop.eyesight.likeness import alike, ink_of, is_same, is_same_but_frames, resembles
from core.screens import Box, Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.reload.entry import Anchor

    Pixels = NDArray[np.uint8]

_NEARBY: Final = 0.6
_KEPT: Final = 128


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
    """Whether what stands at a place cannot be told for certain from the target: then it is there twice."""
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
