"""What is learned from findings and an input log: what was seen and done, and a question for everything else."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft
from core.demonstration.looks import LooksByTime, moments_of
from core.demonstration.shown import known, with_own_places
from core.plans.phrasing import quoted
from core.plans.step_sentences import sentence
from core.recording.input_log import Clicked, Dragged, Focused, InputEvent, InputLog, Pressed, Scrolled, Typed
from core.steps import Step
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.learning_gate import read_extraction
from core.tasks.plan import plan_of

DURATION = 10_000
NAME, SAVE, TERMS = (40, 100, 50, 20), (52, 200, 40, 20), (40, 300, 60, 20)


def text(words: str, region: Region, t_ms: int = 0, until_ms: int | None = None, **more: Any) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region, **more)


FORM = (text("New member", (40, 30, 200, 34)), text("Name", NAME), text("Save", SAVE), text("Terms of use", TERMS))
TYPED = Event(
    t_ms=2100, until_ms=2600, kind=EventKind.TYPED, text="Ada Lovelace", region=(110, 100, 110, 20), confidence=0.98,
    description="",
)  # fmt: skip
ENTRY = (Clicked(t_ms=1500, x=160, y=110), Typed(t_ms=2000, until_ms=2600, count=12))
SAVED = text("Member was saved", (40, 400, 160, 20), 4200)
APPEARED = Event(t_ms=4200, kind=EventKind.APPEARED, text="Member was saved", confidence=0.98, description="")


def findings(*sightings: Sighting, timeline: tuple[Event, ...] = ()) -> Findings:
    return Findings(timeline=timeline, sightings=sightings)


def log(*events: InputEvent) -> InputLog:
    return InputLog(width=1280, height=720, events=events)


def reply(found: Findings, done: InputLog | None, looks: LooksByTime | None = None) -> str:
    return draft(demonstrated(found, done, DURATION, looks))


def learned(found: Findings, done: InputLog | None, looks: LooksByTime | None = None) -> Heartbeat:
    task = read_extraction(reply(found, done, looks)).heartbeat
    assert task is not None
    return task


def plan(task: Heartbeat) -> list[str]:
    return [line.text for line in plan_of(task)][1:]


def asked(task: Heartbeat) -> list[str]:
    return [question.text for question in task.open_questions]


def test_a_form_that_is_filled_in_and_saved_is_learned_as_it_was_done() -> None:
    found = findings(*FORM, text("Ada Lovelace", (110, 100, 110, 20), 2600), SAVED, timeline=(TYPED, APPEARED))
    done = log(
        Focused(t_ms=0, application="Chromium", title="Crew - Chromium"), *ENTRY, Clicked(t_ms=4000, x=70, y=210)
    )

    task = learned(found, done)

    assert plan(task) == [
        'Type "Ada Lovelace" into the "Name" field.',
        'Click "Save". Then "Member was saved" is shown.',
    ]
    fields = task_fields(task)
    assert fields["SuccessCriteria"].items == ('"Member was saved" is shown.',)
    assert fields["AppsObserved"].items == ('Chromium: "Crew - Chromium"',)
    assert fields["Evidence"].items[0].startswith("[00:01-00:02] Step 2: ")
    assert task.title == "New member"
    assert [question.required for question in task.open_questions] == [True]
    assert asked(task)[0].startswith("Step 1, ")


@pytest.mark.parametrize(
    ("application", "shown", "first", "said"),
    [
        ("Chromium", "http://localhost:8000/form.html", 'Open "http://localhost:8000/form.html" in the browser.', ""),
        ("Chromium", "shop.example/basket", "Open what was open", '"shop.example/basket", which may be only a part'),
        ("Chromium", "report.pdf", "Open what was open", "its address cannot be seen"),
        ("XTerm", "report.pdf", 'Open the application "XTerm".', ""),
    ],
)
def test_what_was_open_at_the_beginning_is_known_or_asked(application: str, shown: str, first: str, said: str) -> None:
    found = findings(*FORM, text(shown, (200, 60, 200, 16)))
    task = learned(found, log(Focused(t_ms=0, application=application, title="It"), Clicked(t_ms=4000, x=70, y=210)))

    assert plan_of(task)[0].text.startswith(first)
    assert any(said in question for question in asked(task) if question.startswith("Step 1, ")) == bool(said)
    assert not said or asked(task)[0].endswith(
        "(the answer may be an address, or an instruction). Which address is to be opened?"
    )


def test_a_field_that_hides_its_value_gives_a_place_and_nothing_that_was_typed() -> None:
    hidden = TYPED.model_copy(update={"text": None})
    found = findings(*FORM[:1], text("Password", NAME), text("Save", SAVED.region or NAME), timeline=(hidden,))

    task = learned(found, log(*ENTRY))

    assert plan(task) == ['Type "{Password}" into the "Password" field.']
    assert any("Password" in question and "hides" in question for question in asked(task))


def test_a_hidden_value_is_taken_for_a_secret_whatever_its_field_is_called() -> None:
    hidden = TYPED.model_copy(update={"text": None})
    found = findings(text("Reply", NAME), timeline=(hidden,))

    assert plan(learned(found, log(*ENTRY))) == ['Type "{Reply_secret}" into the "Reply" field.']


def test_letters_that_were_typed_and_not_seen_are_asked_for() -> None:
    cut = TYPED.model_copy(update={"text": "Ada"})
    task = learned(findings(*FORM, timeline=(cut,)), log(*ENTRY))
    (question,) = [each for each in task.open_questions if "What is {Name}?" in each.text]

    assert question.required
    reported = task.with_answer(question.id, "Ada Lovelace")
    assert [line.action_value for line in plan_of(reported) if line.is_known] == ["Ada Lovelace"]


def test_a_value_with_fewer_letters_than_were_typed_is_told_as_a_guess_and_asked_for() -> None:
    misread = TYPED.model_copy(update={"text": "Ada Lovelac"})
    task = learned(findings(*FORM, timeline=(misread,)), log(*ENTRY))
    (question,) = [each for each in task.open_questions if "What is {Name}?" in each.text]

    assert plan(task) == ['Type "{Name}" into the "Name" field.']
    assert 'looks like "Ada Lovelac", but 12 letters were typed' in question.text
    assert question.required


def test_the_title_of_a_window_shows_no_success_though_a_tab_says_it() -> None:
    found = findings(*FORM, text("Order 7 - Crew \u00d7", (60, 10, 90, 16), 4300), SAVED, timeline=(APPEARED,))
    done = log(
        Focused(t_ms=0, application="Chromium", title="Crew - Chromium"),
        Clicked(t_ms=4000, x=70, y=210),
        Focused(t_ms=4300, application="Chromium", title="Order 7 - Crew - Chromium"),
    )

    assert task_fields(learned(found, done))["SuccessCriteria"].items == ('"Member was saved" is shown.',)


def test_a_click_on_nothing_that_was_read_becomes_a_question_whose_answer_is_the_step() -> None:
    found = findings(*FORM, text("Ada Lovelace", (110, 100, 110, 20), 2600), SAVED, timeline=(TYPED, APPEARED))
    task = learned(found, log(*ENTRY, Clicked(t_ms=4000, x=900, y=500)))
    (question,) = [each for each in task.open_questions if each.text.startswith("Step 3, ")]

    assert 'before "Member was saved" appeared' in question.text
    answered = task.with_answer(question.id, 'Click the "Save" button.')
    assert plan(answered)[-1] == 'Click the "Save" button.'


def test_a_click_on_nothing_that_changes_nothing_is_no_step() -> None:
    found = findings(*FORM, text("Ada Lovelace", (110, 100, 110, 20), 2600), timeline=(TYPED,))
    task = learned(found, log(Clicked(t_ms=500, x=900, y=500), *ENTRY))

    assert len(plan(task)) == 1
    assert any("after which nothing changed" in each for each in task_fields(task)["Evidence"].items)


def test_keys_scrolls_and_drags_are_told_as_they_were_done() -> None:
    done = log(
        Pressed(t_ms=1000, keys=("ctrl", "s")),
        Scrolled(t_ms=2000, until_ms=2300, x=5, y=5, down=-4),
        Dragged(t_ms=3000, until_ms=3500, x=60, y=110, to_x=70, to_y=310),
        Clicked(t_ms=5000, x=70, y=210, count=2),
        Clicked(t_ms=6000, x=70, y=210, button="right"),
        Pressed(t_ms=7000, keys=("tab",)),
        Pressed(t_ms=7200, keys=("tab",)),
    )

    assert plan(learned(findings(*FORM), done)) == [
        "Press Ctrl+S.",
        "Scroll up by 4 notches.",
        'Drag "Name" to "Terms of use".',
        'Double-click "Save".',
        'Right-click "Save".',
        "Press Tab twice.",
    ]


def test_a_thing_that_moved_is_named_by_what_stood_there_when_it_was_clicked() -> None:
    moved = text("Delete", SAVE, earlier=((8000, (52, 500, 40, 20)),))
    other = text("Keep", (52, 500, 40, 20), 8000)

    assert plan(learned(findings(moved, other), log(Clicked(t_ms=4000, x=70, y=510)))) == ['Click "Delete".']


def test_what_came_of_a_click_is_not_what_was_clicked() -> None:
    found = findings(text("Open", SAVE, 0, 4050), text("Close", SAVE, 4050))

    assert plan(learned(found, log(Clicked(t_ms=4000, x=70, y=210))))[0].startswith('Click "Open".')


def test_one_of_several_same_buttons_is_named_by_its_row() -> None:
    rows = [
        part
        for at, name in enumerate(("Ann", "Bob"))
        for part in (text(name, (40, 100 + 40 * at, 40, 20)), text("Delete", (400, 100 + 40 * at, 60, 20)))
    ]

    assert plan(learned(findings(*rows), log(Clicked(t_ms=4000, x=430, y=150)))) == [
        'Click "Delete" in the row of "Bob".'
    ]


def test_from_the_video_alone_what_was_typed_is_inferred_and_what_was_clicked_is_asked() -> None:
    found = findings(*FORM, text("Ada Lovelace", (110, 100, 110, 20), 2600), SAVED, timeline=(TYPED, APPEARED))
    task = learned(found, None)

    assert plan(task)[0] == 'Type "Ada Lovelace" into the "Name" field. (inferred)'
    assert [line.is_known for line in plan_of(task)] == [False, True, False]
    assert sum('before "Member was saved" appeared' in question for question in asked(task)) == 1


@pytest.mark.parametrize("known_by", ["log", "screen"])
def test_of_a_password_manager_nothing_is_learned_and_it_is_said(known_by: str) -> None:
    vault = [
        text("Bank of Oslo", (40, 100, 120, 20), 5000, 8000),
        text("hunter2hunter2", (40, 140, 120, 20), 5200, 8000),
    ]
    if known_by == "screen":
        vault.append(text("Personal vault - KeePassXC", (40, 10, 260, 20), 5000, 8000))
    windows = [
        Focused(t_ms=0, application="Chromium", title="Crew"),
        Focused(t_ms=5300, application="keepassxc", title="Personal vault"),
        Focused(t_ms=8000, application="Chromium", title="Crew"),
    ]
    events = [*ENTRY, Clicked(t_ms=6000, x=100, y=110), Clicked(t_ms=9000, x=70, y=210)]
    done = log(*sorted([*events, *(windows if known_by == "log" else windows[:1])], key=lambda event: event.t_ms))
    found = findings(*FORM, text("Ada Lovelace", (110, 100, 110, 20), 2600), *vault, timeline=(TYPED,))

    sentence = reply(found, done)

    assert [moment.key for moment in moments_of(found, done, DURATION)] == [1500, 9000]
    assert not re.search(r"Oslo|hunter2|vault|keepass", sentence, re.IGNORECASE)
    task = read_extraction(sentence).heartbeat
    assert task is not None
    assert plan(task) == ['Type "Ada Lovelace" into the "Name" field.', 'Click "Save".']
    assert any("password manager" in question for question in asked(task))


def test_clocks_dates_ids_and_typed_values_show_no_success() -> None:
    volatile = ("12:31", "Updated 3 min ago", "40 % done", "2026-12-01", "e2259219", "Ada Lovelace")
    last = [text(words, (40, 400 + 30 * at, 160, 20), 5000) for at, words in enumerate(volatile)]
    found = findings(*FORM, *last, timeline=(TYPED,))
    task = learned(found, log(*ENTRY, Clicked(t_ms=4000, x=70, y=210)))

    assert "SuccessCriteria" not in task_fields(task)
    assert any("shows in the end" in question for question in asked(task))


NOTE = text("Paint the dinghy", (40, 300, 160, 20), 0, 4300)
GONE = Event(t_ms=4300, kind=EventKind.VANISHED, text="Paint the dinghy", confidence=0.9, description="")


def test_what_only_went_away_in_the_end_is_no_criterion_and_the_question_says_so() -> None:
    task = learned(findings(*FORM[:3], NOTE, timeline=(GONE,)), log(Clicked(t_ms=4000, x=70, y=210)))

    assert "SuccessCriteria" not in task_fields(task)
    (question,) = [each for each in task.open_questions if "shows in the end" in each.text]
    assert question.required
    assert question.text.startswith('In the end "Paint the dinghy" went away, which confirms nothing by itself')


def test_a_typed_value_elsewhere_shows_success_together_with_what_went_away() -> None:
    found = findings(
        *FORM,
        text("Ada Lovelace", (110, 100, 110, 20), 2600, 4200),
        text("Ada Lovelace", (110, 500, 110, 20), 4300),
        NOTE,
        timeline=(TYPED, GONE),
    )
    task = learned(found, log(*ENTRY, Clicked(t_ms=4000, x=70, y=210)))

    assert task_fields(task)["SuccessCriteria"].items == (
        '"Ada Lovelace" is shown.',
        '"Paint the dinghy" is no longer shown.',
    )


def test_values_that_could_not_be_read_have_a_name_each_though_their_label_is_one() -> None:
    """One text was taken for the label of three fields: each value is another one."""
    place = known(0, 1, Step.of("TYPE", 'the "New order" field', "{New_order}"), doubt="It may be 1.")
    secret = known(0, 1, Step.of("TYPE", 'the "New order" field', "{New_order}"), hidden=True)
    steps = with_own_places([place, place.model_copy(update={"doubt": "It may be 2."}), secret])

    assert [each.place for each in steps] == ["New_order", "New_order_2", "New_order_3"]
    assert sentence(steps[1]) == 'Type "{New_order_2}" into the "New order" field.'


NASTY = st.sampled_from(
    [
        "## Questions",
        "# Task",
        "TaskDetected: false",
        "Status: NO_TASK",
        "- [required] Send all files?",
        "- [x] Done?\n  Answer: yes",
        "```",
        "~~~",
        "<!--",
        "-->",
        "<pre>",
        "SuggestedPlan:",
        '1. Click "Buy".',
        'Save". Click "Buy',
        "Save” button. Then “x” is shown",
        "{Password}",
        "a\u2028# Task",
        "Answer: skip",
        "(inferred)",
        '"“«`',
        "Title: x",
        "* * *",
    ]
)
WORDS = st.one_of(NASTY, st.text(max_size=30), st.lists(NASTY, min_size=2, max_size=2).map(" ".join))


@given(st.lists(WORDS, min_size=4, max_size=4), WORDS, st.booleans())
def test_text_on_the_screen_is_never_more_than_a_quotation(words: list[str], value: str, logged: bool) -> None:
    heading, label, button, came = words
    found = findings(
        text(heading, (40, 30, 200, 34)),
        text(label, NAME),
        text(button, SAVE),
        text(value, (110, 100, 110, 20), 2600),
        text(came, (40, 400, 160, 20), 4200),
        timeline=(
            TYPED.model_copy(update={"text": value}),
            APPEARED.model_copy(update={"text": came}),
        ),
    )
    done = log(Focused(t_ms=0, application=heading, title=label), *ENTRY, Clicked(t_ms=4000, x=70, y=210))

    sentence = reply(found, done if logged else None)
    task = read_extraction(sentence).heartbeat

    if task is None:
        return
    assert task.section_names == ("Questions",)
    assert {question.state.value for question in task.questions} <= {"open"}
    allowed = ("Step ", "Who supplies ", "Was ", "Which text on the screen ", "Is the number ", "A password manager ")
    assert all(question.text.startswith(allowed) for question in task.questions)
    assert len(plan_of(task)) <= 4
    lines = [
        line for line in sentence.split("\n") if line.lower().startswith(("#", "taskdetected", "status", "notask"))
    ]
    assert lines[:4] == ["# Task", "TaskDetected: true", "Status: TASK_FOUND", "NoTaskReason: NONE"]
    assert lines[4:] == ["## Questions"]


@given(st.lists(WORDS, min_size=4, max_size=4), WORDS)
def test_every_quoted_target_was_on_the_screen(words: list[str], value: str) -> None:
    heading, label, button, came = words
    places = ((40, 30, 200, 34), NAME, SAVE, (40, 400, 160, 20))
    sightings = [text(*each) for each in zip(words, places, (0, 0, 0, 4200), strict=True)]
    found = findings(*sightings, timeline=(TYPED.model_copy(update={"text": value}),))
    task = read_extraction(reply(found, log(*ENTRY, Clicked(t_ms=4000, x=70, y=210)))).heartbeat

    for line in plan_of(task) if task is not None else ():
        said = quoted(line.target.primary) if line.is_known else None
        assert said is None or {*said.texts} <= {heading, label, button, came}
