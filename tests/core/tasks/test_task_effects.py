"""The effects of a task: written in its document, proposed and agreed to, with places for its values."""

import pytest

from core.effects.effect import Effect
from core.tasks.effects import effects_of, proposal
from core.tasks.heartbeat import Heartbeat
from core.tasks.parameters import filled, parametrised
from core.tasks.workflow import as_workflow, compiled

LINE = 'The page "http://localhost:8000/list?q=Lee+Ann" has one more row: "Name" is "Lee Ann", "City" is "Lee Ann".'
TASK = """# Task
Title: Add a person
SuccessCriteria:
- "Saved" is shown.
{effects}SuggestedPlan:
1. Open "http://localhost:8000/new" in the browser.
2. Type "Lee Ann" into the "Name" field.
3. Type "Lee Ann" into the "City" field.
4. Click the "Save" button.

## Questions
- None.
"""
PLACED = Effect(kind="page", at="http://localhost:8000/list?q={City}", expect={"Name": "{Name}", "City": "{City}"})


def document(*lines: str) -> Heartbeat:
    return Heartbeat(TASK.replace("{effects}", "\n".join(["Effects:", *lines, ""]) if lines else ""))


def test_an_effect_of_the_document_has_places_for_the_values_of_its_columns() -> None:
    template = parametrised(document(f"- {LINE}"))
    (effect,) = as_workflow(template).effects

    assert (effect.expect, effect.at) in (
        (PLACED.expect, PLACED.at),
        (PLACED.expect, PLACED.at.replace("City", "Name")),
    )
    assert template.faults == ()
    assert compiled(document(f"- {LINE}")).effects == (effect,)


def test_the_document_of_a_run_has_its_values_in_its_effects_too() -> None:
    template = parametrised(document(f"- {LINE}"))
    (effect,) = effects_of(filled(template, {"Name": "Bo", "City": 'Rom "a"'}))

    assert effect.expect == {"Name": "Bo", "City": 'Rom "a"'}


@pytest.mark.parametrize(("answer", "counts"), [("Yes.", True), (LINE, True), ("No, never.", False), (None, False)])
def test_a_proposal_is_an_effect_once_it_was_agreed_to(answer: str | None, counts: bool) -> None:
    (effect,) = effects_of(document(f"- {LINE}"))
    asked = document().with_questions([proposal(effect)])
    asked = asked.with_answer(asked.questions[0].id, answer) if answer is not None else asked
    found = as_workflow(parametrised(asked)).effects

    assert [each.expect for each in found] == ([PLACED.expect] if counts else [])


def test_a_line_that_begins_like_an_effect_and_is_none_is_named() -> None:
    (fault,) = parametrised(document('- The page "http://localhost/" shows the person.')).faults

    assert "is not understood" in fault
    assert parametrised(document("- Everybody is happy.")).faults == ()


def test_an_effect_that_breaks_a_rule_is_named() -> None:
    (fault,) = parametrised(document('- The file "list.csv" has one more row: "Name" is "Lee Ann".')).faults

    assert "must be an absolute path" in fault
