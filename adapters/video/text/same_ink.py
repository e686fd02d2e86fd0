"""Whether two looks at a place show the same strokes: as they were, in other colours, lit in part, or aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import grown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box, Luma

_RETINTED: Final = 0.85
_LEAST_CONTRAST: Final = 24
_LETTER: Final = 0.7
"""Of a line's height: so wide is a letter."""
_LEAST_LETTER: Final = 4
_INK: Final = 40
_FAINTEST: Final = 12
_SAME_LETTER: Final = 0.9


def same_ink(old: Luma, new: Luma) -> bool:
    """Whether two patches of one size show the same strokes, maybe dimmed, tinted or inverted."""
    if old.shape != new.shape or old.size == 0:
        return False
    a, b = old.astype(np.float32), new.astype(np.float32)
    mean_a, mean_b = a.mean(), b.mean()
    a, b = a - mean_a, b - mean_b
    power = float((a * a).sum())
    contrast = float(np.abs(a).max())
    if power < a.size or contrast < 12:  # noqa: PLR2004 - nothing is written there
        return bool(np.abs(b).max() < 16)  # noqa: PLR2004 - and still is not
    gain = float((a * b).sum()) / power
    if abs(gain) < 0.15:  # noqa: PLR2004 - what is left of it could not be read
        return False
    rest = np.abs(b - gain * a)
    return int((rest > max(12.0, 0.35 * abs(gain) * contrast)).sum()) < 3  # noqa: PLR2004 - a dot is three pixels


def is_retinted(old: Luma, new: Luma) -> bool:
    """Whether two patches of one size show the same letters in other colours, as a row that is chosen does.

    Of 250 lines that seemed to go from others' recordings, those whose letters still stood there correlate by 0.85 or
    more, and those that were gone by 0.82 or less.
    """
    if old.shape != new.shape or old.size == 0 or np.ptp(new) < _LEAST_CONTRAST:
        return False
    return _correlation(old, new) >= _RETINTED


def has_same_letters(old: Luma, new: Luma) -> bool:
    """Whether each letter of two patches of one size is the same, be a part of them lit or drawn in other colours.

    They are compared in windows as wide as a letter, each with its own ground. One digit that becomes another changes
    its window's correlation to 0.9 at most, and that of a whole line hardly.
    """
    if old.shape != new.shape or old.size == 0:
        return False
    if same_ink(old, new):
        return True
    height, width = old.shape
    wide = max(round(_LETTER * height), _LEAST_LETTER)
    for left in range(0, max(width - wide // 2, 1), wide // 2):
        a, b = old[:, left : left + wide], new[:, left : left + wide]
        # The upright edge of what is lit is no stroke.
        if max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max()) < _INK:
            continue
        if np.ptp(b) < _FAINTEST or _correlation(a, b) < _SAME_LETTER:
            return False
    return True


def _correlation(old: Luma, new: Luma) -> float:
    """How alike the strokes of two patches of one size are, whatever their colours and grounds: 1 for the same."""
    a, b = (np.abs(patch.astype(np.float32) - np.median(patch)) for patch in (old, new))
    a, b = a - a.mean(), b - b.mean()
    power = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / power if power > 0 else 0.0


def are_inverted(pairs: Sequence[tuple[Luma, Luma]]) -> bool:
    """Whether most lines turned from dark letters on light ground to light ones on dark, or back."""
    turned = [_darkness(old) * _darkness(new) < 0 for old, new in pairs if old.size and new.size]
    return 2 * sum(turned) > len(turned)


def _darkness(patch: Luma) -> float:
    """How much darker the letters are than their ground; less than nothing where they are lighter."""
    return float(np.median(patch)) - float(np.mean(patch))


def stands_at(patch: Luma, luma: Luma, box: Box) -> bool:
    """Whether the strokes of the patch are those at the box, a pixel or two aside."""
    height, width = patch.shape
    x0, y0, _, _ = grown(box, 0, 0, luma)
    unlike = 10 * patch.size
    for dy in (0, -1, 1, -2, 2):
        for dx in (0, -1, 1, -2, 2):
            x, y = x0 + dx, y0 + dy
            if x < 0 or y < 0:
                continue
            there = luma[y : y + height, x : x + width]
            if there.shape != patch.shape or cv2.norm(there, patch, cv2.NORM_L1) > unlike:
                continue
            if same_ink(patch, there):
                return True
    return False
