"""A picture's pixels as arrays, and where two pictures differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.screens import Picture

_LEVEL: Final = 5
"""How much a channel must change (of 255) to be seen. Grabs have no noise: paler than this is what no eye sees."""
_BLOCK: Final = 8


def pixels_of(picture: Picture) -> NDArray[np.uint8]:
    """(height, width, 4) in the order blue, green, red, unused; a view, not a copy."""
    return np.frombuffer(picture.bgra, np.uint8).reshape(picture.height, picture.width, 4)


def unlike(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which pixels are not the same to the bit; both pictures have one size."""
    return before.view(np.uint32)[:, :, 0] != after.view(np.uint32)[:, :, 0]


def differences(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Sequence[Box]:
    """Where two pictures of one size visibly differ.

    Blocks of 8x8 pixels that differ are one box when they touch, and so are boxes that touch; each is then drawn close
    around the pixels that differ, so that a caret is as thin as it is.
    """
    rows = np.flatnonzero(unlike(before, after).any(axis=1))
    if not rows.size:
        return ()
    top, bottom = int(rows[0]) // _BLOCK * _BLOCK, int(rows[-1]) + 1
    change = cv2.absdiff(before[top:bottom], after[top:bottom])
    alike = cv2.inRange(change, (0, 0, 0, 0), (_LEVEL, _LEVEL, _LEVEL, 255))
    hot = np.asarray(cv2.bitwise_not(alike), np.uint8)
    return [_close(hot, blocks, top) for blocks in _apart(_blocks(hot))]


def _blocks(hot: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = (-(-side // _BLOCK) for side in hot.shape)
    whole = np.zeros((height * _BLOCK, width * _BLOCK), np.uint8)
    whole[: hot.shape[0], : hot.shape[1]] = hot
    # The mean of 64 pixels, of which one is 255, is 4.
    means = cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)
    return (np.asarray(means) > 0).view(np.uint8)


def _apart(blocks: NDArray[np.uint8]) -> list[tuple[int, int, int, int]]:
    """Rectangles (x, y, width, height) around the blocks that touch, joined until no two rectangles touch."""
    while True:
        stats = cv2.connectedComponentsWithStats(blocks, connectivity=8)[2][1:]
        boxes = [(int(x), int(y), int(width), int(height)) for x, y, width, height, _ in stats]
        filled = blocks.copy()
        for x, y, width, height in boxes:
            filled[y : y + height, x : x + width] = 1
        if np.array_equal(filled, blocks):
            return sorted(boxes, key=lambda box: (box[1], box[0]))
        blocks = filled


def _close(hot: NDArray[np.uint8], blocks: tuple[int, int, int, int], top: int) -> Box:
    x, y, width, height = (side * _BLOCK for side in blocks)
    left, above, wide, high = cv2.boundingRect(hot[y : y + height, x : x + width])
    return Box(x=x + left, y=top + y + above, width=wide, height=high)
