"""From the findings of an analysis, and the input log where there is one, to the steps that were demonstrated."""

from collections.abc import Sequence
from typing import Final

from core.analysis import Action, Event, EventKind, Findings
from core.demonstration.effects import suggested_effects
from core.demonstration.entries import EntryFinder
from core.demonstration.filmed_clicks import certain_clicks
from core.demonstration.gestures import begin_of, gestures_of
from core.demonstration.logged import LoggedSteps
from core.demonstration.looks import LooksByTime
from core.demonstration.screen_texts import ScreenTexts, hidden_spans, is_quotable
from core.demonstration.shown import Demonstration, clock, unknown, with_own_places
from core.demonstration.start_and_end import (
    applications_of,
    criteria,
    gone_text,
    opening_of,
    title_criterion,
    title_of,
    titles_of,
)
from core.plans.phrasing import marks
from core.recording.input_log import InputLog
from core.steps import Step

_DISTINCTIVE: Final = frozenset({EventKind.APPEARED, EventKind.CHANGED, EventKind.NAVIGATED})
_QUOTED: Final = 3
_ANSWER_MS: Final = 1500
"""What comes so soon after a click is its effect."""


def inferred_steps(timeline: Sequence[Event], entries: EntryFinder, actions: Sequence[Action] = ()) -> list[Step]:
    """What was typed and clicked, and between it, in one question each, whatever else must have been done."""
    found: list[Step] = []
    unexplained: list[Event] = []
    clicks = certain_clicks(actions)
    waiting = sorted(clicks.values(), key=lambda step: step.t_ms)
    for event in timeline:
        while waiting and waiting[0].t_ms <= event.t_ms:
            found += [*_unknown(unexplained), waiting.pop(0)]
            unexplained = []
        is_answer = bool(found) and found[-1].action_type == "CLICK" and event.t_ms <= found[-1].t_ms + _ANSWER_MS
        if event.kind is not EventKind.TYPED and (event.cause in clicks or is_answer):
            continue
        if event.kind is EventKind.TYPED:
            found += _unknown(unexplained)
            unexplained = []
            found.append(_typed(event, entries))
        elif event.kind in _DISTINCTIVE:
            unexplained.append(event)
    merged = _merged([*found, *_unknown(unexplained), *waiting])
    asked = [_asked(step) if step.is_known and step.doubt else step for step in merged]
    return [step.model_copy(update={"inferred": True}) for step in asked]


def _unseen(action: Action) -> Action:
    """The same without what may not be learned."""
    return action.model_copy(update={"target": None, "value": None})


def _asked(step: Step) -> Step:
    """Describes a value that cannot be read for certain, and which may have been chosen or typed."""
    line = f"Do what was done at {clock(step.t_ms)} (see the questions)."
    return unknown(
        step.t_ms, step.until_ms, line, f"what {step.target.primary} was given could not be read for certain"
    )


def _typed(event: Event, entries: EntryFinder) -> Step:
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


def _merged(steps: Sequence[Step]) -> list[Step]:
    """What went on in the same field is one step: what it held in the end."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and last.action_type == step.action_type == "TYPE" and last.target == step.target:
            found[-1] = step.model_copy(update={"t_ms": last.t_ms})
        else:
            found.append(step)
    return found


def _unknown(events: Sequence[Event]) -> list[Step]:
    if not events:
        return []
    start, end = events[0].t_ms, events[-1].t_ms
    texts = [text for event in events for text in (event.text or "").split(" · ") if is_quotable(text)]
    quotes = [marks(text) or "" for text in dict.fromkeys(texts)][:_QUOTED]
    sentence = f", before {', '.join(quotes)} appeared," if quotes else ""
    when = f"at {clock(start)}" if clock(start) == clock(end) else f"from {clock(start)} to {clock(end)}"
    line = f"Do what was done {when} (see the questions)."
    return [
        unknown(start, end, line, f"what was clicked or pressed {when}{sentence} cannot be told from the video alone")
    ]


def demonstrated(
    findings: Findings, log: InputLog | None, duration_ms: int, looks: LooksByTime | None = None
) -> Demonstration:
    """What a recording shows.

    Args:
        findings: of the local analyser, with every sighting.
        log: what was done, if it was logged; places in pixels of the video.
        duration_ms: of the video.
        looks: what was seen when it was looked at again, at the moments that ``moments_of`` names.

    """
    sightings = findings.sightings or ()
    hidden = hidden_spans(sightings, log, duration_ms)
    texts = ScreenTexts(sightings, hidden)
    timeline = [event for event in findings.timeline if not any(span.holds(event.t_ms) for span in hidden)]
    looks = looks or {}
    # A window that closes because the recording ends shows nothing of the task.
    duration_ms = duration_ms if findings.closing_ms is None else min(duration_ms, max(0, findings.closing_ms - 1))
    entries = EntryFinder(timeline, texts, looks, log, repeats=True)
    idle: list[int] = []
    if log is not None:
        gestures = [each for each in gestures_of(log) if not texts.is_hidden(begin_of(each))]
        logged = LoggedSteps(gestures, texts, entries, timeline, looks, duration_ms, log)
        steps, idle = logged.steps(), logged.idle
        last = max((begin_of(each) for each in gestures), default=0)
    else:
        # One that may not be learned keeps its place, for events name their cause by it.
        shown_actions = [each if not texts.is_hidden(each.t_ms) else _unseen(each) for each in findings.actions]
        steps = inferred_steps(entries.timeline, entries, shown_actions)
        last = max((step.t_ms for step in steps), default=0)
    steps = with_own_places(steps)
    typed = [step.action_value or "" for step in steps if step.action_type == "TYPE"]
    if steps:
        steps = [*opening_of(texts, log), *steps]
    return Demonstration(
        steps=tuple(steps),
        applications=applications_of(texts, log),
        criteria=title_criterion(log, typed, last, duration_ms)
        or criteria(texts, timeline, typed, titles_of(log), (last, duration_ms)),
        gone=gone_text(texts, timeline, last, duration_ms),
        title=title_of(texts, log, steps),
        hidden=bool(hidden),
        has_log=log is not None,
        idle_clicks=tuple(idle),
        effects=suggested_effects(steps, texts, log, duration_ms),
        says_anything=bool(sightings),
    )
