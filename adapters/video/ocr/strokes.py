"""Where lines of text stand, by their strokes alone: what is drawn in a row at one height.

Text on screens is drawn sharply on a plain ground, so strokes are where neighbouring pixels differ. A line depends on
its own pixels only, wherever it stands and whatever surrounds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.ocr.rows import Parts, cut_apart, tall
from adapters.video.ocr.straight_edges import SIDE, ends_of, joins, straight_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box
    from adapters.video.ocr.rows import Boxes
    from adapters.video.ocr.straight_edges import Mask

_EDGE: Final = 18
"""Of 255: how much neighbouring pixels of a stroke differ at least; pale text on white differs by 60 and more."""
HIGHEST: Final = 44
"""Of a line that is looked for at full size, in pixels; larger ones are found in a smaller picture."""
_LARGEST: Final = 240
"""What is higher than this is no letter of a heading either."""
_LEAST: Final = 5
"""Lower strokes are dots, accents and dashes, which belong to a line but make none."""
_GAP: Final = 0.55
"""Two words belong to one line when the gap is at most so many heights of the line, and ``_NEAR`` pixels."""
_WORD_GAP: Final = 0.9
"""The same for two of about one height: the words of a line that is set in one width for all letters."""
_ONE_HEIGHT: Final = 1.6
"""Of two of about one height, one is at most so many times higher."""
_LETTER_GAP: Final = 0.1
"""The same for two letters, which belong together whatever their grounds."""
_NEAR: Final = 2
_OVERLAP: Final = 0.5
"""Two parts stand in one row when they share so much of the lower one's height."""
_GROUND: Final = 12
"""Of 255: the grounds of two words of one line differ by at most this; a badge or a button has one of its own."""
_ALIKE: Final = 2.2
"""Of two parts of which one is so many times higher, the gap is measured in heights of the lower one."""
_TOUCH: Final = 0.45
"""That gap at most: a dash and its letters are closer; a tall corner would join lines that stand above each other."""
_NARROW: Final = 8
"""A corner is at most so wide,"""
_THIN: Final = 0.45
"""or fills at most so much of its box."""
_STEM: Final = 20
"""Higher than this and at most ``_LINE`` wide is a caret or a border: the stem of so large a letter is wider."""
_LINE: Final = 2
_BUSY: Final = 0.35
"""Of the two pixels around a line so much is drawn on at most."""
_CROWDED: Final = 0.6
"""The same around a letter."""
_ACCENT: Final = 0.4
"""So far above a letter stands an accent, in heights of the line."""
_COMMA: Final = 0.25
"""So far below and beside it stands a comma."""
_ROWS: Final = 1.9
"""A line of so many heights of its letters may be two rows."""
_FEW: Final = 4
"""Letters show how high a row is when there are so many."""
_FLAT: Final = 3
"""A dash or an underscore is so many times wider than high,"""
_TOP: Final = 0.2
"""and stands lower in its line than this, in heights of the line."""
_AROUND: Final = 5
"""Pixels of ground that the network is shown around what is drawn, twice as many at the sides."""
_MOST_PAIRS: Final = 4_000_000
"""Of lines and dots, and of lines and letters; a screen has less than half of it, and a picture of more is no text."""
_PASSES: Final = 4
"""Words join lines, and dots lines, at most so often in turn."""


@dataclass(frozen=True, slots=True)
class Found:
    """What stands in a picture.

    Args:
        lines: boxes around lines of at most ``HIGHEST`` pixels, with one pixel of their ground.
        large: boxes around what is drawn connectedly and is higher, like a letter of a heading.

    """

    lines: list[Box]
    large: list[Box]


