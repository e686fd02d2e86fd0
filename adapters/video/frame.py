"""One decoded picture of a video, and upright rectangles in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

    Luma = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One upright picture: rotation applied, alpha laid on white, every frame of a video of one size.

    Args:
        t_ms: milliseconds from the clip's first frame; never smaller than the frame's before.
        luma: brightness, (height, width) uint8, read-only. As it was coded: 16..235 in a video of limited range
            (nearly all), 0..255 in one of full range and in what was RGB or a palette. Its rows may be padded
            (not contiguous), since it can be the decoder's own buffer.
        render: makes the colour picture.

    """

    t_ms: int
    luma: NDArray[np.uint8]
    render: Callable[[], NDArray[np.uint8]] = field(repr=False)

    def bgr(self) -> NDArray[np.uint8]:
        """Convert the colours: (height, width, 3) uint8, contiguous. Costs a conversion at each call."""
        return self.render()


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
    """Common area in pixels; of most boxes that are compared it is none."""
    x, y, wide, high = one
    left, top, width, height = other
    if x >= left + width or left >= x + wide or y >= top + height or top >= y + high:
        return 0
    return (min(x + wide, left + width) - max(x, left)) * (min(y + high, top + height) - max(y, top))


def lies_in(box: Box, other: Box) -> bool:
    """Whether more than half of the box lies in the other."""
    return 2 * overlap(box, other) > box[2] * box[3]


def gap(one: Box, other: Box) -> tuple[int, int]:
    """Free pixels between two boxes, across and down; 0 where they overlap."""
    across = max(one[0], other[0]) - min(one[0] + one[2], other[0] + other[2])
    down = max(one[1], other[1]) - min(one[1] + one[3], other[1] + other[3])
    return max(across, 0), max(down, 0)


def same_row(one: Box, other: Box) -> bool:
    """Whether they stand side by side: half of the lower one's height in common."""
    common = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return 2 * common >= min(one[3], other[3])
