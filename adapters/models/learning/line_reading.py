"""The whole line at a place, and whether it ends there: a dot is too small to be read, but not to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.desktop.eyesight.segments import Segment
    from adapters.models.local.view import View
    from core.screens import Box, Point

_BEHIND: Final = 12
"""So many letters behind the last one that was read are looked at."""
_INK: Final = 40
"""So much lighter or darker than its ground a dot is."""
_BLANK: Final = 0.25
"""Segments that stand closer, in letters, are of one word."""
_LEAST: Final = 3
_CURSOR: Final = (0.6, 1.4)
"""A block cursor is as wide as a letter, more or less,"""
_HIGHER: Final = 1.5
"""so many times higher than wide,"""
_FILLED: Final = 0.95
"""and so much of it is drawn."""
_BELOW: Final = 0.2
"""Of a line's height: so far below it an underscore may stand."""
_FEW: Final = 0.15
"""Of the most that is drawn in a row of pixels: so little are the tails of letters, which reach to the line below."""
_EDGE: Final = 0.25
"""Of a row's height: so far the line above reaches into it at most."""


def line_at(point: Point, after: View, later: View) -> tuple[str, bool]:
    """The line that stands there, and whether nothing but a block cursor is behind it.

    It is looked at later, when no other caret is there, if it still stands.

    Args:
        point: in the line, at its begin.
        after: when it had just been typed.
        later: a moment later.

    """
    typed, stayed = (sorted(_row(point, view), key=lambda each: each.box.x) for view in (after, later))
    if stayed and (not typed or _joined(stayed)[: len(_joined(typed)) - 1] == _joined(typed)[:-1]):
        return _joined(stayed), _ends(stayed, later)
    return (_joined(typed), _ends(typed, after)) if typed else ("", False)


def _row(point: Point, view: View) -> list[Segment]:
    here = [each for each in view.segments if each.box.grown(4, 4).contains(point)]
    if not here:
        return []
    nearest = min(here, key=lambda each: abs(each.box.centre.y - point.y))
    top, bottom = _drawn_rows(nearest.box, view)
    return [each for each in view.segments if top <= sum(_drawn_rows(each.box, view)) / 2 <= bottom]


def _joined(row: Sequence[Segment]) -> str:
    cell = max(sum(each.box.width for each in row) / max(sum(len(each.text) for each in row), 1), 1)
    text, right = "", 0
    for each in row:
        text += (" " if text and each.box.x - right > _BLANK * cell else "") + each.text
        right = each.box.x + each.box.width
    return text


def _ends(row: Sequence[Segment], view: View) -> bool:
    last = row[-1].box
    cell = max(round(sum(each.box.width for each in row) / max(sum(len(each.text) for each in row), 1)), _LEAST)
    left = last.x + last.width + max(cell // 4, 1)
    top, bottom = _drawn_rows(last, view)
    crop = view.grey[max(top - 1, 0) : bottom + max(round(_BELOW * (bottom - top)), 1), left : left + _BEHIND * cell]
    if crop.size == 0:
        return True
    ink = _own_rows(np.abs(crop.astype(np.int16) - int(np.median(crop))) > _INK)
    return not ink.any() or _is_block_cursor(ink, cell)


def _drawn_rows(box: Box, view: View) -> tuple[int, int]:
    """From which row to which its letters are drawn: a box holds ground above and below them, and what is near."""
    # At the edge of the picture it reaches beyond that.
    left, top = max(box.x, 0), max(box.y, 0)
    crop = view.grey[top : box.y + box.height, left : box.x + box.width].astype(np.int16)
    ink = (np.abs(crop - int(np.median(crop))) > _INK).sum(axis=1) if crop.size else np.zeros(0, np.int64)
    drawn = ink > _FEW * ink.max(initial=0)
    middle = len(drawn) // 2
    if not drawn.any() or not drawn[middle]:
        return top, box.y + box.height
    blank = np.flatnonzero(~drawn)
    above, below = blank[blank < middle], blank[blank > middle]
    return top + (int(above[-1]) + 1 if above.size else 0), top + (int(below[0]) if below.size else len(drawn))


def _own_rows(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is drawn without the lower edge of the line above, and without the border of a window."""
    ink = ink[~ink.all(axis=1)]
    drawn = np.asarray(ink.any(axis=1), np.bool_)
    reach = int(np.argmin(drawn)) if drawn.size else 0
    return ink[reach:] if reach <= _EDGE * len(drawn) else ink


def _is_block_cursor(ink: NDArray[np.bool_], cell: int) -> bool:
    """Whether nothing is drawn but one filled block, as wide as a letter and higher than one: no letter is so."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    high, wide = int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1
    is_of_a_letter = _CURSOR[0] * cell <= wide <= _CURSOR[1] * cell and high >= _HIGHER * cell
    return is_of_a_letter and float(ink.sum()) >= _FILLED * wide * high
