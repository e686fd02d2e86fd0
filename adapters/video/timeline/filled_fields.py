"""Fields whose text came at once, as a test fills them; with a pointer on the screen a program may have written it."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import gap, lies_in, overlap
from adapters.video.text.labels import is_hint, name_of
from adapters.video.text.lines import address_of, alike, digits, similarity, strip_spaces
from adapters.video.text.matching import Match
from adapters.video.timeline.chains import PROMPTS
from core.text import is_begun_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_FAINT: Final = 0.8
"""Of the contrast of what else stands on the screen: what an empty field asks for is written fainter."""
_ALIKE: Final = 0.6
_AT_ONCE: Final = 2
"""A hand fills one field at a time, and two in two frames that are seen as one; what fills more is the program, unless
one of them has the focus then, as a test gives it."""
_MOMENT_MS: Final = 100
_CLOSED_MS: Final = 300
_BEGUN_MS: Final = 1500
_RING: Final = 24
"""Pixels by which a border with its glow is larger than its field."""
_EDGE: Final = 0.3
"""Of what stands beside a field, so much at most lies in it."""
_DOTS: Final = 2
"""Dots in the place of hidden letters are read as so many signs."""
_STEP_MS: Final = 1000
"""What a test types letter by letter is seen in a few steps."""
_JITTER: Final = 3
_MENU_MS: Final = 250
_OFFERED_MS: Final = 8000
"""So long at most an offer stands below its field."""
_BELOW: Final = 2
"""Heights of a line at most to what is offered for it."""
_FEW: Final = 4
"""So many lines come at most at the moment in which a field is filled; of more a page is made."""


def filled(drafts: Sequence[Draft], *, is_pointed: bool = False) -> tuple[list[list[Draft]], list[Draft]]:
    """What filled one field each, in one step or in several, and the drafts without it.

    Where a pointer is seen, only what came in the place of what an empty field asks for, or where it got the focus.
    """
    found = [_Found.of(draft, drafts, only_hints=is_pointed) for draft in drafts]
    came_ms = sorted(draft.t_ms for draft in drafts for _ in draft.match.coming)
    filled_ms = sorted(one.draft.t_ms for one in found for _ in one.lines)
    focused_ms = sorted(one.draft.t_ms for one in found for line in one.lines if line.is_focused)
    fills: list[list[Draft]] = []
    by_line: dict[int, list[Draft]] = {}
    rest: list[Draft] = []
    for one in found:
        draft, t_ms = one.draft, one.draft.t_ms
        came, into_fields, focused = (_at_moment(times, t_ms) for times in (came_ms, filled_ms, focused_ms))
        is_form = came - into_fields <= _AT_ONCE and focused > 0
        most = _AT_ONCE if came <= _FEW else came if is_form else 0
        # Beside a pointer, what comes with other lines is a page.
        surely = [line for line in one.added if is_pointed and (_emptied_for(line, draft, rest) or line in one.offered)]
        begun = one.first(0 if is_pointed and came > into_fields else most, surely)
        grown = [(old, new) for old, new in draft.match.changed if _goes_on(by_line.get(id(old)), old, new, t_ms)]
        for old, new in grown:
            by_line[id(new)] = by_line.pop(id(old))
            by_line[id(new)].append(_alone(draft, Match(changed=[(old, new)])))
        for match in begun.each(without=grown):
            before = _emptied_for(match.coming[0], draft, rest) if is_pointed else []
            rest = [one for one in rest if all(one is not each for each in before)]
            fills.append([*before, _alone(draft, match)])
            by_line[id(match.coming[0])] = fills[-1]
        rest += begun.left(without=grown)
    return fills, rest


@dataclass(frozen=True, slots=True)
class _Found:
    """The lines of one change that fill a field each: where nothing stood, and in the place of others."""

    draft: Draft
    added: Sequence[Line]
    pairs: Sequence[tuple[Line, Line]]
    offered: Sequence[Line] = ()
    """Those of the first that a browser had offered below their field."""

    @classmethod
    def of(cls, draft: Draft, drafts: Sequence[Draft], *, only_hints: bool) -> _Found:
        found = draft.match
        offered = [line for line in found.added if only_hints and _was_offered(line, draft, drafts)]
        begun = [line for line in found.added if not only_hints or _is_begun(line, draft, drafts)]
        added = [*offered, *(line for line in begun if line not in offered and _is_filled(line, None, draft))]
        pairs: list[tuple[Line, Line]] = []
        for old, new in found.changed:
            is_over = only_hints and _is_written_over(old, new)
            is_meant = is_over or not only_hints or _is_asked_for(old, new)
            if is_meant and _is_filled(new, old, draft, is_over=is_over):
                pairs.append((old, new))
        return cls(draft, added, pairs, offered)

    @property
    def lines(self) -> list[Line]:
        return [*self.added, *(new for _, new in self.pairs)]

    def first(self, most: int, surely: Sequence[Line]) -> _Found:
        added = [*surely, *[line for line in self.added if line not in surely][:most]]
        return _Found(self.draft, added, self.pairs[: max(0, most - len(added))])

    def each(self, *, without: Sequence[tuple[Line, Line]]) -> list[Match]:
        pairs = [Match(changed=[pair]) for pair in self.pairs if pair not in without]
        return [*(Match(added=[line]) for line in self.added), *pairs]

    def left(self, *, without: Sequence[tuple[Line, Line]]) -> list[Draft]:
        """The change without them, and without these pairs, as far as it says anything more."""
        found = self.draft.match
        if not (self.added or self.pairs or without):
            return [self.draft]
        added = [line for line in found.added if line not in self.added]
        changed = [pair for pair in found.changed if pair not in (*self.pairs, *without)]
        left = replace(found, added=added, changed=changed)
        return [replace(self.draft, match=left)] if left.says_anything else []


def _at_moment(times: Sequence[int], t_ms: int) -> int:
    """How many of the times, which come in order, are at that moment."""
    begin, end = (bisect(times, t_ms + off) for off in (-_MOMENT_MS, _MOMENT_MS))
    return end - begin


def _goes_on(fill: Sequence[Draft] | None, old: Line, new: Line, t_ms: int) -> bool:
    """Whether more was put behind what had just come in a field."""
    is_more = strip_spaces(new.text).startswith(strip_spaces(old.text))
    return fill is not None and is_more and t_ms - fill[-1].t_ms <= _STEP_MS


def _is_filled(line: Line, before: Line | None, draft: Draft, *, is_over: bool = False) -> bool:
    """Whether it stands alone in a field that was empty, or what the field asks for: a program writes over values.

    A caret behind it shows a field that has no border.
    """
    field = line.field_box or (line.came_at if line.is_focused else None)
    if field is None or line.false or address_of(line.text) or line.text.endswith(PROMPTS):
        return False
    if line.field_box and not line.is_value:
        return False
    if before is not None:
        is_there = lies_in(before.box, field) if line.field_box else overlap(before.box, field) > 0
        if not (is_there and (is_over or _gives_way(before, line))):
            return False
    if before is None and not line.is_focused and _is_asked(line, draft):
        return False
    went = {id(old) for old in draft.match.leaving}
    stood = [(one, box) for one, box in draft.stood if id(one) not in went and not one.false and _is_in(box, field)]
    is_alone = all(_is_sign_at_end(one, box, field) for one, box in stood)
    return is_alone and not _is_chosen(line, before, draft)


def _is_in(box: Box, field: Box) -> bool:
    """Whether more of a place than an edge is in a field, which may be found a little too high."""
    return overlap(box, field) > _EDGE * box[2] * box[3]


def _is_sign_at_end(line: Line, box: Box, field: Box) -> bool:
    """Whether it is what was read of the arrows, or of an icon, at the end of a field."""
    return len(line.text) == 1 and field[0] + field[2] - box[0] - box[2] <= field[3]


def _gives_way(before: Line, line: Line) -> bool:
    """Whether it is what an empty field asks for, or the field got the focus just then."""
    return line.is_focused or is_hint(before, line)


def _is_begun(line: Line, draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether its field got the focus just before, or has it and lost its value."""
    return bool(_emptied_for(line, draft, drafts)) or (len(set(line.text)) > _DOTS and _got_focus(line, draft, drafts))


