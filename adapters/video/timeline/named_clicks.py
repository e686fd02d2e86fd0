"""Clicks that their effects name where no pointer shows them: a menu below its title, a page or dialog by its heading.

A menu is a column of lines that come together and go together; its title is a word of the bar above it. What an entry
of a menu, or a link, opens often says that word first. Each is told only where one text alone can have been meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, overlap, same_row
from adapters.video.text.lines import without_sign
from adapters.video.timeline.deeds import LEGIBLE, TOGETHER_MS, Deed, beside, standing
from adapters.video.timeline.pointed_words import opens_menu
from core.analysis import Action, ActionKind, EventKind
from core.page_addresses import last_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Rest
    from core.analysis import Event

_OPENS: Final = {EventKind.APPEARED, EventKind.CHANGED, EventKind.NAVIGATED}
_NEAR_MS: Final = 700
"""A click that is known already explains what comes so soon after it, or before it was seen."""
_SETTLED_MS: Final = 1200
"""Within it a page has drawn its heading."""
_FOLLOWS_MS: Final = 400
_OPEN_MS: Final = 200
"""To read a menu and click on its entry takes longer: what comes and goes so soon is a tooltip."""
_SURE: Final = 0.88
"""A pointer stood on the words themselves, and they were read well."""
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
_LARGE: Final = 1.15
"""A heading's letters are so much larger than those of the link that has the same words."""
_HIGHER: Final = 1.25
"""A heading is so much higher than the entry of a menu that has its words."""
_HARDLY: Final = 1.05
_SHAPE: Final = 1.4
"""What is so much higher than wide, or wider, has another box and no larger letters."""
_LETTERS: Final = 4
_CONFIDENCE: Final = 0.9
_DOTS: Final = ".\u2026 "
_TOP: Final = 0.35
_BETWEEN: Final = " \u00b7 "
_PARTS: Final = 2
"""A part of a page, as what is chosen from a list, brings more lines than so many below its heading."""


def named_clicks(
    events: Sequence[Event], lines: Sequence[Line], known: Sequence[Deed], rests: Sequence[Rest] = ()
) -> list[Deed]:
    """The clicks that are known and those that are named; what is named wins over what a pointer stood beside.

    After something was typed a page may come because that was sent, whatever the links beside it say.
    """
    found = list(known)
    is_form = False
    for at, event in enumerate(events):
        if event.kind is EventKind.TYPED:
            is_form = True
        elif event.kind in _OPENS:
            near = [deed for deed in found if abs(deed.action.t_ms - event.t_ms) <= _NEAR_MS]
            is_free = not any(at in deed.effects for deed in (*near, *found))
            is_sure = any(deed.action.confidence >= _SURE for deed in near)
            clicked = _whole(_entry(event, lines)) if not is_sure else None
            if clicked is None and is_free and not near:
                link = _link(event, lines) if not is_form else None
                is_reached = link is not None and _is_reached(link.box, event.t_ms, rests)
                clicked = _title(event, lines) or (_whole(link) if is_reached else None)
            if clicked is not None:
                effects = {index for deed in near for index in deed.effects}
                found = [deed for deed in found if deed not in near]
                caused = {index for deed in found for index in deed.effects}
                effects |= {index for index in range(at, len(events)) if _follows(events[index], event)}
                found.append(Deed(_click(event, *clicked), tuple(sorted(effects - caused))))
        is_form = is_form and event.kind is not EventKind.NAVIGATED
    return found


def _is_reached(box: Box, t_ms: int, rests: Sequence[Rest]) -> bool:
    """Whether a pointer may have clicked there: none rested elsewhere when the answer came."""
    tips = [rest.tip for rest in rests if rest.t_ms <= t_ms - TOGETHER_MS and rest.until_ms >= t_ms]
    return all(max(gap(box, (*tip, 1, 1))) <= box[3] for tip in tips)


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


def _entry(event: Event, lines: Sequence[Line]) -> Line | None:
    """The entry of a menu that closed when what it names was opened elsewhere."""
    came = [line for line in lines if abs(line.t_ms - event.t_ms) <= TOGETHER_MS]
    found: dict[int, Line] = {}
    for line in lines:
        name = _plain(line.text)
        is_closed = line.until_ms is not None and -_FOLLOWS_MS <= line.until_ms - event.t_ms <= TOGETHER_MS
        is_open = line.t_ms > 0 and event.t_ms - line.t_ms >= _OPEN_MS
        if not is_closed or not is_open or not _has_words(name) or line.score < LEGIBLE:
            continue
        if not any(_says(one, line, name, event) and not _was_covered(one, line, lines) for one in came):
            continue
        menu = _menu([other for other in lines if other.t_ms == line.t_ms])
        if menu is not None and line in menu and not _is_open(menu, lines, event.t_ms):
            found[id(line)] = line
    return next(iter(found.values())) if len(found) == 1 else None


