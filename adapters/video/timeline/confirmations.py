"""Enter behind what was typed: it is taken, and the pointer that a click would have needed did not move.

A field that goes with what was typed, while that comes to stand elsewhere or a page comes, was confirmed. What goes and
brings nothing may have been given up, and a list that is found while one types leaves its field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import gap, overlap
from adapters.video.timeline.deeds import Deed
from adapters.video.timeline.resting import STILL
from core.analysis import COMES, Action, ActionKind, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.video.text.lines import Line
    from adapters.video.timeline.resting import Path
    from core.analysis import Event

_AFTER_MS: Final = 4000
"""A hand is back on the mouse later, or something else was done meanwhile."""
_TOGETHER_MS: Final = 300
_ANSWER_MS: Final = 800
_NEAR: Final = 8
_CONFIDENCE: Final = 0.9
_SHOWS: Final = {*COMES, EventKind.VANISHED}


def confirmations(deeds: Sequence[Deed], events: Sequence[Event], lines: Sequence[Line], path: Path) -> Iterator[Deed]:
    """One for each text that was confirmed by the keyboard; none in a film that shows no pointer.

    Args:
        deeds: all that is known to have been done.
        events: the timeline.
        lines: all that stood on the screen.
        path: where the pointer's tip stood from which millisecond on; ``None`` where it was not seen.

    """
    explained = {at for deed in deeds for at in deed.effects}
    acts_ms = [deed.action.t_ms for deed in deeds]
    for deed in deeds:
        typed = deed.action
        if typed.kind is not ActionKind.TYPE or typed.region is None:
            continue
        end_ms = typed.until_ms or typed.t_ms
        until_ms = min([t_ms for t_ms in acts_ms if t_ms > end_ms], default=end_ms + _AFTER_MS)
        late = [at for at, event in enumerate(events) if event.kind in _SHOWS and end_ms < event.t_ms <= until_ms]
        first = next((at for at in late if at not in explained), None)
        if first is None or events[first].t_ms > end_ms + _AFTER_MS:
            continue
        t_ms = events[first].t_ms
        effects = [at for at in late if t_ms <= events[at].t_ms <= t_ms + _ANSWER_MS and at not in explained]
        at_once = [events[at] for at in effects if events[at].t_ms <= t_ms + _TOGETHER_MS]
        if _is_taken(typed, at_once, lines, t_ms) and _is_still(typed, path, lines, t_ms):
            yield Deed(_enter(t_ms), tuple(effects))


def _is_taken(typed: Action, events: Sequence[Event], lines: Sequence[Line], t_ms: int) -> bool:
    """Whether its field went with it, and a page came, or the text elsewhere, or its dialog went and something came."""
    said, place, then_ms = typed.value, typed.region or (0, 0, 0, 0), t_ms + _TOGETHER_MS
    stay = (line for line in lines if line.t_ms < t_ms and (line.until_ms is None or line.until_ms > then_ms))
    if any(overlap(line.at(then_ms), place) and (said is None or said in line.text) for line in stay):
        return False
    if any(event.kind is EventKind.NAVIGATED for event in events):
        return True
    comes = [event for event in events if event.kind in COMES]
    went = [event for event in events if event.kind is EventKind.VANISHED]
    is_elsewhere = said is not None and any(said in event.lines for event in comes)
    is_closed = said is not None and any(said in event.lines and len(event.lines) > 1 for event in went)
    return is_elsewhere or (is_closed and bool(comes))


def _is_still(typed: Action, path: Path, lines: Sequence[Line], t_ms: int) -> bool:
    """Whether the pointer did not move since the first letter, and stands on nothing else that went."""
    known = [tip for since, tip in path if tip is not None and since <= typed.t_ms]
    moved = [tip for since, tip in path if tip is not None and typed.t_ms < since <= t_ms]
    if not known:
        return not moved
    x, y = known[-1]
    if any(max(abs(tip[0] - x), abs(tip[1] - y)) > STILL for tip in moved):
        return False
    place = typed.region or (0, 0, 0, 0)
    went = (line for line in lines if line.until_ms is not None and abs(line.until_ms - t_ms) <= _TOGETHER_MS)
    return not any(max(gap(line.at(t_ms), (x, y, 1, 1))) <= _NEAR for line in went if not overlap(line.at(t_ms), place))


def _enter(t_ms: int) -> Action:
    return Action(t_ms=t_ms, kind=ActionKind.PRESS, value="Enter", confidence=_CONFIDENCE, description="Pressed Enter.")
