"""Long straight edges, which no letter has: borders and rules, the low sides of fields, and what joins their ends."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.ocr.rows import Boxes

    Mask = NDArray[np.uint8]
    Places = NDArray[np.int64]
    """Rows, or columns."""

_STRAIGHT: Final = 36
"""No stroke of a letter is as long as this and quite straight; borders, rules and underlines are."""
_ARC: Final = 24
"""What joins the ends of two straight edges, a corner, is at most so wide,"""
_REACH: Final = 0.6
"""and has ends of edges as far apart as so much of it."""
_NEAR: Final = 2
"""It lies at most so many pixels from an end."""
_CORNER: Final = 4
"""The side of a field begins and ends at most so far from the ends of its bars."""
_THROUGH: Final = 0.75
"""It runs over so much of what lies between them."""
_MOST_ENDS: Final = 2000
"""Of bars; a screen has a tenth of it, and a picture of more has no fields."""
SIDE: Final = 8
"""Higher than this and one pixel wide is the side of a filled shape, which has one edge where a stroke has two."""


def straight_edges(below: Mask, right: Mask) -> tuple[Mask, Mask]:
    """The edges that lie and those that stand, from where pixels differ from those below and right of them."""
    bars = np.asarray(cv2.morphologyEx(below, cv2.MORPH_OPEN, np.ones((1, _STRAIGHT), np.uint8)), np.uint8)
    posts = np.asarray(cv2.morphologyEx(right, cv2.MORPH_OPEN, np.ones((_STRAIGHT, 1), np.uint8)), np.uint8)
    return bars, posts | _low_sides(bars, right)


def ends_of(bars: Mask) -> Mask:
    """The first and the last pixel of each horizontal run."""
    inner = np.zeros_like(bars)
    inner[:, 1:-1] = bars[:, :-2] & bars[:, 2:]
    return np.asarray(bars & ~inner & 1, np.uint8)


def joins(boxes: Boxes, labels: NDArray[np.int32], *ends: Mask) -> NDArray[np.bool_]:
    """Which parts reach from one end of a straight edge to another: corners, and the sides of low fields."""
    lowest, highest = np.full((len(boxes), 2), np.iinfo(np.int64).max), np.full((len(boxes), 2), -1)
    rows, columns = np.nonzero(np.maximum(*ends))
    bottom, right = np.array(labels.shape) - 1
    for down, aside in product(range(-_NEAR, _NEAR + 1), repeat=2):
        parts = labels[np.clip(rows + down, 0, bottom), np.clip(columns + aside, 0, right)]
        for side, places in enumerate((columns, rows)):
            np.minimum.at(lowest[:, side], parts, places)
            np.maximum.at(highest[:, side], parts, places)
    reach = np.where(highest >= 0, highest - lowest, 0) >= _REACH * (boxes[:, 2:] - boxes[:, :2])
    return reach.any(axis=1) & (boxes[:, 2] - boxes[:, 0] <= _ARC)


def _low_sides(bars: Mask, right: Mask) -> Mask:
    """The sides of fields and buttons lower than a post: straight from the end of one bar to the end of another."""
    ends = np.argwhere(ends_of(bars))
    if len(ends) > _MOST_ENDS:
        return np.zeros_like(bars)
    tops, bottoms, x = _over_each_other(ends)
    beside = np.clip(x + np.arange(-_CORNER, _CORNER + 1)[:, None], 0, bars.shape[1] - 1)
    columns, at = np.unique(beside, return_inverse=True)
    runs = cv2.morphologyEx(right, cv2.MORPH_OPEN, np.ones((SIDE, 1), np.uint8))[:, columns]
    total, sides = np.zeros((2, len(runs) + 1, len(columns)), np.int32)
    np.cumsum(runs, axis=0, out=total[1:])
    # It reaches both: in a table, letters stand near the ends of two rules and touch neither.
    least = np.maximum(bottoms - tops - 2 * _CORNER, _THROUGH * (bottoms - tops))
    for side in at.reshape(beside.shape):
        through = total[bottoms + 1, side] - total[tops, side] >= least
        np.add.at(sides, (tops[through], side[through]), 1)
        np.add.at(sides, (bottoms[through] + 1, side[through]), -1)
    found = np.zeros_like(bars)
    found[:, columns] = np.where(np.cumsum(sides[:-1], axis=0) > 0, runs, 0)
    return found


def _over_each_other(ends: NDArray[np.int64]) -> tuple[Places, Places, Places]:
    """Of two ends (row, column) between which the side of a field may stand: both rows, and the column of the upper."""
    high = int(ends[:, 0].max(initial=0)) + _STRAIGHT + 2 * _CORNER
    # Numbered from top to bottom, column by column, so that those below an end follow each other.
    places = np.sort(ends[:, 1] * high + ends[:, 0])
    found: list[tuple[Places, Places, Places]] = []
    for aside in range(-_CORNER, _CORNER + 1):
        beside = (ends[:, 1] + aside) * high + ends[:, 0]
        first, behind = np.searchsorted(places, [beside + SIDE, beside + _STRAIGHT + 2 * _CORNER])
        count = behind - first
        upper = np.repeat(np.arange(len(ends)), count)
        lower = np.arange(int(count.sum())) + np.repeat(first - np.cumsum(count) + count, count)
        found.append((ends[upper, 0], places[lower] % high, ends[upper, 1]))
    tops, bottoms, columns = (np.concatenate(each) for each in zip(*found, strict=True))
    return tops, bottoms, columns
