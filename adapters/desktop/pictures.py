"""What is asked of two looks at the screen: where they differ, quickly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.screens import Picture

BLOCK: Final = 16
"""Pixels; the side of the squares in which a difference is told. A divisor of the common screen heights and widths."""


def pixels(picture: Picture) -> NDArray[np.uint32]:
    """The picture as rows of 32-bit pixels, without copying."""
    return np.frombuffer(picture.bgra, np.uint32).reshape(picture.height, picture.width)


def changed_blocks(before: Picture, after: Picture) -> NDArray[np.uint16] | None:
    """How many pixels differ in each square of ``BLOCK`` by ``BLOCK`` pixels; ``None`` when none does.

    Pictures of different sizes differ in all of the second one's pixels.
    """
    if before.bgra == after.bgra and before.width == after.width:
        return None
    rows, columns = -(-after.height // BLOCK), -(-after.width // BLOCK)
    if (before.width, before.height) != (after.width, after.height):
        return np.full((rows, columns), BLOCK * BLOCK, np.uint16)
    differing = pixels(before) != pixels(after)
    changed = np.flatnonzero(differing.any(axis=1))
    top, bottom = changed[0] // BLOCK, changed[-1] // BLOCK + 1
    band = differing[top * BLOCK : bottom * BLOCK]
    padded = np.zeros(((bottom - top) * BLOCK, columns * BLOCK), np.bool_)
    padded[: band.shape[0], : band.shape[1]] = band
    blocks = np.zeros((rows, columns), np.uint16)
    blocks[top:bottom] = padded.reshape(bottom - top, BLOCK, columns, BLOCK).sum(axis=(1, 3), dtype=np.uint16)
    return blocks
