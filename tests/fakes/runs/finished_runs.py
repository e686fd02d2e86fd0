"""Runs that are over, and workflows with planned steps."""

from typing import Any

from core.plans.grammar import read_step
from core.runs.run import Check, Run, RunOutcome, Spent, SubtaskRun
from core.workflows.workflow import Plan, PlannedSubtask, Workflow


def finished_run(*subtasks: SubtaskRun, **more: Any) -> Run:
    """One that succeeded, unless ``more`` says otherwise."""
    check = Check(expected='"Order 1042 placed" is shown.', verdict="pass", evidence="seen")
    reported: dict[str, Any] = {
        "run_id": "20261121T170015Z-job1", "job_id": "job-1", "workflow": "/w", "task_name": "parcel-form",
        "outcome": RunOutcome.SUCCEEDED, "reason": "", "provider": "local", "model": "m", "display": "private",
        "params": {"recipient": "Ada Lovelace", "pickup_code": "•••"}, "extracts": {}, "subtasks": subtasks,
        "success_check": check, "spent": Spent(), "started_at": "2026-11-21T17:00:15.080+00:00", "duration_ms": 6000,
        "directory": "/w/.replay/1",
    }  # fmt: skip
    return Run.model_validate({**reported, **more})


def finished_subtask(text: str, index: int = 0, duration_ms: int = 1000) -> SubtaskRun:
    """One that was seen to succeed."""
    check = Check(expected='"Order 1042 placed" is shown.', verdict="pass", evidence="seen")
    return SubtaskRun(index=index, text=text, iterations=1, result="", check=check, duration_ms=duration_ms)


def planned_workflow(*lines: str) -> Workflow:
    """One whose only subtask has these steps."""
    steps = [read_step(line) for line in lines]
    known = tuple(step for step in steps if step is not None)
    assert len(known) == len(lines)
    return Workflow(task_name="parcel-form", plan=Plan(subtasks=(PlannedSubtask(subtask_i=0, text="", steps=known),)))
