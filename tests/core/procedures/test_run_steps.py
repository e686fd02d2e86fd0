"""What is remembered of Vaider's own runs: what was planned, where it was seen to succeed, and nothing secret."""

from __future__ import annotations

from typing import Any

import pytest

from core.plans import read_step
from core.procedures.run_steps import procedure_of_run
from core.runs import Check, Run, RunOutcome, Spent, SubtaskRun
from core.workflows import Plan, PlannedSubtask, Workflow


def run(*subtasks: SubtaskRun, **more: Any) -> Run:
    check = Check(expected='"Order 1042 placed" is shown.', verdict="pass", evidence="seen")
    told: dict[str, Any] = {
        "run_id": "20261121T170015Z-job1", "job_id": "job-1", "workflow": "/w", "task_name": "parcel-form",
        "outcome": RunOutcome.SUCCEEDED, "reason": "", "provider": "local", "model": "m", "display": "private",
        "params": {"recipient": "Ada Lovelace", "pickup_code": "•••"}, "extracts": {}, "subtasks": subtasks,
        "success_check": check, "spent": Spent(), "started_at": "2026-11-21T17:00:15.080+00:00", "duration_ms": 6000,
        "directory": "/w/.replay/1",
    }  # fmt: skip
    return Run.model_validate({**told, **more})


def subtask(text: str, index: int = 0, duration_ms: int = 1000) -> SubtaskRun:
    check = Check(expected='"Order 1042 placed" is shown.', verdict="pass", evidence="seen")
    return SubtaskRun(index=index, text=text, iterations=1, result="", check=check, duration_ms=duration_ms)


def planned(*lines: str) -> Workflow:
    steps = [read_step(line) for line in lines]
    known = tuple(step for step in steps if step is not None)
    assert len(known) == len(lines)
    return Workflow(task_name="parcel-form", plan=Plan(subtasks=(PlannedSubtask(subtask_i=0, text="", steps=known),)))


def test_a_run_is_told_by_its_plan_and_what_was_seen() -> None:
    workflow = planned(
        'Open "https://parcels.example/form" in the browser.',
        'Type "Ada Lovelace" into the "Recipient" field.',
        'Type "{pickup_code}" into the "Pickup code" field.',
        'Choose "Finland" in the "Country" dropdown.',
        'Click "Place order".',
    )
    procedure = procedure_of_run(run(subtask("Fill in the order.")), workflow)

    assert procedure is not None
    assert [step.text for step in procedure.steps] == [
        'Opened "https://parcels.example/form" in the browser',
        'Typed "Ada Lovelace" into the "Recipient" field',
        'Typed a hidden value into the "Pickup code" field',
        'Chose "Finland" from the "Country" dropdown',
        'Clicked "Place order", and "Order 1042 placed" was seen',
    ]
    assert procedure.summary == 'Ran parcel-form with recipient "Ada Lovelace"; "Order 1042 placed" was seen'
    assert (procedure.video, procedure.source) == ("20261121T170015Z-job1", "run")
    assert procedure.applications == ("parcels.example",)
    assert not procedure.inferred
    assert procedure.id == getattr(procedure_of_run(run(subtask("Fill in the order."))), "id", "")


def test_a_run_without_planned_steps_is_told_by_its_journal() -> None:
    rows: list[dict[str, Any]] = [
        {"type": "computer_use", "subtask_idx": 0, "outcome": outcome, "pixel_action": {"action": "type", "text": text}}
        for outcome, text in [("confirmed", "Ada"), ("refused", "rm -rf"), ("confirmed", "•••")]
    ]
    procedure = procedure_of_run(run(subtask('Fill it in. Expected outcome: "x" is shown.')), rows=rows)

    assert procedure is not None
    assert [step.text for step in procedure.steps] == [
        'Typed "Ada"',
        "Typed a hidden value",
        'Carried out: Fill it in, and "Order 1042 placed" was seen',
    ]
    assert "rm -rf" not in procedure.model_dump_json()


@pytest.mark.parametrize("outcome", [each for each in RunOutcome if each is not RunOutcome.SUCCEEDED])
def test_a_run_that_was_not_seen_to_succeed_is_no_memory(outcome: RunOutcome) -> None:
    assert procedure_of_run(run(subtask("Fill it in."), outcome=outcome)) is None


def test_times_of_subtasks_follow_each_other() -> None:
    procedure = procedure_of_run(run(subtask("One.", 0, 700), subtask("Two.", 1, 500)))

    assert procedure is not None
    assert [(step.t_ms, step.until_ms) for step in procedure.steps] == [(0, 700), (700, 1200)]
    assert procedure.end_ms == 6000
