"""Whether every name between braces in a workflow is one that has a value when it is needed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from core.workflows.templates import EXTRACT, LITERAL, is_literal, places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from core.workflows.fields import Findings
    from core.workflows.workflow import PlannedSubtask, Step, Workflow


class _Text(NamedTuple):
    path: str
    text: str
    acts: bool
    """Whether the text is what is done, typed or asked; the others only describe."""


def check_references(workflow: Workflow, findings: Findings, *, old: bool) -> None:
    """Add a fault for each place that no parameter and no earlier subtask's extract can fill.

    Descriptions may hold other words between braces, which stay as they are and are noted. ``old`` names the paths as
    in version 1.
    """
    producers: dict[str, int] = {}
    for at, subtask in enumerate(workflow.plan.subtasks):
        for step in subtask.steps:
            if step.variable_name is not None:
                producers.setdefault(step.variable_name, at)
    for at, subtask in enumerate(workflow.plan.subtasks):
        where = f"subtasks[{at}]" if old else f"plan.subtasks[{at}]"
        _check_dependencies(workflow, at, where, producers, findings)
        _check_literals(workflow, subtask, where, findings)
        for text in _texts(subtask, where, old=old):
            _check_text(workflow, text, subtask.dependencies, "dependencies does not list", findings)
    criteria = _Text("success_criteria", workflow.success_criteria, acts=False)
    _check_text(workflow, criteria, producers, "no subtask extracts", findings)


def _check_text(
    workflow: Workflow, text: _Text, extracts: Mapping[str, Any] | tuple[str, ...], lacks: str, findings: Findings
) -> None:
    declared = [parameter.name for parameter in workflow.task_params]
    for name in sorted(places(text.text) - set(declared)):
        if EXTRACT.fullmatch(name):
            if name not in extracts:
                findings.fault(text.path, f"uses {{{name}}}, which {lacks}")
            continue
        near = difflib.get_close_matches(name, declared, n=1)
        hint = f"did you mean {{{near[0]}}}?" if near else "declare it in task_params"
        if text.acts:
            typed = f", or set additional_args.{LITERAL} to true to type it as it stands"
            more = typed if text.path.endswith("action_value") else ""
            findings.fault(text.path, f"uses {{{name}}}, which task_params does not declare; {hint}{more}")
        else:
            findings.note(text.path, f"{{{name}}} is no parameter and stays as it is; {hint}")


def _check_dependencies(
    workflow: Workflow, at: int, where: str, producers: Mapping[str, int], findings: Findings
) -> None:
    for place, name in enumerate(workflow.plan.subtasks[at].dependencies):
        path = f"{where}.dependencies[{place}]"
        producer = producers.get(name)
        if producer is None:
            findings.fault(path, f"{name} is extracted by no subtask")
        elif producer == at:
            findings.fault(path, f"{name} is extracted by this subtask itself; only a later one can use it")
        elif producer > at and _needs(workflow, producer, at, producers):
            findings.fault(path, f"{name} is extracted by subtask {producer}, which itself needs this one: a circle")
        elif producer > at:
            findings.fault(path, f"{name} is extracted only later, by subtask {producer}")


def _needs(workflow: Workflow, subtask: int, other: int, producers: Mapping[str, int]) -> bool:
    """Whether a subtask needs what another one extracts, be it by way of further ones."""
    seen: set[int] = set()
    waiting = [subtask]
    while waiting:
        at = waiting.pop()
        if at == other:
            return True
        if at not in seen:
            seen.add(at)
            waiting += [producers[name] for name in workflow.plan.subtasks[at].dependencies if name in producers]
    return False


def _check_literals(workflow: Workflow, subtask: PlannedSubtask, where: str, findings: Findings) -> None:
    sensitive = {parameter.name for parameter in workflow.task_params if parameter.sensitive}
    for step in subtask.steps:
        path = f"{where}.steps[{step.i}]"
        mark = step.additional_args.get(LITERAL)
        if mark is not None and not isinstance(mark, bool):
            findings.fault(f"{path}.additional_args.{LITERAL}", "must be true or false")
        taken = sorted(places(step.action_value or "") & sensitive) if is_literal(step) else ()
        if taken:
            # When it is typed nobody can tell it from the place of the secret.
            findings.fault(f"{path}.action_value", f"cannot be literal: {{{taken[0]}}} is a sensitive parameter")


def _texts(subtask: PlannedSubtask, where: str, *, old: bool) -> Iterator[_Text]:
    yield _Text(where if old else f"{where}.text", subtask.text, acts=True)
    for step in subtask.steps:
        yield from _step_texts(step, f"{where}.steps[{step.i}]")


def _step_texts(step: Step, path: str) -> Iterator[_Text]:
    if step.action_value is not None and not is_literal(step):
        yield _Text(f"{path}.action_value", step.action_value, acts=True)
    yield _Text(f"{path}.expected_current_state", step.expected_current_state, acts=False)
    yield _Text(f"{path}.intent", step.intent, acts=False)
    yield _Text(f"{path}.target.primary", step.target.primary, acts=False)
    yield _Text(f"{path}.target.fallback", step.target.fallback or "", acts=False)
    for at, text in enumerate(step.post_action):
        yield _Text(f"{path}.post_action[{at}]", text, acts=False)
    for name, value in step.additional_args.items():
        yield from _argument_texts(f"{path}.additional_args.{name}", value, acts=name == "extract_query")


def _argument_texts(path: str, value: Any, *, acts: bool) -> Iterator[_Text]:
    if isinstance(value, str):
        yield _Text(path, value, acts)
    elif isinstance(value, list):
        for at, each in enumerate(cast("list[Any]", value)):
            yield from _argument_texts(f"{path}[{at}]", each, acts=acts)
    elif isinstance(value, dict):
        for name, each in cast("dict[str, Any]", value).items():
            yield from _argument_texts(f"{path}.{name}", each, acts=acts)
