"""What was done, as far as it can be seen.

A click is told by the pointer that rests and what changes then, a choice by a menu whose words come to stand in its
field, typing and scrolling by their own events. A change is an effect of a click only while the pointer rests; of two
changes the later one is a click of its own only where it touches the place at which the pointer stands. What opens
beside a pointer that has just come, and goes with it, is a tooltip. In a test run without a pointer a click is seen
where a control was lit and something followed; else none is made up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from adapters.video.frame import gap, lies_in, overlap
from adapters.video.motion.changes import CONTROL
from adapters.video.text.lines import similarity
from adapters.video.timeline.choices import with_choices
from adapters.video.timeline.confirmations import confirmations
from adapters.video.timeline.deeds import (
    Deed,
    click_at,
    click_on,
    standing,
    with_last_effects,
    with_right_button,
)
from adapters.video.timeline.dismissals import dismissals
from adapters.video.timeline.drawn_keys import keys_of
from adapters.video.timeline.hovering import (
    TOOLTIP,
    TOUCHES,
    distance,
    is_entered,
    is_lit_on_leaving,
    is_lit_on_way,
    is_more_than_light,
)
from adapters.video.timeline.lights import clicks_of
from adapters.video.timeline.lit_buttons import LitButton, lit_under, unseen_clicks
from adapters.video.timeline.marks import changed_marks
from adapters.video.timeline.menu_clicks import opens_at, with_menu_clicks
from adapters.video.timeline.offered_values import without_offers
from adapters.video.timeline.passing_clicks import passing_clicks
from adapters.video.timeline.repeated_typing import repeated, written
from adapters.video.timeline.resting import BRIEF_MS, EARLY_MS, LOST_MS, rests_of
from adapters.video.timeline.row_changes import begins_in_row, is_gone
from adapters.video.timeline.ticks import clicks_on_boxes, without_ticks
from core.analysis import Action, ActionKind, Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.ticked_boxes import Tick
    from adapters.video.timeline.lights import Light
from adapters.video.timeline.resting import Path, Rest

_ARRIVED_MS: Final = 120
"""What changes sooner after the pointer came is its being there: a button that lights up."""
_AT_ONCE_MS: Final = 700
_FOLLOWS_MS: Final = 1500
_AGAIN_MS: Final = 350
_SOON_MS: Final = 1500
"""Longer after the pointer came to rest, or after the last click, what changes may have another cause."""
_WAITED_MS: Final = 3000
"""The same where something was busy meanwhile."""
_LIVE_MS: Final = 1200
"""The same, of a place that changes again and again by itself."""
_KINDS: Final = {EventKind.TYPED: ActionKind.TYPE, EventKind.SCROLLED: ActionKind.SCROLL}
"""Events that are done, and follow from nothing else."""
_LATER: Final = {EventKind.BUSY, EventKind.VANISHED}
"""What may follow a click but does not show one."""
_LOAD_MS: Final = 300
_ANSWER_MS: Final = 800
_AT_HAND: Final = 150
_SURE: Final = 0.7
_BESIDE: Final = 0.6
"""So sure is a click that stood beside its words, or beside none."""
_SAME: Final = 0.75
_LETTERS: Final = 5


class Controls(NamedTuple):
    """What controls showed by their looks."""

    marks: Sequence[tuple[int, Box]]
    """Small things that changed as a whole, and when: switches, boxes of which no more is known."""
    lights: Sequence[Light]
    """Those that were lit; they show clicks where no pointer does."""
    ticks: Sequence[Tick]
    """The boxes beside words that were ticked."""
    buttons: Sequence[LitButton] = ()
    """Those whose ground was lit, as under a pointer."""


def acted(
    events: Sequence[Event],
    lines: Sequence[Line],
    path: Path,
    controls: Controls,
) -> tuple[tuple[Action, ...], tuple[Event, ...]]:
    """The actions in order of time, and the events, each with the index of the action that caused it.

    Args:
        events: the timeline.
        lines: all that stood on the screen.
        path: where the pointer's tip stood from which millisecond on; ``None`` where it was not seen.
        controls: what showed by their looks.

    """
    marks, lights, ticks, buttons = controls
    rests = rests_of(path)
    repeats = repeated(events, path)
    events = [written(event) if at in repeats else event for at, event in enumerate(events)]
    shown = [(events[at], events[typed]) for at, typed in repeats.items()]
    keys = [(event, keys_of(event, lines, rests)) for event in events]
    keys += changed_marks(without_ticks(marks, ticks), lines, rests)
    keys += clicks_on_boxes(ticks, events, lines, rests, lights)
    keys = sorted(
        ((written(event) if clicks and event.until_ms else event, clicks) for event, clicks in keys),
        key=lambda one: one[0].t_ms,
    )
    events = [event for event, _ in keys]
    copies = {at: typed for at, event in enumerate(events) for copy, typed in shown if event is copy}
    clicks = (deed for deed in _clicks(events, lines, rests, buttons) if not copies.keys() >= {*deed.effects})
    found = [*_own(events, copies), *_with_own_clicks(clicks, keys)]
    found += _unanswered(_closings(events, lines, rests), found)
    found += [Deed(click, (at,)) for at, (_, clicks) in enumerate(keys) for click in clicks]
    found = _once(found, events)
    if not rests:
        found += [Deed(*click) for click in clicks_of(lights, events)]
    found = with_menu_clicks(events, lines, found)
    found = with_choices(found, events, lines)
    if rests:
        found += unseen_clicks(found, events, buttons, path)
        found += confirmations(found, events, lines, path)
        found += passing_clicks(found, events, lines, path)
        found = without_offers(found, events)
    found = sorted(
        [*found, *dismissals(found, lines, rests)],
        key=lambda deed: (deed.action.t_ms, deed.action.kind is ActionKind.TYPE),
    )
    found = with_last_effects(found, events)
    causes = {at: index for index, deed in enumerate(found) for at in deed.effects}
    caused = tuple(
        event.model_copy(update={"cause": causes[at]}) if at in causes else event for at, event in enumerate(events)
    )
    return tuple(deed.action for deed in found), caused


def _with_own_clicks(clicks: Iterable[Deed], keys: Sequence[tuple[Event, Sequence[Action]]]) -> Iterator[Deed]:
    """The clicks; of what was clicked by itself only what else came of it: a box, no key that writes a sign."""
    for deed in clicks:
        event, own = keys[deed.effects[0]]
        if not own:
            yield deed
        elif event.text is None:
            yield Deed(own[0], deed.effects)


def _once(deeds: Sequence[Deed], events: Sequence[Event]) -> list[Deed]:
    """The deeds; of two clicks on the same words at the same time the surer one, with what came of both.

    So it is where the first did nothing but light its button: the page's answer came later.
    """
    kept: list[Deed] = []
    for deed in sorted(deeds, key=lambda one: (-one.action.confidence, one.action.t_ms)):
        at = next((at for at, one in enumerate(kept) if _is_same_click(one, deed, events)), None)
        if at is None:
            kept.append(deed)
        else:
            kept[at] = Deed(kept[at].action, tuple(sorted({*kept[at].effects, *deed.effects})))
    return kept


def _is_same_click(first: Deed, second: Deed, events: Sequence[Event]) -> bool:
    """Whether both are on the same words, or one is on a box beside words, and the other on something without any."""
    one, other = first.action, second.action
    is_named = one.target == other.target is not None or (bool(one.value) and other.target is None)
    if not (one.kind is other.kind is ActionKind.CLICK and is_named):
        return False
    is_light = all(events[at].text is None and _is_at(events[at], one.region) for at in first.effects)
    return abs(one.t_ms - other.t_ms) <= _AGAIN_MS or (is_light and 0 < other.t_ms - one.t_ms <= _FOLLOWS_MS)


def _is_at(event: Event, place: Box | None) -> bool:
    return event.region is not None and place is not None and lies_in(place, event.region)


def _own(events: Sequence[Event], copies: Mapping[int, Event]) -> Iterator[Deed]:
    """Typing and scrolling, each by the event that shows it; what a program wrote comes of what was typed."""
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
            yield Deed(action, (at, *(place for place, typed in copies.items() if typed is event)))


def _clicks(
    events: Sequence[Event], lines: Sequence[Line], rests: Sequence[Rest], buttons: Sequence[LitButton]
) -> Iterator[Deed]:
    typed_ms = [event.t_ms for event in events if event.kind is EventKind.TYPED]
    for rest in rests:
        if rest.until_ms - rest.t_ms < BRIEF_MS:
            continue
        # A hand that types is no longer on the mouse.
        until_ms = min([t_ms for t_ms in typed_ms if rest.t_ms <= t_ms], default=rest.until_ms)
        rest = replace(rest, until_ms=min(rest.until_ms, until_ms))  # noqa: PLW2901 - the rest as far as it counts
        during = [
            at
            for at, event in enumerate(events)
            if rest.t_ms - EARLY_MS <= event.t_ms <= rest.until_ms + _left_ms(event)
            and (event.t_ms >= rest.t_ms + _ARRIVED_MS or is_more_than_light(event, rest, rests))
            and (rest.seen_ms > event.t_ms or event.t_ms - rest.t_ms > EARLY_MS)
            and not (_has_passed(event, rest, rests) or is_lit_on_leaving(event, rest))
            and _is_effect(event, rest, lines, rests)
        ]
        for group in _groups(events, during, rest, rests):
            waits = _waits(events, events[group[0]], rest)
            pressed_ms = events[waits[0]].t_ms if waits else _pressed_ms(events[group[0]], rest)
            opened = events[group[0]].region
            click = click_on(pressed_ms, rest, lines, opened=opened) or _nameless(events[group[0]], rest, rests)
            lit = lit_under(rest.tip, pressed_ms, buttons)
            if click is not None and click.confidence <= _BESIDE and lit is not None:
                click = lit.clicked(click.t_ms)
            if click is not None:
                if opens_at(rest.tip, events[group[0]].t_ms, lines):
                    click = with_right_button(click)
                yield Deed(click, tuple(sorted({*waits, *group})))


def _closings(events: Sequence[Event], lines: Sequence[Line], rests: Sequence[Rest]) -> Iterator[Deed]:
    """What opened and goes while the pointer, which came after it, stands on words of it: these were clicked."""
    for event in events:
        if event.kind is not EventKind.APPEARED or event.until_ms is None or event.region is None:
            continue
        for rest in rests:
            is_at_rest = rest.t_ms + _ARRIVED_MS <= event.until_ms <= rest.until_ms
            if rest.t_ms <= event.t_ms or not is_at_rest or any(gap(event.region, (*rest.tip, 1, 1))):
                continue
            click = click_on(event.until_ms, rest, lines, inside=True)
            if click is not None:
                yield Deed(click, ())


def _unanswered(clicks: Iterable[Deed], found: Sequence[Deed]) -> Iterator[Deed]:
    """Those that no effect has told of yet, each once."""
    known_ms = [deed.action.t_ms for deed in found if deed.action.kind is ActionKind.CLICK]
    for deed in clicks:
        if all(abs(deed.action.t_ms - t_ms) > _AT_ONCE_MS for t_ms in known_ms):
            known_ms.append(deed.action.t_ms)
            yield deed


def _is_effect(event: Event, rest: Rest, lines: Sequence[Line], rests: Sequence[Rest]) -> bool:
    if event.kind in _KINDS or event.region is None or (_is_reread(event, lines) and not is_gone(event, rest)):
        return False
    goes_with_it = event.until_ms is not None and abs(event.until_ms - rest.until_ms) <= LOST_MS
    is_near = event.kind is EventKind.APPEARED and distance(event, rest) <= TOOLTIP
    return not (is_near and goes_with_it) or is_entered(event, rests)


def _is_small(event: Event) -> bool:
    return event.region is not None and max(event.region[2:]) <= CONTROL


def _pressed_ms(effect: Event, rest: Rest) -> int:
    """When the click was: a page, and what changes elsewhere, is often asked of a server first."""
    if distance(effect, rest) <= _AT_HAND and effect.kind is not EventKind.NAVIGATED:
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


def _has_passed(event: Event, rest: Rest, rests: Sequence[Rest]) -> bool:
    """Whether the pointer was seen there only in passing, and elsewhere before this came."""
    return rest.is_passed and any(rest.t_ms < other.t_ms <= event.t_ms for other in rests)


def _is_reread(event: Event, lines: Sequence[Line]) -> bool:
    """Whether it may be the same words in another light: the row under a pointer is lit, and read anew."""
    if event.text is None or event.region is None or _is_closed(event):
        return False
    if event.confidence < _SURE:
        return True
    if event.before is not None:
        return len(event.text) >= _LETTERS and similarity(event.before, event.text) >= _SAME
    return any(
        overlap(box, event.region) and similarity(line.text, event.text) >= _SAME
        for line, box in standing(lines, event.t_ms, _FOLLOWS_MS)
    )


def _is_closed(event: Event) -> bool:
    """Whether several lines went: of one alone the pointer may hide the letters."""
    return event.kind is EventKind.VANISHED and len(event.lines) > 1


def _groups(events: Sequence[Event], during: Sequence[int], rest: Rest, rests: Sequence[Rest]) -> Iterator[list[int]]:
    """The changes of one click each; what comes late and elsewhere has no known cause."""
    group: list[int] = []
    pressed_ms = rest.t_ms
    for at in during:
        event = events[at]
        after_ms = event.t_ms - pressed_ms
        touches = distance(event, rest) <= TOUCHES
        shows = touches or (not group and (event.text is not None or _is_small(event)))
        is_own = begins_in_row(event, rest) and not group
        goes = (
            touches or is_own or (not group and (_is_closed(event) or is_gone(event, rest)) and after_ms <= _AT_ONCE_MS)
        )
        starts = shows if event.kind not in _LATER else goes and event.kind is EventKind.VANISHED
        is_awaited = is_own or _waits(events, event, rest)
        most_ms = _WAITED_MS if is_awaited else _LIVE_MS if _recurs(events, at) else _SOON_MS
        is_due = after_ms <= most_ms and (not group or after_ms > _AGAIN_MS)
        since_ms = event.t_ms if group else rest.t_ms
        if starts and is_due and not _is_stirred(events, event, rest, rests, since_ms=since_ms):
            if group:
                yield group
            group, pressed_ms = [at], event.t_ms
        elif group and after_ms <= _FOLLOWS_MS and not is_gone(event, rest):
            group.append(at)
    if group:
        yield group


def _recurs(events: Sequence[Event], at: int) -> bool:
    """Whether that place changes again and again, as a chart does that runs by itself."""
    region = events[at].region
    if events[at].kind is not EventKind.CHANGED or region is None or max(region[2:]) <= CONTROL:
        return False
    return any(
        other.kind is EventKind.CHANGED
        and other.region is not None
        and abs(other.t_ms - events[at].t_ms) > _AT_ONCE_MS
        and lies_in(region, other.region)
        and lies_in(other.region, region)
        for other in events
    )


def _is_stirred(events: Sequence[Event], event: Event, rest: Rest, rests: Sequence[Rest], *, since_ms: int) -> bool:
    """Whether the screen was changing already: more than a sign that a page is loaded, or what the pointer lit.

    What goes after the pointer came, or just under it, is the first of what the click brought; so is all that came
    since ``since_ms``.
    """
    before = (other for other in events if 0 < event.t_ms - other.t_ms <= _AGAIN_MS)
    return any(
        other.kind is not EventKind.BUSY
        and other.t_ms < since_ms
        and not _goes_first(other, rest)
        and (other.text or not (_is_small(other) or is_lit_on_way(other, rests)))
        for other in before
    )


def _goes_first(event: Event, rest: Rest) -> bool:
    since_ms = rest.t_ms + (_ARRIVED_MS if distance(event, rest) else 0)
    return event.kind is EventKind.VANISHED and since_ms <= event.t_ms <= rest.seen_ms


def _nameless(effect: Event, rest: Rest, rests: Sequence[Rest]) -> Action | None:
    """A click on what has no words beside it, as an icon, where something changed just when the pointer had come."""
    most_ms = _WAITED_MS if begins_in_row(effect, rest) else _AT_ONCE_MS
    if effect.t_ms - rest.t_ms > most_ms or not is_more_than_light(effect, rest, rests):
        return None
    return click_at(max(rest.t_ms, effect.t_ms), rest)
