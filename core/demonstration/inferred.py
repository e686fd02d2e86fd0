"""The steps of a demonstration of which there is only the video: what was typed is seen, what was clicked is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.analysis import EventKind
from core.demonstration.screen_texts import is_quotable
from core.demonstration.shown import clock, unknown
from core.plans.quotes import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event
    from core.demonstration.entries import Entries
    from core.demonstration.shown import ShownStep

_TELLING: Final = frozenset({EventKind.APPEARED, EventKind.CHANGED, EventKind.NAVIGATED})
_QUOTED: Final = 3


def inferred_steps(timeline: Sequence[Event], entries: Entries) -> list[ShownStep]:
    """What was typed, and between it, in one question each, whatever else must have been done."""
    found: list[ShownStep] = []
    unexplained: list[Event] = []
    for event in timeline:
        if event.kind is EventKind.TYPED:
            found += _unknown(unexplained)
            unexplained = []
            found.append(_typed(event, entries))
        elif event.kind in _TELLING:
            unexplained.append(event)
    merged = _merged([*found, *_unknown(unexplained)])
    return [(_asked(step) if step.missing else step)._replace(inferred=True) for step in merged]


def _asked(step: ShownStep) -> ShownStep:
    """A value that cannot be read for certain may have been chosen as well as typed: nobody saw the hand."""
    where = step.step.target.primary if step.step is not None else "a field"
    line = f"Do what was done at {clock(step.t_ms)} (see the questions)."
    return unknown(step.t_ms, step.until_ms, line, f"what {where} was given could not be read for certain")


def _typed(event: Event, entries: Entries) -> ShownStep:
    label = entries.label(event.region, event.t_ms) if event.region is not None else None
    step = entries.seen(event, label)
    if step is not None:
        return step
    return unknown(
        event.t_ms,
        event.until_ms or event.t_ms,
        f"Type what was typed at {clock(event.t_ms)} (see the questions).",
        "nothing that was read names the field that was typed into",
    )


def _merged(steps: Sequence[ShownStep]) -> list[ShownStep]:
    """What went on in the same field is one step: what it held in the end."""
    found: list[ShownStep] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and last.step is not None and step.step is not None:
            one, other = last.step, step.step
            if one.action_type == other.action_type == "TYPE" and one.target == other.target:
                found[-1] = step._replace(t_ms=last.t_ms)
                continue
        found.append(step)
    return found


def _unknown(events: Sequence[Event]) -> list[ShownStep]:
    if not events:
        return []
    start, end = events[0].t_ms, events[-1].t_ms
    texts = [text for event in events for text in (event.text or "").split(" · ") if is_quotable(text)]
    quotes = [marks(text) or "" for text in dict.fromkeys(texts)][:_QUOTED]
    told = f", before {', '.join(quotes)} appeared," if quotes else ""
    when = f"at {clock(start)}" if clock(start) == clock(end) else f"from {clock(start)} to {clock(end)}"
    line = f"Do what was done {when} (see the questions)."
    return [unknown(start, end, line, f"what was clicked or pressed {when}{told} cannot be told from the video alone")]
