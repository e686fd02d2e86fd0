"""The whole line at a place, and whether it ends there: a dot is too small to be read, but not to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.desktop.eyesight.segments import Segment
    from adapters.models.local.view import View
    from core.screens import Point

_BEHIND: Final = 12
"""So many letters behind the last one that was read are looked at."""
_INK: Final = 40
"""So much lighter or darker than its ground a dot is."""
_BLANK: Final = 0.25
"""Segments that stand closer, in letters, are of one word."""
_LEAST: Final = 3


def line_at(point: Point, after: View, later: View) -> tuple[str, bool]:
    """The line that stands there, and whether nothing is behind it: later, when no caret is, if it still stands there.

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
    middle, half = here[0].box.centre.y, here[0].box.height / 2
    return [each for each in view.segments if abs(each.box.centre.y - middle) <= half]


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
    top = max(last.y - 1, 0)
    crop = view.grey[top : last.y + last.height + 1, left : left + _BEHIND * cell]
    if crop.size == 0:
        return True
    ground = int(np.median(crop))
    return not bool((np.abs(crop.astype(np.int16) - ground) > _INK).any())
