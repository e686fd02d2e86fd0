"""From the findings of an analysis, and the input log where there is one, to the steps that were demonstrated."""

from core.analysis import Action, Findings
from core.demonstration.awaited import with_awaited
from core.demonstration.effects import suggested_effects
from core.demonstration.entries import EntryFinder
from core.demonstration.filmed import filmed_steps, last_ms
from core.demonstration.forms import closed_form
from core.demonstration.gestures import begin_of, gestures_of
from core.demonstration.logged import LoggedSteps
from core.demonstration.looks import LooksByTime
from core.demonstration.opening import applications_of, opening_of, titles_of
from core.demonstration.screen_texts import ScreenTexts, hidden_spans
from core.demonstration.shown import Demonstration, with_own_places
from core.demonstration.success_criteria import criteria, gone_text, title_criterion
from core.demonstration.test_commands import CommandLog, command_log
from core.demonstration.titles import title_of
from core.plans.phrasing import marks
from core.recording.input_log import InputLog


def _unseen(action: Action) -> Action:
    """The same without what may not be learned."""
    return action.model_copy(update={"target": None, "value": None})


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
    runner: CommandLog | None = None
    if log is not None:
        gestures = [each for each in gestures_of(log) if not texts.is_hidden(begin_of(each))]
        logged = LoggedSteps(gestures, texts, entries, timeline, looks, duration_ms, log)
        steps, idle = logged.steps(), logged.idle
        last = max((begin_of(each) for each in gestures), default=0)
    else:
        # One that may not be learned keeps its place, for events name their cause by it.
        shown_actions = [each if not texts.is_hidden(each.t_ms) else _unseen(each) for each in findings.actions]
        runner = command_log(texts, findings.runner_column)
        steps = filmed_steps(entries.timeline, entries, texts, shown_actions, runner)
        last = max((last_ms(step) for step in steps), default=0)
    opening = opening_of(texts, log, runner.address if runner is not None else "")
    if runner is not None:
        # What a test runner writes beside the page shows nothing of the task.
        texts = ScreenTexts([one for one in sightings if runner.is_beside(one.region)], hidden)
    steps = with_awaited(with_own_places(steps), texts)
    typed = [step.action_value or "" for step in steps if step.action_type == "TYPE"]
    if steps:
        steps = [*opening, *steps]
    shown = title_criterion(log, typed, last, duration_ms) or criteria(
        texts, timeline, typed, titles_of(log), (last, duration_ms)
    )
    left = closed_form(steps, texts, duration_ms) if log is None and shown else ""
    if left:
        # Without it what is shown in the end may be shown beside a form that nobody sent.
        shown = tuple(dict.fromkeys((*shown, f"{marks(left)} is no longer shown.")))
    return Demonstration(
        steps=tuple(steps),
        applications=applications_of(texts, log),
        criteria=shown,
        gone=gone_text(texts, timeline, last, duration_ms),
        title=title_of(texts, log, steps, shown),
        hidden=bool(hidden),
        has_log=log is not None,
        idle_clicks=tuple(idle),
        effects=suggested_effects(steps, texts, log, duration_ms),
        says_anything=bool(sightings),
    )