class Strokes:
    """What is drawn in a picture (height, width, 3): where pixels differ from those beside or below them."""

    def __init__(self, bgr: NDArray[np.uint8]) -> None:
        self._bgr = bgr
        self._size = bgr.shape[1], bgr.shape[0]
        self._below, self._right = np.zeros(bgr.shape[:2], np.uint8), np.zeros(bgr.shape[:2], np.uint8)
        self._below[:-1] = _unlike(bgr[1:], bgr[:-1])
        self._right[:, :-1] = _unlike(bgr[:, 1:], bgr[:, :-1])

    def find(self) -> Found:
        """Lines of text, and the letters of headings."""
        bars, posts = self._straight
        walls = np.asarray(cv2.integral(posts), np.int64)
        strokes, parts, labels = self._parts(bars, posts)
        drawn = np.asarray(cv2.integral(strokes), np.int64)
        lines = self._lines(parts.boxes, walls)
        several, inside = _of_several_rows(lines, parts)
        if several.any():
            cut = cut_apart(parts[inside], parts.high[inside] >= _LEAST, labels)
            lines = np.concatenate([lines[~several], self._lines(cut.boxes, walls)])
        large = parts.boxes[(parts.high > HIGHEST) & (parts.high <= _LARGEST)]
        return Found(self._boxes(lines[self._drawn_around(lines, drawn) <= _BUSY]), self._boxes(large))

    def _lines(self, parts: Boxes, walls: NDArray[np.int64]) -> Boxes:
        """Boxes around the lines that the parts make."""
        high = parts[:, 3] - parts[:, 1]
        lines, dots = parts[(high >= _LEAST) & (high <= HIGHEST)], parts[high < _LEAST]
        for _ in range(_PASSES):
            count = len(lines)
            lines = self._grouped(lines, walls)
            lines, dots = _with_dots(lines, dots)
            if len(lines) == count:
                break
        return lines

    def _grouped(self, lines: Boxes, walls: NDArray[np.int64]) -> Boxes:
        """One box around each set of boxes that stand in one row on one ground."""
        lines = lines[np.argsort(lines[:, 1], kind="stable")]
        one, other = _pairs(lines, self._grounds(lines))
        apart = _are_walled(walls, lines[one], lines[other])
        return _united(lines, one[~apart], other[~apart])

    def _grounds(self, lines: Boxes) -> NDArray[np.int16]:
        """The colour around each box: the median of six points just outside."""
        width, height = self._size
        left, right = np.maximum(lines[:, 0] - 1, 0), np.minimum(lines[:, 2] + 1, width - 1)
        top, bottom = np.maximum(lines[:, 1] - 1, 0), np.minimum(lines[:, 3] + 1, height - 1)
        middle = (left + right) // 2
        points = [(y, x) for y in (top, bottom) for x in (left, middle, right)]
        return np.median(np.stack([self._bgr[y, x] for y, x in points]), axis=0).astype(np.int16)

    def close(self, box: Box) -> Box:
        """The box close around what is drawn in it."""
        x, y, width, height = box
        drawn = (self._below | self._right)[y : y + height, x : x + width]
        columns, rows = np.flatnonzero(drawn.any(axis=0)), np.flatnonzero(drawn.any(axis=1))
        if not columns.size:
            return box
        inner = np.array([[x + columns[0], y + rows[0], x + columns[-1] + 1, y + rows[-1] + 1]], np.int64)
        return self._boxes(inner)[0]

    def unexplained(self, explained: Sequence[Box]) -> list[Box]:
        """Places where something is drawn that none of the boxes holds, large enough for letters."""
        drawn = (self._below | self._right) & ~np.bitwise_or(*self._straight)
        for x, y, width, height in explained:
            drawn[max(y - 1, 0) : y + height + 1, max(x - 1, 0) : x + width + 1] = 0
        near = cv2.dilate(drawn, np.ones((2 * _AROUND + 1, 4 * _AROUND + 1), np.uint8))
        stats = np.asarray(cv2.connectedComponentsWithStats(near, connectivity=8)[2][1:], np.int64)
        stats = stats[(stats[:, 2] >= 4 * _AROUND + _LEAST) & (stats[:, 3] >= 2 * _AROUND + _LEAST)]
        x, y, width, height = stats[:, 0], stats[:, 1], stats[:, 2], stats[:, 3]
        boxes = np.stack([x - _AROUND, y - _AROUND, x + width + _AROUND, y + height + _AROUND], axis=1)
        boxes = _united(np.clip(boxes, 0, [*self._size] * 2), *np.nonzero(_touch(boxes)))
        return [(int(x), int(y), int(to_x - x), int(to_y - y)) for x, y, to_x, to_y in boxes]

    @cached_property
    def _straight(self) -> tuple[Mask, Mask]:
        """Long straight edges: those that lie, and those that stand."""
        return straight_edges(self._below, self._right)

    def _parts(self, bars: Mask, posts: Mask) -> tuple[Mask, Parts, NDArray[np.int32]]:
        """What is drawn without long straight edges and the corners that join them, and a box around each part."""
        strokes = (self._below & ~bars) | (self._right & ~posts)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(strokes, connectivity=8)
        labels = np.asarray(labels, np.int32)
        x, y, width, height, area = np.asarray(stats, np.int64).T
        boxes = np.stack([x, y, x + width, y + height], axis=1)
        kept = ~(
            joins(boxes, labels, ends_of(bars), ends_of(posts.T).T)
            & ((width <= _NARROW) | (area <= _THIN * width * height))
        )
        kept &= ((width > 1) | (height < SIDE)) & ((width > _LINE) | (height < _STEM))
        kept[0] = False
        text = kept & (self._drawn_around(boxes, np.asarray(cv2.integral(strokes), np.int64)) <= _CROWDED)
        parts = Parts(boxes[text], np.flatnonzero(text), self._grounds(boxes[text]))
        return kept.astype(np.uint8)[labels], cut_apart(parts, tall(parts), labels), labels

    def _drawn_around(self, lines: Boxes, total: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much of the two pixels around each box is drawn on, 0..1: in a photograph nearly all is."""
        width, height = self._size
        inner = [lines[:, 0], lines[:, 1], lines[:, 2], lines[:, 3]]
        outer = [
            np.maximum(lines[:, 0] - 2, 0),
            np.maximum(lines[:, 1] - 2, 0),
            np.minimum(lines[:, 2] + 2, width),
            np.minimum(lines[:, 3] + 2, height),
        ]
        return (_sums(total, outer) - _sums(total, inner)) / np.maximum(_areas(outer) - _areas(inner), 1)

    def _boxes(self, lines: Boxes) -> list[Box]:
        """The same as x, y, width and height: an edge lies on the last pixel before the change."""
        right, bottom = np.minimum(lines[:, 2] + 1, self._size[0]), np.minimum(lines[:, 3] + 1, self._size[1])
        return [
            (int(x), int(y), int(to_x - x), int(to_y - y))
            for x, y, to_x, to_y in zip(lines[:, 0], lines[:, 1], right, bottom, strict=True)
        ]


def _touch(boxes: Boxes) -> NDArray[np.bool_]:
    """Which boxes overlap which."""
    left, top, right, bottom = (boxes[:, side] for side in range(4))
    across = np.minimum.outer(right, right) > np.maximum.outer(left, left)
    return across & (np.minimum.outer(bottom, bottom) > np.maximum.outer(top, top))


def _sums(total: NDArray[np.int64], sides: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    left, top, right, bottom = sides
    return total[bottom, right] - total[top, right] - total[bottom, left] + total[top, left]


def _are_walled(walls: NDArray[np.int64], one: Boxes, other: Boxes) -> NDArray[np.bool_]:
    """Whether an upright edge stands between two boxes of one row, as high as what they share."""
    left, right = np.minimum(one[:, 2], other[:, 2]), np.maximum(one[:, 0], other[:, 0])
    top, bottom = np.maximum(one[:, 1], other[:, 1]), np.minimum(one[:, 3], other[:, 3])
    between = [np.minimum(left, right), top, right, np.maximum(top, bottom)]
    return (left < right) & (_sums(walls, between) >= np.maximum(bottom - top, 1))


def _areas(sides: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    left, top, right, bottom = sides
    return (right - left) * (bottom - top)


def _unlike(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> Mask:
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.threshold(cv2.max(cv2.max(blue, green), red), _EDGE, 1, cv2.THRESH_BINARY)[1], np.uint8)


def _pairs(lines: Boxes, grounds: NDArray[np.int16]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which boxes stand in one row, one close behind the other, on one ground; they come in the order of their tops."""
    pairs: list[NDArray[np.int64]] = []
    highest = int((lines[:, 3] - lines[:, 1]).max(initial=0))
    for step in range(1, len(lines)):
        one, other = lines[:-step], lines[step:]
        if int((other[:, 1] - one[:, 1]).min()) > highest:
            break
        alike = np.abs(grounds[step:] - grounds[:-step]).max(axis=1) <= _GROUND
        close = _is_beside(one, other, _LETTER_GAP)
        pairs.append(np.flatnonzero(close | (alike & _is_beside(one, other, _GAP, _WORD_GAP)))[:, None] + (0, step))
    found = np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int64)
    return found[:, 0], found[:, 1]


