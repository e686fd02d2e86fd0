"""The marks that a test runner draws before the titles of tests that are over: a green tick, a red cross."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from core.text import FAILED, PASSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.frame import Box

_GREEN: Final = (55, 92)
_RED: Final = (8, 165)
"""Hues, of 180: a red one is outside these two."""
_STRONG: Final = 90
_LIGHT: Final = 100
"""Saturation and value of a mark at least, of 255; the ground of what failed is a dark red or a pale one."""
_BEFORE: Final = 2.4
"""Heights of a title from its left to the place where its mark begins, at most."""
_SIDES: Final = (0.4, 1.4)
"""Heights of a title that a mark is wide and high; the line along what failed is thinner, and higher."""
_FULL: Final = 0.65
"""Of its box: what is fuller is a dot."""
_COLOURED: Final = 0.03
"""Of a title at most."""
_READ: Final = "✓✔√✗✘×"  # noqa: RUF001 - what marks are read as
"""As such a mark is read when it is taken for a part of the title."""


def with_mark(bgr: NDArray[np.uint8], box: Box, text: str) -> str:
    """The text behind the sign of the mark before it; without one as it was read."""
    bare = text.lstrip(_READ).lstrip()
    x, y, width, height = box
    # A mark stands within the box of a title where the reader found both as one, though it read no sign of it.
    left, middle = max(round(x - _BEFORE * height), 0), x + round(_SIDES[1] * height)
    marks = _coloured(bgr[max(y - height // 2, 0) : y + height + height // 2, left:middle])
    title = _coloured(bgr[y : y + height, middle : x + width])
    for sign, mask in marks.items():
        # Before words in its own colour it is a part of them.
        if bare and _has_mark(mask, height) and title[sign].mean() <= _COLOURED:
            return f"{sign} {bare}"
    return text


def _coloured(bgr: NDArray[np.uint8]) -> dict[str, NDArray[np.bool_]]:
    """Where a picture has the colour of each mark."""
    if not bgr.size:
        return {sign: np.zeros((1, 1), np.bool_) for sign in (PASSED, FAILED)}
    hsv = cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV)
    hue, is_strong = hsv[..., 0], (hsv[..., 1] >= _STRONG) & (hsv[..., 2] >= _LIGHT)
    is_green, is_red = (hue >= _GREEN[0]) & (hue <= _GREEN[1]), (hue <= _RED[0]) | (hue >= _RED[1])
    return {PASSED: np.asarray(is_green & is_strong), FAILED: np.asarray(is_red & is_strong)}


def _has_mark(mask: NDArray[np.bool_], height: int) -> bool:
    """Whether one thing of a mark's size and thinness stands there, which goes on beyond no side."""
    _, _, found, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    least, most = (share * height for share in _SIDES)
    return any(
        min(x, y) > 0
        and x + width < mask.shape[1]
        and y + high < mask.shape[0]
        and least <= min(width, high) <= max(width, high) <= most
        and area <= _FULL * width * high
        for x, y, width, high, area in found[1:]
    )
