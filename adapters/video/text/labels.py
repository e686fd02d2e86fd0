"""The texts that name a place on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, same_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line

_BESIDE: Final = 6
"""Heights of a field between it and a name in its row,"""
_ABOVE: Final = 3
"""and between it and a name above it."""
_FARTHER: Final = 2
"""So many times farther than a name above it that ends as one, one beside it is that of another thing."""
_CLOSE: Final = 1
"""Heights of a name that is surely that of the field beside it or below it."""
_ENDS: Final = (":", "*")
"""How a name ends that belongs to what stands behind it."""
_FAINTER: Final = 0.85
"""Of the contrast of a value: what a field asks for is written fainter."""


def name_of(line: Line, before: Line | None, standing: Iterable[tuple[Line, Box]]) -> str | None:
    """What names the field in which a line came: its label, or what the field asked for where no label is close.

    Args:
        line: what came.
        before: what had stood in its place.
        standing: the lines on the screen, and where each stood.

    """
    field = line.field_box or line.came_at
    found = label_of(field, standing)
    is_asked = before is not None and _is_word(before.text) and is_hint(before, line)
    hint = before.text if before is not None and is_asked else None
    if found is None:
        return hint
    label, at = found
    is_close = max(gap(at, field)) <= _CLOSE * min(at[3], line.box[3]) or label.text.endswith(_ENDS)
    return label.text if is_close or hint is None else hint


def is_hint(before: Line, line: Line) -> bool:
    """Whether it is written fainter than what came in its place, as what an empty field asks for."""
    return before.contrast <= _FAINTER * line.contrast


def label_of(box: Box, standing: Iterable[tuple[Line, Box]]) -> tuple[Line, Box] | None:
    """The text right above or left of a place, and where it stands: a field's name, if it has one.

    Args:
        box: the field, or the text in it where its field is not known.
        standing: the lines on the screen, and where each stood.

    """
    x, y, _, height = box
    lines = [(line, at) for line, at in standing if _is_word(line.text)]
    beside = [
        (at[0] + at[2], line, at)
        for line, at in lines
        if same_row(at, box) and 0 < x - at[0] - at[2] < _BESIDE * height
    ]
    above = [
        (at[1], line, at)
        for line, at in lines
        if abs(at[0] - x) < 2 * height and 0 < y - at[1] - at[3] < _ABOVE * height
    ]
    left, over = (max(found, default=None, key=lambda one: one[0]) for found in (beside, above))
    is_label = over is not None and over[1].text.endswith(_ENDS)
    if left and over and is_label and x - left[0] > _FARTHER * (y - over[2][1] - over[2][3]) + height:
        left = None
    nearest = left or over
    return nearest and nearest[1:]


def _is_word(text: str) -> bool:
    """Whether it has letters: numbers and dates are values, and one sign of Chinese is how an icon is read."""
    return any(map(str.isalpha, text)) and (len(text) > 1 or text.isascii())
