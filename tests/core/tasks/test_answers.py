"""Answers to a task's questions: refused where a run could not use them, else written into the plan in plain words."""

import pytest

from core.errors import InvalidRequest
from core.tasks.agreements import naming_question, number_question
from core.tasks.answers import answered
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.learning import merged
from core.tasks.parameters import parametrised
from core.tasks.plan import blocked_question, looks_like, plan_of, value_question
from core.tasks.questions import QuestionState
from core.tasks.workflow import as_workflow, unseen_question

OPEN = "Open what was open when the recording began (see the questions)."
UNKNOWN = "Do what was done at 00:04 (see the questions)."
TASK = f"""# Task
Title: Send a parcel
SuccessCriteria:
SuggestedPlan:
1. {OPEN}
2. {UNKNOWN}
3. Click "Send".

## Questions
- None.
"""
FIRST = blocked_question(1, OPEN, "its address cannot be seen")
SECOND = blocked_question(2, UNKNOWN, looks_like("it cannot be told", ['Click "Parcels".', 'Click "New parcel".']))
SHOWS = "Which text on the screen shows in the end that the task was done? Write it under SuccessCriteria."


def asking(*questions: str) -> Heartbeat:
    return Heartbeat(TASK).with_questions(questions)


def reply(document: Heartbeat, question: str, answer: str) -> Heartbeat:
    asked = next(each for each in document.questions if each.text == question)
    return answered(document, asked.id, answer)


def lines(document: Heartbeat) -> list[str]:
    return list(task_fields(document)["SuggestedPlan"].items)


def criteria(document: Heartbeat) -> list[str]:
    field = task_fields(document).get("SuccessCriteria")
    return list(field.items) if field is not None else []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("about:blank", "no page that is there at the next run"),
        ('Open "about:blank" in the browser.', "no page that is there at the next run"),
        ("localhost:8000/parcels", "its scheme is missing: write http://localhost:8000/parcels"),
        ("www.example.org", "its scheme is missing"),
        ('Open "http:///parcels" in the browser.', "it names no server"),
        ('Open "/home/ada/form.html" in the browser.', "write file:///home/ada/form.html"),
        ("The usual page, I think.", "no instruction that can be followed"),
    ],
)
def test_an_answer_that_a_run_could_not_use_is_refused_with_the_reason(answer: str, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        reply(asking(FIRST), FIRST, answer)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("http://localhost:8000/parcels", 'Open "http://localhost:8000/parcels" in the browser.'),
        ('Open the application "xterm".', 'Open the application "xterm".'),
        ('Open "form.html" in the browser.', 'Open "form.html" in the browser.'),
        ('Open "file:///home/ada/form.html" in the browser.', 'Open "file:///home/ada/form.html" in the browser.'),
    ],
)
def test_an_accepted_answer_is_a_line_of_the_plan(answer: str, line: str) -> None:
    document = reply(asking(FIRST), FIRST, answer)

    assert lines(document) == [line, UNKNOWN, 'Click "Send".']
    assert [each.state for each in document.questions] == [QuestionState.ANSWERED]
    assert [step.text for step in plan_of(document)] == lines(document)


def test_yes_writes_what_it_looks_like_and_another_answer_takes_its_place() -> None:
    agreed = reply(asking(FIRST, SECOND), SECOND, "yes")
    again = reply(agreed, SECOND, 'Click "New".')
    skipped = reply(again, SECOND, "skip")

    assert lines(agreed) == [OPEN, 'Click "Parcels".', 'Click "New parcel".', 'Click "Send".']
    assert lines(again) == [OPEN, 'Click "New".', 'Click "Send".']
    assert lines(skipped) == [OPEN, 'Click "Send".']
    assert lines(reply(skipped, SECOND, "yes")) == lines(agreed)
    assert lines(reply(agreed, FIRST, "skip")) == lines(agreed)[1:]


def test_yes_is_the_first_of_several_proposals_and_another_one_is_an_answer() -> None:
    question = blocked_question(2, UNKNOWN, looks_like("it cannot be told", ["Press Enter."], ['Click "OK".']))

    assert lines(reply(asking(question), question, "yes"))[1] == "Press Enter."
    assert lines(reply(asking(question), question, 'Click "OK".'))[1] == 'Click "OK".'


def test_a_value_in_an_answer_is_a_parameter_like_any_other() -> None:
    document = reply(asking(SECOND), SECOND, 'Type "Ada" into the "Name" field.')

    assert [(each.name, each.example) for each in parametrised(document).parameters] == [("Name", "Ada")]


def test_a_value_that_was_asked_for_is_written_into_its_line() -> None:
    line = 'Type "{Name}" into the "Name" field.'
    asked = value_question(2, line, "Name", "It could not be read for certain.")
    document = Heartbeat(TASK.replace(UNKNOWN, line)).with_questions([asked])

    assert lines(reply(document, asked, "Ada"))[1] == 'Type "Ada" into the "Name" field.'


@pytest.mark.parametrize("answer", ["Order 7 sent", '"Order 7 sent"', 'Yes: "Order 7 sent" is shown.'])
def test_the_text_that_shows_success_becomes_a_criterion(answer: str) -> None:
    document = reply(asking(SHOWS), SHOWS, answer)

    assert criteria(document) == ['"Order 7 sent" is shown.']
    assert as_workflow(parametrised(document)).success_criteria == '"Order 7 sent" is shown.'


