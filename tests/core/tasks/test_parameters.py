"""Which values of a task may be other ones, and how they get into its document."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.plans.grammar import read_step
from core.secrets import Secrets
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.parameters import filled, given_by_name, parametrised
from core.tasks.plan import (
    about_line,
    answer_steps,
    blocked_question,
    looks_like,
    plan_of,
    proposed,
    value_question,
)
from core.tasks.workflow import compiled
from core.workflows.workflow import render

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
PLAN = task_fields(Heartbeat(TASK))["SuggestedPlan"].items


def test_unchanged_values_give_the_document_as_it_was() -> None:
    template = parametrised(Heartbeat(TASK))

    assert filled(template, {each.name: each.example for each in template.parameters if each.example}).text == TASK


def test_another_value_is_wherever_the_first_was_quoted_but_not_in_the_questions() -> None:
    document = filled(parametrised(Heartbeat(TASK)), {"Recipient_s_name": "Bob", "Count": "7", "Delivery": "Express"})
    fields = task_fields(document)

    assert fields["SuccessCriteria"].items == ('"Parcel for Bob sent" is shown.', '"3 parcels" is shown.')
    assert fields["Goal"].items == ('The parcel for "Bob" is on its way.',)
    assert [line.action_value for line in plan_of(document)[:2] if line.is_known] == ["Bob", "7"]
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
    steps = plan_of(document)

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


def test_what_is_typed_where_the_focus_is_keeps_its_name_when_it_is_known() -> None:
    asked = Heartbeat(TASK.replace('Type "3" into the "Count" field', 'Type "{Value}"'))
    known = Heartbeat(TASK.replace('Type "3" into the "Count" field', 'Type "3"'))

    assert [each.name for each in parametrised(asked).parameters if each.example is None] == ["Value", "Password"]
    assert [each.name for each in parametrised(known).parameters if each.example == "3"] == ["Value"]


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


def answered(document: Heartbeat, question: str, answer: str) -> Heartbeat:
    asked = document.with_questions([question])
    return asked.with_answer(asked.questions[-1].id, answer)


def typed(document: Heartbeat) -> list[str | None]:
    return [line.action_value for line in plan_of(document) if line.action_type == "TYPE"]


def test_a_value_that_stands_only_in_an_answer_is_a_parameter_like_any_other() -> None:
    asked = blocked_question(5, 'Click the "Send" button.', "It is grey.")
    task = answered(Heartbeat(TASK), asked, 'Type "today" into the "Day" field. Click "Send".')
    template = parametrised(task)

    assert {each.name: each.example for each in template.parameters}["Day"] == "today"
    assert typed(filled(template, {"Day": "tomorrow"}))[-1] == "tomorrow"
    assert [line.text for line in plan_of(filled(template, {"Day": "today"}))][-2:] == [
        'Type "today" into the "Day" field.',
        'Click "Send".',
    ]


def test_an_answer_about_a_line_with_a_value_still_takes_its_place() -> None:
    line = 'Type "3" into the "Count" field.'
    task = answered(Heartbeat(TASK), blocked_question(2, line, "It is not there."), 'Type "3" into the "Amount" field.')
    template = parametrised(task)

    assert "Amount" in {each.name for each in template.parameters}
    (changed,) = [each for each in plan_of(filled(template, {"Amount": "8"})) if each.is_known and "8" in each.text]
    assert changed.text == 'Type "8" into the "Amount" field.'


def test_what_blocks_a_step_of_an_answer_is_asked_about_the_line_of_the_document() -> None:
    first = 'Click the "Send" button.'
    task = answered(Heartbeat(TASK), blocked_question(1, PLAN[0], "It is not there."), 'Click "A". Type "B" into "C".')
    template = parametrised(task)
    lines = plan_of(filled(template, {"C": "D"}))
    assert lines[1].text == 'Type "D" into "C".'
    assert lines[5].text == first

    asked = about_line(blocked_question(6, lines[5].text, "It is grey."), template.lines)
    assert asked == blocked_question(5, first, "It is grey.")
    again = about_line(blocked_question(2, lines[1].text, "It is not there."), template.lines)
    assert [each.text for each in plan_of(answered(task, again, "Press Enter."))][:2] == ['Click "A".', "Press Enter."]


def test_a_proposed_target_is_asked_about_with_the_place_of_the_value_and_not_with_one_runs_value() -> None:
    template = parametrised(Heartbeat(TASK))
    place = next(each for each in template.lines if "{" in each.text and each.target.primary)
    run = plan_of(filled(template, {each.name: "Molly" for each in template.parameters}))[place.i]
    renamed = 'the "Receiver" field'
    reason = looks_like("it is not seen", [run.text.replace(run.target.primary, renamed)])

    asked = about_line(blocked_question(place.i + 1, run.text, reason), template.lines)

    assert "Molly" in run.text
    assert "Molly" not in asked
    assert proposed(asked) == place.text.replace(place.target.primary, renamed)
    assert answer_steps(asked, "yes") == answer_steps(asked, proposed(asked))


def test_a_line_whose_answer_is_no_instruction_is_not_done_as_it_stands() -> None:
    task = answered(Heartbeat(TASK), blocked_question(5, PLAN[4], "It is grey."), "The blue one.")
    template = parametrised(task)
    last = plan_of(filled(template, {"Count": "4"}))[-1]

    assert not last.is_known
    assert "The blue one." in last.text
    asked = about_line(blocked_question(5, last.text, "not understood"), template.lines)
    assert asked.startswith(f'Step 5, “{PLAN[4]}”: the answer "The blue one."')


def test_values_that_are_asked_for_under_one_name_have_a_name_each() -> None:
    """So a recording was learned in which one text was taken for the label of three fields."""
    line = 'Type "{New_order}" into the "New order" field.'
    document = Heartbeat(f"# Task\nOrder\nSuggestedPlan:\n1. {line}\n2. {line}\n3. {line}\n")
    reasons = ("It may be Bob.", "It may be a chair.", "It may be 2.")
    document = document.with_questions(
        [value_question(at, line, "New_order", reason) for at, reason in enumerate(reasons, 1)]
    )
    template = parametrised(document)

    names = [each.name for each in template.parameters]
    assert names == ["New_order", "New_order_2", "New_order_3"]
    assert typed(filled(template, dict(zip(names, ("Bob", "chair", "2"), strict=True)))) == ["Bob", "chair", "2"]
    ids = [each.id for each in document.questions]
    reported = document.with_answers(dict(zip(ids, ("Bob", "chair", "2"), strict=True)))
    assert [(each.name, each.example) for each in parametrised(reported).parameters] == [
        ("New_order", "Bob"),
        ("New_order_2", "chair"),
        ("New_order_3", "2"),
    ]


def test_one_name_typed_twice_on_purpose_is_one_value() -> None:
    plan = '1. Type "{Mail}" into the "E-mail" field.\n2. Type "{Mail}" into the "Repeat e-mail" field.\n'
    template = parametrised(Heartbeat(f"# Task\nSign up\nSuggestedPlan:\n{plan}"))

    assert [each.name for each in template.parameters] == ["Mail"]
    assert template.faults == ()
    assert typed(filled(template, {"Mail": "a@b.c"})) == ["a@b.c", "a@b.c"]


def test_one_name_in_a_row_for_one_field_is_refused() -> None:
    line = 'Type "{New_order}" into the "New order" field.'
    template = parametrised(Heartbeat(f"# Task\nOrder\nSuggestedPlan:\n1. {line}\n2. Press Tab.\n3. {line}\n"))

    (fault,) = template.faults
    assert fault.startswith('Steps 1, 3 type {New_order} in a row into the "New order" field: ')


def test_a_place_that_only_the_success_criteria_have_is_refused() -> None:
    document = TASK.replace('"3 parcels"', '"{Parcels} parcels"')
    (fault,) = parametrised(Heartbeat(document)).faults

    assert fault.startswith("The parameter 'Parcels' is used by no step")


def test_a_place_in_a_line_that_a_model_has_to_understand_is_used() -> None:
    document = TASK.replace("5. Click", "5. Find the office of {City}.\n6. Click")

    assert parametrised(Heartbeat(document)).faults == ()


def test_the_label_of_a_field_stays_whatever_its_value_is() -> None:
    template = parametrised(Heartbeat('# Task\nX\nSuggestedPlan:\n1. Type "Code" into the "Code" field.\n'))
    document = filled(template, {"Code": "7"})

    assert [line.text for line in plan_of(document)] == ['Type "7" into the "Code" field.']


def test_a_text_with_places_is_no_value_but_those_that_fill_it_are() -> None:
    template = parametrised(Heartbeat('# Task\nX\nSuggestedPlan:\n1. Type "Dear {Who}," into the "Body" field.\n'))

    assert [each.name for each in template.parameters] == ["Who"]
    assert typed(filled(template, {"Who": "Ann"})) == ["Dear Ann,"]


_words = st.text(alphabet="abc XY'-.é1", min_size=1, max_size=8).map(lambda text: " ".join(text.split())).filter(bool)
_labels = st.sampled_from(["Name", "name", "Count", "New order", "Größe", "Code", "Name 2"])
_entries = st.one_of(
    st.builds('Type "{}" into the "{}" field.'.format, _words, _labels),
    st.builds('Choose "{}" in the "{}" dropdown.'.format, _words, _labels),
    st.builds('Replace the text in the "{}" field with "{}".'.format, _labels, _words),
    st.builds('Add "{}" to the "{}" field. Then "{}" is shown.'.format, _words, _labels, _words),
    st.builds('Click the "{}" button.'.format, _words),
)


@st.composite
def tasks(draw: st.DrawFn) -> Heartbeat:
    """A task whose steps stand in its plan, or are answers to what was asked about it."""
    plan = [f"Click what was clicked at 00:0{at}." if draw(st.booleans()) else draw(_entries) for at in range(3)]
    criteria = draw(st.lists(_words, max_size=2))
    numbered = "".join(f"{number}. {line}\n" for number, line in enumerate(plan, 1))
    listed = "".join(f'- "{text}" is shown.\n' for text in criteria)
    document = Heartbeat(f"# Task\nTitle: T\nSuccessCriteria:\n{listed}SuggestedPlan:\n{numbered}")
    for number, line in enumerate(plan, 1):
        if read_step(line) is None:
            answer = " ".join(draw(st.lists(_entries, min_size=1, max_size=2)))
            document = answered(document, blocked_question(number, line, "It has no name."), answer)
    return document


@given(tasks())
@settings(max_examples=25, deadline=None)
def test_what_is_typed_or_chosen_changes_with_each_parameter(task: Heartbeat) -> None:
    template = parametrised(task)
    recorded = {each.name: each.example or "" for each in template.parameters}
    before = typed(filled(template, recorded))
    assert before == typed(task)
    assert len({name.casefold() for name in recorded}) == len(recorded)
    assert template.faults == ()
    workflow = compiled(task)
    for name, value in recorded.items():
        changed = recorded | {name: "QQQ"}
        after = typed(filled(template, changed))
        assert {old: new for old, new in zip(before, after, strict=True) if old != new} == {value: "QQQ"}
        rendered = render(workflow, changed, Secrets({}))
        steps = [step.action_value for step in rendered.plan.subtasks[0].steps if step.action_type == "TYPE"]
        assert steps == after


def test_a_place_that_stands_only_in_the_evidence_is_not_asked_for() -> None:
    document = Heartbeat(TASK.replace('"Ada Lovelace" was typed.', 'Type "{Code}" into the "Code" field.'))

    assert "Code" not in {each.name for each in parametrised(document).parameters}
