"""Boxes beside words that are ticked or cleared: what stands in them before a change and after it.

A program that lights up the row under the pointer, frames it and lets the tick fade in changes many small things; what
is looked at here is the inside of the box alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.desktop.eyesight.shapes import has_sign, is_round, marks_in_row
from adapters.video.frame import around, gap, grown, overlap

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


@dataclass(frozen=True, slots=True, eq=False)
class Tick:
    """A box that was ticked or cleared, or a round one that was chosen."""

    t_ms: int
    line: Line
    """The words beside it."""
    box: Box
    is_set: bool
    is_round: bool


class TickedBoxes:
    """Keeps what is known of the boxes beside words."""

    def __init__(self) -> None:
        self._known: dict[Line, tuple[Place, bool]] = {}

    def changed(self, stood: Sequence[tuple[Line, Box]], group: Sequence[Settled], t_ms: int) -> tuple[Tick, ...]:
        """The boxes whose state is another one since a change; none that the pointer stands on.

        Args:
            stood: the lines before the change, and where: a frame around a row is read as a part of its line.
            group: the parts of the change.
            t_ms: when it began.

        """
        look, place = group[0].frame, around(one.box for one in group)
        near = ((line, box) for line, box in stood if _is_in_reach(box, place))
        found: list[Tick] = []
        for line, box in near:
            known = self._known.get(line)
            if known is None or not _stands_before(known[0], box):
                known = next(_before(box, group), None)
            if known is not None:
                self._known[line] = known
                found += self._turned(line, look, place, t_ms)
        return tuple(found)

    def _turned(self, line: Line, look: Look, place: Box, t_ms: int) -> Iterator[Tick]:
        mark, was = self._known[line]
        box = (mark.x, mark.y, mark.width, mark.height)
        if not overlap(box, place) or any(each and overlap(each, box) for each in (look.hole, look.covered_box)):
            return
        now = has_sign(look.luma, mark)
        if now is not None and now != was:
            self._known[line] = mark, now
            yield Tick(t_ms, line, box, now, is_round(look.luma, mark))


def _is_in_reach(words: Box, place: Box) -> bool:
    """Whether a box that stands before the words may be a part of what changed."""
    across, down = gap(words, place)
    return not down and across <= _LEFT * words[3]


def _before(words: Box, group: Sequence[Settled]) -> Iterator[tuple[Place, bool]]:
    """The box before the words, and whether something stood in it before the change; an empty one is found best."""
    for one in group:
        left, top, width, height = one.before_box
        mark = _mark(one.before, (words[0] - left, words[1] - top, words[2], words[3]))
        if mark is None:
            found = _mark(one.frame.luma, words)
            mark = found.moved(-left, -top) if found is not None else None
        if mark is None or mark.x < 0 or mark.y < 0 or mark.x + mark.width > width or mark.y + mark.height > height:
            continue
        was = has_sign(one.before, mark)
        if was is not None:
            yield mark.moved(left, top), was


def _stands_before(mark: Place, words: Box) -> bool:
    """Whether it is in the row of the words and begins before them: within them stand letters."""
    left, top, _, high = words
    is_in_row = abs(mark.y + mark.height / 2 - top - high / 2) <= high / 2
    return is_in_row and mark.x <= left + high / 3 and mark.x + mark.width <= left + _INTO * high


def _mark(luma: Luma, words: Box) -> Place | None:
    """The box that stands before words, or was read as their first sign: it may be higher than they are."""
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
