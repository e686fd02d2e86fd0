"""Upright rectangles in a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adapters.video.frame import Luma

Box = tuple[int, int, int, int]
"""x, y, width, height in pixels."""


def window(box: Box) -> tuple[slice, slice]:
    """The pixels of a box."""
    x, y, width, height = box
    return slice(y, y + height), slice(x, x + width)


def around(boxes: Iterable[Box]) -> Box:
    """The rectangle that holds them all."""
    boxes = list(boxes)
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return left, top, right - left, bottom - top


def grown(box: Box, by_x: int, by_y: int, luma: Luma) -> Box:
    """The box with a margin, cut at the picture's edge."""
    left, top = max(box[0] - by_x, 0), max(box[1] - by_y, 0)
    right, bottom = min(box[0] + box[2] + by_x, luma.shape[1]), min(box[1] + box[3] + by_y, luma.shape[0])
    return left, top, max(right - left, 0), max(bottom - top, 0)


def overlap(one: Box, other: Box) -> int:
    """Common area in pixels."""
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0


def gap(one: Box, other: Box) -> tuple[int, int]:
    """Free pixels between two boxes, across and down; 0 where they overlap."""
    across = max(one[0], other[0]) - min(one[0] + one[2], other[0] + other[2])
    down = max(one[1], other[1]) - min(one[1] + one[3], other[1] + other[3])
    return max(across, 0), max(down, 0)


def same_row(one: Box, other: Box) -> bool:
    """Whether they stand side by side: half of the lower one's height in common."""
    common = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return 2 * common >= min(one[3], other[3])
