"""What a run is going to do, part by part and step by step, in words, for its viewers, before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from core.tasks.heartbeat import Heartbeat
from core.tasks.plan import plan_of

if TYPE_CHECKING:
    from core.workflows.workflow import Workflow


class PlannedPart(NamedTuple):
    """A subtask."""

    text: str
    steps: tuple[str, ...]
    """Its reference steps, or the lines of a task's plan."""


def planned_parts(workflow: Workflow, *, is_task: bool) -> tuple[PlannedPart, ...]:
    """All of them, with the values filled in that are no secrets.

    Args:
        workflow: as it was rendered.
        is_task: whether it is a task in the shape of a workflow, whose document has the plan.

    """
    lines = _lines(workflow.detailed_task_description) if is_task else ()
    return tuple(
        PlannedPart(each.text, lines or tuple(step.intent or step.text for step in each.steps))
        for each in workflow.plan.subtasks
    )


def _lines(document: str) -> tuple[str, ...]:
    """Of a task's plan; the several steps that an answer put in a line's place are that line."""
    found: dict[int, list[str]] = {}
    for step in plan_of(Heartbeat(document)):
        found.setdefault(step.i, []).append(step.text)
    return tuple(" ".join(found.get(at, ())) for at in range(max(found, default=-1) + 1))