def test_a_criterion_that_was_not_seen_is_replaced_by_the_answer() -> None:
    old = Heartbeat(TASK.replace("SuccessCriteria:", 'SuccessCriteria:\n- "Draft" is shown.'))
    asked = unseen_question('"Draft" is shown.')
    document = reply(old.with_questions([asked]), asked, '"Draft" is no longer shown and "Sent" is.')

    assert criteria(document) == ['"Draft" is no longer shown and "Sent" is.']


@pytest.mark.parametrize("answer", ["yes", "It was done right.", "ok", "—"])
def test_an_answer_that_names_no_text_shows_no_success(answer: str) -> None:
    with pytest.raises(InvalidRequest, match="name the text on the screen"):
        reply(asking(SHOWS), SHOWS, answer)


def test_any_other_question_takes_any_answer() -> None:
    asked = "Who supplies {Code} at each run?"

    assert reply(asking(asked), asked, "The desk.").questions[0].answer == "The desk."
    assert lines(reply(asking(asked), asked, "The desk.")) == lines(Heartbeat(TASK))


def test_the_same_recording_merged_again_asks_nothing_about_what_answers_changed() -> None:
    learned = asking(FIRST, SECOND)
    document = reply(reply(learned, SECOND, "yes"), FIRST, "http://localhost:8000")

    assert merged(document, learned, base=learned) == document


@pytest.mark.parametrize(("answer", "shown"), [("Yes.", "Berth {number} is kept"), ("No.", "Berth B7 is kept")])
def test_a_number_that_is_another_one_each_time_is_any_number_in_the_criteria(answer: str, shown: str) -> None:
    document = Heartbeat(TASK.replace("SuccessCriteria:", 'SuccessCriteria:\n- "Berth B7 is kept" is shown.'))
    question = number_question('"Berth B7 is kept" is shown.')

    replied = reply(document.with_questions([question]), question, answer)

    assert criteria(replied) == [f'"{shown.replace("{number}", "B{number}")}" is shown.']
    with pytest.raises(InvalidRequest, match="yes or no"):
        reply(document.with_questions([question]), question, "Perhaps.")


def test_the_names_that_a_trial_found_are_in_the_plan_after_a_yes() -> None:
    document = Heartbeat(TASK.replace('3. Click "Send".', '3. Click "Send".\n4. Type "Ada" into the "Narne" field.'))
    question = naming_question(document, {2: 'the "Send" button', 3: 'the "Name" field', 7: 'the "No" button'})

    replied = reply(document.with_questions([question]), question, "yes")

    assert lines(replied)[2:] == ['Click the "Send" button.', 'Type "Ada" into the "Name" field.']
    assert lines(reply(document.with_questions([question]), question, "No."))[2:] == lines(document)[2:]
    assert naming_question(replied, {2: 'the "Send" button', 3: 'the "Name" field'}) == ""


@pytest.mark.parametrize("name", ["Send paper plane icon", "Send"])
def test_a_name_that_adds_to_a_text_what_need_not_be_drawn_is_not_proposed(name: str) -> None:
    document = Heartbeat(TASK.replace('3. Click "Send".', '3. Click the "Send" button.'))

    assert naming_question(document, {2: f'the "{name}" button'}) == ""


def test_a_list_that_lies_open_over_a_field_is_not_named_by_that() -> None:
    document = Heartbeat(TASK.replace('3. Click "Send".', '3. Choose "Ada" in the "Narne" dropdown.'))

    assert naming_question(document, {2: 'the "Note" field'}) == ""
    assert 'in the "Name" dropdown' in naming_question(document, {2: 'the "Name" dropdown'})


@pytest.mark.parametrize(("name", "is_proposed"), [("Label", False), ("Moe", True)])
def test_an_entry_of_a_list_is_not_named_by_what_the_list_lies_over(name: str, is_proposed: bool) -> None:
    document = Heartbeat(TASK.replace('3. Click "Send".', '3. Click "Moa".'))

    assert bool(naming_question(document, {2: f'the "{name}" field'})) is is_proposed


def test_a_thing_without_quoted_words_gets_no_name() -> None:
    document = Heartbeat(TASK.replace('3. Click "Send".', "3. Click the Send button."))

    assert naming_question(document, {2: 'the "Send" button'}) == ""


def test_the_rest_of_a_word_that_was_read_cut_is_proposed() -> None:
    document = Heartbeat(TASK.replace('3. Click "Send".', '3. Click the "Sen" button.'))

    assert 'Click the "Send" button.' in naming_question(document, {2: 'the "Send" button'})


@pytest.mark.parametrize(
    ("label", "name", "is_proposed"),
    [
        ("Amount", "Enter a number...", False),
        ("Text", "Enter text...", False),
        ("Narne", "Name", True),
        ("Ada", "Name", True),
        ("3", "Name", True),
    ],
)
def test_a_field_keeps_its_label_and_is_not_called_by_what_it_asks_for(
    label: str, name: str, *, is_proposed: bool
) -> None:
    lines = '3. Type "Ada" into the "Whose" field.\n4. Type "Otto" into the "{}" field.'
    document = Heartbeat(TASK.replace('3. Click "Send".', lines.format(label)))

    assert bool(naming_question(document, {3: f'the "{name}" field'})) is is_proposed
