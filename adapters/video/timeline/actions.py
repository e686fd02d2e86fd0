"""What was done, as far as it can be seen.

A click is told by the pointer that rests and what changes then, a choice by a menu whose words come to stand in its
field, typing and scrolling by their own events. A change is an effect of a click only while the pointer rests; of two
changes the later one is a click of its own only where it touches the place at which the pointer stands. What opens
beside a pointer that has just come, and goes with it, is a tooltip. In a test run without a pointer a click is seen
where a control was lit and something followed; else none is made up.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, overlap
from adapters.video.text.lines import similarity
from adapters.video.text.screen import CONTROL
from adapters.video.timeline.lights import clicks_of
from adapters.video.timeline.resting import LOST_MS, STILL, rests_of
from adapters.video.timeline.sentences import marked
from core.analysis import Action, ActionKind, Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.timeline.lights import Light
from adapters.video.timeline.resting import Path, Rest

_LEAST_MS: Final = 150
_ARRIVED_MS: Final = 120
"""What changes sooner after the pointer came is its being there: a button that lights up."""
_EARLY_MS: Final = 60
"""A pointer is seen one or two frames after it came."""
_AT_ONCE_MS: Final = 700
_HAND_MS: Final = 100
_FOLLOWS_MS: Final = 1500
_AGAIN_MS: Final = 350
_SOON_MS: Final = 3000
"""Longer after the pointer came to rest, or after the last click, what changes may have another cause."""
_TOUCHES: Final = 12
_TOOLTIP: Final = 60
_TOGETHER_MS: Final = 150
_LEAST_ENTRIES: Final = 2
_MENU_MS: Final = 250
"""For less no menu stands open; pages that a script passes through do."""
_BELOW: Final = 3
"""A menu opens over its field or below it, no farther than so many heights of its text."""
_ROW: Final = 6
"""A box or a sign stands no farther from its label than so many of its heights."""
_KINDS: Final = {EventKind.TYPED: ActionKind.TYPE, EventKind.SCROLLED: ActionKind.SCROLL}
"""Events that are done, and follow from nothing else."""
_REPLACED: Final = {ActionKind.CLICK, ActionKind.SCROLL}
"""What a choice looks like where its menu is not recognised."""
_LATER: Final = {EventKind.BUSY, EventKind.VANISHED}
"""What may follow a click but does not show one."""
_LOAD_MS: Final = 300
_ANSWER_MS: Final = 800
_AT_HAND: Final = 150
_LEGIBLE: Final = 0.8
_SURE: Final = 0.7
_SAME: Final = 0.75
_LETTERS: Final = 5


@dataclass(frozen=True, slots=True)
class _Deed:
    action: Action
    effects: tuple[int, ...]


def acted(
    events: Sequence[Event],
    lines: Sequence[Line],
    path: Path,
    marks: Sequence[tuple[int, Box]] = (),
    lights: Sequence[Light] = (),
) -> tuple[tuple[Action, ...], tuple[Event, ...]]:
    """The actions in order of time, and the events, each with the index of the action that caused it.

    Args:
        events: the timeline.
        lines: all that stood on the screen.
        path: where the pointer's tip stood from which millisecond on; ``None`` where it was not seen.
        marks: small things that changed their look as a whole, and when: boxes that are ticked, switches.
        lights: controls that were lit; they show clicks where no pointer does.

    """
    rests = rests_of(path)
    keys = [(event, _keys(event, lines, rests)) for event in (*events, *_ticked(marks, lines, rests))]
    keys = sorted(
        ((_written(event) if clicks else event, clicks) for event, clicks in keys), key=lambda one: one[0].t_ms
    )
    events = [event for event, _ in keys]
    found = [*_own(events), *(deed for deed in _clicks(events, lines, rests) if not keys[deed.effects[0]][1])]
    found += [_Deed(click, (at,)) for at, (_, clicks) in enumerate(keys) for click in clicks]
    if not rests:
        found += [_Deed(*click) for click in clicks_of(lights, events)]
    found = sorted(_with_choices(found, events, lines), key=lambda deed: deed.action.t_ms)
    causes = {at: index for index, deed in enumerate(found) for at in deed.effects}
    caused = tuple(
        event.model_copy(update={"cause": causes[at]}) if at in causes else event for at, event in enumerate(events)
    )
    return tuple(deed.action for deed in found), caused


def _keys(event: Event, lines: Sequence[Line], rests: Sequence[Rest]) -> list[Action]:
    """The clicks on keys that are drawn on the screen, where a pointer went from one to the next while a text grew."""
    if event.kind is not EventKind.TYPED or event.until_ms is None:
        return []
    there = [rest for rest in rests if event.t_ms - _AGAIN_MS <= rest.t_ms <= event.until_ms]
    there = [rest for rest in there if rest.until_ms - rest.t_ms >= _LEAST_MS]
    clicks = [click for rest in there if (click := _click(rest.t_ms + _HAND_MS, rest, lines)) is not None]
    return clicks if len(clicks) > 1 else []


def _written(event: Event) -> Event:
    """The same, done by a program: it stands there when the last letter does."""
    kind, said = EventKind.APPEARED, f'"{event.text}" came.'
    if event.before:
        kind, said = EventKind.CHANGED, f'The text "{event.before}" changed to "{event.text}".'
    update = {"kind": kind, "t_ms": event.until_ms, "until_ms": None, "field": None, "description": said}
    return event.model_copy(update=update)


def _own(events: Sequence[Event]) -> Iterator[_Deed]:
    """Typing and scrolling, each by the event that shows it."""
    for at, event in enumerate(events):
        if event.kind in _KINDS:
            action = Action(
                t_ms=event.t_ms,
                until_ms=event.until_ms,
                kind=_KINDS[event.kind],
                target=event.field,
                value=event.text if event.kind is EventKind.TYPED else None,
                region=event.region,
                confidence=event.confidence,
                description=event.description,
            )
            yield _Deed(action, (at,))


def _clicks(events: Sequence[Event], lines: Sequence[Line], rests: Sequence[Rest]) -> Iterator[_Deed]:
    typed_ms = [event.t_ms for event in events if event.kind is EventKind.TYPED]
    for rest in rests:
        if rest.until_ms - rest.t_ms < _LEAST_MS:
            continue
        # A hand that types is no longer on the mouse.
        until_ms = min([t_ms for t_ms in typed_ms if rest.t_ms <= t_ms], default=rest.until_ms)
        rest = replace(rest, until_ms=min(rest.until_ms, until_ms))  # noqa: PLW2901 - the rest as far as it counts
        during = [
            at
            for at, event in enumerate(events)
            if rest.t_ms - _EARLY_MS <= event.t_ms <= rest.until_ms + _left_ms(event)
            and (event.t_ms >= rest.t_ms + _ARRIVED_MS or _is_more_than_light(event, rest))
            and _is_effect(event, rest, lines)
        ]
        for group in _groups(events, during, rest):
            waits = _waits(events, events[group[0]], rest)
            pressed_ms = events[waits[0]].t_ms if waits else _pressed_ms(events[group[0]], rest)
            click = _click(pressed_ms, rest, lines) or _nameless(events[group[0]], rest)
            if click is not None:
                yield _Deed(click, tuple(sorted({*waits, *group})))


def _ticked(marks: Sequence[tuple[int, Box]], lines: Sequence[Line], rests: Sequence[Rest]) -> Iterator[Event]:
    """A mark in the row of the pointer, when that has rested for a while."""
    for t_ms, box in marks:
        for rest in rests:
            if not rest.t_ms + _AGAIN_MS <= t_ms <= rest.until_ms or not _is_beside(box, rest.tip):
                continue
            row = [(line, at) for line, at in _under(rest.tip, lines, t_ms) if gap(box, at)[0] <= _ROW * at[3]]
            if row and row[0][0].score >= _LEGIBLE:
                yield Event(
                    t_ms=t_ms,
                    kind=EventKind.CHANGED,
                    region=box,
                    confidence=0.8,
                    description=marked(row[0][0].text),
                )
                break


def _is_beside(box: Box, tip: tuple[int, int]) -> bool:
    """Whether it stands in the row of the pointer and is no part of it: an arrow lies below its tip, to the right."""
    return 2 * gap(box, (*tip, 1, 1))[1] <= box[3] and box[1] < tip[1] and (box[0] < tip[0] or box[0] > tip[0] + box[2])


def _is_effect(event: Event, rest: Rest, lines: Sequence[Line]) -> bool:
    if event.kind in _KINDS or event.region is None or _is_reread(event, lines):
        return False
    goes_with_it = event.until_ms is not None and abs(event.until_ms - rest.until_ms) <= LOST_MS
    return not (event.kind is EventKind.APPEARED and goes_with_it and _distance(event, rest) <= _TOOLTIP)


def _is_more_than_light(event: Event, rest: Rest) -> bool:
    """Whether it cannot be the pointer's mere coming, which lights up a button and opens what it says of itself."""
    if event.kind is EventKind.NAVIGATED:
        return True
    if event.text is None:
        return False
    return event.kind is not EventKind.APPEARED or _distance(event, rest) > _TOOLTIP


