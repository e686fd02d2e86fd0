"""Scrolled content: what came into view or left it belongs to the scrolling, what else changed meanwhile does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap
from adapters.video.motion.changes import Scroll
from adapters.video.text.lines import alike
from adapters.video.text.matching import Match
from adapters.video.timeline.kinds import closed_gap, makes_space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.screen import Draft

AT_ONCE_MS: Final = 130
_PAUSE_MS: Final = 260
_ROWS: Final = 1.5
"""A line may be cut by the edge, and be read a row later."""


def scrolling(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, with scrolling that went on as one, and what only followed from it as a part of it."""
    parts = [part for draft in drafts for part in _apart(draft)]
    return _with_what_moved(_scrolled_on(parts))


def as_one(drafts: Sequence[Draft]) -> Draft:
    """One draft of several of one moment; what came and went meanwhile is left out."""
    match = drafts[0].match
    for draft in drafts[1:]:
        match = match.plus(draft.match)
    match.settle()
    return replace(
        drafts[0],
        match=match,
        box=around(draft.box for draft in drafts),
        seen_ms=max(draft.seen_ms for draft in drafts),
        stood=drafts[0].stood,
        frame=max(drafts, key=lambda draft: draft.seen_ms).frame,
    )


def _apart(draft: Draft) -> list[Draft]:
    """The scrolling, and beside it what came, went or changed elsewhere than at the edges of what scrolled."""
    scroll, found = draft.scroll, draft.match
    if scroll is None or makes_space(draft) or closed_gap(draft):
        return [draft]
    came = [line for line in found.added if _is_at_edge(line.came_at, scroll, entering=True)]
    went = [line for line in found.removed if _is_at_edge(line.box, scroll, entering=False)]
    edge = [
        (old, new)
        for old, new in found.changed
        if _is_at_edge(new.came_at, scroll, entering=True) or _is_at_edge(old.box, scroll, entering=False)
    ]
    beside = Match(
        changed=[pair for pair in found.changed if pair not in edge],
        added=[line for line in found.added if line not in came],
        removed=[line for line in found.removed if line not in went],
    )
    beside.settle()
    for line in list(beside.removed):
        again = next((one for one in beside.added if alike(one.text, line.text)), None)
        if again is not None:  # It went along, and was read anew.
            beside.removed.remove(line)
            beside.added.remove(again)
    if not beside.coming:
        return [draft]
    own = Match(kept=found.kept, moved=found.moved, changed=edge, added=came, removed=went)
    box = around([*(line.came_at for line in beside.coming), *(line.box for line in beside.leaving)])
    return [replace(draft, match=own), replace(draft, match=beside, scroll=None, box=box, solid=None, fill=0.0)]


def _is_at_edge(box: Box, scroll: Scroll, *, entering: bool) -> bool:
    """Whether a line stands where content comes into view, or where it leaves it."""
    way = 1 if entering else -1
    for at, shift in ((0, scroll.dx), (1, scroll.dy)):
        first, last = scroll.box[at], scroll.box[at] + scroll.box[at + 2]
        reach = abs(shift) + _ROWS * box[3]
        if shift * way < 0 and box[at] + box[at + 2] >= last - reach:
            return True
        if shift * way > 0 and box[at] <= first + reach:
            return True
    return False


def _is_of_the_move(draft: Draft, scroll: Scroll) -> bool:
    lines = draft.match.coming
    return all(_is_at_edge(line.came_at, scroll, entering=True) for line in lines)


def _scrolled_on(drafts: Sequence[Draft]) -> list[Draft]:
    """Scrolling that went on after less than a pause is one."""
    result: list[Draft] = []
    last: Draft | None = None
    for draft in drafts:
        one, other = last.scroll if last else None, draft.scroll
        if last and one and other and _goes_on(one, other):
            box = around((one.box, other.box))
            result.remove(last)
            draft = replace(  # noqa: PLW2901 - it takes the place of both
                as_one([last, draft]),
                scroll=Scroll(one.t_ms, other.until_ms, box, one.dx + other.dx, one.dy + other.dy),
            )
        result.append(draft)
        last = draft if other else last
    return result


def _goes_on(one: Scroll, other: Scroll) -> bool:
    same_way = one.dx * other.dx + one.dy * other.dy > 0
    return same_way and other.t_ms - one.until_ms <= _PAUSE_MS and overlap(one.box, other.box) > 0


def _with_what_moved(drafts: Sequence[Draft]) -> list[Draft]:
    """What changed inside content that moved at that moment is a part of the move."""
    result = list(drafts)
    for moved in drafts:
        scroll = moved.scroll
        if scroll is None:
            continue
        parts = [
            draft
            for draft in result
            if draft.scroll is None
            and abs(draft.t_ms - moved.t_ms) <= AT_ONCE_MS
            and overlap(draft.box, scroll.box) == draft.box[2] * draft.box[3]
            and _is_of_the_move(draft, scroll)
        ]
        result = [draft for draft in result if draft is not moved and draft not in parts]
        result.append(as_one([moved, *parts]))
    return result
