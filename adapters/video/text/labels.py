"""The texts that name a place on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.video.frame import same_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line


def label_of(box: Box, lines: Sequence[Line]) -> str | None:
    """The text right above or left of a place: a field's name, if it has one."""
    x, y, _, height = box
    beside = [
        (line.box[0] + line.box[2], line)
        for line in lines
        if same_row(line.box, box) and 0 < x - line.box[0] - line.box[2] < 6 * height
    ]
    above = [
        (line.box[1], line)
        for line in lines
        if abs(line.box[0] - x) < 2 * height and 0 < y - line.box[1] - line.box[3] < 3 * height
    ]
    nearest = max(beside, default=None, key=lambda pair: pair[0]) or max(above, default=None, key=lambda pair: pair[0])
    return nearest[1].text if nearest else None
