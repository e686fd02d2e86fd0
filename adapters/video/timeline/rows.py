"""Rows that all went up or down by one, where each seems to have got the text of the next."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.boxes import around, overlap, same_row
from adapters.video.text.lines import alike
from adapters.video.text.matching import Match
from adapters.video.timeline.kinds import is_update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.boxes import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_LEAST_LINES: Final = 2
_MOST: Final = 0.6
_JITTER: Final = 3
_ROWS: Final = 5
"""So many times the height of its text is a row at most."""


def rows_apart(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Draft]]:
    """The rows that went and came, and the drafts of one moment without them and without those that only moved."""
    moved = _moved(drafts)
    if not moved:
        return [], list(drafts)
    told: list[Draft] = []
    rest: list[Draft] = []
    for draft in drafts:
        found = draft.match
        in_place = [pair for pair in found.changed if not moved & {id(line) for line in pair}]
        broken = [pair for pair in found.changed if pair not in in_place]
        removed = [*found.removed, *(old for old, _ in broken)]
        added = [*found.added, *(new for _, new in broken)]
        told += _draft(draft, Match(removed=[line for line in removed if id(line) not in moved]))
        told += _draft(draft, Match(added=[line for line in added if id(line) not in moved]))
        rest += _draft(draft, Match(changed=in_place))
    return told, rest


def _draft(draft: Draft, found: Match) -> list[Draft]:
    lines = [*(line.came_at for line in found.coming), *(line.box for line in found.leaving)]
    return [replace(draft, match=found, box=around(lines))] if lines else []


def _moved(drafts: Sequence[Draft]) -> set[int]:
    """Ids of the lines that say what others said a row farther, before and after; empty when these are not most."""
    leaving = [line for draft in drafts for line in draft.match.leaving]
    coming = [line for draft in drafts for line in draft.match.coming]
    steps = [(old, new, new.came_at[1] - old.box[1]) for old in leaving for new in coming if _is_beyond(old, new)]
    counts = Counter(round(step / _JITTER) for _, _, step in steps)
    usual = max(counts, key=lambda one: counts[one - 1] + counts[one] + counts[one + 1], default=0)
    same = [(old, new) for old, new, step in steps if abs(round(step / _JITTER) - usual) <= 1]
    if len(same) < _LEAST_LINES:
        return set()
    moved = {id(line) for pair in same for line in pair} | _unchanged(drafts, same)
    counted = {id(line) for draft in drafts for pair in draft.match.changed if is_update(*pair) for line in pair}
    left, came = ([line for line in lines if id(line) not in moved | counted] for lines in (leaving, coming))
    one_row = all(same_row(line.box, left[0].box) for line in left)
    one_row = one_row and all(same_row(line.came_at, came[0].came_at) for line in came)
    return moved if one_row or sum(id(line) in moved for line in coming) >= _MOST * len(coming) else set()


def _unchanged(drafts: Sequence[Draft], same: Sequence[tuple[Line, Line]]) -> set[int]:
    """Ids of those that came from, or went to, a cell that says what the next one says: it seems to stay."""
    coming = {id(line): line for draft in drafts for line in draft.match.coming}
    leaving = {id(line): line for draft in drafts for line in draft.match.leaving}
    shift = sum(new.came_at[1] - old.box[1] for old, new in same) // len(same)
    stood = [(line, box) for draft in drafts for line, box in draft.stood if id(line) not in coming]
    place = around(new.came_at for _, new in same)
    stays = [(line, box) for line, box in stood if id(line) not in leaving and overlap(box, place)]
    found = {key for key, new in coming.items() if _is_among(new.text, new.came_at, stood, -shift)}
    return found | {key for key, old in leaving.items() if _is_among(old.text, old.box, stays, shift)}


def _is_among(text: str, box: Box, lines: Sequence[tuple[Line, Box]], shift: int) -> bool:
    """Whether one of the lines says the same, so far below that box."""
    x, y, width, height = box
    return any(overlap((x, y + shift, width, height), place) and alike(text, line.text) for line, place in lines)


def _is_beyond(old: Line, new: Line) -> bool:
    """Whether it says the same in the same column, a row above or below."""
    one, other = old.box, new.came_at
    column = min(abs(one[0] - other[0]), abs(one[0] + one[2] - other[0] - other[2])) <= _JITTER
    return column and one[3] <= abs(other[1] - one[1]) <= _ROWS * one[3] and alike(old.text, new.text)
