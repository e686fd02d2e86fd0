"""The ground of the button, or of another control of one row, on which words stand alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import lies_in
from adapters.video.text.fields import even_ground, straight

if TYPE_CHECKING:
    from adapters.video.frame import Box, Luma

_LONG: Final = 24
"""Heights of its words from them to the end of a button, which may be as wide as its form."""
_REACH: Final = 2
"""The same above and below."""
_HIGH: Final = 5
"""The same of the whole."""
_ICON: Final = 3
"""The same before the words, where an icon may stand."""
_BLANK: Final = 0.01
"""Of the rest of its ground, more is not drawn on where the words stand alone."""
_CENTRED: Final = 0.5
"""Heights of its words by which they stand nearer to one edge than to the other."""


def control_around(luma: Luma, text: Box) -> Box | None:
    """The even ground with an end on all four sides that holds nothing but one text, and maybe an icon before it.

    Args:
        luma: the picture's brightness.
        text: where the text stands.

    """
    x, y, width, height = text
    left, top = max(0, x - (_LONG + 1) * height), max(0, y - (_REACH + 1) * height)
    part = np.ascontiguousarray(luma[top : y + (_REACH + 2) * height, left : x + width + (_LONG + 1) * height])
    inside = (x - left, y - top, width, height)
    ground = even_ground(part, inside)
    place = None if ground is None else straight(ground)
    if ground is None or place is None or not lies_in(inside, place) or place[3] > _HIGH * height:
        return None
    is_whole = min(place[:2]) > 0 and place[0] + place[2] < part.shape[1] and place[1] + place[3] < part.shape[0]
    above, below = inside[1] - place[1], place[1] + place[3] - inside[1] - height
    if not is_whole or abs(above - below) > max(2, _CENTRED * height) or not _is_alone(ground, inside, place):
        return None
    return left + place[0], top + place[1], place[2], place[3]


def _is_alone(ground: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], text: Box, place: Box) -> bool:
    """Whether the rows in its middle are nothing but ground, beside the text and what stands close before it."""
    corner = place[3] // 4
    rows = slice(place[1] + corner, place[1] + place[3] - corner)
    before = slice(place[0] + corner, max(place[0] + corner, text[0] - _ICON * text[3]))
    behind = slice(text[0] + text[2] + 2, place[0] + place[2] - corner)
    return all(not part.size or np.mean(~part) <= _BLANK for part in (ground[rows, before], ground[rows, behind]))
