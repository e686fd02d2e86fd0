"""A model's account of a film against what was seen in it: what the pixels contradict is a question, never a step.

A line of the plan is contradicted where it quotes a text that was never on the screen, says that something was typed
which did not come to stand there, or where the film stood still at the time that its evidence tells. A criterion is
contradicted where its text does not stand on the screen in the end; its numbers may be read otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from core.analysis import EventKind
from core.demonstration.shown import clock
from core.plans.grammar import read_step
from core.plans.phrasing import marks, quoted
from core.tasks.aligning import UNKNOWN
from core.tasks.heartbeat_sections import task_fields
from core.tasks.moments import plan_steps
from core.tasks.parameters import CRITERIA, with_criteria, with_plan
from core.tasks.plan import PLAN, blocked_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from core.analysis import Findings
    from core.steps import Step
    from core.tasks.heartbeat import Heartbeat
    from core.tasks.moments import PlanStep

SHOWS: Final = "Which text on the screen shows in the end that the task was done? Write it under SuccessCriteria."
_ALIKE: Final = 85.0
"""Of a hundred: so much of a text is read alike where it stands."""
_NEAR_MS: Final = 3000
"""A model tells times to the second, and often one or two beside."""
_END_MS: Final = 700
_PLACE: Final = re.compile(r"\{\w+\}|\d+")
_OPENS: Final = frozenset({"OPEN_URL", "OPEN_APP"})
_LETTERS: Final = 2


def checked(account: Heartbeat, findings: Findings, duration_ms: int) -> Heartbeat:
    """The account with questions in the place of what the film contradicts; nothing else of it is changed."""
    field = task_fields(account).get(PLAN)
    lines = list(field.items) if field is not None else []
    questions: list[str] = []
    for at, step in enumerate(plan_steps(account)):
        why = _contradiction(step, findings)
        if why:
            when = f"at {clock(step.t_ms)}" if step.t_ms is not None else f"as step {at + 1}"
            line = f"Do what was done {when} {UNKNOWN}."
            questions.append(
                blocked_question(at + 1, line, f"it was told as {marks(step.text) or 'a step'}, but {why}")
            )
            lines[at] = line
    changed = with_plan(account, lines)
    items = list(task_fields(account)[CRITERIA].items) if CRITERIA in task_fields(account) else []
    kept = [each for each in items if _stands(each, findings, duration_ms)]
    if kept != items:
        changed = with_criteria(changed, kept)
        questions += [] if kept else [SHOWS]
    new = [each for each in questions if each not in {one.text for one in changed.questions}]
    return changed.with_questions(new, required=True) if new else changed


def _contradiction(line: PlanStep, findings: Findings) -> str:
    """Why the film contradicts a line of the plan; empty where it does not."""
    step = read_step(line.text)
    said = quoted(line.text)
    if step is not None and step.action_type in _OPENS:
        return ""
    if line.t_ms is not None and line.t_ms > 0 and not _happened(line, findings):
        return f"nothing happened on the screen from {clock(line.t_ms)} on"
    shown = _shown(findings)
    for text in said.texts if said is not None else ():
        if not _is_seen(text, shown):
            return f"{marks(text) or 'its text'} was never seen on the screen"
    return _not_typed(step, findings) if step is not None and step.action_type == "TYPE" else ""


def _happened(line: PlanStep, findings: Findings) -> bool:
    since, until = (line.t_ms or 0) - _NEAR_MS, (line.until_ms or line.t_ms or 0) + _NEAR_MS
    spans = [(event.t_ms, event.until_ms or event.t_ms) for event in findings.timeline]
    spans += [(action.t_ms, action.until_ms or action.t_ms) for action in findings.actions]
    return any(start <= until and end >= since for start, end in spans)


def _not_typed(step: Step, findings: Findings) -> str:
    """Why a value was not typed: it stood there all the time."""
    value = step.action_value or ""
    if step.place or not value:
        return ""
    came = [one.text for one in findings.sightings or () if one.t_ms > 0]
    came += [text for event in findings.timeline for text in event.lines]
    is_hidden = any(event.kind is EventKind.TYPED and event.text is None for event in findings.timeline)
    return "" if is_hidden or _is_seen(value, came) else f"{marks(value) or 'it'} did not come while the film was taken"


def _shown(findings: Findings) -> list[str]:
    texts = [one.text for one in findings.sightings or ()]
    texts += [text for event in findings.timeline for text in (event.text, event.before) if text]
    return texts + [text for action in findings.actions for text in (action.target, action.value) if text]


def _is_seen(text: str, shown: Iterable[str]) -> bool:
    wanted = _plain(text)
    if len(wanted) < _LETTERS:
        # A sign or an icon is not read as a text.
        return True
    return any(len(_plain(one)) >= len(wanted) * _ALIKE / 100 and _likeness(wanted, _plain(one)) for one in shown)


def _likeness(wanted: str, shown: str) -> bool:
    return fuzz.partial_ratio(wanted, shown) >= _ALIKE


def _stands(criterion: str, findings: Findings, duration_ms: int) -> bool:
    """Whether each text that it quotes stands on the screen in the end; one without a quotation is not looked for."""
    said = quoted(criterion)
    late = duration_ms - _END_MS
    ending = [one.text for one in findings.sightings or () if one.until_ms is None or one.until_ms >= late]
    texts: Sequence[str] = said.texts if said is not None else ()
    return all(_is_seen(text, ending) for text in texts)


def _plain(text: str) -> str:
    """The text without its numbers and places, which a criterion has as patterns."""
    return " ".join(_PLACE.sub(" ", text).casefold().split())
