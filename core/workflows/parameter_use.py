"""Whether each parameter has an effect on what is done, and stands for one value only; else no run begins.

A value that is given and then ignored would have the wrong thing submitted without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from core.plans.quotes import quoted
from core.workflows.templates import EXTRACT, PLACE, is_literal, places

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from core.workflows.workflow import Step, Workflow

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
    place = PLACE.fullmatch(step.action_value or "")
    said = quoted(step.target.primary)
    return (
        step.action_type == "TYPE"
        and place is not None
        and not is_literal(step)
        and not EXTRACT.fullmatch(place[1])
        and said is not None
        and bool(said.texts)
    )


def _acting_texts(step: Step) -> Iterator[str]:
    if step.action_value is not None and not is_literal(step):
        yield step.action_value
    yield step.target.primary
    yield step.target.fallback or ""
    yield from _texts_in(step.additional_args)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from _texts_in(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts_in(each)