def _is_small(event: Event) -> bool:
    return event.region is not None and max(event.region[2:]) <= CONTROL


def _pressed_ms(effect: Event, rest: Rest) -> int:
    """When the click was: a page, and what changes elsewhere, is often asked of a server first."""
    if _distance(effect, rest) <= _AT_HAND and effect.kind is not EventKind.NAVIGATED:
        return max(rest.t_ms, effect.t_ms)
    return max(rest.t_ms, min(rest.t_ms + _ARRIVED_MS, effect.t_ms), effect.t_ms - _ANSWER_MS)


def _waits(events: Sequence[Event], effect: Event, rest: Rest) -> list[int]:
    """What was busy from a moment of the rest until the effect came: the click had started it."""
    return [
        at
        for at, event in enumerate(events)
        if event.kind is EventKind.BUSY
        and rest.t_ms <= event.t_ms < effect.t_ms <= (event.until_ms or event.t_ms) + _LOAD_MS
    ]


def _left_ms(event: Event) -> int:
    """For how long the pointer may be on its way already: a page takes a moment to come."""
    return _LOAD_MS if event.kind is EventKind.NAVIGATED else 0


def _distance(event: Event, rest: Rest) -> int:
    return max(gap(event.region, (*rest.tip, 1, 1))) if event.region else _TOOLTIP


