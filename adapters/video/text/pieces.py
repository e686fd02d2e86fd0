"""Which boxes and readings are whole lines: edges cut some, and some are parts of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import grown, overlap, same_row, window
from adapters.video.motion.changes import BLOCK, difference
from adapters.video.text.lines import alike, similarity, strip_spaces
from adapters.video.text.same_ink import same_ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Scroll
    from adapters.video.motion.settled import Look
    from adapters.video.text.lines import Line

_COVERED: Final = 0.6
_INK: Final = 40
_CUT_HEIGHT: Final = 0.8
_EDGE: Final = 1
_TALLER: Final = 2
_ALIKE: Final = 0.6
_WITHIN: Final = 0.9
_DOUBTED: Final = 0.93
_LOOSE: Final = 6
_HANGS_OUT: Final = 0.6
"""Heights of a line: a pointer reaches so far above or below it."""


def is_piece(line: Line, other: Line) -> bool:
    """Whether a second box was found around a part of a line, or around its end and a pointer."""
    size, whole, shared = line.box[2] * line.box[3], other.box[2] * other.box[3], overlap(line.box, other.box)
    words, of = strip_spaces(line.text), strip_spaces(other.text)
    if size < whole and 2 * shared > size and words in of:
        return True
    begin, end = other.box[0] + _EDGE, other.box[0] + other.box[2]
    is_end = begin < line.box[0] < end < line.box[0] + line.box[2] and 4 * shared > whole and of.endswith(words)
    return (is_end and len(words) < len(of)) or (shared > _WITHIN * min(size, whole) and _is_read_worse(line, other))


def _is_read_worse(line: Line, other: Line) -> bool:
    """Whether it is the other text with a letter or two misread, as with the edges of its button."""
    is_alike = len(line.text) == len(other.text) and similarity(line.text, other.text) >= _ALIKE
    return is_alike and line.score < _DOUBTED < other.score


def is_looser(line: Line, again: Line) -> bool:
    """Whether the box around the same text reaches far beyond its letters to both sides, to the edges of a lit button.

    One that reaches to one side goes from a label over its field.
    """
    (x, _, width, height), (left, _, wide, _) = line.box, again.box
    is_around = 2 * overlap(line.box, again.box) > width * height and wide > _LOOSE * width
    is_in_middle = abs(2 * x + width - 2 * left - wide) <= 2 * height
    return line.text.casefold() == again.text.casefold() and is_around and is_in_middle


def is_beside(line: Line, lines: Sequence[Line]) -> bool:
    """Whether it stands where one of the lines does."""
    return any(overlap(line.box, old.box) for old in lines)


def shifted(box: Box, by: int, *, sideways: bool) -> Box:
    """The box a few pixels on, across or down."""
    return (box[0] + by, *box[1:]) if sideways else (box[0], box[1] + by, *box[2:])


def went_along(stood: Sequence[tuple[Line, Box]], scroll: Scroll, luma: Luma) -> bool:
    """Whether most of the text that should still be in view stands where the scrolling would have taken it.

    Where none does, what stands as it did tells as well: it was the focus that went from one field to the next.
    """
    moved = sum(line.box != box for line, box in stood)
    still: list[Line] = []
    for line, (x, y, wide, high) in stood:
        there = (x + scroll.dx, y + scroll.dy, wide, high)
        is_due = overlap((x, y, wide, high), scroll.box) and overlap(there, scroll.box) == wide * high
        if line.box == (x, y, wide, high) and is_due:
            still.append(line)
    if not moved:
        return not (still or scroll.dx or scroll.is_a_jump)
    return moved >= sum(not same_ink(line.patch, luma[window(line.box)]) for line in still)


def is_known(line: Line, lines: Sequence[Line]) -> bool:
    """Whether it reads as it did before it moved: then no edge can have cut it."""
    return any(overlap(line.box, old.box) and alike(line.text, old.text) for old in lines)


def is_cut(line: Line, scroll: Scroll, usual: float, stood: Sequence[tuple[Line, Box]]) -> bool:
    """Whether the edge of what scrolls runs through the line: half letters cannot be read.

    What moves sideways is cut if more of it could be read before; what slides in has its letters at that edge, too.
    """
    view = scroll.box
    if scroll.dx:
        at_edge = min(line.box[0] - view[0], view[0] + view[2] - line.box[0] - line.box[2]) <= BLOCK
        text = strip_spaces(line.text)
        return at_edge and any(text != strip_spaces(old.text) and text in strip_spaces(old.text) for old, _ in stood)
    above, below = line.box[1] - view[1], view[1] + view[3] - line.box[1] - line.box[3]
    low = line.box[3] < _CUT_HEIGHT * usual and min(above, below) <= usual
    return low or min(above, below) <= 1


def reaches_out(box: Box, area: Box, luma: Luma) -> bool:
    """Whether the line goes on where nothing was looked at."""
    left = box[0] - area[0] <= _EDGE and area[0] > 0
    right = area[0] + area[2] - box[0] - box[2] <= _EDGE and area[0] + area[2] < luma.shape[1]
    return (left and _has_ink(luma, (area[0] - box[3], box[1], box[3], box[3]))) or (
        right and _has_ink(luma, (area[0] + area[2], box[1], box[3], box[3]))
    )


def _has_ink(luma: Luma, box: Box) -> bool:
    part = luma[window(grown(box, 0, 0, luma))]
    return bool(part.size and np.ptp(part) >= _INK)


def is_under_pointer(box: Box, look: Look) -> bool:
    """Whether the pointer hides a part of the line; what stands in its row may be a caret, under which letters come."""
    cover = look.covered_box
    if cover is None or not overlap(box, cover):
        return False
    above, below = box[1] - cover[1], cover[1] + cover[3] - box[1] - box[3]
    return max(above, below) >= _HANGS_OUT * box[3]


def is_intact(line: Line, look: Look) -> bool:
    """Whether its strokes still stand there; of what lies under the pointer and is not known, those beside it tell."""
    there = look.luma[window(line.box)]
    if same_ink(line.patch, there):
        return True
    cover = look.covered_box
    if cover is None or not is_under_pointer(line.box, look):
        return False
    x, _, width, height = line.box
    left, right = max(cover[0] - x, 0), min(cover[0] + cover[2] - x, width)
    beside = [part for part in (slice(0, left), slice(right, width)) if 2 * (part.stop - part.start) >= height]
    return bool(beside) and all(same_ink(line.patch[:, part], there[:, part]) for part in beside)


def is_half_covered(line: Line, cover: Box, luma: Luma) -> bool:
    """Whether something taller hides one end of the line, while the strokes of the rest are still there."""
    x, y, width, height = line.box
    if not same_row(line.box, cover) or cover[3] < _TALLER * height:
        return False
    left, right = cover[0] - x, cover[0] + cover[2] - x
    # Its edge may run through the block before; where both ends of the line lie outside, it is a mark within it.
    if 2 * BLOCK <= left <= width - BLOCK and right >= width:
        outer, inner = slice(0, left - BLOCK), slice(left, None)
    elif BLOCK <= right <= width - 2 * BLOCK and left <= 0:
        outer, inner = slice(right + BLOCK, None), slice(0, right)
    else:
        return False
    there = luma[y : y + height, x : x + width]
    return same_ink(line.patch[:, outer], there[:, outer]) and _is_hidden(line.patch[:, inner], there[:, inner])


def _is_hidden(old: Luma, new: Luma) -> bool:
    """Whether most of the strokes are gone: a pointer hides few."""
    ink = difference(old, np.full_like(old, np.median(old))) > _INK
    kept = difference(old, new)[ink] <= _INK
    return not same_ink(old, new) and 2 * int(kept.sum()) < kept.size


def within_cover(box: Box, half: Sequence[tuple[Line, Box]]) -> list[Box]:
    """What of the box lies on a cover, where it also takes in the rest of a half covered line; else all of it."""
    for line, cover in half:
        if same_row(box, line.box) and overlap(box, line.box):
            left, right = max(box[0], cover[0]), min(box[0] + box[2], cover[0] + cover[2])
            return [(left, box[1], right - left, box[3])] if right - left >= box[3] else []
    return [box]


def uncovered(box: Box, kept: Sequence[Box]) -> list[Box]:
    """What is left of a box where lines that did not change stand in it: pieces beside them, or nothing."""
    x, y, width, height = box
    inside = sorted(other for other in kept if overlap(box, other) and same_row(box, other))
    if not inside:
        covered = sum(overlap(box, other) for other in kept)
        return [] if covered > _COVERED * width * height else [box]
    pieces: list[Box] = []
    left = x
    for other in [*inside, (x + width, y, 0, height)]:
        if other[0] - left > height * 3 // 5:
            pieces.append((left, y, other[0] - left, height))
        left = max(left, other[0] + other[2])
    return pieces
