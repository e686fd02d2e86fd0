"""Boxes and switches beside words, or below them, that are set or cleared: what stands in them before and after.

A program that lights up the row under the pointer, frames it and lets the tick fade in changes many small things; what
is looked at here is the inside of the box alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.desktop.eyesight.shapes import has_sign, is_round, is_set, marks_in_row
from adapters.desktop.eyesight.switches import is_on, is_switch, switches_in_row
from adapters.video.frame import around, grown, overlap
from adapters.video.motion.changes import block_window

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.settled import Look, Settled
    from adapters.video.text.lines import Line
    from core.screens import Box as Place

_LEFT: Final = 3
"""Heights of the words before which the box stands at most."""
_INTO: Final = 1.2
"""Heights of the words over which the box reaches where it was read as a sign of them."""
_SLACK: Final = 2
_BELOW: Final = 2
"""Heights of the words below which it stands at most, where no other words stand beside it."""
_BESIDE: Final = 6
_ROW: Final = 6
"""Heights of the words: what changes higher than that is no row that is lit, but a page or a panel."""
_HIDDEN: Final = 0.25
"""Of a box: where the pointer covers more, its state is not seen."""
_STAYS_MS: Final = 5000


@dataclass(frozen=True, slots=True, eq=False)
class Tick:
    """A box or a switch that was set or cleared, or a round one that was chosen."""

    t_ms: int
    line: Line
    """The words beside it."""
    box: Box
    is_set: bool
    is_round: bool


class TickedBoxes:
    """Keeps what is known of the boxes beside words; what the pointer hides is seen when that has left."""

    def __init__(self) -> None:
        self._known: dict[Line, tuple[Place, bool]] = {}
        self._stirred: dict[Line, int] = {}
        """When a box changed that the pointer stands on, in milliseconds."""

    def changed(self, stood: Sequence[tuple[Line, Box]], group: Sequence[Settled], t_ms: int) -> tuple[Tick, ...]:
        """The boxes whose state is another one since a change.

        Args:
            stood: the lines before the change, and where: a frame around a row is read as a part of its line.
            group: the parts of the change.
            t_ms: when it began.

        """
        look, place = group[0].frame, around(one.box for one in group)
        near = ((line, box) for line, box in stood if _is_in_reach(box, group))
        found: list[Tick] = []
        for line, box in near:
            known = self._known.get(line)
            if known is None or not (_stands_before(known[0], box) or _stands_below(known[0], box)):
                known = next(_before(box, group, [other for _, other in stood]), None)
            if known is not None:
                self._known[line] = known
                found += self._turned(line, look, place, t_ms)
        return tuple(found)

    def _turned(self, line: Line, look: Look, place: Box, t_ms: int) -> Iterator[Tick]:
        mark, was = self._known[line]
        box = (mark.x, mark.y, mark.width, mark.height)
        if not overlap(box, place):
            return
        hidden = max(overlap(each, box) for each in (look.hole, look.covered_box, (0, 0, 0, 0)) if each)
        if hidden > _HIDDEN * mark.width * mark.height:
            self._stirred.setdefault(line, t_ms)
            return
        since_ms = self._stirred.pop(line, t_ms)
        mark = _switch_of(mark, look.luma) or mark
        # Where no border is left, the box went with its words, or never was one.
        now = is_set(look.luma, mark)
        if now is not None and now != was:
            self._known[line] = mark, now
            # A pointer stays there for a few seconds at most.
            began_ms = since_ms if t_ms - since_ms <= _STAYS_MS else t_ms
            yield Tick(began_ms, line, box, now, not is_switch(mark) and is_round(look.luma, mark))


def _is_in_reach(words: Box, group: Sequence[Settled]) -> bool:
    """Whether a row, or less, changed where a box may stand: before the words, or below their beginning."""
    left, top, _, high = words
    before = left - _LEFT * high, top - high // 2, round((_LEFT + _INTO) * high), 2 * high
    below = left - high, top + high, (_BESIDE + 1) * high, 2 * _BELOW * high
    rows = [one.blocks for one in group if one.box[3] <= _ROW * high]
    return any(blocks[block_window(place)].any() for blocks in rows for place in (before, below))


def _switch_of(knob: Place, luma: Luma) -> Place | None:
    """The switch of which only the knob was seen before."""
    around_it = knob.grown(2 * knob.width, knob.height // 2)
    row = around_it.x, around_it.x + around_it.width, around_it.y, around_it.y + around_it.height
    return next((switch for switch in switches_in_row(luma, *row) if switch.overlap(knob)), None)


def _is_set(luma: Luma, mark: Place) -> bool | None:
    return is_on(luma, mark) if is_switch(mark) else has_sign(luma, mark)


def _before(words: Box, group: Sequence[Settled], others: Sequence[Box]) -> Iterator[tuple[Place, bool]]:
    """The box of the words, and whether something stood in it before the change; an empty one is found best."""
    for one in group:
        left, top, width, height = one.before_box
        mark = _mark(one.before, (words[0] - left, words[1] - top, words[2], words[3]))
        if mark is None:
            found = _mark(one.frame.luma, words)
            mark = found.moved(-left, -top) if found is not None else None
        if mark is None or (_stands_below(mark.moved(left, top), words) and _has_words(mark.moved(left, top), others)):
            continue
        if mark.x < 0 or mark.y < 0 or mark.x + mark.width > width or mark.y + mark.height > height:
            continue
        was = _is_set(one.before, mark)
        if was is not None:
            yield mark.moved(left, top), was


def _has_words(mark: Place, others: Sequence[Box]) -> bool:
    """Whether other words stand behind it in its row: then they name it."""
    right = mark.x + mark.width
    row = (box for box in others if box[1] < mark.y + mark.height and mark.y < box[1] + box[3])
    return any(box[0] + box[2] // 2 - right >= 0 and box[0] - right <= _BESIDE * mark.height for box in row)


def _stands_before(mark: Place, words: Box) -> bool:
    """Whether it is in the row of the words and begins before them: within them stand letters."""
    left, top, _, high = words
    is_in_row = abs(mark.y + mark.height / 2 - top - high / 2) <= high / 2
    return is_in_row and mark.x <= left + high / 3 and mark.x + mark.width <= left + _INTO * high


def _stands_below(mark: Place, words: Box) -> bool:
    """Whether it is right below the beginning of the words."""
    left, top, _, high = words
    return abs(mark.x - left) <= high / 2 and 0 <= mark.y - top - high <= _BELOW * high


def _mark(luma: Luma, words: Box) -> Place | None:
    """The box that stands before words, was read as their first sign, or stands below them."""
    return _mark_before(luma, words) or _mark_below(luma, words)


def _mark_before(luma: Luma, words: Box) -> Place | None:
    """It may be higher than the words are."""
    left, top, _, high = words
    if left < 0 or top < 0 or top + high > luma.shape[0]:
        return None
    for slack in (high // 2, high // 3, _SLACK):
        _, y, _, height = grown(words, 0, slack, luma)
        found = marks_in_row(luma, max(0, left - _LEFT * high), left + round(_INTO * high), y, y + height)
        before = [mark for mark in found if _stands_before(mark, words)]
        if before:
            return before[-1]
    return None


def _mark_below(luma: Luma, words: Box) -> Place | None:
    """The box or switch in the rows below words; the knob of a switch is a circle itself."""
    left, top, _, high = words
    boxes: list[Place] = []
    for height in (high + high // 2, 2 * high):
        for y in range(max(top + high, 0), min(top + (_BELOW + 1) * high, luma.shape[0] - high), max(high // 3, 1)):
            row = max(0, left - high), left + _BESIDE * high, y, y + height
            switches, marks = switches_in_row(luma, *row), marks_in_row(luma, *row)
            below = [mark for mark in switches if _stands_below(mark, words)]
            if below:
                return below[0]
            boxes += [mark for mark in marks if _stands_below(mark, words)]
    return boxes[0] if boxes else None
