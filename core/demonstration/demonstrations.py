"""From the findings of an analysis, and the input log where there is one, to what was demonstrated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.demonstration.criteria import criteria, gone_text
from core.demonstration.entries import Entries
from core.demonstration.gestures import begin_of, gestures_of
from core.demonstration.inferred import inferred_steps
from core.demonstration.logged import LoggedSteps
from core.demonstration.opening import applications_of, opening_of, title_of, titles_of
from core.demonstration.screen_texts import ScreenTexts
from core.demonstration.secrecy import hidden_spans
from core.demonstration.shown import Demonstration, with_own_places

if TYPE_CHECKING:
    from core.analysis import Findings
    from core.demonstration.looks import Looks
    from core.recording.input_log import InputLog


def demonstrated(
    findings: Findings, log: InputLog | None, duration_ms: int, looks: Looks | None = None
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
    entries = Entries(timeline, texts, looks, log)
    idle: list[int] = []
    if log is not None:
        gestures = [each for each in gestures_of(log) if not texts.is_hidden(begin_of(each))]
        logged = LoggedSteps(gestures, texts, entries, timeline, looks, duration_ms)
        steps, idle = logged.steps(), logged.idle
        last = max((begin_of(each) for each in gestures), default=0)
    else:
        steps = inferred_steps(entries.timeline, entries)
        last = max((step.t_ms for step in steps), default=0)
    steps = with_own_places(steps)
    typed = [
        step.step.action_value or "" for step in steps if step.step is not None and step.step.action_type == "TYPE"
    ]
    if steps:
        steps = [*opening_of(texts, log), *steps]
    return Demonstration(
        steps=tuple(steps),
        applications=applications_of(texts, log),
        criteria=criteria(texts, timeline, typed, titles_of(log), (last, duration_ms)),
        gone=gone_text(texts, timeline, last, duration_ms),
        title=title_of(texts, log, steps),
        hidden=bool(hidden),
        has_log=log is not None,
        idle_clicks=tuple(idle),
        says_anything=bool(sightings),
    )