def _is_reread(event: Event, lines: Sequence[Line]) -> bool:
    """Whether it may be the same words in another light: the row under a pointer is lit, and read anew."""
    if event.text is None or event.region is None:
        return False
    if event.confidence < _SURE:
        return True
    if event.before is not None:
        return len(event.text) >= _LETTERS and similarity(event.before, event.text) >= _SAME
    return any(
        overlap(box, event.region) and similarity(line.text, event.text) >= _SAME
        for line, box in standing(lines, event.t_ms, _FOLLOWS_MS)
    )


def _groups(events: Sequence[Event], during: Sequence[int], rest: Rest) -> Iterator[list[int]]:
    """The changes of one click each; what comes late and elsewhere has no known cause."""
    group: list[int] = []
    pressed_ms = rest.t_ms
    for at in during:
        event = events[at]
        after_ms = event.t_ms - pressed_ms
        touches = _distance(event, rest) <= _TOUCHES
        shows = touches or (not group and (event.text is not None or _is_small(event)))
        starts = shows if event.kind not in _LATER else touches and event.kind is EventKind.VANISHED
        is_due = after_ms <= _SOON_MS and (not group or after_ms > _AGAIN_MS)
        if starts and is_due and not _is_stirred(events, event):
            if group:
                yield group
            group, pressed_ms = [at], event.t_ms
        elif group and after_ms <= _FOLLOWS_MS:
            group.append(at)
    if group:
        yield group


def _is_stirred(events: Sequence[Event], event: Event) -> bool:
    """Whether the screen was changing already."""
    return any(0 < event.t_ms - other.t_ms <= _AGAIN_MS for other in events if other.kind is not EventKind.BUSY)


def _click(t_ms: int, rest: Rest, lines: Sequence[Line]) -> Action | None:
    """The click, if there are words to say on what; else it may have been anything."""
    tip = (*rest.tip, 1, 1)
    near = [(line, box) for line, box in _under(rest.tip, lines, t_ms) if line.score >= _LEGIBLE]
    if not near:
        return None
    line, box = near[0]
    inside = max(gap(box, tip)) <= STILL
    return Action(
        t_ms=t_ms,
        kind=ActionKind.CLICK,
        target=line.text,
        region=box,
        confidence=round((0.9 if inside else 0.6) * min(line.score, 1.0), 3),
        description=f'Clicked {"" if inside else "beside "}"{line.text}".',
    )


