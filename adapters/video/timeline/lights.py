"""Clicks that show without a pointer: a control is lit, and what it does comes right after.

A test's browser draws no pointer, but a link under it is underlined, a button darkens, a field is framed. One such
change says nothing by itself, nor among others; alone on a quiet screen, and with what follows elsewhere, it is a click
on the words inside.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, lies_in, overlap, same_row
from adapters.video.motion.changes import BLOCK
from adapters.video.text.lines import address_of, without_sign
from adapters.video.timeline.busy_buttons import busy_buttons
from adapters.video.timeline.deeds import click_on_words
from adapters.video.timeline.pointed_words import pointed_words
from core.analysis import COMES, Action, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from core.analysis import Event

_STOOD_MS: Final = 700
"""What came just before, as the row of a log, is still being painted."""
_LEAST_MS: Final = 40
_PAINTED: Final = 1.5
"""Frames before what came: so soon a part of it is painted already."""
_MOST_MS: Final = 1200
"""Between a control's being lit and what it does: a server may be asked first."""
_ANSWERED_MS: Final = 3000
"""The same of a button that took the focus from a field: what was typed is being looked at."""
_PULSES_MS: Final = 8000
_PULSES: Final = 5
"""Changes of its look so near to one: a hand that clicks on and on is slower."""
_QUIET_MS: Final = 300
"""For so long nothing was read anew before, and no other control was lit before or after."""
_WIDE: Final = 0.4
"""Of the picture: a control is no wider."""
_HIGH: Final = 4
"""Heights of its text: a control is no higher."""
_BOTH: Final = 9
"""The same of a field and of the button below it, of which one lost the focus to the other."""
_PAGE: Final = 20
"""So many times larger than a control is what changes all around it."""
_LIT: Final = 0.7
_LED: Final = 0.88
"""The same where a page, or most of one, came in its place."""
_FOCUSED: Final = 0.9
_UNSURE: Final = 0.6
_AGAIN: Final = 3
"""So many answers to a control's being lit are none by chance."""
_EDGE: Final = 8
"""A control is so many pixels higher than its text at least."""
_LETTERS: Final = 3
_LEGIBLE: Final = 0.93
PAGE_LINES: Final = 4
"""So many lines that come or go at once are a page, or most of one."""


@dataclass(frozen=True, slots=True)
class Light:
    """A control whose look changed, and the line of text in it."""

    t_ms: int
    box: Box
    line: Line
    is_faint: bool = False
    """Whether no pixel changed much."""
    is_busy: bool = False
    """Whether a circle turned behind its words: what it does is waited for."""

    def is_beside(self, event: Event) -> bool:
        """Whether the event happened elsewhere, or all over the screen."""
        return event.region is None or self.leads_to(event) or not overlap(self.box, event.region)

    def leads_to(self, event: Event) -> bool:
        """Whether a page, or what is much larger than a control, came."""
        if event.kind is EventKind.NAVIGATED or event.region is None or _is_page_that_goes(event):
            return True
        return event.region[2] * event.region[3] >= _PAGE * self.box[2] * self.box[3]

    def gives_way_to(self, event: Event) -> bool:
        """Whether a page, or most of one, came where it stood: beside it, a pointer may only have passed over it."""
        until_ms, place = self.line.until_ms, event.region
        goes = until_ms is not None and abs(until_ms - event.t_ms) <= _QUIET_MS
        return self.leads_to(event) and (goes or place is None or max(gap(self.box, place)) <= _EDGE)

    def is_on(self, other: Light) -> bool:
        """Whether it is the look of the same control."""
        return self.line.text == other.line.text and bool(overlap(self.box, other.box))

    @property
    def is_high(self) -> bool:
        """Whether it is higher than one control."""
        return self.box[3] > _HIGH * self.line.box[3]


def lights_of(drafts: Sequence[Draft], width: int, frame_ms: float) -> list[Light]:
    """Each change of a control's look in which its words, and nothing but them, stayed as they were.

    What changes in the last frame before something else comes is a part of that.
    """
    found: list[Light] = []
    stirred = [draft.t_ms for draft in drafts if draft.match.says_anything or draft.scroll is not None]
    painted_ms = _PAINTED * frame_ms
    for draft in drafts:
        if draft.first or draft.match.says_anything or draft.scroll is not None or _is_hidden_typing(draft):
            continue
        is_stirred = any(-painted_ms < draft.t_ms - t_ms <= _QUIET_MS for t_ms in stirred)
        if is_stirred:
            continue
        words = [line for line, box in draft.stood if not line.false and _is_lit(box, draft)]
        if len(words) != 1 or len(words[0].text) < _LETTERS or words[0].score < _LEGIBLE:
            continue
        line = words[0]
        if _is_of_bar(line, draft.stood) or line.t_ms > max(draft.t_ms - _STOOD_MS, 0):
            continue
        if draft.box[2] <= _WIDE * width and draft.box[3] <= _BOTH * line.box[3] and _stays(line, draft.t_ms):
            found.append(Light(draft.t_ms, draft.box, line))
    return found


