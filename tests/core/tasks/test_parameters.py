"""Which values of a task may be other ones, and how they get into its document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.tasks.fields import task_fields
from core.tasks.heartbeat import Heartbeat
from core.tasks.parameters import filled, given_by_name, parametrised
from core.tasks.plan import blocked_question, plan_of, value_question

TASK = """# Task
Title: Send a parcel
Goal: The parcel for "Ada Lovelace" is on its way.
SuccessCriteria:
- "Parcel for Ada Lovelace sent" is shown.
- "3 parcels" is shown.
SuggestedPlan:
1. Type "Ada Lovelace" into the "Recipient's name" field.
2. Type "3" into the "Count" field.
3. Choose "Express" in the "Delivery" dropdown.
4. Type "{Password}" into the "Password" field.
5. Click the "Send" button.
Evidence:
- [00:03-00:05] "Ada Lovelace" was typed.

## Questions
- [ ] Is "Ada Lovelace" always the recipient?
"""


def test_what_is_typed_is_a_value_by_the_name_of_its_field() -> None:
    template = parametrised(Heartbeat(TASK))
    told = {each.name: (each.example, each.sensitive) for each in template.parameters}

    assert told == {
        "Recipient_s_name": ("Ada Lovelace", False),
        "Count": ("3", False),
        "Delivery": ("Express", False),
        "Password": (None, True),
    }


def test_unchanged_values_give_the_document_as_it_was() -> None:
    template = parametrised(Heartbeat(TASK))

    assert filled(template, {each.name: each.example for each in template.parameters if each.example}).text == TASK


def test_another_value_is_wherever_the_first_was_quoted_but_not_in_the_questions() -> None:
    document = filled(parametrised(Heartbeat(TASK)), {"Recipient_s_name": "Bob", "Count": "7", "Delivery": "Express"})
    fields = task_fields(document)

    assert fields["SuccessCriteria"].items == ('"Parcel for Bob sent" is shown.', '"3 parcels" is shown.')
    assert fields["Goal"].items == ('The parcel for "Bob" is on its way.',)
    assert [line.step.action_value for line in plan_of(document)[:2] if line.step] == ["Bob", "7"]
    assert '"Bob" was typed' in document.text
    assert 'Is "Ada Lovelace" always' in document.text
    assert '"{Password}"' in document.text


def test_a_value_that_looks_like_a_place_is_typed_as_it_stands() -> None:
    document = filled(parametrised(Heartbeat(TASK)), {"Recipient_s_name": "{Count} of", "Count": "3"})

    assert plan_of(document)[0].text == 'Type exactly "{Count} of" into the "Recipient\'s name" field.'


@given(st.text(min_size=1, max_size=40).filter(lambda text: text.strip() == text and "\x00" not in text))
def test_any_value_is_typed_as_it_was_given(value: str) -> None:
    """Quotation marks, line ends and braces too."""
    document = filled(parametrised(Heartbeat(TASK)), {"Recipient_s_name": value, "Count": "3", "Delivery": "Express"})
    steps = [line.step for line in plan_of(document)]

    assert steps[0] is not None
    assert steps[0].action_value == value
    assert len(steps) == 5


def test_values_are_given_by_the_label_of_their_field_as_well() -> None:
    parameters = parametrised(Heartbeat(TASK)).parameters

    assert given_by_name(parameters, {"recipient's  name": "Bob", "COUNT": "2"}) == {
        "Recipient_s_name": "Bob",
        "Count": "2",
    }
    with pytest.raises(InvalidRequest, match="Did you mean 'Count'"):
        given_by_name(parameters, {"Cuont": "1"})
    with pytest.raises(InvalidRequest, match="given twice"):
        given_by_name(parameters, {"Count": "1", "count": "2"})


def test_of_two_equal_values_each_belongs_to_the_line_that_names_its_field() -> None:
    task = """# Task
Fly
SuggestedPlan:
1. Type "Berlin" into the "From" field.
2. Type "Berlin" into the "To" field.
SuccessCriteria:
- "Berlin" is shown.
"""
    template = parametrised(Heartbeat(task))
    document = filled(template, {"From": "Oslo", "To": "Rome"})

    assert [line.text for line in plan_of(document)] == [
        'Type "Oslo" into the "From" field.',
        'Type "Rome" into the "To" field.',
    ]
    assert task_fields(document)["SuccessCriteria"].items == ('"Berlin" is shown.',)


def test_a_place_whose_value_was_answered_is_a_secret_with_a_default() -> None:
    asked = value_question(4, 'Type "{Password}" into the "Password" field.', "Password", "It was hidden.")
    document = Heartbeat(TASK).with_questions([asked])
    document = document.with_answer(document.questions[-1].id, "canary-991")
    (password,) = [each for each in parametrised(document).parameters if each.name == "Password"]

    assert (password.example, password.sensitive) == ("canary-991", True)


def test_what_an_answer_has_replaced_is_no_longer_asked_for() -> None:
    asked = blocked_question(4, 'Type "{Password}" into the "Password" field.', "There is no such field.")
    document = Heartbeat(TASK).with_questions([asked])
    document = document.with_answer(document.questions[-1].id, 'Click the "Stay signed in" button.')

    assert "Password" not in {each.name for each in parametrised(document).parameters}


def test_a_value_that_stands_only_in_an_answer_cannot_be_another_one() -> None:
    """It could not be filled in there, and the first one would be typed without a word."""
    asked = blocked_question(5, 'Click the "Send" button.', "It is grey.")
    document = Heartbeat(TASK).with_questions([asked])
    document = document.with_answer(document.questions[-1].id, 'Type "today" into the "Day" field. Click "Send".')

    assert "Day" not in {each.name for each in parametrised(document).parameters}


def test_a_place_that_stands_only_in_the_evidence_is_not_asked_for() -> None:
    document = Heartbeat(TASK.replace('"Ada Lovelace" was typed.', 'Type "{Code}" into the "Code" field.'))

    assert "Code" not in {each.name for each in parametrised(document).parameters}
