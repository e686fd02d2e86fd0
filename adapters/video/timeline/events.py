"""From what each change did to the events of a timeline: merges, leaves out what is no event, finds the words."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, overlap
from adapters.video.text.lines import in_order
from adapters.video.timeline.chains import apart, hands, line_of, paragraphs, ticks, typed_until, typings
from adapters.video.timeline.continuous_motion import counts, gathered, is_part_of, steps_of_bars
from adapters.video.timeline.joining import joined, without_flashes
from adapters.video.timeline.kinds import kind_of, numbered, scroll_shift
from adapters.video.timeline.overlays import lift
from core.analysis import Event, EventKind, Sighting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from adapters.video.frame import Box
    from adapters.video.motion.activity import ContinuousMotion
    from adapters.video.text.lines import Line
    from adapters.video.text.screen import Draft


_LARGE: Final = 160
_BRIEF_MS: Final = 2000


def appeared(text: str, t_ms: int, until_ms: int | None) -> str:
    """A text that was not there before."""
    if until_ms is not None and until_ms - t_ms < _BRIEF_MS:
        return f'"{text}" appeared for {_seconds(until_ms - t_ms)}.'
    return f'"{text}" appeared.'


def vanished(text: str) -> str:
    """A text that is not there any more."""
    return f'"{text}" disappeared.'


def changed(before: str, text: str, *, single: bool) -> str:
    """A text in place of another."""
    if single:
        return f'The text "{before}" changed to "{text}".'
    return f'"{before}" was replaced by "{text}".'


def typed(text: str, before: str | None, label: str | None) -> str:
    """A text that came letter by letter; what stood in the field names it better than what stands beside it."""
    place = f' into "{label}"' if label else ""
    return f'"{text}" was typed where "{before}" had stood.' if before else f'"{text}" was typed{place}.'


def typed_hidden(label: str | None) -> str:
    """A password, shown as dots."""
    return f'Hidden characters were typed into "{label}".' if label else "Hidden characters were typed."


def navigated(text: str) -> str:
    """Another page or screen."""
    return f'The screen was replaced; it then showed "{text}".'


def scrolled(shift: tuple[int, int], text: str | None) -> str:
    """The content moved under the window."""
    dx, dy = shift
    if abs(dy) >= abs(dx):
        way = f"{'down' if dy < 0 else 'up'} by {abs(dy)} pixels"
    else:
        way = f"{'right' if dx < 0 else 'left'} by {abs(dx)} pixels"
    return f'The content scrolled {way}; "{text}" came into view.' if text else f"The content scrolled {way}."


def repainted(box: Box) -> str:
    """A place that changed its look, without any text."""
    return f"An area of {box[2]} by {box[3]} pixels at ({box[0]}, {box[1]}) changed its look."


def busy(box: Box, lasted_ms: int) -> str:
    """A place that kept moving."""
    place = f"at ({box[0]}, {box[1]})"
    if max(box[2:]) < _LARGE:
        return f"Something small kept moving {place} for {_seconds(lasted_ms)}, as a spinner does."
    return f"A moving picture of {box[2]} by {box[3]} pixels {place} kept playing for {_seconds(lasted_ms)}."


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds} ms"  # noqa: PLR2004


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
    drafts: Sequence[Draft], motions: Sequence[ContinuousMotion], *, size: tuple[int, int], frame_ms: float
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
    restless = gathered(motions, bars)
    events = [_busy(motion) for motion in restless] + [_typed_hidden(row) for row in masked]
    reported = {id(draft) for run in (*bars, *masked) for draft in run}
    open_drafts = [draft for draft in open_drafts if id(draft) not in reported and not is_part_of(draft, restless)]
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


def _busy(motion: ContinuousMotion) -> Event:
    return Event(
        t_ms=motion.t_ms,
        until_ms=motion.until_ms,
        kind=EventKind.BUSY,
        region=motion.box,
        confidence=0.9,
        description=busy(motion.box, motion.until_ms - motion.t_ms),
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
        description=typed_hidden(first.label),
    )


def _typed(chain: Sequence[Draft]) -> Event:
    reported = [draft for draft in chain if draft.match.says_anything]
    first, last = reported[0], reported[-1]
    before = first.match.changed[0][0].text if first.match.changed else None
    line = last.match.coming[0]
    return Event(
        t_ms=chain[0].t_ms,
        until_ms=typed_until(reported),
        kind=EventKind.TYPED,
        text=line.text,
        before=before,
        # Where it was typed, wherever it may stand on a later page.
        region=line.came_at,
        confidence=_confidence([line]),
        frame=last.frame,
        description=typed(line.text, before, first.label),
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
            "description": typed(text, lines[0].before, None),
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
    return _make(draft, EventKind.APPEARED, lines, appeared(text, draft.t_ms, until), text=text, until_ms=until)


def _vanished(draft: Draft) -> Event | None:
    lines = in_order(draft.match.leaving)
    if all(draft.t_ms - line.t_ms < _SHORT_MS and line.t_ms > 0 for line in lines):
        return None
    text = _together(lines)
    region = around(line.box for line in lines)
    return _make(draft, EventKind.VANISHED, lines, vanished(text), text=text, region=region)


def _changed(draft: Draft) -> Event:
    old = in_order(draft.match.leaving)
    new = in_order(draft.match.coming)
    before, text = _together(old), _together(new)
    single = len(old) == len(new) == 1
    return _make(draft, EventKind.CHANGED, new, changed(before, text, single=single), text=text, before=before)


def _navigated(draft: Draft) -> Event:
    # What stands first says which page it is, and what is written large or counts on.
    lines = in_order(draft.match.coming)
    usual = median(line.box[3] for line in lines)
    large = [line for line in lines[_FIRST:] if line.box[3] >= _LARGER * usual][:_FIRST]
    counted = [line for line in numbered(draft.match.changed) if line not in (*lines[:_FIRST], *large)]
    text = _together([*lines[:_FIRST], *large, *counted])
    return _make(draft, EventKind.NAVIGATED, lines, navigated(text), text=text)


def _scrolled(draft: Draft) -> Event:
    shift = scroll_shift(draft) or (0, 0)
    lines = in_order(draft.match.coming)
    text = _together(lines) or None
    until_ms = draft.scroll.until_ms if draft.scroll else None
    return _make(draft, EventKind.SCROLLED, lines, scrolled(shift, text), text=text, until_ms=until_ms)


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
    return " · ".join(line.text for line in lines)


_MAKERS: Final[dict[EventKind, Callable[[Draft], Event | None]]] = {
    EventKind.APPEARED: _appeared,
    EventKind.VANISHED: _vanished,
    EventKind.CHANGED: _changed,
    EventKind.NAVIGATED: _navigated,
    EventKind.SCROLLED: _scrolled,
}
