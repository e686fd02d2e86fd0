"""When the screen has reacted to an action and come to rest, however long that takes, within bounds."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from core.screens import Picture

BLOCK: Final = 16
"""Pixels; side of the squares that are compared. A divisor of the common screen heights and widths."""


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


INTERVAL: Final = 0.02
"""Seconds from one look to the next."""
GRACE: Final = 0.12
"""Seconds in which the screen must have begun to react; what comes later is the loop's matter."""
QUIET: Final = 0.055
"""Seconds without a change after which the screen is at rest: three frames of a usual screen."""
_SLIGHT_PIXELS: Final = 96
"""A change of no more is a caret's, and no reaction to wait for the end of."""
_REMEMBERED: Final = 8
"""Looks that saw a change; so a place is forgotten again that something has moved across."""
_RESTLESS: Final = 3
"""A square that changed in so many of them is one that does not rest …"""
_RESTLESS_BLOCKS: Final = 36
"""… unless more of them do than an animated sign of 96 by 96 pixels has: then something big is still moving."""


def settle(
    grab: Callable[[], Picture], before: Picture, check: Callable[[], None], seconds: float, *, rest: bool = True
) -> Picture:
    """Look until the screen has reacted and is quiet, and return the last look.

    A caret, a spinner or a clock does not hold it up: a small place that changes again and again is left out, and so
    is a change of few pixels.

    Args:
        grab: takes a look.
        before: the look before the action.
        check: called before each look; it raises when the run shall stop.
        seconds: to wait at most.
        rest: whether to wait until it is quiet; otherwise any reaction will do, and if it is a caret.

    """
    began = time.monotonic()
    restless_blocks: deque[NDArray[np.bool_]] = deque(maxlen=_REMEMBERED)
    last, reacted, quiet_since = before, False, began
    while True:
        check()
        looked = time.monotonic()
        picture = grab()
        blocks = changed_blocks(last, picture)
        if blocks is not None and _counts(blocks, restless_blocks):
            reacted, quiet_since = True, looked
        if blocks is not None and not rest:
            return picture
        last = picture
        now = time.monotonic()
        if now - began >= seconds or (looked - quiet_since >= QUIET and (reacted or looked - began >= GRACE)):
            return picture
        check()
        time.sleep(max(0.0, min(looked + INTERVAL, began + seconds) - time.monotonic()))


def _counts(blocks: NDArray[np.uint16], restless_blocks: deque[NDArray[np.bool_]]) -> bool:
    """Whether that is a change to wait for the end of; remembers it."""
    if restless_blocks and restless_blocks[0].shape != blocks.shape:
        restless_blocks.clear()
    restless_blocks.append(blocks > 0)
    restless = np.sum(restless_blocks, axis=0, dtype=np.uint8) >= _RESTLESS
    if np.count_nonzero(restless) <= _RESTLESS_BLOCKS:
        blocks = np.where(restless, 0, blocks)
    return int(blocks.sum()) > _SLIGHT_PIXELS
