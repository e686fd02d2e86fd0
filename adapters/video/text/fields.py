"""The field in which a text stands: an even place with four corners of its own that holds nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from adapters.video.frame import lies_in, window
from adapters.video.ocr.runs import true_runs
from adapters.video.text.field_borders import within_border
from adapters.video.text.ink import has_caret_behind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.settled import Settled
    from adapters.video.text.matching import Match

_REACH: Final = 2
"""Heights of the text between it and the edge of its field, above it at most; below it, where a field has one row."""
_HIGH: Final = 20
"""Heights of its text that a field for several rows has at most."""
_LONG: Final = 100
"""The same to the right: a field is made for longer texts than it holds."""
_SIDE: Final = 4
"""The same to the left: an icon may stand before the text."""
_EVEN: Final = 6
"""Levels of brightness by which the ground of a field differs from itself, as codecs leave it."""
_FILLED: Final = 0.6
"""Of each edge of the place: so much is ground; its corners may be round."""
_WIDE: Final = 3
"""Times as wide as high a field is at least."""
_BEYOND: Final = 5
"""Pixels outside a corner: there the lines of a table go on."""
_LINE: Final = 10
"""Levels by which a line differs from what is above and below it."""
_BORDER: Final = 4
"""Pixels within which the border of a field runs around its ground."""
_SIGN: Final = 2
"""Heights of a field from its end, in which an arrow stands."""
_UPPER: Final = 0.55
"""Of the height of a field: so far down the top of an arrow is looked for."""
_MIRRORED: Final = 0.9
"""Of what is drawn, so much is there upside down as well."""
_CORNER: Final = 6
"""Of the height of a field, so much at most is taken by its round corners."""
_HANDLE: Final = 6
"""Pixels at the end of a field in which the upper part of what sizes it is drawn."""
_FAINT: Final = 3
"""Levels by which a line below a text differs from what is above and below it, on average over ``_SMOOTH`` pixels."""
_SMOOTH: Final = 25
_BLUR: Final = 13
"""So near to where it seems to end a line ends."""
_SIDE_HIGH: Final = 12
"""Pixels above or below a line in which the side of a box would run."""
_INDENT: Final = 1.5
"""Heights of a text that stands above a line, from the line's beginning to its own."""
_BEHIND: Final = 2
"""The same from its end to that of the line: that of a link ends with it."""
_INK: Final = 40
"""Levels by which what is drawn differs from the ground."""
_MOST: Final = 20
"""Of more lines that come at once a page or a dialog is made."""


def field_around(luma: Luma, text: Box) -> Box | None:
    """The ground of the field around a text, without its border; ``None`` where there is none, or a table's cell.

    Args:
        luma: the picture's brightness.
        text: where the text stands.

    """
    height = text[3]
    ground = ground_around(luma, text, ((_SIDE + 1) * height, (_REACH + 1) * height, _LONG * height, _HIGH * height))
    if ground is None or not _fits(ground) or _goes_on(ground.part, ground.place):
        return None
    return ground.box


class Ground(NamedTuple):
    """The even ground of a text, in a part of a picture.

    Args:
        part: its brightness.
        corner: where it begins in the picture, in pixels.
        text: where the text stands in it.
        drawn: what of it is ground, and the text.
        place: the rectangle of the ground.

    """

    part: Luma
    corner: tuple[int, int]
    text: Box
    drawn: NDArray[np.bool_]
    place: Box

    @property
    def is_whole(self) -> bool:
        """Whether it ends within the part on all four sides."""
        left, top, width, height = self.place
        return left > 0 and left + width < self.part.shape[1] and top > 0 and top + height < self.part.shape[0]

    @property
    def box(self) -> Box:
        """Its rectangle in the picture."""
        return self.corner[0] + self.place[0], self.corner[1] + self.place[1], self.place[2], self.place[3]


def ground_around(luma: Luma, text: Box, reach: tuple[int, int, int, int]) -> Ground | None:
    """The even ground of a text; ``None`` where there is none.

    Args:
        luma: the picture's brightness.
        text: where the text stands.
        reach: pixels that are looked at before it, above it, behind it, and from its top down.

    """
    x, y, width, height = text
    before, above, behind, down = reach
    left, top = max(0, x - before), max(0, y - above)
    part = np.ascontiguousarray(luma[top : y + down, left : x + width + behind])
    inside = (x - left, y - top, width, height)
    drawn = _even(part, inside)
    place = None if drawn is None else _straight(drawn)
    return None if drawn is None or place is None else Ground(part, (left, top), inside, drawn, place)


