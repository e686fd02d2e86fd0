"""From what each change did to the events of a timeline: merges, leaves out what is no event, finds the words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap
from adapters.video.text.lines import in_order
from adapters.video.timeline.addresses import bars_of, with_pages, without_bars
from adapters.video.timeline.busy_buttons import without_turning_signs
from adapters.video.timeline.chains import apart, paragraphs, typings
from adapters.video.timeline.clocks import hands, ticks
from adapters.video.timeline.colours import recolourings
from adapters.video.timeline.continuous_motion import (
    counted,
    counts,
    gathered,
    is_beside,
    is_part_of,
    is_passing,
    is_share,
    steps_of_bars,
    was_read,
)
from adapters.video.timeline.field_names import without_values
from adapters.video.timeline.filled_fields import filled
from adapters.video.timeline.hidden_typing import hidden_rows, hidden_typing
from adapters.video.timeline.icons import without_icons
from adapters.video.timeline.joining import joined, without_flashes
from adapters.video.timeline.kinds import is_update, kind_of, numbered, scroll_shift
from adapters.video.timeline.overlays import lift
from adapters.video.timeline.panes import as_logs, column_beside, divided, is_within
from adapters.video.timeline.repetitions import without_repetitions
from adapters.video.timeline.rereadings import readable, without_rereadings
from adapters.video.timeline.sentences import (
    RECOLOURED,
    appeared,
    busy,
    came_there,
    changed,
    navigated,
    quoted,
    repainted,
    replaced,
    scrolled,
    vanished,
)
from adapters.video.timeline.transitions import at_rest
from adapters.video.timeline.typed_dates import typed_dates
from adapters.video.timeline.typed_events import carried_on, filled_event, typed_event, typed_on, with_first_letter
from core.analysis import BETWEEN_LINES, Event, EventKind, Sighting
from core.narrative import LASTING_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from adapters.video.frame import Box
    from adapters.video.motion.settled import ContinuousMotion
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft


_FILLED: Final = 0.5
_DIGITS: Final = 2
_TIME_OF_DAY: Final = re.compile(r"\d{1,2}:\d\d(:\d\d)?( ?[ap]\.?m\.?)?", re.IGNORECASE)
_BY_THEMSELVES: Final = {EventKind.APPEARED, EventKind.VANISHED}
_WITHOUT_TEXT: Final = {EventKind.SCROLLED, EventKind.NAVIGATED}
_PAIRS: Final = 3
"""So many lines that changed are told with what stood there before."""
_LEAST_SIDE: Final = 24
_LEAST_SIDE_UNFOLLOWED: Final = 40
_FOLLOWED_MS: Final = 200
"""With longer between two frames the mouse pointer cannot be followed, and what is of its size may be the pointer."""


def compose(
    drafts: Sequence[Draft],
    motions: Sequence[ContinuousMotion],
    *,
    size: tuple[int, int],
    frame_ms: float,
    is_pointed: bool,
) -> tuple[Event, ...]:
    """The timeline, in order of time.

    Args:
        drafts: what changed.
        motions: what kept moving.
        size: the picture's width and height.
        frame_ms: a frame's duration.
        is_pointed: whether a pointer is seen.

    """
    without_icons(drafts)
    drafts = without_turning_signs(drafts)
    address_bars = bars_of(drafts, size[1])
    column = column_beside(drafts, address_bars, size[0])
    if column is None:
        return _composed(drafts, motions, address_bars, size=size, frame_ms=frame_ms, is_pointed=is_pointed)
    beside, within = divided(drafts, column)
    others = [one for one in motions if not is_within(one.box, column)]
    pages = _composed(beside, others, address_bars, size=size, frame_ms=frame_ms, is_pointed=is_pointed)
    log = as_logs(_composed(within, (), (), size=size, frame_ms=frame_ms, is_pointed=None))
    return tuple(sorted([*pages, *log], key=lambda event: event.t_ms))


def _composed(
    drafts: Sequence[Draft],
    motions: Sequence[ContinuousMotion],
    address_bars: Sequence[Box],
    *,
    size: tuple[int, int],
    frame_ms: float,
    is_pointed: bool | None,
) -> tuple[Event, ...]:
    open_drafts = [draft for draft in drafts if not draft.first]
    without_rereadings(open_drafts)
    without_bars(open_drafts, address_bars, size)
    recoloured, open_drafts = recolourings(open_drafts, size)
    without_flashes(open_drafts)
    lift(open_drafts)
    masked, open_drafts = hidden_rows(open_drafts)
    bars = steps_of_bars(open_drafts)
    runs = counts(open_drafts, frame_ms)
    alone = [run for run in runs if not (is_share(run) or is_beside(run, motions, bars))]
    bars += [run for run in runs if run not in alone]
    for line in (line for bar in bars for draft in bar for line in draft.match.coming):
        line.false = True
    restless = gathered(motions, bars)
    reported = {id(draft) for run in (*bars, *alone) for draft in run}
    every = open_drafts
    open_drafts = [draft for draft in open_drafts if id(draft) not in reported]
    open_drafts = sorted([*open_drafts, *map(counted, alone)], key=lambda draft: draft.t_ms)
    pictures = [one for one in restless if not (is_passing(one) or was_read(one, open_drafts, every))]
    events = [_busy(motion) for motion in pictures]
    events += [hidden_typing(row) for row in masked]
    events += [_make(draft, EventKind.CHANGED, [], RECOLOURED, region=draft.solid) for draft in recoloured]
    open_drafts = [draft for draft in open_drafts if not is_part_of(draft, restless)]
    running = ticks(open_drafts, frame_ms) | hands(open_drafts, frame_ms)
    open_drafts = [draft for draft in open_drafts if id(draft) not in running]
    open_drafts = apart(open_drafts)
    dates = typed_dates(open_drafts)
    dated = {id(draft) for chain in dates for draft in chain}
    open_drafts = [draft for draft in open_drafts if id(draft) not in dated]
    events += [typed_event(chain) for chain in dates]
    chains = [with_first_letter(chain, open_drafts) for chain in typings(open_drafts)]
    chained = {id(draft) for chain in chains for draft in chain}
    events += [typed_on([typed_event(chain) for chain in text]) for text in paragraphs(chains)]
    open_drafts = [draft for draft in open_drafts if id(draft) not in chained]
    if is_pointed is not None:
        fills, open_drafts = filled(open_drafts, is_pointed=is_pointed)
        events += [filled_event(fill) for fill in fills]
    rest = joined(at_rest(open_drafts, motions, address_bars), size)
    least = _LEAST_SIDE if frame_ms <= _FOLLOWED_MS else _LEAST_SIDE_UNFOLLOWED
    events += [event for draft in rest if (event := _event(draft, size, least)) is not None]
    events = with_pages(sorted(events, key=lambda event: event.t_ms), address_bars, size)
    return tuple(without_values(carried_on(without_repetitions(events, drafts))))


def sightings(lines: Iterable[Line]) -> tuple[Sighting, ...]:
    """Every text and its time on the screen."""
    seen = [
        Sighting(
            text=line.text,
            t_ms=line.t_ms,
            until_ms=line.until_ms,
            region=line.box,
            confidence=round(min(line.score, 1.0), 3),
            frame=line.frame,
            earlier=tuple(line.been),
        )
        for line in lines
    ]
    return tuple(sorted(seen, key=lambda one: one.t_ms))


def _busy(motion: ContinuousMotion) -> Event:
    return Event(
        t_ms=motion.t_ms,
        until_ms=motion.until_ms,
        kind=EventKind.BUSY,
        region=motion.box,
        confidence=0.9,
        description=busy(motion.box, motion.until_ms - motion.t_ms),
    )


def _event(draft: Draft, size: tuple[int, int], least: int) -> Event | None:
    kind = kind_of(draft, size)
    said = replace(draft, match=readable(draft.match))
    if kind is not EventKind.NAVIGATED and draft.scroll is None:
        kind = kind_of(said, size)
    if kind in _BY_THEMSELVES and not any(map(_says_more_than_a_number, (*said.match.coming, *said.match.leaving))):
        return None
    if kind is None or not (kind in _WITHOUT_TEXT or said.match.says_anything):
        return _repainted(draft, least)
    if kind is EventKind.APPEARED and not said.match.coming:
        return None
    return _MAKERS[kind](said)


def _says_more_than_a_number(line: Line) -> bool:
    """Whether it is no mark of an axis, number of a line, time of day, or icon that is read as a digit."""
    if _TIME_OF_DAY.fullmatch(line.text):
        return False
    return len(line.text) > _DIGITS or not line.text.isdecimal()


def _appeared(draft: Draft) -> Event:
    lines = in_order(draft.match.coming)
    ends = [line.until_ms for line in lines]
    until = max((end for end in ends if end is not None), default=None) if None not in ends else None
    if until is not None and until <= draft.t_ms:
        # It was gone before its place had come to rest.
        draft = replace(draft, t_ms=min(line.t_ms for line in lines))
        until = max(until, draft.t_ms)
    said = appeared(quoted(lines), draft.t_ms, until)
    return _make(draft, EventKind.APPEARED, lines, said, text=_together(lines), until_ms=until)


def _vanished(draft: Draft) -> Event | None:
    lines = in_order(draft.match.leaving)
    if all(draft.t_ms - line.t_ms < LASTING_MS and line.t_ms > 0 for line in lines):
        return None
    region = around(line.box for line in lines)
    return _make(draft, EventKind.VANISHED, lines, vanished(quoted(lines)), text=_together(lines), region=region)


def _changed(draft: Draft) -> Event:
    """Of much that changed, what stands there now: what was covered, scrolled on or laid anew seems to be gone, too."""
    old, new = _differing(in_order(draft.match.leaving), in_order(draft.match.coming))
    if not any(overlap(before.box, after.came_at) for before in old for after in new):
        # What went elsewhere is covered or has moved as often as it is gone.
        return _appeared(draft)
    if max(len(old), len(new)) > _PAIRS:
        counted = [before for before, after in draft.match.changed if is_update(before, after)]
        counted = counted if len(counted) < _PAIRS else []
        said = came_there(quoted(new), replaced(counted) if counted else None)
        return _make(draft, EventKind.CHANGED, new, said, text=_together(new), before=_together(counted) or None)
    said = changed(replaced(old), quoted(new), single=len(old) == len(new) == 1)
    return _make(draft, EventKind.CHANGED, new, said, text=_together(new), before=_together(old))


def _differing(old: Sequence[Line], new: Sequence[Line]) -> tuple[Sequence[Line], Sequence[Line]]:
    """Without what says the same on both sides: it moved a little. All, where nothing else is left on one side."""
    stays = {line.text for line in old} & {line.text for line in new}
    left = [line for line in old if line.text not in stays], [line for line in new if line.text not in stays]
    return left if all(left) else (old, new)


def _navigated(draft: Draft) -> Event:
    lines = in_order(draft.match.coming)
    shown = quoted(lines, numbered(draft.match.changed)) if lines else None
    return _make(draft, EventKind.NAVIGATED, lines, navigated(shown), text=_together(lines) or None)


def _scrolled(draft: Draft) -> Event:
    shift = scroll_shift(draft) or (0, 0)
    lines = in_order(draft.match.coming)
    said = scrolled(shift, quoted(lines) if lines else None)
    until_ms = draft.scroll.until_ms if draft.scroll else None
    return _make(draft, EventKind.SCROLLED, lines, said, text=_together(lines) or None, until_ms=until_ms)


def _repainted(draft: Draft, least: int) -> Event | None:
    if draft.solid is None or draft.fill < _FILLED or min(draft.solid[2:]) < least:
        return None
    return _make(draft, EventKind.CHANGED, [], repainted(draft.solid), region=draft.solid)


def _make(
    draft: Draft,
    kind: EventKind,
    lines: Sequence[Line],
    description: str,
    *,
    text: str | None = None,
    before: str | None = None,
    until_ms: int | None = None,
    region: Box | None = None,
) -> Event:
    return Event(
        t_ms=draft.t_ms,
        until_ms=until_ms,
        kind=kind,
        text=text,
        before=before,
        region=region or (around(line.came_at for line in lines) if lines else draft.box),
        confidence=_confidence(lines),
        frame=draft.frame,
        description=description,
    )


def _confidence(lines: Sequence[Line]) -> float:
    return round(min((min(line.score, 1.0) for line in lines), default=0.7), 3)


def _together(lines: Sequence[Line]) -> str:
    return BETWEEN_LINES.join(line.text for line in lines)


_MAKERS: Final[dict[EventKind, Callable[[Draft], Event | None]]] = {
    EventKind.APPEARED: _appeared,
    EventKind.VANISHED: _vanished,
    EventKind.CHANGED: _changed,
    EventKind.NAVIGATED: _navigated,
    EventKind.SCROLLED: _scrolled,
}
