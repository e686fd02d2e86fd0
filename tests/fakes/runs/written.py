"""Workflows that a test writes down step by step, carried out on a private display."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.runs.run import Run
from tests.fakes.runs.replaying import Case, Replays


def step(action: str, target: str, value: str | None = None, **args: Any) -> dict[str, Any]:
    """A step of a workflow that expects nothing but that it is done."""
    return {
        "expected_current_state": "The program is open.",
        "intent": f"{action} {value or target}",
        "action_type": action,
        "action_value": value,
        "target": {"primary": target, "fallback": None},
        "post_action": ["It is done."],
        "variable_name": None,
        "additional_args": args,
    }


def carried_out(folder: Path, steps: Sequence[Mapping[str, Any]], title: str) -> Run:
    """Carry the steps out; they succeed when the window of that title has gone."""
    steps = [{"i": at, **step} for at, step in enumerate(steps)]
    document: dict[str, Any] = {
        "task_name": "fill in",
        "task_description_user": "Fill the form in",
        "detailed_task_description": "Fill the form in.",
        "task_params": [],
        "success_criteria": f'"{title}" is no longer shown.',
        "plan": {"subtasks": [{"subtask_i": 0, "text": "Fill it in.", "dependencies": [], "steps": steps}]},
    }
    workflow = folder / "workflow"
    workflow.mkdir()
    (workflow / "schema.json").write_text(json.dumps(document), encoding="utf-8")
    return Replays(folder, patience=4).run(Case(workflow, {}, lambda: None))
