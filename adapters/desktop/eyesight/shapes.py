"""Rectangles on a screen: fields, buttons, check boxes, dialogs, by their borders or their fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_STEP: Final = 5
"""Neighbouring pixels that differ by more belong to different grounds; the palest borders in use differ by 8."""
_LEAST: Final = 8
_MOST: Final = 20000
"""Rectangles that are looked at: a screen has some hundreds, noise has more."""
_INSET: Final = 0.32
"""How much of a text's box, above and below, may be border and not letter."""
_SIDE_HEIGHT: Final = 0.6
_SIDE_WIDTH: Final = 6
_ROW_COVERED: Final = 0.5
_FIELD_WIDTH: Final = 4
"""A field of one line is so many times wider than high, at least."""
_WHOLE_SIDE: Final = 0.9
_SIDE_COVERED: Final = 0.35
"""How much of a side is straight: the rest are round corners."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A region of one ground, as the box around it, with its colour (blue, green, red)."""

    box: Box
    colour: tuple[int, int, int]


def shapes_of(bgr: Pixels, texts: Sequence[Box] = ()) -> list[Shape]:
    """Every region that is a rectangle but for round corners, smallest first.

    A region is what is connected by neighbours of nearly one colour.

    Args:
        bgr: a picture (height, width, 3).
        texts: where letters stand, none of them over a border: what is left and right of them is one region.

    """
    calm = _calm(bgr)
    for box in texts:
        _cover(calm, box)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(calm, connectivity=4)
    if count <= 1:
        return []
    table = np.asarray(stats, np.int64)
    width, height, area = table[:, 2], table[:, 3], table[:, 4]
    likely = (width >= _LEAST) & (height >= _LEAST) & (area >= 0.3 * width * height)
    likely[0] = False
    chosen = np.flatnonzero(likely)
    chosen = chosen[np.argsort(area[chosen], kind="stable")][-_MOST:]
    marks = np.asarray(labels, np.int32)
    found: list[Shape] = []
    for index in chosen:
        x, y, wide, high = (int(value) for value in table[index, :4])
        region = np.asarray(marks[y : y + high, x : x + wide] == index)
        if _is_rectangle(region):
            left, top = max(x - 1, 0), max(y - 1, 0)
            right, bottom = min(x + wide + 1, bgr.shape[1]), min(y + high + 1, bgr.shape[0])
            box = Box(x=left, y=top, width=right - left, height=bottom - top)
            found.append(Shape(box, _colour(bgr[y : y + high, x : x + wide], region)))
    return sorted(found, key=lambda shape: shape.box.width * shape.box.height)


def _cover(calm: Pixels, text: Box) -> None:
    """Make a text's letters ground, but for what is at its ends and as high as itself: the sides of its field."""
    inset = round(_INSET * text.height)
    columns = slice(max(text.x - 2, 0), text.x + text.width + 2)
    band = calm[max(text.y + inset, 0) : text.y + text.height - inset, columns]
    high = (calm[max(text.y, 0) : text.y + text.height, columns] == 0).mean(axis=0) >= _SIDE_HEIGHT
    high[_SIDE_WIDTH:-_SIDE_WIDTH] = False
    band[:, ~high] = 1


def _calm(bgr: Pixels) -> Pixels:
    """1 where a pixel has the colour of its four neighbours, 0 on edges and letters."""
    edge = np.zeros(bgr.shape[:2], np.uint8)
    for axis in (0, 1):
        near, far = (bgr[:-1], bgr[1:]) if axis == 0 else (bgr[:, :-1], bgr[:, 1:])
        step = np.asarray(cv2.absdiff(near, far), np.uint8)
        differs = (np.maximum(np.maximum(step[..., 0], step[..., 1]), step[..., 2]) > _STEP).astype(np.uint8)
        first, second = (edge[:-1], edge[1:]) if axis == 0 else (edge[:, :-1], edge[:, 1:])
        np.maximum(first, differs, out=first)
        np.maximum(second, differs, out=second)
    return np.asarray(1 - edge, np.uint8)


def _is_rectangle(region: NDArray[np.bool_]) -> bool:
    """Whether all four sides are straight for most of their length; one end of a field may be full of letters."""
    high, wide = region.shape
    depth = max(1, min(4, wide // 5, high // 5))
    rows = min(float(side.mean(axis=1).max()) for side in (region[:depth], region[high - depth :]))
    ends = region[:, :depth], region[:, wide - depth :]
    least, most = sorted(float(side.mean(axis=0).max()) for side in ends)
    if rows < _ROW_COVERED:
        return False
    if least >= _SIDE_COVERED:
        return True
    # Letters that could not be read stand close to the border; above or below them is ground, up to both corners.
    is_field = wide >= _FIELD_WIDTH * high and most >= _WHOLE_SIDE
    edges = slice(0, depth), slice(high - depth, high)
    return is_field and any(all(bool(side[edge].any()) for side in ends) for edge in edges)


def _colour(bgr: Pixels, region: NDArray[np.bool_]) -> tuple[int, int, int]:
    """A colour of the region: that of a pixel of it near the left end of its middle row."""
    row = region.shape[0] // 2
    inside = np.flatnonzero(region[row])
    if not inside.size:
        row, inside = 0, np.flatnonzero(region[0])
    blue, green, red = (int(value) for value in bgr[row, int(inside[0]) if inside.size else 0])
    return blue, green, red


def holding(shapes: Sequence[Shape], box: Box, *, slack: int = 2) -> list[Shape]:
    """The shapes that hold a box, smallest first; ``slack`` pixels may stand out."""
    return [
        shape
        for shape in shapes
        if shape.box.x <= box.x + slack
        and shape.box.y <= box.y + box.height // 3
        and shape.box.x + shape.box.width >= box.x + box.width - slack
        and shape.box.y + shape.box.height >= box.y + box.height - box.height // 3
    ]