def underlined(luma: Luma, text: Box) -> Box | None:
    """The place of a field that has nothing but a line below its text; ``None`` where no line goes on behind the text.

    Args:
        luma: the picture's brightness.
        text: where the text stands.

    """
    x, y, width, height = text
    for row in range(y + height, min(y + 2 * height, luma.shape[0] - _BEYOND)):
        near = luma[row - 3 : row + 4 : 3].astype(np.int16)
        unlike = np.minimum(np.abs(near[1] - near[0]), np.abs(near[1] - near[2]))
        drawn = np.convolve(unlike, np.full(_SMOOTH, 1 / _SMOOTH), "same") >= _FAINT
        run = next((run for run in true_runs(drawn) if run[0] - height <= x and run[1] >= x + width), None)
        if run is None:
            continue
        left, right = run
        before = max(0, left - _BLUR), x
        behind = max(right - _BLUR, x + width + height), right + _BLUR
        is_free = left > 0 and right < luma.shape[1] and not any(_has_side(luma, row, end) for end in (before, behind))
        if is_free and x - left <= _INDENT * height and right - x - width >= _BEHIND * height:
            top = max(0, y - height // 2)
            return min(left, x), top, right - min(left, x), row - top
    return None


def _has_side(luma: Luma, row: int, columns: tuple[int, int]) -> bool:
    """Whether a side goes up or down from an end of a line: it is the border of a box then, above it or below it."""
    for rows in (slice(max(0, row - _SIDE_HIGH), max(0, row - 3)), slice(row + 4, row + _SIDE_HIGH)):
        part = luma[rows, slice(*columns)].astype(np.int16)
        if part.shape[0] and part.shape[1] > 2 * _BORDER:
            beside = np.minimum(np.abs(part[:, 3:-3] - part[:, :-6]), np.abs(part[:, 3:-3] - part[:, 6:]))
            if (beside.min(axis=0) >= _FAINT).any():
                return True
    return False


def _fits(ground: Ground) -> bool:
    """Whether all of a place is seen, it is wide and no higher than its text needs, or the text stands at its top."""
    (left, top, width, height), text = ground.place, ground.text
    row = 2 * _REACH * text[3]
    before, above = text[0] - left, text[1] - top
    is_there = before <= _SIDE * text[3] if height <= row else max(before, above) <= text[3]
    return ground.is_whole and is_there and width >= _WIDE * min(height, row) and lies_in(text, ground.place)


def _straight(ground: NDArray[np.bool_]) -> Box | None:
    """The rectangle of the ground, without what bulges out of it."""
    columns = np.flatnonzero(ground.any(axis=0))
    rows = np.flatnonzero(ground[:, columns[0] : columns[-1] + 1].mean(axis=1) >= _FILLED) if columns.size else columns
    if not rows.size:
        return None
    first, high = int(rows[0]), int(rows[-1]) + 1 - int(rows[0])
    columns = np.flatnonzero(ground[first : first + high].mean(axis=0) >= _FILLED)
    return (int(columns[0]), first, int(columns[-1]) + 1 - int(columns[0]), high) if columns.size else None


def _even(part: Luma, text: Box) -> NDArray[np.bool_] | None:
    """What has the brightness that is most frequent around the letters, and hangs together with it; and the text."""
    inside = window(text)
    level = int(np.bincount(part[inside].ravel(), minlength=256).argmax())
    even = (np.abs(part.astype(np.int16) - level) <= _EVEN).astype(np.uint8)
    _, places = cv2.connectedComponents(even, connectivity=4)
    there = np.bincount(places[inside][even[inside] > 0].ravel())
    if not there.size:
        return None
    ground = np.asarray(places == there.argmax(), bool)
    ground[inside] = True
    return ground


def _goes_on(part: Luma, place: Box) -> bool:
    """Whether the place is a cell: the lines around it go on beyond its corners, as those of a table do.

    A button may be set to one side of a field, between the same lines.
    """
    left, top, width, height = place
    right, bottom = left + width, top + height
    before, behind = (
        any(_is_line(part, row, column, is_across=True) for row in (top - 1, bottom))
        for column in (left - _BEYOND, right + _BEYOND)
    )
    above, below = (
        any(_is_line(part, row, column, is_across=False) for column in (left - 1, right))
        for row in (top - _BEYOND, bottom + _BEYOND)
    )
    return (before and behind) or ((before or behind) and (above or below))


def _is_line(part: Luma, row: int, column: int, *, is_across: bool) -> bool:
    if not (_BEYOND <= row < part.shape[0] - _BEYOND and _BEYOND <= column < part.shape[1] - _BEYOND):
        return False
    cut = np.s_[row - 3 : row + 4, column] if is_across else np.s_[row, column - 3 : column + 4]
    levels = part[cut].astype(int)
    return bool(abs(levels[0] - levels[-1]) < _LINE and np.abs(levels[2:5] - levels[0]).max() >= _LINE)


def find_fields(matched: Match, group: Sequence[Settled], luma: Luma) -> None:
    """Note the field of each line that came, where it was there before as well: what asks in it stands in the same.

    Args:
        matched: what came, and in whose place.
        group: what came to rest with them.
        luma: the picture in which they were read.

    """
    coming = matched.coming
    if not 0 < len(coming) <= _MOST or any(one.first for one in group):
        return
    before: Luma | None = None
    for line in coming:
        text = within_border(luma, line.box)
        line.is_focused = has_caret_behind(luma, text)
        framed = field_around(luma, text)
        field = framed or underlined(luma, text)
        if field is None:
            continue
        if before is None:
            before = luma.copy()
            for one in group:
                before[window(one.before_box)] = one.before
        edges = _edges(field)[0 if framed else 1 :]
        if not _stood(before, field, edges, _EVEN if framed else _FAINT):
            continue
        if _has_sign(luma, field, text):
            line.list_box = field
            continue
        line.field_box = field
        line.is_focused |= all(_changes(before[edge], luma[edge]) for edge in edges)
    for old, new in matched.changed:
        begins_there = abs(new.box[0] - old.box[0]) <= _BORDER
        if new.field_box is None and old.field_box is not None and begins_there and lies_in(new.box, old.field_box):
            new.field_box = old.field_box


def _edges(field: Box) -> list[tuple[slice, slice]]:
    """Where the border above a field runs, and the one below it."""
    x, y, width, height = field
    return [window((x, max(first, 0), width, _BORDER)) for first in (y - _BORDER, y + height)]


def _stood(before: Luma, field: Box, edges: Sequence[tuple[slice, slice]], least: int) -> bool:
    """Whether the field had its border already; that of one that has the focus may be thicker."""
    level = np.median(before[window(field)])
    rows = [before[edge].astype(np.int16) for edge in edges]
    return all(part.size and (np.abs(part - level).max(axis=0) >= least).mean() >= _FILLED for part in rows)


def _changes(before: Luma, now: Luma) -> bool:
    """Whether a border became another, as that of a field that gets the focus."""
    unlike = np.abs(before.astype(np.int16) - now.astype(np.int16)).max(axis=0, initial=0)
    return bool((unlike >= _LINE).mean() >= _FILLED)


def _has_sign(luma: Luma, field: Box, text: Box) -> bool:
    """Whether an arrow is drawn at the end of a field, as where one chooses from a list.

    What is the same upside down is none: the two arrows of a number, or a cross that empties the field.
    """
    x, y, width, height = field
    high = min(height, 2 * text[3])
    left = max(x + width - _SIGN * high, text[0] + text[2] + text[3])
    end = luma[y + 1 : y + 1 + round(_UPPER * high), left : x + width - _HANDLE]
    corner = height // _CORNER
    inner = luma[y + corner : y + height - corner, left : x + width - _HANDLE]
    return bool(end.size and np.ptp(end) >= _INK) and not _is_upright(inner)


def _is_upright(end: Luma) -> bool:
    """Whether what is drawn there is its own mirror image, up to a pixel: the upper half and the lower one."""
    drawn = (np.abs(end.astype(np.int16) - np.median(end)) >= _INK).astype(np.uint8)
    rows = np.flatnonzero(drawn.any(axis=1))
    if not rows.size:
        return False
    sign = drawn[rows[0] : rows[-1] + 1]
    near = cv2.dilate(sign[::-1], np.ones((3, 3), np.uint8))
    return bool(near[sign > 0].mean() >= _MIRRORED)
