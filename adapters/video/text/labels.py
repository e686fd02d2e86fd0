"""The texts that name a place on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.video.frame import same_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line


def label_of(box: Box, standing: Iterable[tuple[Line, Box]]) -> str | None:
    """The text right above or left of a place: a field's name, if it has one.

    Args:
        box: the field, or the text in it where its field is not known.
        standing: the lines on the screen, and where each stood.

    """
    x, y, _, height = box
    lines = list(standing)
    beside = [(at[0] + at[2], line) for line, at in lines if same_row(at, box) and 0 < x - at[0] - at[2] < 6 * height]
    above = [(at[1], line) for line, at in lines if abs(at[0] - x) < 2 * height and 0 < y - at[1] - at[3] < 3 * height]
    nearest = max(beside, default=None, key=lambda pair: pair[0]) or max(above, default=None, key=lambda pair: pair[0])
    return nearest[1].text if nearest else None
