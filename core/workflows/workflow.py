"""A workflow: a thing that was shown once, with places for parameters (``schema.json``, version 2)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from core.values import Value

ActionType = Literal[
    "CLICK",
    "DOUBLE_CLICK",
    "RIGHT_CLICK",
    "MIDDLE_CLICK",
    "TYPE",
    "KEYPRESS",
    "SCROLL",
    "DRAG",
    "EXTRACT",
    "OPEN_APP",
    "OPEN_URL",
]
"""What was done in a step. ``OPEN_APP`` and ``OPEN_URL`` are Vaider's; the others are the format's."""


class Parameter(Value):
    """A value that is asked for before a run; ``example`` is its default."""

    name: str
    type: str = "string"
    description: str = ""
    example: str | None = None
    sensitive: bool = False
    optional: bool = False


class Target(Value):
    """Where a step acts, in words: ``the "Save" button``."""

    primary: str
    fallback: str | None = None


class Step(Value):
    """How a part of a subtask was done when it was shown: an example for a model, an instruction for ``local``."""

    i: int
    expected_current_state: str
    intent: str
    action_type: ActionType
    action_value: str | None = None
    target: Target
    post_action: tuple[str, ...]
    variable_name: str | None = None
    additional_args: dict[str, Any] = Field(default_factory=dict)


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
    plan: Plan
