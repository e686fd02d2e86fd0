"""A run of Vaider's own as what is remembered: what its plan says was done, and was seen to be done."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast
from urllib.parse import urlsplit

from core.demonstration.screen_texts import is_quotable
from core.memory import Procedure
from core.plans.phrasing import first_quotation, marks, quoted
from core.plans.step_sentences import sentence
from core.procedures.scene import looks_secret
from core.procedures.sentences import LONGEST, act_of, hidden_typing, shortened
from core.runs.run import Run, RunOutcome, SubtaskRun
from core.secrets import MASK, is_secret_name
from core.steps import PLACE, Step
from core.text import one_line
from core.workflows.workflow import Workflow

_MOST_TEXT: Final = 300
_MOST_VALUES: Final = 2
_EXPECTED: Final = re.compile(r"\s*Expected outcome:.*", re.IGNORECASE | re.DOTALL)
_DONE: Final = frozenset({"confirmed", "partial", "unverifiable"})


def procedure_of_run(
    run: Run, workflow: Workflow | None = None, rows: Iterable[Mapping[str, Any]] = ()
) -> Procedure | None:
    """The procedure of a run; ``None`` if its success was not verified, or no step can be derived.

    Args:
        run: as ``run.json`` has it: sensitive values are masked.
        workflow: as it was rendered for the run, in which sensitive values keep their places.
        rows: of ``events.jsonl``; the source of the steps of a subtask without planned steps.

    """
    began = _moment(run.started_at)
    if run.outcome is not RunOutcome.SUCCEEDED or began is None:
        return None
    rows = list(rows)
    steps: list[Step] = []
    applications: list[str] = []
    start = 0
    for subtask in run.subtasks:
        end = start + max(subtask.duration_ms, 0)
        planned = workflow.steps_of(subtask.index) if workflow is not None else ()
        sentences = [_masked(step, run) for step in planned] or list(_acted(rows, subtask))
        sentences = [each for each in sentences if each] or [_carried_out(subtask)]
        applications += _applications(planned)
        sentences[-1] += _seen(subtask)
        steps += [Step(t_ms=start, until_ms=end, text=text) for text in sentences]
        start = end
    if not steps:
        return None
    return Procedure(
        id=hashlib.sha256(f"run\0{run.run_id}".encode(errors="replace")).hexdigest()[:20],
        source="run",
        video=run.job_id or run.run_id,
        started_at=began,
        start_ms=0,
        end_ms=max(run.duration_ms, start),
        applications=tuple(dict.fromkeys(applications)),
        titles=(),
        summary=_summary(run),
        steps=tuple(steps),
        texts=_texts(run),
    )


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).astimezone(UTC)


def _masked(step: Step, run: Run) -> str:
    """A planned step as a sentence of the past; a place in it is a sensitive value, or one that was read."""
    value = step.action_value or ""
    field = first_quotation(step.target.primary)
    if step.action_type == "EXTRACT":
        return ""
    if step.action_type == "TYPE":
        names = PLACE.findall(value)
        if names and all(name in run.extracts for name in names):
            return f"Typed what was read before into the {marks(field)} field" if marks(field) and field else ""
        if names or MASK in value or is_secret_name(field) or looks_secret(value):
            return hidden_typing(field)
    plain = step.model_copy(update={"post_action": ()})
    act = act_of(plain)
    if act is not None:
        return act.said
    words = sentence(plain).removesuffix(".")
    return f"Opened{words[len('Open') :]}" if words.startswith("Open ") else ""


def _acted(rows: Sequence[Mapping[str, Any]], subtask: SubtaskRun) -> Iterator[str]:
    """The steps of a subtask without planned steps, as far as they follow without the screen."""
    for row in rows:
        pixel_action = row.get("pixel_action")
        is_own = row.get("type") == "computer_use" and row.get("subtask_idx") == subtask.index
        if not is_own or not isinstance(pixel_action, dict) or row.get("outcome") not in _DONE:
            continue
        action = cast("dict[str, Any]", pixel_action)
        text, kind = str(action.get("text") or ""), action.get("action")
        if kind == "type" and text:
            is_hidden = MASK in text or PLACE.search(text) is not None or looks_secret(text)
            yield hidden_typing("") if is_hidden else f"Typed {shortened(text)}"
        elif kind == "open_url" and action.get("url"):
            yield f"Opened {shortened(str(action['url']))} in the browser"
        elif kind == "open_app" and action.get("name"):
            yield f"Opened the application {shortened(str(action['name']))}"
    yield _carried_out(subtask)


def _carried_out(subtask: SubtaskRun) -> str:
    text = one_line(_EXPECTED.sub("", subtask.text)).rstrip(" .")
    return f"Carried out: {text if len(text) <= _MOST_TEXT else f'{text[: _MOST_TEXT - 1]}…'}"


def _seen(subtask: SubtaskRun) -> str:
    check = subtask.check
    text = first_quotation(check.expected) if check is not None and check.verdict == "pass" else ""
    return f", and {marks(text)} was seen" if is_quotable(text) else ""


def _applications(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        value = one_line(step.action_value or "")
        if step.action_type == "OPEN_APP" and value and not PLACE.search(value):
            yield value.rpartition("/")[2]
        elif step.action_type == "OPEN_URL" and urlsplit(value).hostname:
            yield urlsplit(value).hostname or ""


def _summary(run: Run) -> str:
    name = one_line(run.task_name) or "a workflow"
    shown = {key: value for key, value in run.params.items() if value and MASK not in value and not is_secret_name(key)}
    shown = {key: value for key, value in shown.items() if not looks_secret(value)}
    values = ", ".join(f"{key} {shortened(value)}" for key, value in list(shown.items())[:_MOST_VALUES])
    check = run.success_check
    text = first_quotation(check.expected) if check is not None else ""
    ending = f"; {marks(text)} was seen" if text and marks(text) else ""
    for sentence_ in (f"Ran {name} with {values}{ending}" if values else "", f"Ran {name}{ending}", f"Ran {name}"):
        if sentence_ and len(sentence_) <= LONGEST:
            return sentence_
    return f"Ran {name[: LONGEST - 5].rstrip()}\u2026"


def _texts(run: Run) -> tuple[str, ...]:
    texts = [one_line(_EXPECTED.sub("", subtask.text))[:_MOST_TEXT] for subtask in run.subtasks]
    for check in (*(subtask.check for subtask in run.subtasks), run.success_check):
        said = quoted(check.expected) if check is not None and check.verdict == "pass" else None
        texts += said.texts if said is not None else ()
    return tuple(dict.fromkeys(text for text in texts if text and not looks_secret(text)))[:60]
