"""Switches: a knob in a pill that stands at its left when it is off and at its right when it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import cv2
import numpy as np

from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_LEAST: Final = 10
"""Pixels: no switch is lower."""
_HEIGHTS: Final = (0.45, 2.0)
"""Of a switch, in heights of the line of text beside it."""
_ASPECT: Final = (1.4, 2.6)
_OFF_GROUND: Final = 6
"""How much brighter or darker than what surrounds it a switch's border or ground is at least."""
_PILL: Final = (-0.13, 0.07)
"""By how much of its bounds it may fill less than a rectangle with two round ends, as a codec blurs it, or more."""
_END: Final = (0.32, 0.6)
"""Where in an end its knob is, or its ground alone, in heights from the edge."""
_MIDDLE: Final = (0.42, 0.58)
_PLAIN: Final = 14
"""How much the brightness of a knob, and of the ground, varies at most; between them it differs by more."""
_KNOB: Final = 0.46
"""A knob covers no more of the pill."""


def switches_in_row(grey: Pixels, left: int, right: int, top: int, bottom: int) -> list[Box]:
    """Every switch between two columns whose middle is in a row of the screen, from left to right."""
    height = bottom - top
    x, y = max(left, 0), max(top - height, 0)
    crop = grey[y : bottom + height, x : max(right, 0)]
    if crop.size == 0 or height < 1:
        return []
    found: list[Box] = []
    for outline in _outlines(crop):
        at_x, at_y, wide, high = (int(side) for side in cv2.boundingRect(outline))
        box = Box(x=x + at_x, y=y + at_y, width=wide, height=high)
        is_sized = max(_LEAST, _HEIGHTS[0] * height) <= high <= _HEIGHTS[1] * height
        is_wide = _ASPECT[0] * high <= wide <= _ASPECT[1] * high
        if is_sized and is_wide and top <= box.centre.y <= bottom and is_on(grey, box) is not None:
            found.append(box)
    return sorted(found, key=lambda box: box.x)


def is_switch(mark: Box) -> bool:
    """Whether a mark is a switch, by its form: check boxes and radio buttons are as wide as high."""
    return mark.width >= _ASPECT[0] * mark.height


def is_on(grey: Pixels, switch: Box) -> bool | None:
    """Whether a switch's knob stands at its right; ``None`` where its pixels are no knob in a pill."""
    pixels = grey[switch.y : switch.y + switch.height, switch.x : switch.x + switch.width].astype(np.int16)
    high, wide = switch.height, switch.width
    if pixels.shape != (high, wide):
        return None
    start, end = (round(share * high) for share in _END)
    rows = slice(round(_MIDDLE[0] * high), round(_MIDDLE[1] * high))
    ends = pixels[rows, start:end], pixels[rows, wide - end : wide - start]
    if any(part.size == 0 or int(np.ptp(part)) > _PLAIN for part in ends):
        return None
    left, right = (int(np.median(part)) for part in ends)
    if abs(left - right) <= _PLAIN:
        return None
    pill = _pill(high, wide)
    is_left = (np.abs(pixels - left) < np.abs(pixels - right))[pill]
    share = float(is_left.mean())
    if not _is_round(grey, switch) or min(share, 1 - share) > _KNOB:
        return None
    return share > 1 - share


def _pill(high: int, wide: int) -> NDArray[np.bool_]:
    """The pixels of a rectangle with two round ends."""
    y, x = np.ogrid[:high, :wide]
    reach = high / 2
    across = np.clip(x + 0.5, reach, wide - reach) - (x + 0.5)
    return np.hypot(across, y + 0.5 - reach) <= reach


def _is_round(grey: Pixels, switch: Box) -> bool:
    """Whether what stands out from its surroundings there is a pill."""
    around = switch.grown(1, 1)
    crop = grey[max(around.y, 0) : around.y + around.height, max(around.x, 0) : around.x + around.width]
    filled = np.zeros_like(crop)
    cv2.drawContours(filled, _outlines(crop), -1, 1, cv2.FILLED)
    bounds = switch.width * switch.height
    expected = float(_pill(switch.height, switch.width).sum())
    return _PILL[0] <= (float(filled.sum()) - expected) / bounds <= _PILL[1]


def _outlines(crop: Pixels) -> Sequence[NDArray[np.int32]]:
    """Around what stands out from the ground, as the first and the last row show it."""
    ground = int(np.median(np.concatenate((crop[0], crop[-1]))))
    ink = (np.abs(crop.astype(np.int16) - ground) > _OFF_GROUND).astype(np.uint8)
    return cast("Sequence[NDArray[np.int32]]", cv2.findContours(ink, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0])
