"""The ground of the button, or of another control of one row, on which words stand alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import lies_in
from adapters.video.text.fields import ground_around

if TYPE_CHECKING:
    from adapters.video.frame import Box, Luma
    from adapters.video.text.fields import Ground

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
    height = text[3]
    across = (_LONG + 1) * height
    ground = ground_around(luma, text, (across, (_REACH + 1) * height, across, (_REACH + 2) * height))
    if ground is None or not (ground.is_whole and lies_in(ground.text, ground.place)):
        return None
    above, high = ground.text[1] - ground.place[1], ground.place[3]
    is_centred = abs(above - (high - above - height)) <= max(2, _CENTRED * height)
    return ground.box if high <= _HIGH * height and is_centred and _is_alone(ground) else None


def _is_alone(ground: Ground) -> bool:
    """Whether the rows in its middle are nothing but ground, beside the text and what stands close before it."""
    text, place = ground.text, ground.place
    corner = place[3] // 4
    rows = slice(place[1] + corner, place[1] + place[3] - corner)
    before = slice(place[0] + corner, max(place[0] + corner, text[0] - _ICON * text[3]))
    behind = slice(text[0] + text[2] + 2, place[0] + place[2] - corner)
    parts = (ground.drawn[rows, before], ground.drawn[rows, behind])
    return all(not part.size or np.mean(~part) <= _BLANK for part in parts)
