"""A line of a plan and the step that it says: two ways of one grammar, and nothing is guessed."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.local import phrases as vocabulary
from adapters.models.local.phrases import parse
from core.plans.grammar import read_step
from core.plans.phrasing import TARGET_WORDS, marks, quote, quoted
from core.plans.step_sentences import intent_of, sentence
from core.steps import BROWSER, CHOSEN, DESKTOP, FOCUS, KEYBOARD, PAGE, TICKED, UNTICKED, ActionType, Step
from core.tasks.heartbeat import Heartbeat
from core.tasks.plan import NO_PLAN, blocked_question, instructions, plan_of, value_question

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs", "Co"]), max_size=40)
LABELS = (
    st.text(st.characters(exclude_categories=["Cs", "Co", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: bool(text) and marks(text) is not None and "'" not in text and "\u2019" not in text)
)


def phrase(label: str, form: str) -> str:
    return form.replace("*", marks(label) or "")


def phrases(*forms: str) -> st.SearchStrategy[str]:
    return st.builds(phrase, LABELS, st.sampled_from(forms))


def one(*texts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(texts)


TARGETS = phrases(
    "*", "the * button", "the button *", "second * link", "the text area under *", "the * icon at the top right"
)
FIELDS = phrases("*", "the * field", "the text area under *", "field below *")
POSTS = phrases("* is shown.").flatmap(lambda post: st.lists(st.just(post), max_size=2)).map(tuple)
KEYS = one("enter", "ctrl+s", "ctrl+shift+t", "page_down", "f5", "a", "alt+f4", ".", "alt+left", "meta+e")
NAMES = ANY_TEXT.filter(lambda text: bool(text.strip()))
COUNTS = st.integers(2, 100)


def parts(action: ActionType, target: str, value: str | None = None, **args: Any) -> Step:
    return Step.of(action, target, value, args=args)


def marked(target: str, post: str) -> Step:
    return Step.of("CLICK", target, post=(post,))


def some(
    action: ActionType, target: st.SearchStrategy[str], value: st.SearchStrategy[str] | None = None, **args: Any
) -> st.SearchStrategy[Step]:
    return st.builds(parts, st.just(action), target, value if value is not None else st.none(), **args)


STEPS = st.one_of(
    some("CLICK", TARGETS),
    some("DOUBLE_CLICK", TARGETS),
    some("RIGHT_CLICK", TARGETS),
    some("MIDDLE_CLICK", TARGETS),
    some("TYPE", FIELDS, ANY_TEXT.filter(bool)),
    some("TYPE", st.just(FOCUS), ANY_TEXT),
    some("TYPE", FIELDS, ANY_TEXT, clear=st.booleans()),
    some("TYPE", phrases("the * dropdown"), ANY_TEXT),
    some("TYPE", phrases("the * field"), st.just("")),
    some("TYPE", phrases("the * field"), one("{C}", "a {b_1} c"), literal=st.just(value=True)),
    st.builds(marked, phrases("the * check box", "the checkbox *"), one(TICKED, UNTICKED)),
    st.builds(marked, phrases("the * radio button"), st.just(CHOSEN)),
    some("KEYPRESS", st.just(KEYBOARD), KEYS),
    some("KEYPRESS", st.just(KEYBOARD), KEYS, repeat=COUNTS),
    some("SCROLL", phrases("*")),
    some("SCROLL", st.just(PAGE), direction=one("up", "down", "left", "right")),
    some("SCROLL", TARGETS, direction=st.just("down"), notches=COUNTS),
    some("DRAG", phrases("*"), to=TARGETS),
    some("OPEN_URL", st.just(BROWSER), NAMES),
    some("OPEN_APP", st.just(DESKTOP), NAMES),
    some("OPEN_APP", st.just(DESKTOP), st.just("xterm"), arguments=st.lists(ANY_TEXT, min_size=1, max_size=3)),
)


def planned(task: Heartbeat) -> list[Step]:
    """What the lines say, without their words and places in the plan."""
    return [Step.model_validate({**line.model_dump(), "i": 0}) for line in plan_of(task)]


@given(STEPS, POSTS)
def test_a_step_that_is_written_is_read_back(said: Step, posts: tuple[str, ...]) -> None:
    step = said.model_copy(update={"post_action": (*said.post_action, *posts), "intent": intent_of(said)})

    assert read_step(sentence(step)) == step


@given(STEPS, POSTS)
def test_a_sentence_is_read_back_from_a_document(said: Step, posts: tuple[str, ...]) -> None:
    step = said.model_copy(update={"post_action": (*said.post_action, *posts), "intent": intent_of(said)})

    assert planned(document(sentence(step), 'Click "Z".')) == [
        step,
        read_step('Click "Z".'),
    ]


@given(ANY_TEXT)
def test_any_line_is_a_step_that_can_be_written_again_or_none(line: str) -> None:
    step = read_step(line)

    assert step is None or read_step(sentence(step)) == step


@given(ANY_TEXT, ANY_TEXT)
def test_a_quotation_says_its_text_exactly(text: str, other: str) -> None:
    line = f"{quote(text)} and {quote(other)}"

    found = quoted(line)
    assert found is not None
    assert found.texts == (text, other)


@given(st.lists(ANY_TEXT, min_size=1, max_size=4), ANY_TEXT, ANY_TEXT)
def test_an_answer_changes_the_line_that_its_question_names_and_no_other(
    texts: list[str], reason: str, value: str
) -> None:
    lines = [sentence(parts("TYPE", FOCUS, text)) for text in texts]
    asked = document(*lines).with_questions([blocked_question(len(lines), lines[-1], reason)])
    new = parts("TYPE", 'the "Other" field', value or "x")
    answered = asked.with_answer(asked.questions[0].id, sentence(new))

    assert planned(answered) == [read_step(line) for line in [*lines[:-1], sentence(new)]]


def document(*lines: str) -> Heartbeat:
    plan = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    return Heartbeat(f"# Task\nTitle: Save it\nSuggestedPlan:\n{plan}\nEvidence:\n- [00:01-00:02] It\n\n## Questions\n")


def answered(heartbeat: Heartbeat, number: int, line: str, answer: str) -> Heartbeat:
    asked = heartbeat.with_questions([blocked_question(number, line, 'the "Save" button is not seen.')])
    return asked.with_answer(asked.questions[-1].id, answer)


def said(step: Step | None) -> tuple[str, str | None, str, tuple[str, ...], Mapping[str, Any]] | None:
    if step is None:
        return None
    return step.action_type, step.action_value, step.target.primary, step.post_action, step.additional_args


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("click on the “Save” button", 'Click the "Save" button.'),
        ("3. Please press the 'Save' button!", 'Click the "Save" button.'),
        ('Enter "Ada" in the "Name" field', 'Type "Ada" into the "Name" field.'),
        ('Fill in the "Name" field with "Ada".', 'Type "Ada" into the "Name" field.'),
        ('Type {Code} into the "Code" field', 'Type "{Code}" into the "Code" field.'),
        ("go to http://127.0.0.1:80/a", 'Open "http://127.0.0.1:80/a" in the browser.'),
        ('Launch the app "xterm"', 'Open the application "xterm".'),
        ('Set the "Volume" slider to "30"', 'Type "30" into the "Volume" slider.'),
        ('Select "Finland" from the "Country" dropdown', 'Choose "Finland" in "Country".'),
        ('Uncheck the checkbox "Gift"', 'Untick the checkbox "Gift".'),
        ("hit the Enter key", "Press Enter."),
        ("Press CTRL-S", "Press Ctrl+S."),
        ("Press Tab twice", "Press Tab 2 times."),
        ('Drag "A" onto "B"', 'Drag "A" to "B".'),
        ('Click "Save", until "Saved" is shown', 'Click "Save". Then "Saved" is shown.'),
        ('Click "Save" and wait for "Saved"', 'Click "Save". Then "Saved" is shown.'),
        ('Click "Save" and wait until "Saved" is shown.', 'Click "Save". Then "Saved" is shown.'),
    ],
)
def test_people_may_write_it_otherwise(line: str, same: str) -> None:
    assert read_step(line) is not None
    assert read_step(line) == read_step(same)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Send the report to Ann.",
        'Click "Save" if it is shown.',
        'Click "Save" unless "Saved" is shown.',
        'Click "A" and "B".',
        'Click "A". Then click "B".',
        'Click every "Delete" button.',
        'Click "Save" with Ctrl.',
        "Click the right button.",
        "Click around until you find the report.",
        'Press "Save".',
        "Press the any key.",
        'Open "report.pdf".',
        'Check that "Saved" is shown.',
        'Choose "Copy" in the "Edit" menu.',
        "Type the current date into the field.",
        'Type "a" into the "A" field and "b" into the "B" field.',
        'Type "a" or "b" into the "A" field.',
        'Drag "A".',
        'Do not click "Save".',
        'Never click "Save".',
        'Click "Save" 3 times.',
        "Scroll to the bottom.",
        'Tick the "A" button.',
    ],
)
def test_what_is_not_wholly_understood_is_no_step(line: str) -> None:
    assert read_step(line) is None


def test_places_for_values_are_kept_and_what_only_looks_so_is_typed_as_it_stands() -> None:
    assert said(read_step('Type "{Password}" into the "Password" field.')) == (
        "TYPE", "{Password}", 'the "Password" field', (), {},
    )  # fmt: skip
    assert said(read_step('Type exactly "{C}" into the "Code" field.')) == (
        "TYPE", "{C}", 'the "Code" field', (), {"literal": True},
    )  # fmt: skip


def test_every_word_that_the_local_decider_knows_may_stand_in_a_target() -> None:
    tables = (vocabulary.ROLES, vocabulary.RELATIONS, vocabulary.ORDINALS, vocabulary.EDGES)
    known = {word for table in tables for words in table for word in words}
    known |= {word for table in (vocabulary.NAMING, vocabulary.PLAIN) for words in table for word in words}

    assert known - TARGET_WORDS == {"but", "where"}


def test_a_target_without_a_place_is_none_for_the_local_decider_too() -> None:
    assert not parse(FOCUS).is_findable


def test_an_answer_of_several_instructions_takes_the_place_of_the_line() -> None:
    line = 'Click the "Save" button. Then "Saved" is shown.'
    task = document('Type "a" into "A".', line, "Press Enter.")
    changed = answered(
        task, 2, line, '- Click the "File" menu.\n- Click "Store", then press Enter. Then "Saved" is shown.'
    )

    assert [(each.i + 1, each.text, each.is_known) for each in plan_of(changed)] == [
        (1, 'Type "a" into "A".', True),
        (2, 'Click the "File" menu.', True),
        (2, 'Click "Store".', True),
        (2, 'Press Enter. Then "Saved" is shown.', True),
        (3, "Press Enter.", True),
    ]


@pytest.mark.parametrize("answer", ["skip", "Skip it.", "Leave it out.", "leave out", "Please skip this step!"])
def test_a_line_is_left_out_when_the_answer_says_so(answer: str) -> None:
    task = document('Click "A".', 'Click "B".')

    assert [each.text for each in plan_of(answered(task, 1, 'Click "A".', answer))] == ['Click "B".']


def test_an_address_as_an_answer_is_opened() -> None:
    line = "Open what was open."
    changed = answered(document(line), 1, line, "http://127.0.0.1:8000/form.html")

    assert planned(changed) == [read_step('Open "http://127.0.0.1:8000/form.html" in the browser.')]


@pytest.mark.parametrize("answer", ["Ada L", '"Ada L"', "“Ada L”.", 'Type "Ada L" into the "Name" field.'])
def test_the_answer_to_what_a_value_is_may_be_the_value(answer: str) -> None:
    line = 'Type "{Name}" into the "Name" field. Then "Fine" is shown.'
    asked = document('Click "A".', line).with_questions([value_question(2, line, "Name", "It could not be read.")])
    _, changed = plan_of(asked.with_answer(asked.questions[0].id, answer))

    assert changed.is_known
    assert (changed.action_value, changed.target.primary) == ("Ada L", 'the "Name" field')


def test_an_open_question_about_a_line_that_is_not_understood_is_known_with_it() -> None:
    line = "Do what was done at 00:12."
    question = blocked_question(1, line, "what was done cannot be told")
    (waiting,) = plan_of(document(line).with_questions([question]))

    assert (waiting.is_known, waiting.asked) == (False, question)


def test_a_line_with_an_answer_that_is_no_instruction_is_not_understood() -> None:
    line = 'Click "A".'
    (changed,) = plan_of(answered(document(line), 1, line, "The blue one."))

    assert (changed.text, changed.is_known) == (line, False)
    assert "The blue one." in changed.doubt
    assert blocked_question(1, line, changed.doubt) != blocked_question(1, line, "It is not seen.")


def test_what_an_answer_says_can_be_asked_about_again() -> None:
    first = answered(document('Click "A".'), 1, 'Click "A".', 'Click "B".')
    second = answered(first, 1, 'Click "B".', 'Click "C".')

    assert [each.text for each in plan_of(second)] == ['Click "C".']


def test_an_answer_finds_its_line_when_lines_were_put_before_it_but_not_one_of_two_that_are_alike() -> None:
    asked = answered(document('Click "A".'), 1, 'Click "A".', 'Click "B".')
    moved = Heartbeat(asked.text.replace("1. Click", '1. Click "Z".\n2. Click'))
    twice = Heartbeat(asked.text.replace("1. Click", '1. Press Enter.\n2. Click "A".\n3. Click'))

    assert [each.text for each in plan_of(moved)] == ['Click "Z".', 'Click "B".']
    assert [each.text for each in plan_of(twice)] == ["Press Enter.", 'Click "A".', 'Click "A".']


def test_an_open_question_changes_nothing() -> None:
    line = 'Click "A".'
    asked = document(line).with_questions([blocked_question(1, line, "It is not seen.")])

    assert [each.text for each in plan_of(asked)] == [line]


def test_instructions_are_all_understood_or_none() -> None:
    assert instructions('Click "A". Then do as you like.') is None
    assert instructions("") is None


def test_a_task_without_a_plan_has_the_one_that_was_answered() -> None:
    asked = Heartbeat.new("Save it").with_questions([NO_PLAN])
    reported = asked.with_answer(asked.questions[0].id, '1. Click "A".\n2. Do it well.')

    assert plan_of(asked) == ()
    assert [each.is_known for each in plan_of(reported)] == [True, False]
