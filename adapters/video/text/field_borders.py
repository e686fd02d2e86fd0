"""The border of a field around its text: a reader takes its sides for letters, as in "[18" and "Italk"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from adapters.video.frame import grown, window
from adapters.video.ocr.runs import true_runs
from adapters.video.text.ink import ink_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Blocks
    from adapters.video.ocr.runs import Run

_LEAST: Final = 12
"""Pixels: a place that is lower or narrower holds no field."""
_RUNS: Final = 0.8
"""Of a row or column: so much of it is drawn where a border runs."""
_THICK: Final = 3
_ROUND: Final = 4
"""Pixels by which a rounded corner begins later."""
_HIGH: Final = 0.5
"""Of the place in which it stands: so high is a side at least."""
_CORNER: Final = 3
"""Of what is in a border, the third part at either end of a side may be a round corner."""
_CLEAR: Final = 0.1
"""Of the row or column beside a border: more is drawn there where letters touch it, or where it is a letter itself."""


_WIDE: Final = 3
"""Heights: what holds a label and a field is wider."""
_CORNERED: Final = 0.95
"""Of a height of the line beside a side: so much of the edges above and below is drawn."""


class _Side(NamedTuple):
    """Columns up to the end of a side, and the rows between which it runs."""

    columns: int = 0
    top: int = 0
    bottom: int = 0


def within_border(luma: Luma, box: Box) -> Box:
    """The box without the border of a field whose corner lies in it; as it is where there is none.

    A corner is a side that runs up and down and meets an edge that runs across. What is in it stands clear of both:
    else both are strokes of a letter, as of an L or an E.
    """
    ink = ink_of(luma[window(box)])
    height, width = ink.shape
    if min(height, width) < _LEAST:
        return box
    left, right = _side(ink), _side(ink[:, ::-1])
    if not (left.columns or right.columns) or left.columns >= width - right.columns:
        return box
    rows = ink[:, left.columns : width - right.columns]
    top, bottom = _edge(rows), height - _edge(rows[::-1])
    parts = _parts(ink)
    begin = left.columns if _meets(left, top, bottom, parts) else 0
    end = width - (right.columns if _meets(right, top, bottom, parts[:, ::-1]) else 0)
    if (begin, end) == (0, width) or top >= bottom:
        return box
    inner = ink[top:bottom, begin:end]
    # A round corner goes on beside the ends of a side and of an edge.
    high, wide = inner.shape[0] // _CORNER, min(inner.shape[0], inner.shape[1]) // _CORNER
    rows, columns = slice(high, inner.shape[0] - high), slice(wide, inner.shape[1] - wide)
    beside = [inner[rows, 0]] * (begin > 0) + [inner[rows, -1]] * (end < width)
    beside += [inner[0, columns]] * (top > 0) + [inner[-1, columns]] * (bottom < height)
    if not inner.any() or any(float(line.mean()) > _CLEAR for line in beside):
        return box
    return box[0] + begin, box[1] + top, end - begin, bottom - top


def _meets(side: _Side, top: int, bottom: int, parts: NDArray[np.int32]) -> bool:
    """Whether a side ends where an edge above it ends, or one below it begins, or is drawn on to it around a corner."""
    height, width = parts.shape
    round_ = height // _CORNER
    own = set(parts[(side.top + side.bottom) // 2, : side.columns].tolist()) - {0}
    joined = [bool(own & set(parts[row, width // 2 :].tolist())) for row in (max(top - 1, 0), min(bottom, height - 1))]
    above = top > 0 and side.top <= top + (round_ if joined[0] else _ROUND)
    below = bottom < height and side.bottom >= bottom - (round_ if joined[1] else _ROUND)
    return side.columns > 0 and (above or below)


def _side(ink: Blocks) -> _Side:
    """The first thing that is drawn from the left, if it runs up and down as a side does."""
    height, width = ink.shape
    for column in range(min(height, width // 3)):
        run, end = _longest(ink[:, column]), column + 1
        if run[1] - run[0] < _HIGH * height:
            if not _drawn_between_edges(ink[:, column]):
                continue
            # The side of a field with round corners is longer in its next columns.
            end = column + _THICK
            run = _longest(np.asarray(ink[:, column:end].any(axis=1)))
            if run[1] - run[0] < _HIGH * height:
                return _Side()
        while end < width and end - column <= _THICK and ink[run[0] : run[1], end].mean() >= _RUNS:
            end += 1
        return _Side(end, *run) if end - column <= _THICK else _Side()
    return _Side()


def _drawn_between_edges(column: Blocks) -> bool:
    """Whether there is more than an edge above or below, and the round end of one."""
    return bool(column[_ROUND : len(column) - _ROUND].mean() > _CLEAR)


def _edge(rows: Blocks) -> int:
    """How many rows are above the text down to the end of an edge that runs across; 0 without one."""
    height, width = rows.shape
    across = rows[: height // 3, min(_ROUND, width // 4) : max(width - _ROUND, width // 4 + 1)].mean(axis=1) >= _RUNS
    found = np.flatnonzero(across)
    return int(found[-1]) + 1 if found.size else 0


def _longest(column: Blocks) -> Run:
    return max(true_runs(column), key=lambda run: run[1] - run[0], default=(0, 0))


def split_at_fields(luma: Luma, box: Box) -> list[Box]:
    """The label and the value beside it of a line that was found across the left side of the field; else the line.

    A side is thin, higher than half of the line, and meets an edge at its upper and its lower end that runs on.
    """
    x, y, width, height = box
    if width < _WIDE * height or height < _LEAST:
        return [box]
    left, top, wide, high = grown(box, 0, height // 2, luma)
    ink = ink_of(luma[top : top + high, left : left + min(wide + _WIDE * height, luma.shape[1] - left)])
    middle = ink[y - top + height // 4 : y - top + height - height // 4]
    labels: NDArray[np.int32] | None = None
    for column in np.flatnonzero(middle.all(axis=0)).tolist():
        if not height // 2 <= column <= width - height // 2:
            continue
        if middle[:, [column - _THICK - 1, column + _THICK + 1]].any():
            continue
        labels = _parts(ink) if labels is None else labels
        row = y - top + height // 2
        own, (above, below) = labels == labels[row, column], _longest_through(ink[:, column], row)
        across = slice(column + _ROUND, column + _ROUND + height)
        ends = (
            own[max(above - _ROUND, 0) : above + _THICK, across],
            own[max(below - _THICK, 0) : below + _ROUND, across],
        )
        if all(end.any(axis=0).mean() > _CORNERED for end in ends):
            return [(x, y, column, height), (x + column + _THICK, y, width - column - _THICK, height)]
    return [box]


def _parts(ink: Blocks) -> NDArray[np.int32]:
    """The number of the thing that is drawn at each pixel."""
    return np.asarray(cv2.connectedComponents(ink.astype(np.uint8), connectivity=8)[1], np.int32)


def _longest_through(column: Blocks, row: int) -> Run:
    return next((run for run in true_runs(column) if run[0] <= row < run[1]), (row, row))
