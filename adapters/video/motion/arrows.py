"""The arrow that nearly every desktop draws as its mouse pointer, in the sizes that a recording may show it in.

Windows, macOS and the X11 themes share one form, dark with a light edge or light with a dark one. A recording scales
and blurs it; over ground that has a texture it cannot be cut out by what changed, but its inside and its edge still
differ as in the drawing. On ten recordings of other people's screens each true pointer scored 0.82 or more, and
nothing else more than 0.76.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import window

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma

_OUTLINE: Final = ((0, 0), (0, 16), (3.7, 12.6), (6.4, 18.6), (8.9, 17.5), (6.3, 11.6), (11.4, 11.4))
"""Corners of the arrow without its edge, the tip first, of one that is 19 high."""
_SMALL: Final = (7, 8, 9, 10, 11, 12, 13)
_LARGE: Final = (14, 16, 18, 20, 23, 27, 32)
_WIDTH: Final = 12.4 / 19
_FINE: Final = 16
"""Drawn so many times larger, then scaled down."""
_INSIDE: Final = 0.55
"""Of a pixel has to belong to the arrow and its edge."""
_ALIKE: Final = 0.8
_ALIKE_IF_SMALL: Final = 0.85
"""A small arrow has so few pixels that letters come near it: 0.84 at most in pages and terminals without a pointer."""
_LEAST: Final = 0.012
"""Of the picture's height: an arrow is no lower, on a large screen that is not enlarged either."""
_CONTRAST: Final = 30.0
"""Deviation of the brightness (of 255) between the inside and the edge."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrow:
    """A drawing of the arrow, dark with a light edge: its brightness, and its own pixels."""

    picture: Luma
    mask: NDArray[np.uint8]


def find_arrow(luma: Luma, area: Box) -> tuple[Arrow, int, int] | None:
    """The drawing that is most like what stands in the area, and its left upper corner; ``None`` without any."""
    there = np.ascontiguousarray(luma[window(area)])
    # In each large arrow lies a small one.
    small = [arrow for arrow in _small() if arrow.mask.shape[0] >= _LEAST * luma.shape[0]]
    found = _most_alike(there, _large(), _ALIKE) or _most_alike(there, small, _ALIKE_IF_SMALL)
    if found is None:
        return None
    arrow, x, y = found
    return arrow, area[0] + x, area[1] + y


def _most_alike(there: Luma, arrows: Iterable[Arrow], least: float) -> tuple[Arrow, int, int] | None:
    best, found = least, None
    for arrow in arrows:
        height, width = arrow.mask.shape
        if there.shape[0] < height or there.shape[1] < width:
            continue
        score, x, y = _best_place(there, arrow)
        if score >= best and float(there[y : y + height, x : x + width][arrow.mask > 0].std()) >= _CONTRAST:
            best, found = score, (arrow, x, y)
    return found


def _best_place(there: Luma, arrow: Arrow) -> tuple[float, int, int]:
    scores = cv2.matchTemplate(there, arrow.picture, cv2.TM_CCOEFF_NORMED, mask=arrow.mask)
    # Over even ground the score is no number. What is light with a dark edge is as unlike as it could be.
    scores = np.abs(np.nan_to_num(scores, nan=0, posinf=0, neginf=0))
    _, score, _, (x, y) = cv2.minMaxLoc(scores)
    return score, x, y


@cache
def _large() -> tuple[Arrow, ...]:
    return tuple(_drawn(height) for height in _LARGE)


@cache
def _small() -> tuple[Arrow, ...]:
    # Where a small one begins within a pixel makes it another picture.
    return tuple(_drawn(height, aside) for height in _SMALL for aside in (0.0, 0.5))


def _drawn(height: int, aside: float = 0.0) -> Arrow:
    scale = height / 19 * _FINE
    width = int(np.ceil(_WIDTH * height))
    size = (width + 4, height + 4)
    fill = np.zeros((size[1] * _FINE, size[0] * _FINE), np.uint8)
    # Its edge begins with a pixel, as it does where a pointer is drawn.
    corners = ((np.array(_OUTLINE) + 1) * scale + aside * _FINE).round().astype(np.int32)
    cv2.fillPoly(fill, [corners], 255)
    edge = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(2 * scale) | 1, int(2 * scale) | 1))
    inner = cv2.resize(fill, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    whole = cv2.resize(cv2.dilate(fill, edge), size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    mask = (whole > _INSIDE).astype(np.uint8)
    x, y, width, height = cv2.boundingRect(mask)
    part = window((x, y, width, height))
    return Arrow((255 * (1 - inner))[part].astype(np.uint8), mask[part])