def _nameless(effect: Event, rest: Rest) -> Action | None:
    """A click on what has no words beside it, as an icon, where something changed just when the pointer had come."""
    if effect.t_ms - rest.t_ms > _AT_ONCE_MS or not _is_more_than_light(effect, rest):
        return None
    x, y = rest.tip
    return Action(
        t_ms=max(rest.t_ms, effect.t_ms),
        kind=ActionKind.CLICK,
        target=None,
        region=(x, y, 1, 1),
        confidence=0.5,
        description=f"Clicked at ({x}, {y}).",
    )


def _under(tip: tuple[int, int], lines: Sequence[Line], t_ms: int) -> list[tuple[Line, Box]]:
    """The lines at the pointer or in its row just before a moment, and where they stood; the nearest first."""
    near: list[tuple[int, int, Line, Box]] = []
    for line, box in standing(lines, t_ms):
        across, down = gap(box, (*tip, 1, 1))
        if 2 * down <= box[3] and across <= _ROW * box[3]:
            near.append((across + down, box[2] * box[3], line, box))
    return [(line, box) for *_, line, box in sorted(near, key=lambda one: one[:2])]


def standing(lines: Iterable[Line], t_ms: int, before_ms: int = _TOGETHER_MS) -> Iterator[tuple[Line, Box]]:
    """What stood just before a moment, and where."""
    for line in lines:
        if line.t_ms < t_ms and (line.until_ms is None or line.until_ms >= t_ms - before_ms):
            yield line, next((box for left_ms, box in line.been if left_ms >= t_ms), line.box)


def _with_choices(deeds: Sequence[_Deed], events: Sequence[Event], lines: Sequence[Line]) -> list[_Deed]:
    """Clicks on the entry of a menu are choices; a choice shows without a pointer, too."""
    left = list(deeds)
    for new, old in _choices(lines):
        clicks = [
            deed
            for deed in left
            if deed.action.kind in _REPLACED and abs(deed.action.t_ms - new.t_ms) <= 2 * _TOGETHER_MS
        ]
        left = [deed for deed in left if deed not in clicks]
        taken = {at for deed in left for at in deed.effects}
        effects = {
            at
            for at, event in enumerate(events)
            if abs(event.t_ms - new.t_ms) <= _TOGETHER_MS and event.kind is not EventKind.TYPED and at not in taken
        }
        effects |= {at for deed in clicks for at in deed.effects}
        if not effects:
            continue
        choice = Action(
            t_ms=new.t_ms,
            kind=ActionKind.CHOOSE,
            target=old.text,
            value=new.text,
            region=new.came_at,
            confidence=round(min(new.score, 0.95), 3),
            description=f'Chose "{new.text}" where "{old.text}" had stood.',
        )
        left.append(_Deed(choice, tuple(sorted(effects))))
    return left


def _choices(lines: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Each line whose words stood in a menu that closed when it came, and the line in whose place it stands."""
    gone = sorted((line for line in lines if line.until_ms is not None), key=_until_ms)
    came: dict[int, list[Line]] = {}
    for line in lines:
        came.setdefault(line.t_ms, []).append(line)
    for new in lines:
        first = bisect.bisect_left(gone, new.t_ms - _TOGETHER_MS, key=_until_ms)
        ended = gone[first : bisect.bisect_right(gone, new.t_ms + _TOGETHER_MS, key=_until_ms)]
        olds = [line for line in ended if line is not new and overlap(line.box, new.came_at)]
        for entry in ended:
            if entry.text != new.text or entry.t_ms == 0 or entry is new or overlap(entry.box, new.came_at):
                continue
            if new.t_ms - entry.t_ms < _MENU_MS:
                continue
            old = next((line for line in olds if line.t_ms < entry.t_ms), None)
            # A line's number that moves on is no word, and takes no word's place.
            same_kind = old is not None and old.text.isdecimal() == new.text.isdecimal()
            if old is not None and same_kind and _is_menu(came[entry.t_ms], old, new):
                yield new, old
                break


def _is_menu(menu: Sequence[Line], old: Line, new: Line) -> bool:
    """Whether lines that came together closed when a choice came into the field under or above them."""
    if len(menu) < _LEAST_ENTRIES or not all(abs(_until_ms(line) - new.t_ms) <= _TOGETHER_MS for line in menu):
        return False
    high = old.box[3]
    across, down = gap(around(line.came_at for line in menu), old.box)
    return not across and down <= _BELOW * high and abs(old.box[0] - new.came_at[0]) <= _BELOW * high


def _until_ms(line: Line) -> float:
    return math.inf if line.until_ms is None else line.until_ms