def busy_lights(drafts: Sequence[Draft]) -> Iterator[Light]:
    """Buttons behind whose words a circle began to turn."""
    for run in busy_buttons(drafts):
        line, sign = run[0].match.changed[0]
        if line.t_ms <= max(run[0].t_ms - _STOOD_MS, 0) and line.score >= _LEGIBLE and len(line.text) < len(sign.text):
            yield Light(run[0].t_ms, around(draft.box for draft in run), line, is_busy=True)


def _is_hidden_typing(draft: Draft) -> bool:
    return draft.masked is not None and draft.masked.steps > 1


def _is_lit(box: Box, draft: Draft) -> bool:
    """Whether the place of a text changed its look, or a line was drawn below it, as below a link."""
    if (draft.match.kept or draft.solid) and lies_in(box, draft.box):
        return True
    x, y, width, height = draft.box
    left, top, wide, high = box
    is_line = height <= 2 * BLOCK and width >= max(3 * BLOCK, 2 * height)
    is_below = top + high / 2 <= y <= top + high + BLOCK // 2
    return is_line and is_below and left - BLOCK <= x and x + width <= left + wide + BLOCK


def faint_lights(places: Sequence[tuple[int, Box]], lights: Sequence[Light], lines: Sequence[Line]) -> Iterator[Light]:
    """Controls that became a little brighter or darker around the one text in them; none that is a light already.

    What is no higher than its text may be a link that a pointer has left.
    """
    for t_ms, box in places:
        if any(abs(light.t_ms - t_ms) <= _QUIET_MS and overlap(light.box, box) for light in lights):
            continue
        there = [(line, line.at(t_ms)) for line in lines if _stood(line, t_ms)]
        words = [line for line, at in there if lies_in(at, box)]
        if len(words) != 1 or not _stays(words[0], t_ms) or len(words[0].text) < _LETTERS or words[0].score < _LEGIBLE:
            continue
        if box[3] >= words[0].at(t_ms)[3] + _EDGE and not _is_of_bar(words[0], there):
            yield Light(t_ms, box, words[0], is_faint=True)


def _is_of_bar(line: Line, there: Sequence[tuple[Line, Box]]) -> bool:
    """Whether it stands in the bar of a browser that shows the address."""
    return any(same_row(box, line.box) and address_of(other.text) for other, box in there)


def _stood(line: Line, t_ms: int) -> bool:
    return line.t_ms <= max(t_ms - _STOOD_MS, 0) and (line.until_ms is None or line.until_ms >= t_ms)


def _stays(line: Line, t_ms: int) -> bool:
    """Whether it was no placeholder that gave way to what was typed."""
    return line.until_ms is None or line.until_ms - t_ms > _LEAST_MS


def clicks_of(lights: Sequence[Light], events: Sequence[Event]) -> list[tuple[Action, tuple[int, ...]]]:
    """The clicks, each with the indices of the events that followed from it, until the next control was lit.

    A field that had been typed into loses its light when a button gets the focus: then that button was pressed. What
    comes three times after the same control was lit comes of it.
    """
    clicks = list(_answered(lights, events))
    times = Counter((click.target, click.region) for click, _ in clicks if click.confidence >= _LIT * _LEGIBLE)
    return [(_surer(one) if times[one.target, one.region] >= _AGAIN else one, follows) for one, follows in clicks]


def _surer(click: Action) -> Action:
    return click.model_copy(update={"confidence": max(click.confidence, _LED)})


def _answered(lights: Sequence[Light], events: Sequence[Event]) -> Iterator[tuple[Action, tuple[int, ...]]]:
    known: set[int] = set()
    for click, follows in _lit_clicks(lights, events):
        known |= set(follows)
        yield click, follows
    for light in lights:
        if light.is_faint and _is_apart(light, lights):
            follows = _following(light, events, _until_ms(light, lights, _MOST_MS))
            is_led = any(light.leads_to(events[index]) for index in follows)
            is_alone = bool(follows) and all(light.is_beside(events[index]) for index in follows)
            if (is_led or is_alone) and not known & set(follows):
                yield _click(light, _LED if _gives_way(light, follows, events) else _LIT), follows


