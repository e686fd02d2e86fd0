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
    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma

_OUTLINE: Final = ((0, 0), (0, 16), (3.7, 12.6), (6.4, 18.6), (8.9, 17.5), (6.3, 11.6), (11.4, 11.4))
"""Corners of the arrow without its edge, the tip first, of one that is 19 high."""
_HEIGHTS: Final = (10, 12, 14, 16, 18, 20, 23, 27, 32)
_WIDTH: Final = 12.4 / 19
_FINE: Final = 16
"""Drawn so many times larger, then scaled down."""
_INSIDE: Final = 0.55
"""Of a pixel has to belong to the arrow and its edge."""
_ALIKE: Final = 0.8
_CONTRAST: Final = 30.0
"""Deviation of the brightness (of 255) between the inside and the edge."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrow:
    """A drawing of the arrow: its brightness, and which pixels belong to it or to its edge."""

    picture: Luma
    mask: NDArray[np.uint8]


def find_arrow(luma: Luma, area: Box) -> tuple[Arrow, int, int] | None:
    """The drawing that is most like what stands in the area, and its left upper corner; ``None`` without any."""
    there = np.ascontiguousarray(luma[window(area)])
    best, found = _ALIKE, None
    for arrow in _arrows():
        if there.shape[0] < arrow.mask.shape[0] or there.shape[1] < arrow.mask.shape[1]:
            continue
        score, x, y = _best_place(there, arrow)
        if score < best:
            continue
        shown = there[y : y + arrow.mask.shape[0], x : x + arrow.mask.shape[1]]
        if float(shown[arrow.mask > 0].std()) >= _CONTRAST:
            best, found = score, (arrow, area[0] + x, area[1] + y)
    return found


def _best_place(there: Luma, arrow: Arrow) -> tuple[float, int, int]:
    scores = cv2.matchTemplate(there, arrow.picture, cv2.TM_CCOEFF_NORMED, mask=arrow.mask)
    # Over even ground the score is no number.
    _, score, _, (x, y) = cv2.minMaxLoc(np.nan_to_num(scores, nan=0, posinf=0, neginf=0))
    return score, x, y


@cache
def _arrows() -> tuple[Arrow, ...]:
    return tuple(_drawn(height, dark=dark) for height in _HEIGHTS for dark in (True, False))


def _drawn(height: int, *, dark: bool) -> Arrow:
    scale = height / 19 * _FINE
    width = int(np.ceil(_WIDTH * height))
    fill = np.zeros(((height + 2) * _FINE, (width + 2) * _FINE), np.uint8)
    corners = np.array([[(x + 1) * scale, (y + 1) * scale] for x, y in _OUTLINE]).round().astype(np.int32)
    cv2.fillPoly(fill, [corners], 255)
    edge = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(2 * scale) | 1, int(2 * scale) | 1))
    size = (width + 2, height + 2)
    inner = cv2.resize(fill, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    whole = cv2.resize(cv2.dilate(fill, edge), size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    mask = (whole > _INSIDE).astype(np.uint8)
    x, y, width, height = cv2.boundingRect(mask)
    part = window((x, y, width, height))
    picture = 255 * (1 - inner if dark else inner)
    return Arrow(picture[part].astype(np.uint8), mask[part])
