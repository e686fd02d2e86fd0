"""Whether each name between braces has a value when it is needed, and each parameter an effect and one meaning.

A value that is given and then ignored would have the wrong thing submitted without a word.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from core.plans.phrasing import first_quotation
from core.steps import LITERAL, Step
from core.workflows.effects import effect_faults
from core.workflows.workflow import EXTRACT, NUMBER, PlannedSubtask, Workflow, places

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from core.workflows.fields import Findings


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
    for at, effect in enumerate(workflow.effects):
        for fault in effect_faults(effect, workflow.task_params, producers):
            findings.fault(f"effects[{at}].{fault.member}", fault.rule)


def _check_text(
    workflow: Workflow, text: _Text, extracts: Mapping[str, Any] | tuple[str, ...], lacks: str, findings: Findings
) -> None:
    declared = [parameter.name for parameter in workflow.task_params]
    any_number = set[str]() if text.acts else {NUMBER}
    for name in sorted(places(text.text) - set(declared) - any_number):
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
        taken = sorted(places(step.action_value or "") & sensitive) if step.is_literal else ()
        if taken:
            # When typed, it could not be distinguished from the placeholder of the secret.
            findings.fault(f"{path}.action_value", f"cannot be literal: {{{taken[0]}}} is a sensitive parameter")


def _texts(subtask: PlannedSubtask, where: str, *, old: bool) -> Iterator[_Text]:
    yield _Text(where if old else f"{where}.text", subtask.text, acts=True)
    for step in subtask.steps:
        yield from _step_texts(step, f"{where}.steps[{step.i}]")


def _step_texts(step: Step, path: str) -> Iterator[_Text]:
    if step.action_value is not None and not step.is_literal:
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


_FEW: Final = 10


def parameter_faults(workflow: Workflow) -> tuple[str, ...]:
    """Why a workflow must not be carried out with its parameters, a sentence each; usually none.

    A subtask without steps is carried out by its text, so a place in it is a use. Where there are steps, they are what
    is followed: a place in the text, or in what is expected, changes nothing of what is typed or chosen.
    """
    used: set[str] = set()
    for subtask in workflow.plan.subtasks:
        used |= acting_places(subtask.steps) if subtask.steps else places(subtask.text)
    if not all(subtask.steps for subtask in workflow.plan.subtasks):
        used |= places(workflow.detailed_task_description) | places(workflow.task_description_user)
    faults = unused_faults((each.name for each in workflow.task_params), used)
    return (*faults, *(fault for subtask in workflow.plan.subtasks for fault in shared_faults(subtask.steps)))


def acting_places(steps: Iterable[Step]) -> set[str]:
    """The names of the parameters that change what these steps type, choose, open, press or act on."""
    return {name for step in steps for text in _acting_texts(step) for name in places(text)}


def unused_faults(names: Iterable[str], used: Collection[str]) -> tuple[str, ...]:
    """A sentence for each parameter that no step uses."""
    return tuple(
        f"The parameter {name!r} is used by no step, so a value for it would change nothing of what is done: write "
        f"{{{name}}} into the step that it belongs to, or take the parameter out."
        for name in names
        if name not in used
    )


def shared_faults(steps: Sequence[Step]) -> tuple[str, ...]:
    """A sentence for each parameter that is typed several times in a row into fields of one description.

    The same value is typed twice on purpose into two fields, or into one field at two times. Twice in a row into what
    is described as one field, it is several values that were learned under one name.
    """
    return tuple(
        f"Steps {', '.join(str(step.i + 1) for step in run[:_FEW])} type {run[0].action_value} in a row into "
        f"{run[0].target.primary}: the name stands for several values. Give each step a parameter of its own."
        for run in _typed_in_a_row(steps)
    )


def is_same_entry(step: Step, other: Step) -> bool:
    """Whether both type the same into what is described as one field."""
    return _entry(step) == _entry(other)


def _entry(step: Step) -> tuple[str, str | None, str]:
    return step.action_type, step.action_value, " ".join(step.target.primary.split()).casefold()


def _typed_in_a_row(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    run: list[Step] = []
    for step in steps:
        if step.action_type == "KEYPRESS":
            continue
        if run and is_same_entry(step, run[0]):
            run.append(step)
            continue
        if len(run) > 1:
            yield run
        run = [step] if _is_named_entry(step) else []
    if len(run) > 1:
        yield run


def _is_named_entry(step: Step) -> bool:
    """Whether it types a parameter into a field that it names."""
    is_parameter = step.action_type == "TYPE" and step.place and not EXTRACT.fullmatch(step.place)
    return bool(is_parameter and first_quotation(step.target.primary))


def _acting_texts(step: Step) -> Iterator[str]:
    acting = (".action_value", ".target", ".additional_args")
    return (each.text for each in _step_texts(step, "") if each.path.startswith(acting))
