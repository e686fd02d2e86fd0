"""When the screen has reacted to an action and come to rest, however long that takes, within bounds."""

from __future__ import annotations

import time
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
_RESTLESS: Final = 3
"""A square that changed in so many looks is one that does not rest …"""
_RESTLESS_BLOCKS: Final = 36
"""… unless more of them do than an animated sign of 96 by 96 pixels has: then something big is still moving."""


def settle(grab: Callable[[], Picture], before: Picture, check: Callable[[], None], seconds: float) -> Picture:
    """Look until the screen has reacted and is quiet, and return the last look.

    A caret, a spinner or a clock does not hold it up: a small place that changes again and again is left out, and so
    is a change of few pixels.

    Args:
        grab: takes a look.
        before: the look before the action.
        check: called before each look; it raises when the run shall stop.
        seconds: to wait at most.

    """
    began = time.monotonic()
    unrest: NDArray[np.uint8] | None = None
    last, reacted, quiet_since = before, False, began
    while True:
        check()
        looked = time.monotonic()
        picture = grab()
        blocks = changed_blocks(last, picture)
        if blocks is not None:
            if unrest is None or unrest.shape != blocks.shape:
                unrest = np.zeros(blocks.shape, np.uint8)
            unrest += (blocks > 0) & (unrest < _RESTLESS)
            restless = unrest >= _RESTLESS
            if np.count_nonzero(restless) <= _RESTLESS_BLOCKS:
                blocks[restless] = 0
            if int(blocks.sum()) > _SLIGHT_PIXELS:
                reacted, quiet_since = True, looked
        last = picture
        now = time.monotonic()
        if now - began >= seconds or (looked - quiet_since >= QUIET and (reacted or looked - began >= GRACE)):
            return picture
        check()
        time.sleep(max(0.0, min(looked + INTERVAL, began + seconds) - time.monotonic()))
