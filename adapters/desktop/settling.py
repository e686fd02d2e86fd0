"""When the screen has reacted to an action and come to rest, however long that takes, within bounds."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.desktop.pictures import changed_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from core.screens import Picture

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
    unrest: deque[NDArray[np.bool_]] = deque(maxlen=_REMEMBERED)
    last, reacted, quiet_since = before, False, began
    while True:
        check()
        looked = time.monotonic()
        picture = grab()
        blocks = changed_blocks(last, picture)
        if blocks is not None and _counts(blocks, unrest):
            reacted, quiet_since = True, looked
        if blocks is not None and not rest:
            return picture
        last = picture
        now = time.monotonic()
        if now - began >= seconds or (looked - quiet_since >= QUIET and (reacted or looked - began >= GRACE)):
            return picture
        check()
        time.sleep(max(0.0, min(looked + INTERVAL, began + seconds) - time.monotonic()))


def _counts(blocks: NDArray[np.uint16], unrest: deque[NDArray[np.bool_]]) -> bool:
    """Whether that is a change to wait for the end of; remembers it."""
    if unrest and unrest[0].shape != blocks.shape:
        unrest.clear()
    unrest.append(blocks > 0)
    restless = np.sum(unrest, axis=0, dtype=np.uint8) >= _RESTLESS
    if np.count_nonzero(restless) <= _RESTLESS_BLOCKS:
        blocks = np.where(restless, 0, blocks)
    return int(blocks.sum()) > _SLIGHT_PIXELS