def _was_offered(line: Line, draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether its words stood alone below it for a moment, and went as it came: a browser's offer was accepted.

    The pointer lies on the end of what was offered. A row that moves up takes the place of another one.
    """
    went = (old for old in draft.match.leaving if overlap(old.box, line.came_at))
    moved = any(max(map(abs, move)) > _JITTER for move in draft.match.moved)
    is_page = moved or len(draft.match.coming) > _AT_ONCE
    if is_page or line.false or any(not line.text.startswith(old.text) for old in went):
        return False
    before = (one for one in drafts if _MENU_MS <= draft.t_ms - one.t_ms <= _OFFERED_MS and not one.first)
    return any(_offers(entry, line, draft.t_ms) for one in before for entry in one.match.added)


def _offers(entry: Line, line: Line, t_ms: int) -> bool:
    (x, y, _, height), (left, top, _, _) = line.came_at, entry.came_at
    is_below = 0 <= top - y - height <= _BELOW * height and abs(left - x) <= _BELOW * height
    ended_ms = t_ms - entry.until_ms if entry.until_ms is not None else _OFFERED_MS
    return is_below and is_begun_as(entry.text, line.text) and -_CLOSED_MS <= ended_ms <= _BEGUN_MS


def _is_written_over(old: Line, new: Line) -> bool:
    """Whether a value gave way to another in a field that has the focus; a number may count by itself."""
    field = new.field_box
    if field is None or not (new.is_value and lies_in(old.box, field)) or (digits(old.text) and digits(new.text)):
        return False
    begins_there = abs(old.box[0] - new.came_at[0]) <= new.came_at[3]
    one, other = strip_spaces(old.text), strip_spaces(new.text)
    return new.is_focused and begins_there and not (alike(one, other) or one.startswith(other) or other.startswith(one))


def _got_focus(line: Line, draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether just before a field changed with its border, and not much more, without any word."""
    field = line.field_box
    silent = (one for one in drafts if 0 < draft.t_ms - one.t_ms <= _BEGUN_MS and not one.match.says_anything)
    return field is not None and any(
        lies_in(field, one.box) and max(one.box[2] - field[2], one.box[3] - field[3]) <= _RING for one in silent
    )


def _emptied_for(line: Line, draft: Draft, drafts: Sequence[Draft]) -> list[Draft]:
    """The change in which its field, which has the focus, lost nothing but a value, just before."""
    field = line.field_box
    if field is None or not line.is_focused:
        return []
    before = (one for one in drafts if 0 < draft.t_ms - one.t_ms <= _BEGUN_MS and not one.match.coming)
    lost = [one for one in before if len(one.match.removed) == 1]
    return [one for one in lost if _is_other_value(one.match.removed[0], line, field)][-1:]


def _is_other_value(old: Line, line: Line, field: Box) -> bool:
    return lies_in(old.box, field) and similarity(old.text, line.text) < _ALIKE


def _is_asked_for(before: Line, line: Line) -> bool:
    """Whether it came in the place of what an empty field with a border asks for in words."""
    is_other = similarity(before.text, line.text) < _ALIKE
    return is_other and line.field_box is not None and is_hint(before, line) and any(map(str.isalpha, before.text))


def _is_asked(line: Line, draft: Draft) -> bool:
    """Whether it is fainter than most that is written there: what an empty field asks for has come again."""
    usual = [one.contrast for one, _ in draft.stood if not one.false]
    return bool(usual) and line.contrast < _FAINT * float(np.median(usual))


def _is_chosen(line: Line, before: Line | None, draft: Draft) -> bool:
    """Whether the same words stood above or below, as an entry of a list; in an empty field only if they went then."""
    field = line.field_box or line.came_at
    return any(
        alike(one.text, line.text)
        and (before is not None or (one.until_ms is not None and abs(one.until_ms - draft.t_ms) <= _CLOSED_MS))
        for one, box in draft.stood
        if gap(box, field)[0] == 0 and not overlap(box, field)
    )


def _alone(draft: Draft, found: Match) -> Draft:
    line = found.coming[0]
    label = name_of(line, found.changed[0][0] if found.changed else None, draft.stood)
    return replace(draft, match=found, box=line.came_at, label=label)