def _lit_clicks(every: Sequence[Light], events: Sequence[Event]) -> Iterator[tuple[Action, tuple[int, ...]]]:
    lights = [light for light in every if not (light.is_faint or _is_pulsing(light, every))]
    typed = [(event.t_ms, event.region) for event in events if event.kind is EventKind.TYPED and event.region]
    left = [light for light in lights if any(_is_left(light, t_ms, region) for t_ms, region in typed)]
    both = [light for light in left if light.is_high and not any(overlap(light.line.box, at) for _, at in typed)]
    others = [light for light in lights if light in both or not (light in left or light.is_high)]
    for light in others:
        if not _is_apart(light, others):
            continue
        has_focus = light in both or any(abs(one.t_ms - light.t_ms) <= _LEAST_MS for one in left)
        is_awaited = has_focus or light.is_busy
        follows = _following(light, events, _until_ms(light, others, _ANSWERED_MS if is_awaited else _MOST_MS))
        is_field = any(
            0 <= t_ms - light.t_ms <= _MOST_MS and max(gap(light.box, region)) <= light.line.box[3]
            for t_ms, region in typed
        )
        is_alone = all(light.is_beside(events[index]) for index in follows)
        if follows and is_alone and (light in both or not is_field):
            # What was lit before may only lose that light now.
            is_first = not any(light.is_on(other) for other in every if light.t_ms - other.t_ms > _MOST_MS)
            is_led = is_first and _gives_way(light, follows, events)
            yield _click(light, _FOCUSED if is_awaited else _LED if is_led else _LIT), follows


def _is_pulsing(light: Light, lights: Sequence[Light]) -> bool:
    """Whether a control changes its look again and again, as an animated one does."""
    return sum(light.is_on(one) and abs(one.t_ms - light.t_ms) <= _PULSES_MS for one in lights) > _PULSES


def _gives_way(light: Light, follows: Sequence[int], events: Sequence[Event]) -> bool:
    return any(light.gives_way_to(events[index]) for index in follows)


def _is_apart(light: Light, lights: Sequence[Light]) -> bool:
    """Whether no other control was lit just before it or just after it."""
    return not any(one is not light and abs(one.t_ms - light.t_ms) <= _QUIET_MS for one in lights)


def _until_ms(light: Light, lights: Sequence[Light], most_ms: int) -> float:
    """Until when what comes may follow from it: the next control is lit then."""
    next_ms = min((later.t_ms for later in lights if later.t_ms > light.t_ms), default=math.inf)
    return min(light.t_ms + most_ms, next_ms)


def _following(light: Light, events: Sequence[Event], until_ms: float) -> tuple[int, ...]:
    """What came after it, and what came soon after the first of that."""
    found = [
        index
        for index, event in enumerate(events)
        if light.t_ms + _LEAST_MS <= event.t_ms <= until_ms and _is_effect(event)
    ]
    first_ms = events[found[0]].t_ms if found else 0
    return tuple(index for index in found if events[index].t_ms <= max(first_ms + _QUIET_MS, light.t_ms + _MOST_MS))


def _is_effect(event: Event) -> bool:
    """Whether something came, or a page went of which another takes the place later."""
    return bool(event.text) and (event.kind in COMES or _is_page_that_goes(event))


def _is_page_that_goes(event: Event) -> bool:
    return event.kind is EventKind.VANISHED and len(event.lines) >= PAGE_LINES


def _is_left(light: Light, typed_ms: int, region: Box) -> bool:
    """Whether it is the field in which something had been typed before."""
    return typed_ms < light.t_ms and bool(overlap(light.box, region))


def _click(light: Light, sure: float) -> Action:
    words, place, is_one = _lit_words(light)
    return click_on_words(light.t_ms, words, place, (sure if is_one else _UNSURE) * min(light.line.score, 1.0))


def _lit_words(light: Light) -> tuple[str, Box, bool]:
    """What is lit of a line, where it stands, and whether it is one name: those of a bar may be read as one line."""
    line, at = light.line, light.line.at(light.t_ms)
    left, _, width, _ = light.box
    ends = [pointed_words(line, at, x) or (line.text, at) for x in (left + width // 4, left + 3 * width // 4)]
    is_one = ends[0] == ends[1]
    words, place = ends[0] if is_one else (line.text, at)
    # What reaches out of the light is another name, though nothing tells where that ends.
    is_whole = left <= place[0] + place[3] and left + width >= place[0] + place[2] - place[3]
    return without_sign(words), place, is_one and is_whole
