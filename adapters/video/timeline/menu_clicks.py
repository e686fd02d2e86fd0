"""Clicks on the titles of menus, where no pointer shows them: the menu that opens below one names it.

A menu is a column of lines that come together and go together; its title is a word of the bar above it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, same_row
from adapters.video.timeline.deeds import LEGIBLE, TOGETHER_MS, Deed, beside, standing
from adapters.video.timeline.pointed_words import opens_menu
from core.analysis import COMES, Action, ActionKind, EventKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from core.analysis import Event

_NEAR_MS: Final = 700
"""A click that is known already explains what comes so soon after it, or before it was seen."""
_FOLLOWS_MS: Final = 400
_ENTRIES: Final = 2
_SHARE: Final = 3
"""Beside its entries a menu has keys, and parts of lines that it covers."""
_LONGEST: Final = 32
_ICON: Final = 1.5
"""Heights of an entry: so wide an icon before it is read with it, or not."""
_BAR: Final = 3
"""So many words stand in a bar of menus."""
_BELOW: Final = 2
"""Heights of a title's words between it and its menu, and to its side."""
_INDENT: Final = 4
"""A menu has room for icons before its words; in heights of the title's."""
_AT_TIP: Final = 1.2
"""Heights of an entry between the pointer and the words of a menu that opened there: one below a title is farther."""
_CONFIDENCE: Final = 0.9


def with_menu_clicks(events: Sequence[Event], lines: Sequence[Line], known: Sequence[Deed]) -> list[Deed]:
    """The clicks that are known, and those on the titles of menus that opened without one."""
    found = list(known)
    for at, event in enumerate(events):
        if event.kind not in COMES:
            continue
        if any(at in deed.effects or abs(deed.action.t_ms - event.t_ms) <= _NEAR_MS for deed in found):
            continue
        clicked = _title(event, lines)
        if clicked is not None:
            caused = {index for deed in found for index in deed.effects}
            follows = {index for index in range(at, len(events)) if _follows(events[index], event)}
            found.append(Deed(_click(event, *clicked), tuple(sorted(follows - caused))))
    return found


def opens_at(tip: tuple[int, int], t_ms: int, lines: Sequence[Line]) -> bool:
    """Whether a menu came then with a corner where the pointer stood, as the right button opens one; none of a bar."""
    menu = _menu([line for line in lines if line.t_ms == t_ms])
    if menu is None:
        return False
    place = left, top, _, high = around(line.came_at for line in menu)
    row = beside(tip, lines, t_ms)
    rows = [(line.text.split(), box) for line, box in row]
    if row:
        # Its names may be read one by one.
        rows.append(([word for words, _ in rows for word in words], around(box for _, box in row)))
    if any(opens_menu(words, box, place) for words, box in rows):
        return False
    letter = menu[0].came_at[3]
    is_beside = -letter / 2 <= left - tip[0] <= _INDENT * letter
    return is_beside and any(-letter / 2 <= by <= _AT_TIP * letter for by in (top - tip[1], tip[1] - top - high))


def _title(event: Event, lines: Sequence[Line]) -> tuple[str, Line] | None:
    """The word of a bar below which a menu opened, and its line."""
    menu = _menu([line for line in lines if line.t_ms == event.t_ms and _is_within(line, event)])
    if menu is None:
        return None
    left, top = min(line.came_at[0] for line in menu), min(line.came_at[1] for line in menu)
    stood = (one for one in standing(lines, event.t_ms) if event.t_ms - one[0].t_ms >= _NEAR_MS or one[0].t_ms == 0)
    stays = [(line, box) for line, box in stood if _stays(line, event.t_ms)]
    found: list[tuple[float, str, Line]] = []
    for line, box in stays:
        _, y, _, high = box
        if not 0 <= top - y - high <= _BELOW * high or line.score < LEGIBLE:
            continue
        words = [(left - x, word) for x, word in _words(line.text, box)]
        bar = [word for other, there in stays if same_row(there, box) for word in _words(other.text, there)]
        if len(bar) >= _BAR and not any(word[0].islower() for _, word in bar):
            found += [(by, word, line) for by, word in words if -high / 2 <= by <= _INDENT * high]
    nearest = min(found, key=lambda one: one[0], default=None)
    return nearest[1:] if nearest is not None else None


def _words(text: str, box: Box) -> list[tuple[float, str]]:
    """The words of a line and about where each begins: a bar of menus may be read as one line."""
    return [(box[0] + box[2] * found.start() / len(text), found[0]) for found in re.finditer(r"\S+", text)]


def _menu(came: Sequence[Line]) -> list[Line] | None:
    """The entries of a menu, if what came is one: short lines that begin below each other, and went together."""
    for first in came:
        column = [
            line
            for line in came
            if line.until_ms is not None
            and first.until_ms is not None
            and abs(line.until_ms - first.until_ms) <= TOGETHER_MS
            and abs(line.came_at[0] - first.came_at[0]) <= _ICON * first.came_at[3]
        ]
        rows = {line.came_at[1] // first.came_at[3] for line in column}
        is_most = len(came) <= _SHARE * len(column) and all(len(line.text) <= _LONGEST for line in column)
        if len(rows) >= _ENTRIES and is_most:
            return column
    return None


def _stays(line: Line, t_ms: int) -> bool:
    return line.until_ms is None or line.until_ms > t_ms + _FOLLOWS_MS


def _is_within(line: Line, event: Event) -> bool:
    return event.region is None or not any(gap(line.came_at, event.region))


def _follows(event: Event, first: Event) -> bool:
    return 0 <= event.t_ms - first.t_ms <= _FOLLOWS_MS and event.kind not in {EventKind.TYPED, EventKind.SCROLLED}


def _click(event: Event, words: str, line: Line) -> Action:
    return Action(
        t_ms=event.t_ms,
        kind=ActionKind.CLICK,
        target=words,
        region=line.at(event.t_ms),
        confidence=round(_CONFIDENCE * min(line.score, 1.0), 3),
        description=f'Clicked "{words}".',
    )
