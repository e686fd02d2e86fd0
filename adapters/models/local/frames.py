"""Which rectangles of a look are frames around controls, worked out once: a spreadsheet has hundreds of them."""

from __future__ import annotations

from collections import defaultdict
from functools import wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from adapters.models.local.view import View

NARROWEST: Final = 1.3
"""A control's width, in heights of a line."""
_LEAST_CONTROL: Final = 14
"""No control is lower, in pixels."""
_TWICE: Final = 1.9
GRID: Final = 4
"""Pixels between two cells of a table, at most."""
_HEADS: Final = 3


Found = TypeVar("Found")


def known(work: Callable[[Box, View], Found]) -> Callable[[Box, View], Found]:
    """Work that is done once for each box of a look: each label of a form is held against all of them."""

    @wraps(work)
    def remembered(box: Box, view: View) -> Found:
        key = (work, box.x, box.y, box.width, box.height)
        if key not in view.known:
            view.known[key] = work(box, view)
        return view.known[key]

    return remembered


@known
def texts_in(box: Box, view: View) -> Sequence[Box]:
    """The texts whose middles lie in a box."""
    return [each.box for each in view.segments if box.contains(each.box.centre)]


def is_frame(box: Box, view: View) -> bool:
    """Whether it is one of a look's frames."""
    return box in _of_look(_frames, view)


def is_column_head(box: Box, view: View) -> bool:
    """Whether it is a cell of a table's head."""
    return box in _of_look(_column_heads, view)


def _of_look(work: Callable[[View], frozenset[Box]], view: View) -> frozenset[Box]:
    if work not in view.known:
        view.known[work] = work(view)
    return view.known[work]


def _frames(view: View) -> frozenset[Box]:
    """The boxes that hold another rectangle that is more than a sign, and more than the ground of a selected text.

    A field of one line may hold an icon or a short button at its end. What is twice as high as a control in it is no
    such field.
    """
    shapes = view.shapes
    if not shapes:
        return frozenset()
    boxes = np.array([(each.box.x, each.box.y, each.box.width, each.box.height) for each in shapes], np.int64)
    return frozenset(
        outer.box
        for outer, holds in zip(shapes, _parts(boxes), strict=True)
        if any(
            not _is_highlight(shapes[place].box, texts_in(outer.box, view)) for place in np.flatnonzero(holds).tolist()
        )
    )


def _column_heads(view: View) -> frozenset[Box]:
    """The cells with a text of which several follow each other without a gap: the head of a table."""
    rows = defaultdict[tuple[int, int], list[Box]](list)
    for shape in view.shapes:
        rows[shape.box.y, shape.box.height].append(shape.box)
    found: list[Box] = []
    for row in rows.values():
        cells = sorted((box for box in row if texts_in(box, view)), key=lambda box: box.x)
        joined = [pair for pair in pairwise(cells) if abs(pair[1].x - pair[0].x - pair[0].width) <= GRID]
        if len(joined) >= _HEADS - 1:
            found += [box for pair in joined for box in pair]
    return frozenset(found)


def _parts(boxes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each box (n, 4: x, y, width, height) which others (n, n) are controls in it."""
    x, y, width, height = boxes.T
    right, bottom = x + width, y + height
    inside = (x >= x[:, None]) & (y >= y[:, None]) & (right <= right[:, None]) & (bottom <= bottom[:, None])
    same = (boxes[:, None] == boxes[None]).all(axis=2)
    is_wide = width >= NARROWEST * height
    in_line = (width >= NARROWEST * height[:, None]) & (height < height[:, None] - 6)
    is_twice = height[:, None] >= _TWICE * height
    is_control: NDArray[np.bool_] = (is_twice & is_wide) | (~is_twice & in_line)
    return inside & ~same & (height >= _LEAST_CONTROL) & is_control


def _is_highlight(box: Box, texts: Sequence[Box]) -> bool:
    """Whether a rectangle is only the ground of a selected text: it ends where the text does."""
    return any(
        box.contains(text.centre) and box.width <= text.width + text.height and box.height <= _TWICE * text.height
        for text in texts
    )
