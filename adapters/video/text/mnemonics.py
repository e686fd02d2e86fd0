"""Takes away the stroke under the letter by which a menu's entry is chosen: with it a T is read as an I."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from adapters.video.frame import Box

_INK: Final = 0.3
_LEAST_CONTRAST: Final = 12.0
_LETTER: Final = 0.3
"""Of the line's height: a letter is at least so high."""
_LEAST_LETTERS: Final = 3
_NARROW: Final = (4, 0.25)
"""Pixels, and of the line's height: a stroke is at least so wide, and no wider than the line is high."""
_THICK: Final = (2, 0.1)
_FILLED: Final = 0.9
_BLURRED: Final = 0.3


def without_mnemonics(line: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture of a line (height, width, 3) without strokes of a letter's width just below its letters."""
    grey = line.astype(np.float32).mean(axis=2)
    ink = np.abs(grey - np.median(grey)) > _INK * max(float(np.ptp(grey)), _LEAST_CONTRAST)
    base = _baseline(ink)
    strokes = [] if base is None else list(_strokes(ink, base))
    if not strokes:
        return line
    cleared, ground = line.copy(), np.median(line.reshape(-1, 3), axis=0)
    for x, y, width, height in strokes:
        cleared[y : y + height + 1, max(x - 1, 0) : x + width + 1] = ground
    return cleared


def _baseline(ink: NDArray[np.bool_]) -> int | None:
    """The last row of most letters."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    ends = Counter(int(y + high) - 1 for _, y, _, high, _ in stats[1:] if high >= _LETTER * len(ink))
    if ends.total() < _LEAST_LETTERS:
        return None
    base, count = min(ends.items(), key=lambda each: (-each[1], each[0]))
    return base if count > 1 else None


def _strokes(ink: NDArray[np.bool_], base: int) -> Iterator[Box]:
    """Each below a letter, close to it or a row apart, with nothing below."""
    high = len(ink)
    most = max(_THICK[0], round(_THICK[1] * high))
    for row in range(base + 1, min(base + 3, high)):
        edges = np.diff(ink[row].astype(np.int8), prepend=0, append=0)
        for start, stop in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
            wide = int(stop - start)
            if not max(_NARROW[0], _NARROW[1] * high) <= wide <= high or not ink[base - 1 : base + 1, start:stop].any():
                continue
            if row > base + 1 and _is_tail(ink[row - 1], int(start), int(stop)):
                continue
            filled = ink[row : row + most + 1, start:stop].mean(axis=1) >= _FILLED
            thick = len(filled) if filled.all() else int(np.argmin(filled))
            below = ink[row + thick : row + thick + 1, max(start - 1, 0) : stop + 1]
            if thick <= most and not below.any():
                yield int(start), row, wide, thick


def _is_tail(above: NDArray[np.bool_], start: int, stop: int) -> bool:
    """Whether a letter goes on in the row above, as the tail of a g does; a stroke's own edge may be blurred."""
    return bool(above[max(start - 1, 0)] or above[min(stop, len(above) - 1)]) or above[start:stop].mean() > _BLURRED
