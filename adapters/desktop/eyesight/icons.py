"""Icons in a row of the screen: what is drawn there by itself and is no text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.ocr.runs import true_runs
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_REACH: Final = 2.2
"""Heights of the row's text from its middle to the upper and lower end of an icon, at most."""
_SIZES: Final = (0.5, 3.4)
"""Of an icon's longer side, in heights of the row's text."""
_THIN: Final = 3
"""Pixels: an edge or a line between columns is no thicker."""
_ASPECT: Final = 2.2
_OTHER: Final = 28
"""Levels of a channel by which a stroke differs from its ground."""
_MARGIN: Final = 2
"""Pixels around a text's box in which its letters are still drawn."""
_GAP: Final = 0.06
"""Of the height of its text: strokes so near are of one icon, beside the two pixels by which edges are blurred."""
_LEVEL: Final = 0.75
"""Heights of the text by which the middle of an icon stands higher or lower."""


def icons_in_row(bgr: Pixels, row: Box, texts: Sequence[Box]) -> list[Box]:
    """The icons in the row of a text, from left to right.

    Args:
        bgr: a picture (height, width, 3).
        row: where the text stands; icons are looked for in all of the picture's width.
        texts: where words stand; a sign that stands alone may be an icon.

    """
    row = _tight(bgr, row)
    reach = round(_REACH * row.height)
    top, bottom = max(row.centre.y - reach, 0), row.centre.y + reach + 1
    band = bgr[top:bottom]
    if not band.size:
        return []
    drawn = _edges(band)
    for box in texts:
        if box.y < bottom and box.y + box.height > top:
            rows = slice(max(box.y - top - _MARGIN, 0), box.y + box.height - top + _MARGIN)
            drawn[rows, max(box.x - _MARGIN, 0) : box.x + box.width + _MARGIN] = 0
    gap = int(_GAP * row.height)
    joined = cv2.morphologyEx(drawn, cv2.MORPH_CLOSE, np.ones((2 * gap + 1, 2 * gap + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    found: list[Box] = []
    for x, y, wide, high, _ in stats[1:].tolist():
        box = Box(x=x, y=top + y, width=wide, height=high)
        if _is_sized(box, row) and y > 0 and y + high < band.shape[0] and not _cuts(box, texts):
            found.append(box)
    outer = [box for box in found if not any(other != box and _holds(other, box) for other in found)]
    return sorted(outer, key=lambda box: box.x)


def _tight(bgr: Pixels, text: Box) -> Box:
    """The box from the upper to the lower end of its letters, without the edges of a card above and below them."""
    part = bgr[max(text.y, 0) : text.y + text.height, max(text.x, 0) : text.x + text.width]
    if not part.size:
        return text
    middle = part.shape[0] // 2
    rows = next((run for run in true_runs(np.asarray(_edges(part).any(axis=1))) if run[0] <= middle < run[1]), None)
    if rows is None:
        return text
    return Box(x=text.x, y=max(text.y, 0) + rows[0], width=text.width, height=rows[1] - rows[0])


def _holds(outer: Box, inner: Box) -> bool:
    """Whether a button is around an icon."""
    return outer.contains(inner.centre) and outer.width * outer.height > inner.width * inner.height


def _edges(band: Pixels) -> Pixels:
    """Where neighbouring pixels differ, as 0 and 1: cards, cells and buttons have grounds of their own."""
    # The dots of a palette's colours are no edges.
    even = cv2.blur(np.ascontiguousarray(band), (3, 3))
    gradient = cv2.morphologyEx(even, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    return (gradient.max(axis=2) > _OTHER).astype(np.uint8)


def _is_sized(box: Box, row: Box) -> bool:
    long, short = max(box.width, box.height), min(box.width, box.height)
    is_level = abs(box.centre.y - row.centre.y) <= _LEVEL * row.height
    fits = _SIZES[0] * row.height <= long <= _SIZES[1] * row.height
    return is_level and fits and short > _THIN and long <= _ASPECT * short


def _cuts(box: Box, texts: Sequence[Box]) -> bool:
    """Whether it is the ground of a text, or the rest of one."""
    return any(box.grown(2, 0).overlap(text) > 0 for text in texts)
