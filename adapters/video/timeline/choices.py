"""Choices from menus: the entry that was clicked closes its menu and comes to stand in the field that it belongs to."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, overlap
from adapters.video.timeline.deeds import TOGETHER_MS, Deed, standing
from core.analysis import Action, ActionKind, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from core.analysis import Event

_LEAST_ENTRIES: Final = 2
_MENU_MS: Final = 250
"""For less no menu stands open; pages that a script passes through do."""
_BELOW: Final = 6
"""A menu opens over its field or below it, no farther than so many heights of its text: one to search it in between."""
_BESIDE: Final = 3
_MOSTLY: Final = 0.6
"""Of what came and went with a menu, so much stands in its column; of a table, less."""
_LEAST_LETTERS: Final = 2
_FEW: Final = 3
"""What a choice changes besides its field, as another unit beside it, is no more."""
_REPLACED: Final = {ActionKind.CLICK, ActionKind.SCROLL}
"""What a choice looks like where its menu is not recognised."""


def with_choices(deeds: Sequence[Deed], events: Sequence[Event], lines: Sequence[Line]) -> list[Deed]:
    """Clicks on the entry of a menu are choices; a choice shows without a pointer, too."""
    left = list(deeds)
    came: dict[int, list[Line]] = {}
    for line in lines:
        came.setdefault(line.t_ms, []).append(line)
    pages_ms = [event.t_ms for event in events if event.kind is EventKind.NAVIGATED]
    typing = [(event.t_ms - TOGETHER_MS, event.until_ms) for event in events if event.kind is EventKind.TYPED]
    for choice in (
        *_choices(lines, came),
        *_moved(lines, came),
        *_shown_at_once(lines, came),
        *_unseen(lines),
    ):
        if any(abs(deed.action.t_ms - choice.t_ms) <= TOGETHER_MS for deed in left if _is_same(deed.action, choice)):
            continue
        if any(abs(t_ms - choice.t_ms) <= 2 * TOGETHER_MS for t_ms in pages_ms):
            # What a page says in the place of a field was not chosen in it.
            continue
        if any(since_ms <= choice.t_ms < (until_ms or 0) for since_ms, until_ms in typing):
            # What is typed leaves fewer entries, which move together.
            continue
        clicks = [
            deed
            for deed in left
            if deed.action.kind in _REPLACED and abs(deed.action.t_ms - choice.t_ms) <= 2 * TOGETHER_MS
        ]
        left = [deed for deed in left if deed not in clicks]
        taken = {at for deed in left for at in deed.effects}
        effects = {
            at
            for at, event in enumerate(events)
            if abs(event.t_ms - choice.t_ms) <= TOGETHER_MS and event.kind is not EventKind.TYPED and at not in taken
        }
        effects |= {at for deed in clicks for at in deed.effects}
        if effects or choice.target is None:
            left.append(Deed(choice, tuple(sorted(effects))))
    return left


def _choice(entry: Line, t_ms: int, place: Box, old: Line | None = None) -> Action:
    where = f' where "{old.text}" had stood' if old is not None else ""
    return Action(
        t_ms=t_ms,
        kind=ActionKind.CHOOSE,
        target=old.text if old is not None else None,
        value=entry.text,
        region=place,
        confidence=round(min(entry.score, 0.95), 3),
        description=f'Chose "{entry.text}"{where}.',
    )


def _moved(lines: Sequence[Line], came: Mapping[int, Sequence[Line]]) -> Iterator[Action]:
    """Each entry that went into the empty field above its menu, or below, when that closed."""
    moves = Counter((t_ms, _way(before, place)) for line in lines for t_ms, before, place in _moves(line))
    for entry in lines:
        for t_ms, before, place in _moves(entry):
            # What moves with others, and as they do, is scrolled.
            if not entry.t_ms or t_ms - entry.t_ms < _MENU_MS or moves[t_ms, _way(before, place)] > 1:
                continue
            menu = [line for line in came[entry.t_ms] if line is not entry]
            column = _column(menu, before)
            if not column or not _are_closed(menu, t_ms):
                continue
            across, down = gap(around([before, *(line.came_at for line in column)]), place)
            if not across and 0 < down <= _BELOW * place[3] and abs(before[0] - place[0]) <= _BESIDE * place[3]:
                yield _choice(entry, t_ms, place)


def _moves(line: Line) -> Iterator[tuple[int, Box, Box]]:
    """Each time that a line moved, from where and whereto."""
    places = [*(box for _, box in line.been), line.box]
    for (t_ms, before), place in zip(line.been, places[1:], strict=True):
        yield t_ms, before, place


def _way(before: Box, place: Box) -> int:
    """1 for down, -1 for up, 0 for neither."""
    return (place[1] > before[1]) - (place[1] < before[1])


def _shown_at_once(lines: Sequence[Line], came: Mapping[int, Sequence[Line]]) -> Iterator[Action]:
    """Each entry that its field showed already while the menu was open, as a list does that keys go through."""
    by_text: dict[str, list[Line]] = {}
    for line in lines:
        by_text.setdefault(line.text, []).append(line)
    for entry in lines:
        closed_ms = entry.until_ms
        if entry.t_ms == 0 or closed_ms is None or closed_ms - entry.t_ms < _MENU_MS:
            continue
        shown = [line for line in by_text[entry.text] if entry.t_ms + TOGETHER_MS < line.t_ms < closed_ms - TOGETHER_MS]
        shown = [line for line in shown if _until_ms(line) > closed_ms + 2 * TOGETHER_MS]
        if len(shown) != 1 or _was_typed(shown[0], lines):
            continue
        menu = [line for line in came[entry.t_ms] if _ends_at(line, closed_ms)]
        column = _column(menu, entry.came_at)
        if len(column) < _LEAST_ENTRIES or _MOSTLY * len(menu) > len(column):
            continue
        place = shown[0].came_at
        # A list may begin over the edge of its field.
        beside = [line.came_at for line in menu if not overlap(line.came_at, place)]
        if not beside:
            continue
        across, down = gap(around(beside), place)
        if not across and 0 < down <= _BELOW * place[3]:
            yield _choice(entry, closed_ms, place)


def _unseen(lines: Sequence[Line]) -> Iterator[Action]:
    """Each value that gave way to another in a field with a list: many recorders do not see what a browser opens."""
    for new in lines:
        field = new.list_box
        if field is None or len(new.text) < _LEAST_LETTERS:
            continue
        beside = (box for line, box in standing(lines, new.t_ms) if line.until_ms is None or line.until_ms > new.t_ms)
        if any(overlap(box, field) for box in beside):
            # The row of a table may end with signs as well.
            continue
        ended = [line for line in lines if line is not new and _ends_at(line, new.t_ms)]
        olds = [line for line in ended if overlap(line.box, new.came_at)]
        others = [line for line in lines if abs(line.t_ms - new.t_ms) <= TOGETHER_MS and line is not new]
        if len(olds) == 1 and len(others) < _FEW and _is_other(olds[0], new):
            yield _choice(new, new.t_ms, new.came_at, olds[0])


def _is_other(old: Line, new: Line) -> bool:
    """Whether it is another value at the same place, and no part of what was read there."""
    begins_there = abs(old.box[0] - new.came_at[0]) <= new.came_at[3]
    return begins_there and new.text not in old.text and old.text not in new.text


def _is_same(one: Action, other: Action) -> bool:
    return one.kind is other.kind and one.value == other.value


def _was_typed(line: Line, lines: Sequence[Line]) -> bool:
    """Whether its beginning stood there just before."""
    before = (one for one in lines if _ends_at(one, line.t_ms) and overlap(one.box, line.came_at))
    return any(one.text and line.text.startswith(one.text) for one in before)


def _choices(lines: Sequence[Line], came: Mapping[int, Sequence[Line]]) -> Iterator[Action]:
    """Each line whose words stood in a menu that closed when it came in the place of another line."""
    gone = sorted((line for line in lines if line.until_ms is not None), key=_until_ms)
    for new in lines:
        first = bisect.bisect_left(gone, new.t_ms - TOGETHER_MS, key=_until_ms)
        ended = gone[first : bisect.bisect_right(gone, new.t_ms + TOGETHER_MS, key=_until_ms)]
        olds = [line for line in ended if line is not new and overlap(line.box, new.came_at)]
        for entry in ended:
            if entry is new or not _may_be_entry(entry, new):
                continue
            old = next((line for line in olds if line.t_ms < entry.t_ms), None)
            # A line's number that moves on is no word, and takes no word's place.
            same_kind = old is not None and old.text.isdecimal() == new.text.isdecimal()
            menu = opened = came[entry.t_ms]
            if old is not None and any(t_ms == entry.t_ms for t_ms, _ in old.been):
                # The menu opened over its field: what that held is one of its entries.
                menu = [*menu, old]
            is_column = len(_column(menu, entry.came_at)) >= _LEAST_ENTRIES
            if old is None or not (same_kind and is_column and _is_menu(menu, old, new)):
                old = next((line for line in olds if _is_searched(line, entry)), None)
            is_choice = old is not None or _covered_field(entry, olds, opened, new, lines)
            if is_choice and not (_is_turned(ended, entry, opened) or _has_moved(opened, new, lines)):
                yield _choice(new, new.t_ms, new.came_at, old)
                break


def _has_moved(menu: Sequence[Line], new: Line, lines: Sequence[Line]) -> bool:
    """Whether others of a menu came again elsewhere together with an entry: the rows of a list that moved up."""
    others = {line.text for line in menu} - {new.text}
    return any(line.text in others and line is not new and abs(line.t_ms - new.t_ms) <= TOGETHER_MS for line in lines)


def _is_turned(ended: Sequence[Line], entry: Line, menu: Sequence[Line]) -> bool:
    """Whether with the entry more went that had stood before it than a menu has entries: a page, and not its menu."""
    before = [line for line in ended if line.t_ms < entry.t_ms]
    return len(before) > max(len(menu), _FEW)


def _may_be_entry(entry: Line, new: Line) -> bool:
    """Whether the same words stood elsewhere, for as long as a menu is open."""
    is_same = entry.text.casefold() == new.text.casefold() and not overlap(entry.box, new.came_at)
    return is_same and entry.t_ms > 0 and new.t_ms - entry.t_ms >= _MENU_MS


def _covered_field(entry: Line, olds: Sequence[Line], menu: Sequence[Line], new: Line, lines: Sequence[Line]) -> bool:
    """Whether another entry stood over the field; what had stood there before the menu opened was hidden by it."""
    if len(menu) <= _LEAST_ENTRIES or not _are_closed(menu, new.t_ms):
        return False
    covers = any(line in menu for line in _column(olds, entry.came_at))
    hidden = any(line.t_ms < entry.t_ms and overlap(line.box, new.came_at) and new.text in line.text for line in lines)
    return covers and not hidden


def _is_menu(menu: Sequence[Line], old: Line, new: Line) -> bool:
    """Whether lines that came together closed when a choice came into the field under or above them."""
    if len(menu) < _LEAST_ENTRIES or not _are_closed(menu, new.t_ms):
        return False
    high = old.box[3]
    across, down = gap(around(line.came_at for line in menu), old.box)
    return not across and down <= _BELOW * high and abs(old.box[0] - new.came_at[0]) <= _BESIDE * high


def _is_searched(typed: Line, entry: Line) -> bool:
    """Whether an entry was found by a part of it that was typed above or below: it may be the only one left."""
    part, whole = typed.text.casefold(), entry.text.casefold()
    across, down = gap(entry.box, typed.box)
    is_near = not across and down <= _BESIDE * typed.box[3] and abs(entry.box[0] - typed.box[0]) <= typed.box[3]
    return is_near and len(part) >= _LEAST_LETTERS and part in whole and part != whole


def _column(lines: Sequence[Line], box: Box) -> list[Line]:
    """Those that begin where a box does."""
    return [line for line in lines if abs(line.came_at[0] - box[0]) <= max(box[3], line.came_at[3])]


def _are_closed(menu: Sequence[Line], t_ms: int) -> bool:
    return all(_ends_at(line, t_ms) for line in menu)


def _ends_at(line: Line, t_ms: int) -> bool:
    return abs(_until_ms(line) - t_ms) <= TOGETHER_MS


def _until_ms(line: Line) -> float:
    return math.inf if line.until_ms is None else line.until_ms
