"""From what each change did to the events of a timeline: merges, leaves out what is no event, finds the words."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from adapters.video.boxes import around, overlap
from adapters.video.text.lines import in_order
from adapters.video.timeline import sentences
from adapters.video.timeline.chains import apart, hands, line_of, paragraphs, ticks, typed_until, typings
from adapters.video.timeline.joining import joined, without_flashes
from adapters.video.timeline.kinds import kind_of, numbered, scroll_shift
from adapters.video.timeline.overlays import lift
from adapters.video.timeline.unrest import counts, gathered, is_part_of, steps_of_bars
from core.analysis import Event, EventKind, Sighting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from adapters.video.boxes import Box
    from adapters.video.motion.activity import Unrest
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft

_SHORT_MS: Final = 2000
"""What was there for less is told by one event with its end; longer-lived things get a second one, ``vanished``."""
_BEFORE_MS: Final = 400
_FILLED: Final = 0.5
_FIRST: Final = 4
_LARGER: Final = 1.3
_LEAST_SIDE: Final = 24
_LEAST_SIDE_UNFOLLOWED: Final = 40
_FOLLOWED_MS: Final = 200
"""With longer between two frames the mouse pointer cannot be followed, and what is of its size may be the pointer."""


def compose(
    drafts: Sequence[Draft], unrests: Sequence[Unrest], *, size: tuple[int, int], frame_ms: float
) -> tuple[Event, ...]:
    """The timeline, in order of time; ``size`` is the picture's width and height, ``frame_ms`` a frame's duration."""
    open_drafts = [draft for draft in drafts if not draft.first]
    for draft in open_drafts:
        draft.match.without_false()
    without_flashes(open_drafts)
    lift(open_drafts)
    masked = _rows(open_drafts)
    bars = [*steps_of_bars(open_drafts), *counts(open_drafts, frame_ms)]
    for line in (line for bar in bars for draft in bar for line in draft.match.coming):
        line.false = True
    restless = gathered(unrests, bars)
    events = [_busy(unrest) for unrest in restless] + [_typed_hidden(row) for row in masked]
    told = {id(draft) for run in (*bars, *masked) for draft in run}
    open_drafts = [draft for draft in open_drafts if id(draft) not in told and not is_part_of(draft, restless)]
    running = ticks(open_drafts, frame_ms) | hands(open_drafts, frame_ms)
    open_drafts = [draft for draft in open_drafts if id(draft) not in running]
    open_drafts = apart(open_drafts)
    chains = [_with_first_letter(chain, open_drafts) for chain in typings(open_drafts)]
    chained = {id(draft) for chain in chains for draft in chain}
    events += [_typed_on([_typed(chain) for chain in text]) for text in paragraphs(chains)]
    rest = joined([draft for draft in open_drafts if id(draft) not in chained], size)
    least = _LEAST_SIDE if frame_ms <= _FOLLOWED_MS else _LEAST_SIDE_UNFOLLOWED
    events += [event for draft in rest if (event := _event(draft, size, least)) is not None]
    return tuple(sorted(events, key=lambda event: event.t_ms))


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


def _busy(unrest: Unrest) -> Event:
    return Event(
        t_ms=unrest.t_ms,
        until_ms=unrest.until_ms,
        kind=EventKind.BUSY,
        region=unrest.box,
        confidence=0.9,
        description=sentences.busy(unrest.box, unrest.until_ms - unrest.t_ms),
    )


def _with_first_letter(chain: list[Draft], drafts: Sequence[Draft]) -> list[Draft]:
    """The chain and the small changes around it that were no text yet, or only its caret."""
    line = line_of(chain[-1])
    if line is None:
        return chain
    row = (line.box[0] - line.box[3], line.box[1] - line.box[3], line.box[2] + 2 * line.box[3], 3 * line.box[3])
    around_it = [
        draft
        for draft in drafts
        if not draft.match.says_anything
        and chain[0].t_ms - _BEFORE_MS <= draft.t_ms <= chain[-1].t_ms + _BEFORE_MS
        and 2 * overlap(draft.box, row) >= draft.box[2] * draft.box[3]
    ]
    return sorted([*chain, *around_it], key=lambda draft: draft.t_ms)


def _rows(drafts: Sequence[Draft]) -> list[list[Draft]]:
    rows: dict[int, list[Draft]] = {}
    for draft in drafts:
        if draft.masked is not None and draft.masked.sure:
            rows.setdefault(id(draft.masked), []).append(draft)
    return list(rows.values())


def _typed_hidden(row: Sequence[Draft]) -> Event:
    first, last = row[0], row[-1]
    return Event(
        t_ms=first.t_ms,
        until_ms=last.t_ms,
        kind=EventKind.TYPED,
        region=around(draft.box for draft in row),
        confidence=0.8,
        frame=last.frame,
        description=sentences.typed_hidden(first.label),
    )


def _typed(chain: Sequence[Draft]) -> Event:
    telling = [draft for draft in chain if draft.match.says_anything]
    first, last = telling[0], telling[-1]
    before = first.match.changed[0][0].text if first.match.changed else None
    line = last.match.coming[0]
    return Event(
        t_ms=chain[0].t_ms,
        until_ms=typed_until(telling),
        kind=EventKind.TYPED,
        text=line.text,
        before=before,
        # Where it was typed, wherever it may stand on a later page.
        region=line.came_at,
        confidence=_confidence([line]),
        frame=last.frame,
        description=sentences.typed(line.text, before, first.label),
    )


def _typed_on(lines: Sequence[Event]) -> Event:
    """One event for the lines of a text that were written one below the other."""
    if len(lines) == 1:
        return lines[0]
    text = " ".join(line.text for line in lines if line.text)
    return lines[0].model_copy(
        update={
            "until_ms": lines[-1].until_ms,
            "text": text,
            "region": around(line.region for line in lines if line.region),
            "confidence": min(line.confidence for line in lines),
            "frame": lines[-1].frame,
            "description": sentences.typed(text, lines[0].before, None),
        }
    )


def _event(draft: Draft, size: tuple[int, int], least: int) -> Event | None:
    kind = kind_of(draft, size)
    return _MAKERS[kind](draft) if kind is not None else _repainted(draft, least)


def _appeared(draft: Draft) -> Event:
    lines = in_order(draft.match.coming)
    ends = [line.until_ms for line in lines]
    until = max((end for end in ends if end is not None), default=None) if None not in ends else None
    text = _together(lines)
    return _make(
        draft, EventKind.APPEARED, lines, sentences.appeared(text, draft.t_ms, until), text=text, until_ms=until
    )


def _vanished(draft: Draft) -> Event | None:
    lines = in_order(draft.match.leaving)
    if all(draft.t_ms - line.t_ms < _SHORT_MS and line.t_ms > 0 for line in lines):
        return None
    text = _together(lines)
    region = around(line.box for line in lines)
    return _make(draft, EventKind.VANISHED, lines, sentences.vanished(text), text=text, region=region)


def _changed(draft: Draft) -> Event:
    old = in_order(draft.match.leaving)
    new = in_order(draft.match.coming)
    before, text = _together(old), _together(new)
    single = len(old) == len(new) == 1
    return _make(
        draft, EventKind.CHANGED, new, sentences.changed(before, text, single=single), text=text, before=before
    )


def _navigated(draft: Draft) -> Event:
    # What stands first says which page it is, and what is written large or counts on.
    lines = in_order(draft.match.coming)
    usual = median(line.box[3] for line in lines)
    large = [line for line in lines[_FIRST:] if line.box[3] >= _LARGER * usual][:_FIRST]
    counted = [line for line in numbered(draft.match.changed) if line not in (*lines[:_FIRST], *large)]
    text = _together([*lines[:_FIRST], *large, *counted])
    return _make(draft, EventKind.NAVIGATED, lines, sentences.navigated(text), text=text)


def _scrolled(draft: Draft) -> Event:
    shift = scroll_shift(draft) or (0, 0)
    lines = in_order(draft.match.coming)
    text = _together(lines) or None
    until_ms = draft.scroll.until_ms if draft.scroll else None
    return _make(draft, EventKind.SCROLLED, lines, sentences.scrolled(shift, text), text=text, until_ms=until_ms)


def _repainted(draft: Draft, least: int) -> Event | None:
    if draft.solid is None or draft.fill < _FILLED or min(draft.solid[2:]) < least:
        return None
    return _make(draft, EventKind.CHANGED, [], sentences.repainted(draft.solid), region=draft.solid)


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
    return " · ".join(line.text for line in lines)


_MAKERS: Final[dict[EventKind, Callable[[Draft], Event | None]]] = {
    EventKind.APPEARED: _appeared,
    EventKind.VANISHED: _vanished,
    EventKind.CHANGED: _changed,
    EventKind.NAVIGATED: _navigated,
    EventKind.SCROLLED: _scrolled,
}
