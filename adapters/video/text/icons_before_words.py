"""Icons before the words of a button or a field, which are read with them: as a letter in "XClose" and "A Invite"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import window
from adapters.video.text.ink import ink_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Blocks

_WORD: Final = 3
_CROSSES: Final = "\u00d7\u2715\u2716\u2717"
_APART: Final = 0.55
"""Of a line's height: a space between two words is narrower."""
_PART: Final = 0.35
"""The same of what is read as the first letter of a word."""
_ICON: Final = (0.6, 1.5)
"""Of a line's height: so wide is an icon."""
_WIDE: Final = 0.9
"""Of a line's height: no letter is so wide."""
_HIGHER: Final = 2
"""Pixels by which an icon stands above all letters of its line."""
_INK: Final = 40
"""So much lighter or darker than its ground a stroke is."""
_LENS: Final = 8
"""Pixels: a smaller sign shows no ring."""
_ROUND: Final = (0.75, 1.34)
_RING: Final = 0.88
_HANDLE: Final = 0.15
"""Of a lens: its ring, and how far the handle reaches out of it at least."""
_COLOURFUL: Final = 50
_GREY: Final = 25
"""Mean difference between the strongest and the weakest of the three colours, 0..255."""


def without_icon(patch: Luma, text: str) -> str:
    """A line's text without the icon before it, which a reader takes for a letter.

    An icon is about as wide as the line is high, and stands apart from the text by more than a word does. Before a name
    ("Close") what is higher or wider than letters is one as well, and what stands apart from the name it is read with.
    """
    sign, rest = text[:1], text[1:].strip()
    if len(rest) < _WORD:
        return text
    is_icon = _stands_apart(patch, sign, rest, text) or (sign.isalnum() and _is_before_name(patch, sign, rest, text))
    return rest if is_icon else text


def _stands_apart(patch: Luma, sign: str, rest: str, text: str) -> bool:
    if not rest[0].isascii() or sign.isdecimal() or (sign.isascii() and text[1] != " "):
        return False
    if not sign.isalpha() and sign not in _CROSSES:
        return False
    columns = np.flatnonzero(ink_of(patch).any(axis=0))
    gaps = np.flatnonzero(np.diff(columns) > _APART * patch.shape[0])
    if not gaps.size:
        return False
    wide = (columns[gaps[0]] - columns[0] + 1) / patch.shape[0]
    return bool(_ICON[0] <= wide <= _ICON[1] or (sign in _CROSSES and wide <= _ICON[0]))


def _is_before_name(patch: Luma, sign: str, rest: str, text: str) -> bool:
    """Whether a capitalised word follows, and the sign before it is drawn as no letter is."""
    if not rest[0].isupper() or not rest[1:_WORD].islower():
        return False
    ink = np.abs(patch.astype(np.int16) - int(np.median(patch))) > _INK
    first = _first_sign(ink)
    if first is None:
        return False
    _, end, begin = first
    icon, letters = (np.flatnonzero(part.any(axis=1)) for part in (ink[:, :end], ink[:, begin:]))
    is_high = letters[0] - icon[0] >= _HIGHER
    is_wide = not sign.isdecimal() and end >= _WIDE * patch.shape[0]
    is_apart = text[1] != " " and begin - end >= _PART * patch.shape[0]
    return bool(is_high or is_wide or is_apart)


def icon_width(bgr: NDArray[np.uint8], luma: Luma, close: Box) -> int:
    """How many pixels an icon takes at the beginning of a tight box, with the gap behind it; 0 without one.

    It is the lens of a search, or as wide as a line is high, and colourful, and what follows is not.
    """
    ink = ink_of(luma[window(close)])
    first = _first_sign(ink)
    if first is None:
        return 0
    start, end, begin = first
    if _is_lens(ink[:, start:end]):
        return begin
    if not _ICON[0] <= (end - start) / close[3] <= _ICON[1]:
        return 0
    part = bgr[window(close)]
    colour = part.max(axis=2).astype(int) - part.min(axis=2)
    icon, rest = colour[:, :begin][ink[:, :begin]], colour[:, begin:][ink[:, begin:]]
    return begin if np.mean(icon) >= _COLOURFUL and np.mean(rest) <= _GREY else 0


def _is_lens(sign: Blocks) -> bool:
    """Whether a sign is a ring with a handle that leads down and to the right, out of the ring's own columns and rows.

    The tail of a Q ends under its bowl.
    """
    rows = np.flatnonzero(sign.any(axis=1))
    sign = sign[rows[0] : rows[-1] + 1]
    height, width = sign.shape
    if min(height, width) < _LENS or not _ROUND[0] <= width / height <= _ROUND[1]:
        return False
    edge_px = max(2, round(_HANDLE * min(height, width)))
    right = np.flatnonzero(sign[:, -edge_px:].any(axis=1))
    bottom = np.flatnonzero(sign[-edge_px:].any(axis=0))
    if right[0] < height / 2 or bottom[0] < width / 2:
        return False
    ring = sign[: round(_RING * height), : round(_RING * width)]
    y, x = ring.shape[0] // 2, ring.shape[1] // 2
    sides = ring[y, :x], ring[y, x:], ring[:y, x], ring[y:, x]
    return not ring[y - 1 : y + 2, x - 1 : x + 2].any() and all(bool(side.any()) for side in sides)


def _first_sign(ink: Blocks) -> tuple[int, int, int] | None:
    """The columns where the first sign begins and has ended, and where the next one begins; ``None`` for one alone."""
    columns = np.flatnonzero(ink.any(axis=0))
    gaps = np.flatnonzero(np.diff(columns) > 1)
    return (int(columns[0]), int(columns[gaps[0]]) + 1, int(columns[gaps[0] + 1])) if gaps.size else None
