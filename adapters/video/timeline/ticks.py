"""Clicks on the boxes beside words, by what stands in them before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, overlap, same_row
from adapters.video.timeline.deeds import click_on
from adapters.video.timeline.resting import LOST_MS
from adapters.video.timeline.sentences import ticked
from core.analysis import SET, UNSET, Action, ActionKind, Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft
    from adapters.video.text.ticked_boxes import Tick
    from adapters.video.timeline.lights import Light
    from adapters.video.timeline.resting import Rest

_NEAR_MS: Final = 500
"""The row is lit, and the tick has faded in, within it."""
_PAGE_MS: Final = 700
"""A page that comes so soon was asked for by it."""
_TAKEN_MS: Final = 2000
"""So long after the last letter Enter is pressed."""
_SIGN: Final = 2
"""So many letters of a line may be the box itself."""
_SURE: Final = 0.95
_LIKELY: Final = 0.6
"""Without a pointer and a row that was lit."""


def ticks_of(drafts: Sequence[Draft]) -> list[Tick]:
    """All that were ticked, cleared or chosen; a round one that is left is the effect of another.

    What goes to and fro at once is one change, or none: a tick fades in, a row is lit.
    """
    series: list[list[Tick]] = []
    for tick in (tick for draft in drafts for tick in draft.ticks):
        own = (one for one in series if one[-1].line is tick.line and tick.t_ms - one[-1].t_ms <= _NEAR_MS)
        same = next(own, None)
        if same is None:
            series.append([tick])
        else:
            same.append(tick)
    firsts = [one[0] for one in series if one[-1].is_set == one[0].is_set]
    return [tick for tick in firsts if tick.is_set or not tick.is_round]


def clicks_on_boxes(
    ticks: Sequence[Tick],
    events: Sequence[Event],
    lines: Sequence[Line],
    rests: Sequence[Rest],
    lights: Sequence[Light],
) -> Iterator[tuple[Event, list[Action]]]:
    """What each shows, and the click, if it was one; without a pointer it is sure in a lit row, or alone.

    What is seen to be ticked where no pointer was, and several boxes at once without one, is a window that came or
    went, or what another click did; an icon before a link may look like a box.
    """
    for tick in ticks:
        words, at, sure = _pointed(tick, lines, rests) if rests else _lit(tick, ticks, events, lights)
        if not words:
            continue
        state = None if tick.is_round else SET if tick.is_set else UNSET
        sure = round(sure * min(tick.line.score, 1.0), 3)
        event = Event(
            t_ms=tick.t_ms, kind=EventKind.CHANGED, region=tick.box, confidence=sure, description=ticked(words, state)
        )
        click = Action(
            t_ms=tick.t_ms,
            kind=ActionKind.CLICK,
            target=words,
            value=state,
            region=at,
            confidence=sure,
            description=f'Clicked "{words}".',
        )
        yield event, [] if not rests and _comes_of_typing(tick, events) else [click]


def _comes_of_typing(tick: Tick, events: Sequence[Event]) -> bool:
    """Whether something was typed in its row just before: a table ticks the rows that were changed."""
    return any(
        event.kind is EventKind.TYPED
        and event.region is not None
        and same_row(event.region, tick.box)
        and 0 <= tick.t_ms - (event.until_ms or event.t_ms) <= _TAKEN_MS
        for event in events
    )


def _pointed(tick: Tick, lines: Sequence[Line], rests: Sequence[Rest]) -> tuple[str, Box, float]:
    """The words beside it in whose row the pointer rests, where they stand, and how sure that is; empty for none."""
    words, at = tick.line.text, tick.line.at(tick.t_ms)
    rest = next((rest for rest in rests for row in (at, tick.box) if _is_in_row(row, tick.t_ms, rest)), None)
    if rest is None:
        return "", at, 0.0
    clicked = click_on(tick.t_ms, rest, lines)
    if clicked is None or clicked.region is None or not overlap(clicked.region, at):
        return words, at, _SURE
    part = clicked.target or ""
    # The words of another column begin farther on.
    return part if 0 <= words.find(part) <= _SIGN else "", clicked.region, _SURE


def _is_in_row(row: Box, t_ms: int, rest: Rest) -> bool:
    """Whether the pointer was in that row; what it hides is seen when it has left."""
    return rest.t_ms <= t_ms <= rest.until_ms + LOST_MS and not gap(row, (*rest.tip, 1, 1))[1]


def _lit(tick: Tick, ticks: Sequence[Tick], events: Sequence[Event], lights: Sequence[Light]) -> tuple[str, Box, float]:
    """The same without a pointer."""
    at = tick.line.at(tick.t_ms)
    pages_ms = (event.t_ms for event in events if event.kind is EventKind.NAVIGATED)
    is_link = any(0 < t_ms - tick.t_ms <= _PAGE_MS for t_ms in pages_ms)
    if is_link or any(other is not tick and abs(other.t_ms - tick.t_ms) <= _NEAR_MS for other in ticks):
        return "", at, 0.0
    is_lit = any(light.line is tick.line and abs(light.t_ms - tick.t_ms) <= _NEAR_MS for light in lights)
    is_sure = is_lit or not any(_is_beside(event, tick) for event in events)
    return tick.line.text if is_lit or not tick.is_round else "", at, _SURE if is_sure else _LIKELY


def _is_beside(event: Event, tick: Tick) -> bool:
    """Whether it happened about then, and elsewhere."""
    until_ms = (event.until_ms or event.t_ms) if event.kind is EventKind.TYPED else event.t_ms
    is_then = event.t_ms - _NEAR_MS <= tick.t_ms <= until_ms + _NEAR_MS
    return is_then and (event.region is None or not overlap(event.region, tick.box))


def without_ticks(marks: Sequence[tuple[int, Box]], ticks: Sequence[Tick]) -> list[tuple[int, Box]]:
    """The small things that changed their look but are no boxes of which more is known."""
    return [
        (t_ms, box)
        for t_ms, box in marks
        if not any(abs(t_ms - tick.t_ms) <= _NEAR_MS and overlap(box, tick.box) for tick in ticks)
    ]
