"""A demonstration in the extraction format, which ``core.tasks.learning_gate`` reads.

What was on the screen stands in it between quotation marks on lines that begin with words of ours: so it is never a
heading, a control line, or a question of its own.
"""

from collections.abc import Iterator
from typing import Final

from core.demonstration.shown import Demonstration, clock
from core.plans.phrasing import marks
from core.plans.step_sentences import sentence
from core.steps import Step
from core.tasks.agreements import number_question
from core.tasks.effects import proposal
from core.tasks.heartbeat import MAX_TITLE, Heartbeat
from core.tasks.learning_gate import NoTaskReason, Status
from core.tasks.plan import blocked_question, value_question
from core.text import one_line

_POLICY: Final = "Follow the plan in its order; where a step cannot be done as it is written, ask."
_NONE: Final = "- None were shown."
MOST_ASKED: Final = 3
"""Of a film alone so much is asked at most: what blocks a run first. A run asks about the rest when it comes to it."""
_HIDDEN: Final = (
    "A password manager was in front for a part of the recording, of which nothing was learned: is anything of it a "
    "step of the task?"
)


def draft(demonstration: Demonstration) -> str:
    """The reply of a learner that invents nothing."""
    steps = demonstration.steps
    if not steps[1:]:
        return _nothing(demonstration)
    lines = [
        "# Task",
        "TaskDetected: true",
        f"Status: {Status.TASK_FOUND.value}",
        f"NoTaskReason: {NoTaskReason.NONE.value}",
        f"Title: {one_line(demonstration.title)[: MAX_TITLE - 10]}",
        f"Goal: {_goal(demonstration)}",
        "AppsObserved:",
        *(f"- {each}" for each in demonstration.applications or ("Not known.",)),
        "PreferredDemonstratedApproach:",
        f"- {_approach(demonstration)}",
        f"ExecutionPolicy: {_POLICY}",
        "HardConstraints:",
        _NONE,
        "SuccessCriteria:",
        *(f"- {each}" for each in demonstration.criteria),
        "SuggestedPlan:",
        *(f"{number}. {_line(step)}" for number, step in enumerate(steps, 1)),
        "AlternativeValidApproaches:",
        _NONE,
        "Evidence:",
        *_evidence(demonstration),
        "",
        "## Questions",
        "- None.",
        "",
    ]
    document = Heartbeat("\n".join(lines))
    asked = sorted(dict.fromkeys(_questions(demonstration)), key=lambda each: not each[0])
    for required, question in asked if demonstration.has_log else asked[:MOST_ASKED]:
        document = document.with_questions([question], required=required)
    return document.text


def _line(step: Step) -> str:
    return f"{sentence(step)}{' (inferred)' if step.inferred and step.is_known else ''}"


def _nothing(demonstration: Demonstration) -> str:
    """No task: nothing that was done could be recognised or read."""
    if demonstration.says_anything and not demonstration.steps:
        status, reason = Status.NO_TASK, NoTaskReason.NO_ACTIONABLE_SEQUENCE
    else:
        status, reason = Status.INSUFFICIENT_INFO, NoTaskReason.LOW_SIGNAL
    return (
        f"# Task\nTaskDetected: false\nStatus: {status.value}\nNoTaskReason: {reason.value}\n\n## Questions\n- None.\n"
    )


def _goal(demonstration: Demonstration) -> str:
    if demonstration.criteria:
        return f"In the end, {' '.join(demonstration.criteria)}"
    return "What the steps of the plan bring about."


def _approach(demonstration: Demonstration) -> str:
    count = len(demonstration.steps) - 1
    how = "as the input log tells" if demonstration.has_log else "as far as the video alone shows"
    return f"{count} step{'s' if count > 1 else ''}, in the order in which they were shown, {how}."


def _evidence(demonstration: Demonstration) -> Iterator[str]:
    for number, step in enumerate(demonstration.steps, 1):
        if number == 1:
            continue
        mark = " (inferred)" if step.inferred else ""
        yield f"- [{clock(step.t_ms)}-{clock(step.until_ms)}] Step {number}{mark}: {sentence(step)}"
    for t_ms in demonstration.idle_clicks:
        yield f"- [{clock(t_ms)}-{clock(t_ms)}] A click on no text, after which nothing changed: it is not in the plan."


def _questions(demonstration: Demonstration) -> Iterator[tuple[bool, str]]:
    """Required or not, and the words."""
    for number, step in enumerate(demonstration.steps, 1):
        if step.is_known and step.doubt:
            yield True, value_question(number, _line(step), step.place, step.doubt)
        elif step.doubt:
            yield True, blocked_question(number, _line(step), step.doubt)
    secrets = _secrets(demonstration.steps)
    if secrets:
        yield (
            False,
            f"Who supplies {', '.join(secrets)} at each run? The recording hides it, and it must not stand here.",
        )
    if not demonstration.criteria:
        yield True, _unconfirmed(demonstration.gone)
    else:
        numbered = (each for each in demonstration.criteria if any(sign.isdigit() for sign in each))
        yield from ((False, number_question(each)) for each in numbered)
    for effect in demonstration.effects:
        yield False, proposal(effect)
    if demonstration.hidden:
        yield False, _HIDDEN


def _unconfirmed(gone: str) -> str:
    """What is asked where nothing came in the end that would confirm it."""
    asked = "hich text on the screen shows in the end that the task was done? Write it under SuccessCriteria."
    if not gone:
        return f"W{asked}"
    return f"In the end {marks(gone)} went away, which confirms nothing by itself, and nothing new came: w{asked}"


def _secrets(steps: tuple[Step, ...]) -> list[str]:
    return list(dict.fromkeys(step.place for step in steps if step.hidden))