def _is_beside(one: Boxes, other: Boxes, most: float, of_one_height: float = 0.0) -> NDArray[np.bool_]:
    high, beside = one[:, 3] - one[:, 1], other[:, 3] - other[:, 1]
    shared = np.minimum(one[:, 3], other[:, 3]) - np.maximum(one[:, 1], other[:, 1])
    gap = np.maximum(one[:, 0], other[:, 0]) - np.minimum(one[:, 2], other[:, 2])
    larger, smaller = np.maximum(high, beside), np.minimum(high, beside)
    reach = np.where(larger <= _ALIKE * smaller, most * larger, min(most, _TOUCH) * smaller)
    reach = np.maximum(reach, np.where(larger <= _ONE_HEIGHT * smaller, of_one_height * larger, 0))
    return (shared >= _OVERLAP * smaller) & (gap <= reach + _NEAR)


def _of_several_rows(lines: Boxes, parts: Parts) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which lines are as high as two rows of their own letters, and which parts stand in those."""
    several, inside = np.zeros(len(lines), np.bool_), np.zeros(len(parts.boxes), np.bool_)
    if len(lines) * len(parts.boxes) > _MOST_PAIRS:
        return several, inside
    middles = (parts.boxes[:, :2] + parts.boxes[:, 2:]) / 2
    for index, line in enumerate(lines):
        within = ((middles >= line[:2]) & (middles <= line[2:])).all(axis=1)
        letters = parts.high[within & (parts.high >= _LEAST)]
        if len(letters) >= _FEW and line[3] - line[1] >= _ROWS * np.median(letters):
            several[index] = True
            inside |= within
    return several, inside


def _united(lines: Boxes, one: NDArray[np.int64], other: NDArray[np.int64]) -> Boxes:
    """One box around each set of boxes that pairs of their numbers connect."""
    group, before = np.arange(len(lines)), None
    while before is None or (group != before).any():
        before = group.copy()
        np.minimum.at(group, one, before[other])
        np.minimum.at(group, other, before[one])
        group = group[group]
    firsts, number = np.unique(group, return_inverse=True)
    boxes = np.zeros((len(firsts), 4), np.int64)
    boxes[:, :2] = np.iinfo(np.int64).max
    np.minimum.at(boxes[:, :2], number, lines[:, :2])
    np.maximum.at(boxes[:, 2:], number, lines[:, 2:])
    return boxes


def _with_dots(lines: Boxes, dots: Boxes) -> tuple[Boxes, Boxes]:
    """The lines with the dots, accents and dashes that are theirs, and those that are left."""
    if not 0 < len(lines) * len(dots) <= _MOST_PAIRS:
        return lines, dots
    high = lines[:, 3] - lines[:, 1]
    middle = (dots[:, 1] + dots[:, 3]) / 2
    gap = np.maximum(lines[:, 0], dots[:, 0][:, None]) - np.minimum(lines[:, 2], dots[:, 2][:, None])
    above, below = lines[:, 1] - middle[:, None], middle[:, None] - lines[:, 3]
    # At the upper edge of a line, an underscore is one of the line above.
    flat = (dots[:, 2] - dots[:, 0] >= _FLAT * (dots[:, 3] - dots[:, 1]))[:, None]
    above = above + np.where(flat, _TOP * high, 0)
    near = (
        ((above <= 0) & (below <= 0) & (gap <= _GAP * high + _NEAR))
        | ((above > 0) & (above <= _ACCENT * high) & (gap <= 0) & ~flat)
        | ((below > 0) & (below <= _COMMA * high) & (gap <= _COMMA * high))
    )
    distance = np.where(near, np.abs(middle[:, None] - (lines[:, 1] + lines[:, 3]) / 2), np.inf)
    nearest = distance.argmin(axis=1)
    taken = near.any(axis=1)
    lines = lines.copy()
    np.minimum.at(lines[:, :2], nearest[taken], dots[taken, :2])
    np.maximum.at(lines[:, 2:], nearest[taken], dots[taken, 2:])
    return lines, dots[~taken]
