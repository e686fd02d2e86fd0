import json

import pytest

from core.errors import InvalidRequest
from core.runs.run import resolve_parameters
from core.tasks.heartbeat import Heartbeat
from core.tasks.workflow import compiled
from core.workflows.reading import read_document, write_workflow

TASK = """# Task
Title: Send a parcel
Goal: In the end, "Parcel for Ada is sent" is shown.
AppsObserved:
- Chromium
SuccessCriteria:
- "Parcel for Ada is sent" is shown.
SuggestedPlan:
1. Open http://127.0.0.1:8000/parcel in the browser.
2. Type "Ada" into the "Recipient" field.
3. Type {Password} into the "Password" field.
4. Choose "Express" from the "Speed" dropdown.
5. Click "Send". Then "Parcel for Ada is sent" is shown.

## Questions
- None.
"""


def test_a_task_becomes_a_workflow_whose_values_are_parameters() -> None:
    workflow = compiled(Heartbeat(TASK))
    steps = workflow.plan.subtasks[0].steps
    assert [step.action_type for step in steps] == ["OPEN_URL", "TYPE", "TYPE", "TYPE", "CLICK"]
    assert [step.action_value for step in steps[1:4]] == ["{Recipient}", "{Password}", "{Speed}"]
    assert steps[4].post_action == ('"Parcel for {Recipient} is sent" is shown.',)
    assert {each.name: (each.example, each.sensitive) for each in workflow.task_params} == {
        "Recipient": ("Ada", False),
        "Speed": ("Express", False),
        "Password": (None, True),
    }
    assert workflow.success_criteria == '"Parcel for {Recipient} is sent" is shown.'
    assert resolve_parameters(workflow, {"Password": "x", "Recipient": "Bob"})["Recipient"] == "Bob"


def test_what_is_written_is_read_by_every_reader_of_the_format() -> None:
    reading = read_document(write_workflow(compiled(Heartbeat(TASK))))
    assert (reading.version, list(reading.notes)) == (2, [])
    document = json.loads(write_workflow(reading.workflow))
    steps = document["plan"]["subtasks"][0]["steps"]
    assert all(step["expected_current_state"] and step["post_action"] and step["intent"] for step in steps)
    assert "secret" not in json.dumps(document).lower()


def test_a_line_that_is_not_understood_makes_no_workflow_and_is_named() -> None:
    unclear = TASK.replace('4. Choose "Express" from the "Speed" dropdown.', "4. Click what was clicked at 00:07.")
    with pytest.raises(InvalidRequest, match="Step 4 of the plan is not understood"):
        compiled(Heartbeat(unclear))


def test_a_line_that_an_answer_has_explained_is_a_step() -> None:
    question = 'Step 4, "Click what was clicked at 00:07.": it has no name. What is to be done instead?'
    answered = TASK.replace(
        '4. Choose "Express" from the "Speed" dropdown.', "4. Click what was clicked at 00:07."
    ).replace("- None.\n", f'- [x] {question}\n  Answer: Click "Express"\n')
    steps = compiled(Heartbeat(answered)).plan.subtasks[0].steps
    assert (steps[3].action_type, steps[3].target.primary) == ("CLICK", '"Express"')


def test_a_task_without_a_plan_makes_no_workflow() -> None:
    with pytest.raises(InvalidRequest, match="no plan"):
        compiled(Heartbeat.new("Empty"))
