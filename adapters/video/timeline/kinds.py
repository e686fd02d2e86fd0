"""Which kind of event a change of lines is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap, same_row
from adapters.video.text.lines import in_order, similarity
from core.analysis import EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.motion.changes import Scroll
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_NUMBER: Final = re.compile(r"\d+")
_SAME_THING: Final = 0.75
_REPLACED: Final = 0.6
_NEW: Final = 0.4
_MUCH: Final = 0.3
_WIDE: Final = 0.15
_LEAST_SHIFT: Final = 6
_LEAST_STEP: Final = 30
"""Pixels: a wheel or a key scrolls by more at once; a message that comes above moves the rest by less."""
_LEAST_LINES: Final = 2
_JITTER: Final = 3
_AT_ONCE_MS: Final = 80
_ROW: Final = 100
_ROWS: Final = 2
"""So many heights of a line lie between two rows at most."""


def kind_of(draft: Draft, size: tuple[int, int]) -> EventKind | None:
    """The kind, by the text that came and went; ``None`` when no text did."""
    found = draft.match
    if not found.says_anything and draft.scroll is None:
        return None
    if draft.scroll is not None and _is_laid_anew(draft.scroll):
        return EventKind.APPEARED if found.coming else None
    if scroll_shift(draft) is not None:
        return EventKind.APPEARED if makes_space(draft) else EventKind.SCROLLED
    if is_navigation(draft, size):
        return EventKind.NAVIGATED
    if not (found.changed or found.added):
        return EventKind.VANISHED
    return EventKind.CHANGED if found.changed or found.removed else EventKind.APPEARED


def _is_laid_anew(scroll: Scroll) -> bool:
    """Whether it moved as no scrolling does: by little, or to the side at once, as when a side bar comes."""
    is_at_once = scroll.until_ms - scroll.t_ms <= _AT_ONCE_MS
    least = _LEAST_STEP if is_at_once else _LEAST_SHIFT
    return abs(scroll.dx) + abs(scroll.dy) < least or (scroll.dy == 0 and is_at_once)


def makes_space(draft: Draft) -> bool:
    """Whether the content only moved, at once and by a row, to make room for a new one."""
    return draft.scroll is not None and bool(draft.match.coming) and _is_a_row(draft.scroll)


def closed_gap(draft: Draft) -> bool:
    """Whether rows moved up at once because one before them went, and none came in at their end."""
    scroll = draft.scroll
    if scroll is None or scroll.dy >= 0 or not (draft.match.removed and _is_a_row(scroll)):
        return False
    end = scroll.box[1] + scroll.box[3] + scroll.dy - _JITTER
    arrived = [line for line in draft.match.added if line.came_at[1] >= end]
    return not any(_in_column(line, other) for line in arrived for _, other in draft.match.kept)


def scroll_shift(draft: Draft) -> tuple[int, int] | None:
    """How far most lines went together, when new ones came where they made room."""
    if draft.scroll is not None:
        return draft.scroll.dx, draft.scroll.dy
    pairs = list(zip(draft.match.kept, draft.match.moved, strict=True))
    moves = [move for _, move in pairs if max(map(abs, move)) >= _LEAST_SHIFT]
    # The numbers of one axis of a chart alone seem to move to another's.
    if len(moves) < _LEAST_LINES or all(new.text.isdecimal() for (_, new), move in pairs if move in moves):
        return None
    dx, dy = sorted(moves)[len(moves) // 2]
    together = [m for m in moves if abs(m[0] - dx) <= _JITTER and abs(m[1] - dy) <= _JITTER]
    if len(together) < 0.6 * len(pairs) or abs(dy) < _LEAST_SHIFT:
        return None
    moved = [new for (_, new), move in zip(draft.match.kept, draft.match.moved, strict=True) if move in together]
    middle = around(line.box for line in moved)
    added = [*draft.match.added, *(new for _, new in draft.match.changed)]
    only_made_room = abs(dy) <= _ROW and not draft.match.removed  # Nothing was pushed out of view.
    is_another = bool(added) and not _is_pushed_out(draft, middle, dy)
    if only_made_room or is_another or (dy > 0 and _is_anchored(draft, added, middle)):
        return None
    if dy < 0:
        trailing = [line for line in added if line.came_at[1] >= middle[1] + middle[3] - 4]
        return (dx, dy) if len(trailing) * 2 > len(added) or not added else None
    leading = [line for line in added if line.came_at[1] + line.came_at[3] <= middle[1] + 4]
    return (dx, dy) if (draft.match.removed and len(leading) * 2 > len(added)) or not added else None


def _is_pushed_out(draft: Draft, middle: Box, dy: int) -> bool:
    """Whether most of what went stood before what moved, in the way it moved; of another page more went than that."""
    top, bottom = middle[1] - dy, middle[1] + middle[3] - dy
    gone = [line.box for line in draft.match.removed]
    in_column = [box for box in gone if box[0] < middle[0] + middle[2] and middle[0] < box[0] + box[2]]
    out = [box for box in in_column if (box[1] + box[3] <= top + 4 if dy < 0 else box[1] >= bottom - 4)]
    return 2 * len(out) >= len(gone)


def _is_anchored(draft: Draft, added: Sequence[Line], middle: Box) -> bool:
    """Whether what came stands right below a line that stayed: a branch that opened pushed down what is below it."""
    if not added:
        return False
    first = min((line.came_at for line in added), key=lambda box: box[1])
    gone = {id(line) for line in draft.match.leaving}
    moved = {
        id(old) for (old, _), move in zip(draft.match.kept, draft.match.moved, strict=True) if abs(move[1]) > _JITTER
    }
    stays = [box for line, box in draft.stood if id(line) not in gone | moved and not line.false]
    return any(
        box[0] < middle[0] + middle[2]
        and middle[0] < box[0] + box[2]
        and -_JITTER <= first[1] - box[1] - box[3] <= _ROWS * first[3]
        for box in stays
    )


def is_navigation(draft: Draft, size: tuple[int, int]) -> bool:
    """Whether another page took the place of the one before, or another panel that of a large one.

    Of all that stood there most has gone, and much of what stands there now is new. A page is the whole screen; a panel
    holds much of the screen's text, and begins where the one before began.
    """
    found = draft.match
    replaced = [(old, new) for old, new in found.changed if not is_update(old, new)]
    left, came = len(found.removed) + len(replaced), len(found.added) + len(replaced)
    if min(left, came) < _LEAST_LINES:
        return False
    went = {id(line) for line in found.leaving}
    stayed = [box for line, box in draft.stood if id(line) not in went]
    wide = draft.box[2] * draft.box[3] >= _WIDE * size[0] * size[1]
    if wide and _is_replaced(left, len(stayed), came):
        return True
    if not begins_where(found.coming, found.leaving):
        return False
    panel = around(line.box for line in (*found.leaving, *found.coming))
    within = [box for box in stayed if overlap(box, panel)]
    much = max(left, came) >= _MUCH * (len(stayed) + max(left, came))
    return much and _is_replaced(left, len(within), came)


def begins_where(coming: Sequence[Line], leaving: Sequence[Line]) -> bool:
    """Whether the first of the lines that came stands where the first of those that left had stood."""
    head, new_head = in_order(leaving)[0], in_order(coming)[0]
    return same_row(head.box, new_head.came_at) and abs(head.box[0] - new_head.came_at[0]) <= head.box[3]


def is_update(old: Line, new: Line) -> bool:
    """Whether it is the same thing with another value, as a count or a price."""
    return similarity(_NUMBER.sub("#", old.text), _NUMBER.sub("#", new.text)) >= _SAME_THING


def numbered(changed: Sequence[tuple[Line, Line]]) -> list[Line]:
    """The lines that went on counting while all else was replaced: which page it is. Those of a list are many."""
    forms = [_NUMBER.sub("#", old.text) for old, _ in changed]
    same = [(form, new) for form, (_, new) in zip(forms, changed, strict=True) if form == _NUMBER.sub("#", new.text)]
    return [new for form, new in same if forms.count(form) == 1 and any(sign.isalpha() for sign in form)]


def _is_replaced(left: int, stayed: int, came: int) -> bool:
    return left >= _REPLACED * (left + stayed) and came >= _NEW * (stayed + came)


def _is_a_row(scroll: Scroll) -> bool:
    return scroll.until_ms - scroll.t_ms <= _AT_ONCE_MS and 0 < abs(scroll.dy) <= _ROW


def _in_column(line: Line, other: Line) -> bool:
    left = abs(line.box[0] - other.box[0])
    right = abs(line.box[0] + line.box[2] - other.box[0] - other.box[2])
    return min(left, right) <= _JITTER
