"""Rectangles on a screen by their borders or fill: fields, buttons, dialogs; and check boxes and radio buttons."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.switches import is_on, is_switch
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    Run = tuple[int, int]
    """Where ink is in a row of the screen, from column to column."""


_STEP: Final = 5
"""Neighbouring pixels that differ by more belong to different grounds; the palest borders in use differ by 8."""
_LEAST: Final = 8
_MOST: Final = 20000
"""Rectangles that are looked at: a screen has some hundreds, noise has more."""
_INSET: Final = 0.32
"""How much of a text's box, above and below, may be border and not letter."""
_SIDE_HEIGHT: Final = 0.6
_SIDE_WIDTH: Final = 6
_NOTCH: Final = 10
"""Pixels between a label in a border and where that goes on, at most."""
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
    notched = [(box, rows) for box in texts if (rows := _notch(calm, box))]
    edges = calm.copy() if notched else calm
    for box in texts:
        _cover(calm, box)
    for box, rows in notched:
        # Its corner, which may be read as a letter, and the side itself.
        corner = (
            slice(max(box.y, 0), box.y + box.height),
            slice(max(box.x - box.height, 0), box.x + box.height // 2),
        )
        calm[corner] = edges[corner]
        calm[rows, max(box.x - _NOTCH, 0) : box.x + box.width + _NOTCH] = 0
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


def _notch(calm: Pixels, text: Box) -> list[int]:
    """The rows in which a border goes on behind a text: the label of a field may stand in its upper side."""
    inset = round(_INSET * text.height)
    top, bottom = max(text.y + inset, 0), text.y + text.height - inset
    right = text.x + text.width
    behind = calm[top:bottom, right + _NOTCH : right + _NOTCH + 2 * text.height]
    if behind.shape[1] < 2 * text.height:
        return []
    return [top + int(row) for row in np.flatnonzero((behind == 0).all(axis=1))]


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


_INK: Final = 40
"""How much the brightness varies from top to bottom in a column that holds a part of a letter."""
_FAINT: Final = 0.35
"""The same as a share of the strongest column, for greyed text."""
_LEAST_INK: Final = 8
_LONE: Final = 0.1
"""The gap beside a mark, in heights of the line."""
_ENOUGH: Final = 3
_SPACED: Final = 1.5
"""The same in gaps between letters, where those stand wide apart."""
_BESIDE: Final = 0.2
"""The wider of the gaps at its two sides, in heights of the line: between two letters of a word, a mark is an "o"."""
_SIZES: Final = (0.38, 1.0)
_SQUARE: Final = 0.2
_LEAST_MARK: Final = 8
_FILLED: Final = 0.66
_HOLLOW: Final = 0.1
_UNEVEN: Final = 0.16
"""How much of a chosen radio button may differ from its mirror image."""
_STRAIGHT: Final = 0.8
_INSIDE: Final = 0.7
"""How far from its middle to its edge a sign inside of a mark is looked for: not in its border."""
_SIGN: Final = 0.34
_BORDER: Final = 12
_ROUND: Final = 0.88
"""A circle fills less of its bounds than that, a square more."""
_SIDE: Final = 0.45
"""How much of each side of a ring or a square touches its bounds."""


def runs_of(crop: Pixels) -> list[Run]:
    """Where letters are, from left to right: columns in which the brightness varies."""
    variation = np.asarray(crop.max(axis=0), np.int16) - np.asarray(crop.min(axis=0), np.int16)
    strongest = int(variation.max(initial=0))
    ink = variation > max(min(_INK, _FAINT * strongest), _LEAST_INK)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def marks_among(crop: Pixels, runs: list[Run], height: int) -> list[Run]:
    """Those of the runs that are a square or a circle by itself; ``height`` is that of a line of text."""
    lone = max(_LONE * height, _SPACED * _letter_gap(runs, height))
    found: list[Run] = []
    for at, (start, end) in enumerate(runs):
        before = start - runs[at - 1][1] if at else height
        after = runs[at + 1][0] - end if at + 1 < len(runs) else height
        is_lone = min(before, after) >= lone and max(before, after) >= _BESIDE * height
        if is_lone and _rows(crop, start, end, height) is not None:
            found.append((start, end))
    return found


def _letter_gap(runs: list[Run], height: int) -> int:
    """The usual gap between letters; 0 where there are too few to tell."""
    between = (after[0] - before[1] for before, after in pairwise(runs))
    gaps = sorted(gap for gap in between if gap <= height // 3)
    return gaps[len(gaps) // 2] if len(gaps) >= _ENOUGH else 0


def marks_in_row(grey: Pixels, left: int, right: int, top: int, bottom: int) -> list[Box]:
    """Every square or circle by itself between two columns of a row of the screen."""
    inset = (bottom - top) // 12
    top, bottom = top + inset, bottom - inset
    crop = grey[max(top, 0) : bottom, max(left, 0) : right]
    if crop.size == 0:
        return []
    height = bottom - top
    found: list[Box] = []
    for start, end in marks_among(crop, runs_of(crop), height):
        rows = _rows(crop, start, end, height)
        if rows is not None:
            found.append(
                Box(x=max(left, 0) + start, y=max(top, 0) + rows[0], width=end - start, height=rows[1] - rows[0])
            )
    return found


def is_set(grey: Pixels, mark: Box) -> bool | None:
    """Whether a check box is ticked, a radio button chosen or a switch on; ``None`` when its pixels do not tell.

    It is when there is a sign inside of it, and is not when it is plain up to a border. One that is plain up to its
    edge may be either, and a bar in a box is neither.
    """
    if is_switch(mark):
        return is_on(grey, mark)
    sign = has_sign(grey, mark)
    if sign is not False:
        return sign
    pixels = grey[mark.y : mark.y + mark.height, mark.x : mark.x + mark.width].astype(np.int16)
    ground = int(np.median(pixels[_radii(mark) <= _INSIDE]))
    edges = np.concatenate((pixels[mark.height // 2, :2], pixels[mark.height // 2, -2:], pixels[:2, mark.width // 2]))
    return False if int(np.abs(edges - ground).max()) > _BORDER else None


def has_sign(grey: Pixels, mark: Box) -> bool | None:
    """Whether something stands inside of a check box or radio button; ``None`` for a bar, or outside of the picture."""
    pixels = grey[mark.y : mark.y + mark.height, mark.x : mark.x + mark.width].astype(np.int16)
    inside = _radii(mark) <= _INSIDE
    if pixels.shape != inside.shape:
        return None
    ground = int(np.median(pixels[inside]))
    signs = np.flatnonzero(((np.abs(pixels - ground) > _INK) & inside).any(axis=1))
    if not signs.size:
        return False
    return True if int(signs[-1] - signs[0]) + 1 >= _SIGN * mark.height else None


def _radii(mark: Box) -> NDArray[np.float64]:
    """How far each pixel is from the middle, of the way to the edge."""
    y, x = np.ogrid[: mark.height, : mark.width]
    return np.hypot((y + 0.5) / mark.height - 0.5, (x + 0.5) / mark.width - 0.5) * 2


def is_round(grey: Pixels, mark: Box) -> bool:
    """Whether a mark is a circle."""
    crop = grey[mark.y - 1 : mark.y + mark.height + 1, mark.x - 1 : mark.x + mark.width + 1]
    if crop.size == 0:
        return False
    ground = int(np.median(np.concatenate((crop[0], crop[-1]))))
    ink = (np.abs(crop.astype(np.int16) - ground) > max(12, int(np.ptp(crop)) // 3)).astype(np.uint8)
    outlines, _ = cv2.findContours(ink, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return False
    filled = np.zeros_like(ink)
    cv2.drawContours(filled, outlines, -1, 1, cv2.FILLED)
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    bounds = (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1)
    return float(filled.sum()) < _ROUND * float(bounds)


def _rows(crop: Pixels, start: int, end: int, height: int) -> Run | None:
    """From which row to which the run reaches, if it is a square or a circle, empty or filled."""
    wide = end - start
    if not max(_SIZES[0] * height, _LEAST_MARK) <= wide <= _SIZES[1] * height:
        return None
    ink = _ink(crop[:, start:end])
    rows = np.flatnonzero(ink.any(axis=1))
    if not rows.size:
        return None
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    if abs((bottom - top) - wide) > max(_SQUARE * wide, 2):
        return None
    ink = ink[top:bottom]
    depth = max(2, wide // 6)
    sides = (ink[:depth].any(axis=0), ink[-depth:].any(axis=0), ink[:, :depth].any(axis=1), ink[:, -depth:].any(axis=1))
    straightest = min(float(side.mean()) for side in sides)
    if ink.mean() >= _FILLED and straightest >= _STRAIGHT:
        return top, bottom
    has_sides = straightest >= _SIDE
    high = bottom - top
    core = ink[2 * high // 5 : high - 2 * high // 5, 2 * wide // 5 : wide - 2 * wide // 5]
    is_even = max(float((ink != ink[::-1]).mean()), float((ink != ink[:, ::-1]).mean())) <= _UNEVEN
    return (top, bottom) if has_sides and (float(core.mean()) <= _HOLLOW or is_even) else None


def _ink(crop: Pixels) -> NDArray[np.bool_]:
    """What differs from the ground, as its corners show it."""
    ground = int(np.median(np.concatenate((crop[0], crop[-1]))))
    off = np.abs(crop.astype(np.int16) - ground)
    return off > max(min(_INK, _FAINT * int(off.max(initial=0))), _LEAST_INK)
