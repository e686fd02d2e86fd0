"""Tells a text that changed from one that was read twice, lies under the mouse pointer or is half covered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz import fuzz

from adapters.video.frame import around, grown, overlap, same_row, window
from adapters.video.motion.changes import difference
from adapters.video.text.lines import alike, digits, folded, is_one_line, similarity, strip_spaces
from adapters.video.text.pieces import is_under_pointer
from adapters.video.text.same_ink import has_same_letters, is_retinted, same_ink, stands_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Blocks
    from adapters.video.motion.settled import Look, Settled
    from adapters.video.text.lines import Line
    from adapters.video.text.matching import Match

_NEW_INK: Final = 32
_LETTER_INK: Final = 40
_LETTERS: Final = 3
"""Digits that follow each other may share a half, as 3 and 5; three do not."""
_DOT: Final = 3
_ALIKE: Final = 0.5
_SURE: Final = 0.93
"""Halves of letters are read with less."""
_BAD: Final = 0.85
_PART: Final = 60.0
"""Of a hundred: so much of what is read of halves of letters stands in the text as well."""
_REACH: Final = 3
_POINTER: Final = 40
_HANGS_OUT: Final = 4
"""A letter stays within the ink of its line, but for a tail of fewer pixels; a pointer is taller than small print."""
_WIDER: Final = 4
"""A caret is taller than its line, too, but a bar of one or two pixels."""
_SLIM: Final = 4
"""A pointer is at most so many times wider than what of it hangs out; one letter with a tail is a part of a word."""
_APART: Final = 2
_WHOLE: Final = 0.75
_HIDDEN: Final = 3
"""A third of a line's box may lie under its neighbour's, which was found too wide."""
_LIKE_A_BAR: Final = frozenset("1lI|!")
_BAR_WIDTH: Final = 3


def distrust(stale: Sequence[Line], fresh: Sequence[Line], group: Sequence[Settled]) -> None:
    """Give both the same text where only the reader, or the pointer above them, makes two readings differ."""
    luma = group[0].frame.luma
    for line in fresh:
        for old in stale:
            if alike(old.text, line.text):
                continue
            if overlap(old.box, line.box) and not _differs(around((old.box, line.box)), group):
                line.score = old.score
                _make_one(old, line, old.text, luma)
            elif _had_caret(old, line):
                old.text = line.text
            elif _was_overlooked(old, line, group):
                _make_one(old, line, max(old.text, line.text, key=len), luma)
            elif _has_same_strokes(old, line, luma):
                better = max(old, line, key=lambda one: one.score)
                old.text = line.text = better.text
            elif is_one_line(old.box, line.box) and _is_slip(old, line):
                line.text, line.score = old.text, old.score
            elif is_one_line(old.box, line.box) and _only_garbled(old.text, line.text):
                _look_past_pointer(old, line, group)


def _is_slip(old: Line, new: Line) -> bool:
    """Whether a text that was read well has one other letter now, and is read badly: a pointer stands on that."""
    others = [pair for pair in zip(old.text, new.text, strict=False) if pair[0] != pair[1]]
    is_other = len(old.text) == len(new.text) and len(others) == 1 and all(map(str.isalpha, others[0]))
    return is_other and new.score < _BAD < _SURE <= old.score


def _make_one(old: Line, new: Line, text: str, luma: Luma) -> None:
    """Give both the text; a piece of the old line stands where that does, or each piece would have all of its words."""
    old.text = new.text = text
    if new.box[2] < _WHOLE * old.box[2]:
        new.box = new.came_at = old.box
        new.patch = luma[window(old.box)].copy()


def without_cut(matched: Match, luma: Luma) -> None:
    """A line of which something else now covers a part has gone; what is left of it did not come.

    Its whole words stand there all the same: so the other menus of a bar do beside the one that is lit.
    """
    alone = len(matched.coming) == 1
    pairs = {(id(old), id(new)) for old, new in matched.changed}
    for old in matched.leaving:
        for new in [new for new in matched.coming if same_row(old.box, new.box) and overlap(old.box, new.box)]:
            before, after = strip_spaces(old.text), strip_spaces(new.text)
            shortened = alone and (id(old), id(new)) in pairs and before.startswith(after)
            fewer = len(after) < len(before) and not shortened and _is_cut_short(old, new, luma)
            if fewer or (_is_left_of(before, new) and _is_cut_low(old, luma)):
                new.false = True
                new.is_remainder = fewer and _is_word_for_word(old, new)


def _is_word_for_word(old: Line, new: Line) -> bool:
    """Whether the words of the new line, whose strokes are those of the old one, stand in it uncut."""
    return f" {new.text} " in f" {old.text} "


def _is_left_of(before: str, new: Line) -> bool:
    """Whether a line may be what halves of letters look like, and is no other text that lies over them."""
    after = strip_spaces(new.text)
    if after == before:
        return False
    return new.score < _SURE or (len(after) <= len(before) and fuzz.partial_ratio(after, before) >= _PART)


def keep_retinted(matched: Match, taken: Sequence[Box], look: Look) -> None:
    """Keep what was not found anew but still stands there in other colours, unless another line lies over it."""
    for line in list(matched.removed):
        there = look.luma[window(line.box)]
        size = line.box[2] * line.box[3]
        if any(_HIDDEN * overlap(line.box, box) > size for box in taken) or not is_retinted(line.patch, there):
            continue
        if not is_under_pointer(line.box, look):
            line.patch = there.copy()
        matched.removed.remove(line)


def _is_cut_low(old: Line, luma: Luma) -> bool:
    """Whether several letters in a row of the old line still show their upper part and not their lower, or reverse."""
    x, y, width, height = old.box
    there = luma[y : y + height, x : x + width]
    upper, lower = slice(0, height * 2 // 5), slice(height * 3 // 5, height)
    wide, run, last = max(height // 2, 1), 0, 0
    for left in range(0, width - wide + 1, wide):
        letter = slice(left, left + wide)
        parts = [(old.patch[rows, letter], there[rows, letter]) for rows in (upper, lower)]
        if any(part.size == 0 or np.ptp(part) < _LETTER_INK for part, _ in parts):
            continue
        stands, still = (same_ink(before, after) for before, after in parts)
        side = int(stands) - int(still)
        run, last = (run + 1 if side == last else 1) if side else 0, side
        if run >= _LETTERS:
            return True
    return False


def _is_cut_short(old: Line, new: Line, luma: Luma) -> bool:
    """Whether the new line is a part of the old one, stroke for stroke, that ends where something else begins."""
    x, y, width, height = old.box
    left, right = max(new.box[0], x), min(new.box[0] + new.box[2], x + width)
    if new.box[0] < x - _REACH or new.box[0] + new.box[2] > x + width + _REACH or right - left > width - height // 2:
        return False
    # The sign at the cut is cut itself.
    margin = height // 2
    left, right = left + (margin if left > x + margin else 0), right - (margin if right < x + width - margin else 0)
    if right - left < margin:
        return False
    return same_ink(old.patch[:, left - x : right - x], luma[y : y + height, left:right])


def _had_caret(old: Line, new: Line) -> bool:
    """Whether the last sign of the old text was the caret behind it: a bar, taller than the text."""
    before, after = strip_spaces(old.text), strip_spaces(new.text)
    if before[:-1] != after or before[-1:] not in _LIKE_A_BAR or not same_row(old.box, new.box):
        return False
    end = new.box[0] + new.box[2] - old.box[0]
    strength = np.abs(old.patch.astype(np.float32) - np.median(old.patch))[:, max(end, 0) :]
    ink = strength > max(12.0, 0.3 * float(strength.max(initial=0)))
    columns = np.flatnonzero(ink.sum(axis=0) >= new.box[3])
    return 0 < columns.size <= _BAR_WIDTH and int(np.ptp(columns)) < _BAR_WIDTH


def _was_overlooked(old: Line, new: Line, group: Sequence[Settled]) -> bool:
    """Whether only one of the readings has what stands beside the rest and did not change: the number of a line."""
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    short, long = (old, new) if len(one) < len(other) else (new, old)
    few, many = strip_spaces(short.text), strip_spaces(long.text)
    if not few or few == many or not same_row(old.box, new.box):
        return False
    x, y, width, height = long.box
    left, right = short.box[0], short.box[0] + short.box[2]
    beside = (x, y, left - x, height) if many.endswith(few) else (right, y, x + width - right, height)
    stands = many.endswith(few) or many.startswith(few)
    return stands and beside[2] >= _REACH and not _differs(beside, group)


def _has_same_strokes(old: Line, new: Line, luma: Luma) -> bool:
    """Whether it is the same picture, moved or (in its place) dimmed, although it does not read the same."""
    x, y, width, height = (abs(a - b) for a, b in zip(old.box, new.box, strict=True))
    if max(width, height) > _REACH or similarity(old.text, new.text) < _ALIKE:
        return False
    if stands_at(old.patch, luma, new.box):
        return True
    there = luma[window(old.box)]
    if max(x, y) > _REACH:
        return False
    return same_ink(old.patch, there) or (_has_all(old, new) and has_same_letters(old.patch, there))


def _has_all(old: Line, new: Line) -> bool:
    """Whether one of the readings has all that the other has."""
    one, other = folded(old.text), folded(new.text)
    return one in other or other in one


def _only_garbled(old: str, new: str) -> bool:
    """Whether the letters differ by few and the numbers by none: a pointer hides no more."""
    return similarity(old, new) >= _ALIKE and digits(old) == digits(new)


def _look_past_pointer(old: Line, new: Line, group: Sequence[Settled]) -> None:
    """One small thing that came over the line, or went from it, and hangs out of its row, is the mouse pointer."""
    _, row_top, _, height = min(old.box, new.box, key=lambda box: box[3])
    near = around((old.box, new.box))
    for one in group:
        place, changed, before, after = _changed_pixels(grown(near, height, _POINTER, one.frame.luma), one)
        # Noise comes as single pixels.
        rows, columns = (np.flatnonzero(changed.sum(axis=axis) > 1) for axis in (1, 0))
        top = row_top - place[1]
        in_row = (rows >= top) & (rows < top + height)
        if (
            not in_row.any()
            or not columns.size
            or np.diff(rows).max(initial=1) > _APART
            or max(np.ptp(rows), np.ptp(columns)) > _POINTER
        ):
            continue
        outside = changed.copy()
        outside[max(top, 0) : top + height] = False
        hangs_out = np.flatnonzero(outside.sum(axis=1) > 1).size >= _HANGS_OUT
        wide = int(np.ptp(np.flatnonzero(outside.any(axis=0)))) if hangs_out else 0
        if wide < _WIDER or np.ptp(columns) > _SLIM * wide:
            continue
        if _contrast(after, outside) > _contrast(before, outside):
            new.text, new.score, new.is_covered = old.text, old.score, True
        else:
            old.text = new.text
        return


def _contrast(part: Luma, where: Blocks) -> float:
    ground = np.median(part)
    return float(np.abs(part[where].astype(np.float32) - ground).mean()) if where.any() else 0.0


def stood_exactly(box: Box, group: Sequence[Settled]) -> bool:
    """Whether the strokes in the box are those of before the change."""
    looks = [_changed_pixels(box, one) for one in group]
    return all(same_ink(before, after) for _, _, before, after in looks if before.size)


def _differs(box: Box, group: Sequence[Settled]) -> bool:
    """Whether any ink in the box is new, outside of where the pointer stands."""
    return any(_changed_pixels(box, one)[1].sum() >= _DOT for one in group)


def _changed_pixels(box: Box, one: Settled) -> tuple[Box, Blocks, Luma, Luma]:
    """The part of the box that was looked at, which of its pixels are new (but for the pointer), and both pictures."""
    luma, hole = one.frame.luma, one.frame.hole
    x, y, width, height = one.before_box
    left, top = max(box[0], x), max(box[1], y)
    right, bottom = min(box[0] + box[2], x + width), min(box[1] + box[3], y + height)
    part = (left, top, max(right - left, 0), max(bottom - top, 0))
    before, after = one.before[window((left - x, top - y, part[2], part[3]))], luma[window(part)]
    changed = difference(before, after) > _NEW_INK if before.size else np.zeros(before.shape, np.bool_)
    if hole is not None:
        hx, hy, wide, high = grown(hole, 2, 2, luma)
        changed[max(hy - top, 0) : max(hy - top + high, 0), max(hx - left, 0) : max(hx - left + wide, 0)] = False
    return part, changed, before, after
