"""What is remembered of Vaider's own runs: what was planned, where it was seen to succeed, and nothing secret."""

from typing import Any

import pytest

from core.procedures.run_steps import procedure_of_run
from core.runs.run import RunOutcome
from tests.fakes.runs.finished_runs import finished_run, finished_subtask, planned_workflow


def test_a_run_is_told_by_its_plan_and_what_was_seen() -> None:
    workflow = planned_workflow(
        'Open "https://parcels.example/form" in the browser.',
        'Type "Ada Lovelace" into the "Recipient" field.',
        'Type "{pickup_code}" into the "Pickup code" field.',
        'Choose "Finland" in the "Country" dropdown.',
        'Click "Place order".',
    )
    procedure = procedure_of_run(finished_run(finished_subtask("Fill in the order.")), workflow)

    assert procedure is not None
    assert [step.text for step in procedure.steps] == [
        'Opened "https://parcels.example/form" in the browser',
        'Typed "Ada Lovelace" into the "Recipient" field',
        'Typed a hidden value into the "Pickup code" field',
        'Chose "Finland" from the "Country" dropdown',
        'Clicked "Place order", and "Order 1042 placed" was seen',
    ]
    assert procedure.summary == 'Ran parcel-form with recipient "Ada Lovelace"; "Order 1042 placed" was seen'
    # What its page is called.
    assert (procedure.video, procedure.source) == ("job-1", "run")
    assert procedure.applications == ("parcels.example",)
    assert not procedure.inferred
    assert procedure.id == getattr(procedure_of_run(finished_run(finished_subtask("Fill in the order."))), "id", "")


def test_a_run_without_planned_steps_is_told_by_its_journal() -> None:
    rows: list[dict[str, Any]] = [
        {"type": "computer_use", "subtask_idx": 0, "outcome": outcome, "pixel_action": {"action": "type", "text": text}}
        for outcome, text in [("confirmed", "Ada"), ("refused", "rm -rf"), ("confirmed", "•••")]
    ]
    procedure = procedure_of_run(
        finished_run(finished_subtask('Fill it in. Expected outcome: "x" is shown.')), rows=rows
    )

    assert procedure is not None
    assert [step.text for step in procedure.steps] == [
        'Typed "Ada"',
        "Typed a hidden value",
        'Carried out: Fill it in, and "Order 1042 placed" was seen',
    ]
    assert "rm -rf" not in procedure.model_dump_json()


@pytest.mark.parametrize("outcome", [each for each in RunOutcome if each is not RunOutcome.SUCCEEDED])
def test_a_run_that_was_not_seen_to_succeed_is_no_memory(outcome: RunOutcome) -> None:
    assert procedure_of_run(finished_run(finished_subtask("Fill it in."), outcome=outcome)) is None


def test_times_of_subtasks_follow_each_other() -> None:
    procedure = procedure_of_run(finished_run(finished_subtask("One.", 0, 700), finished_subtask("Two.", 1, 500)))

    assert procedure is not None
    assert [(step.t_ms, step.until_ms) for step in procedure.steps] == [(0, 700), (700, 1200)]
    assert procedure.end_ms == 6000
