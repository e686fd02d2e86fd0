"""What lies over the page for a time: dialogs, menus, panels. What they cover has not gone, and does not come back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, lies_in, overlap
from adapters.video.text.lines import strip_spaces
from adapters.video.text.matching import Match
from adapters.video.timeline.kinds import begins_where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_AT_ONCE_MS: Final = 130
_LEAST_LINES: Final = 2
_NEAR_LINES: Final = 5
"""Buttons stand farther below the words of a dialog than these below one another."""
_SAME: Final = 3
_SAME_PLACE: Final = 0.85
_SHOWS_AGAIN: Final = 0.5
"""Of what is seen where a window closed, so much had stood there before it opened; letters at its edges are misread."""
_JITTER: Final = 3
_DIMMED: Final = 2
"""So many lines that stay, but not with the same brightness, tell that a page was dimmed behind a dialog."""


def lift(drafts: list[Draft]) -> None:
    """Take what was only covered out of the drafts, and make the going of each cover a draft of its own, in place."""
    _lift_windows(drafts)
    for opening in list(drafts):
        came, left = _largest_block(opening.match.coming), opening.match.leaving
        if len(came) < _LEAST_LINES or _is_replacing(opening, drafts):
            continue
        region = around(line.came_at for line in came)
        closing = next((draft for draft in drafts if draft.t_ms > opening.t_ms and _is_cleared(region, draft)), None)
        if closing is None:
            continue
        parts = [draft for draft in drafts if 0 <= draft.t_ms - closing.t_ms <= _AT_ONCE_MS]
        under = [line for line in left if overlap(line.box, _with_padding(region, came))]
        back = [line for draft in parts for line in draft.match.coming if any(_is_back(line, old) for old in under)]
        restored = [line for line in under if any(_is_back(one, line) for one in back)]
        missed = [line for line in under if line not in restored]
        if len(restored) < len(missed) or not (restored or _is_dimmed(opening, drafts)):
            continue
        _uncover(opening.match, [*restored, *missed])
        gone = _take_away(closing, parts, region, back)
        closing.match.removed += missed
        _insert_going(gone, closing, drafts)


def _lift_windows(drafts: list[Draft]) -> None:
    """Lift what came and went in one place: a window that opened and closed, whatever of it was read."""
    for opening in list(drafts):
        covered = [line for line in opening.match.leaving if overlap(line.box, opening.box)]
        if len(covered) < _LEAST_LINES or not opening.match.coming or not _stands_within(opening):
            continue
        # What takes the place of a panel begins where that began, and cuts through no line.
        if _is_replacing(opening, drafts) and all(lies_in(line.box, opening.box) for line in covered):
            continue
        closing = next((draft for draft in drafts if draft.t_ms > opening.t_ms and _is_closing(draft, opening)), None)
        if closing is None:
            continue
        back = [line for line in closing.match.coming if any(_is_back(line, old) for old in covered)]
        if not back or len(back) < _SHOWS_AGAIN * len(closing.match.coming):
            continue
        _uncover(opening.match, covered)
        gone = [line for line in closing.match.leaving if overlap(line.box, opening.box)]
        closing.match = Match(kept=closing.match.kept, moved=closing.match.moved)
        _insert_going(gone, closing, drafts)


def _insert_going(cover: list[Line], closing: Draft, drafts: list[Draft]) -> None:
    """Make the going of a cover a draft of its own, before what else happened when it went."""
    closing.solid, closing.fill = None, 0.0  # What lay under it looks as it did before.
    going = replace(closing, match=Match(removed=cover), scroll=None, solid=None, cover=True)
    drafts.insert(drafts.index(closing), going)


def _stands_within(opening: Draft) -> bool:
    """Whether the place that changed is framed by the page: text stays left or right of it, in its rows, or is cut."""
    if opening.scroll is not None:
        return False
    went = {id(line) for line in opening.match.leaving}
    gaps = [gap(box, opening.box) for line, box in opening.stood if id(line) not in went and not line.false]
    cut = any(_is_rest(new, old) for old, new in opening.match.changed)
    return cut or any(across > 0 and down == 0 for across, down in gaps)


def _is_closing(draft: Draft, opening: Draft) -> bool:
    """Whether all that had come in a place, or most of it, went, and as large a place changed."""
    went = {id(line) for line in draft.match.leaving}
    came = opening.match.coming
    one, other = opening.box, draft.box
    same = overlap(one, other) >= _SAME_PLACE * max(one[2] * one[3], other[2] * other[3])
    return same and draft.scroll is None and 2 * sum(id(line) in went for line in came) >= len(came)


def _is_replacing(opening: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether what came at that moment, altogether, begins where what went had begun: a page, and nothing above one."""
    parts = [draft for draft in drafts if abs(draft.t_ms - opening.t_ms) <= _AT_ONCE_MS]
    left = [line for draft in parts for line in draft.match.leaving]
    return bool(left) and begins_where([line for draft in parts for line in draft.match.coming], left)


