"""Buttons that are lit at some time, where the pointer stands or while it is not seen: a hand is found less well.

A button's words stand in the middle of a ground that becomes brighter or darker as a whole. A row of a list does so,
too, but its words stand at its side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, lies_in
from adapters.video.text.lines import without_sign
from adapters.video.timeline.deeds import LEGIBLE, Deed, click_on_words
from adapters.video.timeline.hovering import TOUCHES
from core.analysis import COMES, Action

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from adapters.video.timeline.resting import Path
    from core.analysis import Event

_WHOLE: Final = 0.85
"""Of a button so much becomes brighter or darker."""
_HIGH: Final = 5
"""Heights of its text: a button is no higher."""
_ANSWER_MS: Final = 1200
_LEAST_MS: Final = 40
_CONFIDENCE: Final = 0.9


@dataclass(frozen=True, slots=True)
class LitButton:
    """A button, its words and where they stood when it was lit."""

    t_ms: int
    box: Box
    line: Line
    place: Box

    def stands(self, t_ms: int) -> bool:
        """Whether its words stand on that ground at a moment."""
        is_there = self.line.t_ms <= t_ms and (self.line.until_ms is None or self.line.until_ms >= t_ms)
        return is_there and lies_in(self.line.at(t_ms), self.box)

    def clicked(self, t_ms: int) -> Action:
        """The click on it."""
        return click_on_words(t_ms, without_sign(self.line.text), self.place, _CONFIDENCE * min(self.line.score, 1.0))


def lit_buttons(drafts: Sequence[Draft]) -> Iterator[LitButton]:
    """The buttons of all changes that changed nothing but one button's ground."""
    for draft in drafts:
        if draft.first or draft.match.says_anything or draft.scroll is not None or draft.fill < _WHOLE:
            continue
        inside = [(line, box) for line, box in draft.stood if not line.false and lies_in(box, draft.box)]
        if len(inside) == 1 and inside[0][0].score >= LEGIBLE and _is_in_middle(inside[0][1], draft.box):
            yield LitButton(draft.t_ms, draft.box, *inside[0])


def _is_in_middle(words: Box, ground: Box) -> bool:
    x, y, width, height = words
    across, down = (
        abs(2 * a + b - 2 * c - d) / 2
        for a, b, c, d in ((x, width, ground[0], ground[2]), (y, height, ground[1], ground[3]))
    )
    return across <= height and down <= height / 2 and ground[3] <= _HIGH * height


def lit_under(tip: tuple[int, int], t_ms: int, buttons: Sequence[LitButton]) -> LitButton | None:
    """The button on which the pointer stands at a moment, or right beside which it was seen last; lit at any time."""
    near = (one for one in buttons if max(gap(one.box, (*tip, 1, 1))) <= TOUCHES and one.stands(t_ms))
    return next(near, None)


def unseen_clicks(
    deeds: Sequence[Deed], events: Sequence[Event], buttons: Sequence[LitButton], path: Path
) -> Iterator[Deed]:
    """The clicks on buttons lit after the pointer was lost beside them, where something came of nothing else."""
    explained = {at for deed in deeds for at in deed.effects}
    for button in buttons:
        if not _is_lost_at(button.box, path, button.t_ms):
            continue
        follows = tuple(
            at
            for at, event in enumerate(events)
            if at not in explained
            and event.text
            and event.kind in COMES
            and _LEAST_MS <= event.t_ms - button.t_ms <= _ANSWER_MS
        )
        if follows:
            explained |= {*follows}
            yield Deed(button.clicked(button.t_ms), follows)


def _is_lost_at(box: Box, path: Path, t_ms: int) -> bool:
    """Whether the pointer is not seen at a moment, and was seen last on a place or right beside it."""
    before = [tip for since, tip in path if since <= t_ms]
    last = next((tip for tip in reversed(before) if tip is not None), None)
    return last is not None and before[-1] is None and max(gap(box, (*last, 1, 1))) <= TOUCHES