def _was_covered(heading: Line, entry: Line, lines: Sequence[Line]) -> bool:
    """Whether it stood there before the menu opened: the menu hid a part of it."""
    said = _plain(heading.text)
    return any(
        line.t_ms < entry.t_ms and overlap(line.box, heading.came_at) and _plain(line.text).startswith(said)
        for line in lines
    )


def _says(heading: Line, entry: Line, name: str, event: Event) -> bool:
    """Whether a line begins with the words of an entry, or is just these: in larger letters, or above other lines."""
    said = _plain(heading.text)
    if said != name:
        return said.startswith(f"{name} ")
    is_larger = heading.came_at[3] >= _HIGHER * entry.box[3]
    return is_larger or ((event.text or "").count(_BETWEEN) >= _PARTS and _is_title(heading, event))


def _is_open(menu: Sequence[Line], lines: Sequence[Line], t_ms: int) -> bool:
    """Whether something of it is still there: then it is a list, of what is searched for, say."""
    place = around(line.box for line in menu)
    return any(line.t_ms == menu[0].t_ms and overlap(line.box, place) and _stays(line, t_ms) for line in lines)


def _link(event: Event, lines: Sequence[Line]) -> Line | None:
    """The one text that stood there before and heads, in larger letters elsewhere, what came, or ends its address."""
    is_page = event.kind is EventKind.NAVIGATED
    together = sum(abs(line.t_ms - event.t_ms) <= TOGETHER_MS for line in lines)
    if not is_page and max(together, (event.text or "").count(_BETWEEN) + 1) <= _PARTS:
        return None
    came = [line for line in lines if event.t_ms <= line.t_ms <= event.t_ms + _SETTLED_MS and line.score >= LEGIBLE]
    if not is_page and _is_scrolled(event, lines, len(came)):
        return None
    stood: dict[str, list[tuple[Line, Box]]] = {}
    for line, box in standing(lines, event.t_ms):
        stood.setdefault(_plain(line.text), []).append((line, box))
    addressed = stood.get(last_part(event), [])
    found = {id(line): line for line, _ in addressed if len(addressed) == 1 and line.score >= LEGIBLE}
    for heading in (line for line in came if _is_at_top(line, event)):
        name = _plain(heading.text)
        before = stood.get(name, [])
        if not _has_words(name) or len(before) != 1 or before[0][0].score < LEGIBLE:
            continue
        link, box = before[0]
        if _is_larger(heading.came_at, heading.text, box, link.text) and not overlap(box, heading.came_at):
            found[id(link)] = link
    return next(iter(found.values())) if len(found) == 1 else None


def _has_words(name: str) -> bool:
    return sum(map(str.isalpha, name)) >= _LETTERS


def _is_scrolled(event: Event, lines: Sequence[Line], came: int) -> bool:
    """Whether more moved along than came: a heading in the middle of it was scrolled into view."""
    span = range(event.t_ms - TOGETHER_MS, event.t_ms + _SETTLED_MS)
    return sum(any(left_ms in span for left_ms, _ in line.been) for line in lines) > came


def _is_title(line: Line, event: Event) -> bool:
    """Whether no other line of it stands higher."""
    return _is_within(line, event) and event.region is not None and line.came_at[1] <= event.region[1] + line.came_at[3]


def _is_at_top(line: Line, event: Event) -> bool:
    place = event.region
    is_its = event.kind is EventKind.NAVIGATED or _is_within(line, event)
    return place is None or (is_its and line.came_at[1] <= place[1] + _TOP * place[3])


def _is_larger(box: Box, text: str, other: Box, its: str) -> bool:
    """Whether the same words stand there in larger letters, as wide as they are high."""
    wide = (box[2] / len(text)) / (other[2] / len(its))
    high = box[3] / other[3]
    return min(wide, high) >= _HARDLY and _LARGE <= max(wide, high) <= _SHAPE * min(wide, high)


def _is_within(line: Line, event: Event) -> bool:
    return event.region is None or not any(gap(line.came_at, event.region))


def _follows(event: Event, first: Event) -> bool:
    return 0 <= event.t_ms - first.t_ms <= _FOLLOWS_MS and event.kind not in {EventKind.TYPED, EventKind.SCROLLED}


def _whole(line: Line | None) -> tuple[str, Line] | None:
    """The words of a line, without the sign of an icon beside them."""
    return (without_sign(line.text), line) if line is not None else None


def _click(event: Event, words: str, line: Line) -> Action:
    return Action(
        t_ms=event.t_ms,
        kind=ActionKind.CLICK,
        target=words,
        region=line.at(event.t_ms),
        confidence=round(_CONFIDENCE * min(line.score, 1.0), 3),
        description=f'Clicked "{words}".',
    )


def _plain(text: str) -> str:
    """The words without case, without the dots behind an entry that opens a dialog, and without a sign beside them."""
    return without_sign(" ".join(text.casefold().split()).rstrip(_DOTS))
