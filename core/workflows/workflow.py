"""A workflow (``schema.json``, version 2), and the places for values in its texts: ``{name}``, filled once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import Field

from core.effects.effect import Effect
from core.errors import InvalidRequest
from core.steps import PLACE, Step, Target
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.secrets import Secrets


class Parameter(Value):
    """A value that is asked for before a run; ``example`` is its default."""

    name: str
    type: str = "string"
    description: str = ""
    example: str | None = None
    sensitive: bool = False
    optional: bool = False


class PlannedSubtask(Value):
    """A part of the workflow that a decider finishes before the next one begins."""

    subtask_i: int
    text: str
    dependencies: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


class Plan(Value):
    """The subtasks, in order."""

    subtasks: tuple[PlannedSubtask, ...]


class Workflow(Value):
    """The whole document."""

    task_name: str
    task_description_user: str = ""
    detailed_task_description: str = ""
    task_params: tuple[Parameter, ...] = ()
    success_criteria: str = ""
    effects: tuple[Effect, ...] = Field(default=(), exclude_if=lambda effects: not effects)
    """What the acts are to bring about, read by another way than the screen."""
    plan: Plan

    def steps_of(self, subtask: int) -> tuple[Step, ...]:
        """The steps of the subtask of that index."""
        return next((each.steps for each in self.plan.subtasks if each.subtask_i == subtask), ())


EXTRACT: Final = re.compile(r"extract_[0-9]+")
"""The name of an extract."""


NUMBER: Final = "number"
"""``{number}`` in a success criterion is any number, unless the task has a value of that name."""


def places(text: str) -> set[str]:
    """The names between braces in a text, of parameters and extracts alike."""
    return set(PLACE.findall(text))


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with the places of these values filled, once: what is filled in is not searched again."""
    return PLACE.sub(lambda found: values.get(found[1], found[0]), text)


def fill_extracts(text: str, extracts: Mapping[str, str]) -> str:
    """The text with the extracts that are known by now; the others' places stay."""
    return fill(text, {name: value for name, value in extracts.items() if EXTRACT.fullmatch(name)})


def fill_subtask(subtask: PlannedSubtask, extracts: Mapping[str, str]) -> PlannedSubtask:
    """The subtask with the extracts that are known by now; what is typed literally stays as it is."""
    return _map_subtask(subtask, lambda text: fill_extracts(text, extracts))


def names_secret(text: str, secrets: Secrets) -> bool:
    """Whether a text that was read off a screen holds the place of a secret: typed again, it would be spelt out."""
    return not places(text).isdisjoint(secrets.values)


def render(workflow: Workflow, values: Mapping[str, str], secrets: Secrets) -> Workflow:
    """The workflow for one run: what a decider is shown, and what ``schema.rendered.json`` keeps.

    Extracts keep their places, for they are not known yet. Sensitive parameters keep theirs, for they are spelt out
    only where they are typed; nor is their ``example`` in the result.

    Args:
        workflow: as it was read.
        values: of the parameters, as ``core.runs.run.resolve_parameters`` gives them; those of sensitive
            parameters are not used.
        secrets: the sensitive ones.

    Raises:
        InvalidRequest: a declared parameter that a text has a place for has no value.

    """
    known = {parameter.name for parameter in workflow.task_params}
    shown = {name: value for name, value in values.items() if name in known and name not in secrets.values}
    missing = sorted((known - shown.keys() - secrets.values.keys()) & _used(workflow))
    if missing:
        raise InvalidRequest(f"Missing params for template {missing}: give each of them a value, as name=value.")
    return map_texts(workflow, lambda text: fill(text, shown)).model_copy(
        update={"task_params": tuple(_without_secret(parameter) for parameter in workflow.task_params)}
    )


def map_texts(workflow: Workflow, change: Callable[[str], str]) -> Workflow:
    """The workflow with each text that is a template changed."""
    plan = workflow.plan.model_copy(
        update={"subtasks": tuple(_map_subtask(subtask, change) for subtask in workflow.plan.subtasks)}
    )
    return workflow.model_copy(
        update={
            "task_name": change(workflow.task_name),
            "task_description_user": change(workflow.task_description_user),
            "detailed_task_description": change(workflow.detailed_task_description),
            "success_criteria": change(workflow.success_criteria),
            "effects": tuple(effect.mapped(change) for effect in workflow.effects),
            "plan": plan,
        }
    )


def _map_subtask(subtask: PlannedSubtask, change: Callable[[str], str]) -> PlannedSubtask:
    steps = tuple(_map_step(step, change) for step in subtask.steps)
    return subtask.model_copy(update={"text": change(subtask.text), "steps": steps})


def _map_step(step: Step, change: Callable[[str], str]) -> Step:
    value = step.action_value
    fallback = step.target.fallback
    return step.model_copy(
        update={
            "expected_current_state": change(step.expected_current_state),
            "intent": change(step.intent),
            "action_value": value if value is None or step.is_literal else change(value),
            "target": Target(
                primary=change(step.target.primary), fallback=None if fallback is None else change(fallback)
            ),
            "post_action": tuple(change(text) for text in step.post_action),
            "additional_args": {name: _map_value(each, change) for name, each in step.additional_args.items()},
        }
    )


def _map_value(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_map_value(each, change) for each in cast("list[Any]", value)]
        case dict():
            return {name: _map_value(each, change) for name, each in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _used(workflow: Workflow) -> set[str]:
    found: set[str] = set()

    def note(text: str) -> str:
        found.update(places(text))
        return text

    map_texts(workflow, note)
    return found


def _without_secret(parameter: Parameter) -> Parameter:
    return parameter.model_copy(update={"example": None}) if parameter.sensitive else parameter