def _largest_block(lines: Sequence[Line]) -> list[Line]:
    """The most lines that stand close together; a single one elsewhere is not part of what came with them."""
    by = _NEAR_LINES * max((line.box[3] for line in lines), default=0)
    blocks: list[list[Line]] = []
    for line in lines:
        near = [one for one in blocks if any(max(gap(line.came_at, other.came_at)) <= by for other in one)]
        blocks = [one for one in blocks if one not in near] + [[line, *(other for one in near for other in one)]]
    return max(blocks, key=len) if blocks else []


def _with_padding(region: Box, lines: Sequence[Line]) -> Box:
    """With the margin that dialogs have around their text: two lines, as a rule."""
    by = 2 * max(line.box[3] for line in lines)
    return region[0] - by, region[1] - by, region[2] + 2 * by, region[3] + 2 * by


def _is_cleared(region: Box, draft: Draft) -> bool:
    """Whether all that stood in the region went at once."""
    found = draft.match
    went = {id(line) for line in found.leaving}
    went |= {id(old) for (old, _), move in zip(found.kept, found.moved, strict=True) if max(map(abs, move)) > _JITTER}
    inside = [line for line, box in draft.stood if lies_in(box, region) and not line.false]
    return bool(inside) and all(id(line) in went for line in inside)


def _is_back(line: Line, old: Line) -> bool:
    one, other = strip_spaces(line.text), strip_spaces(old.text)
    if not overlap(line.came_at, old.box):
        return False
    return one == other or (min(len(one), len(other)) >= _SAME and (one in other or other in one))


def _is_rest(line: Line, old: Line) -> bool:
    """Whether it is what is still seen of a line that stands under something."""
    return len(strip_spaces(line.text)) < len(strip_spaces(old.text)) and _is_back(line, old)


def _is_dimmed(opening: Draft, drafts: Sequence[Draft]) -> bool:
    parts = [draft for draft in drafts if abs(draft.t_ms - opening.t_ms) <= _AT_ONCE_MS]
    return sum(move == (0, 0) for draft in parts for move in draft.match.moved) >= _DIMMED


def _uncover(found: Match, covered: Sequence[Line]) -> None:
    hidden = {id(line) for line in covered}
    found.removed = [line for line in found.removed if id(line) not in hidden]
    found.added += [new for old, new in found.changed if id(old) in hidden and not _is_rest(new, old)]
    found.changed = [(old, new) for old, new in found.changed if id(old) not in hidden]


def _take_away(closing: Draft, parts: Sequence[Draft], region: Box, back: Sequence[Line]) -> list[Line]:
    """Take the cover's lines and those that show again out of the drafts; returns the cover's."""
    known = {id(line) for line in back}
    leaving = {id(line) for draft in parts for line in draft.match.leaving}
    gone = [line for line, box in closing.stood if lies_in(box, region) and id(line) in leaving]
    cover = {id(line) for line in gone}
    for draft in parts:
        found = draft.match
        found.removed = [line for line in found.removed if id(line) not in cover]
        found.added += [new for old, new in found.changed if id(old) in cover]
        found.changed = [(old, new) for old, new in found.changed if id(old) not in cover]
        found.added = [line for line in found.added if id(line) not in known]
    return gone
