"""What shows at the end of a film that the task is done."""

import pytest

from core.analysis import EventKind, Sighting
from core.demonstration.looks import Look
from tests.core.demonstration.film_helpers import click, criteria, event, task_of, text


def _ends_with(*came: Sighting, before: tuple[Sighting, ...] = ()) -> tuple[str, ...]:
    """The criteria of a film in which a button is clicked, and these texts come of it."""
    saved = event(EventKind.APPEARED, 5000, " \u00b7 ".join(one.text for one in came), cause=0)
    return criteria(task_of((saved,), (text("Save", region=(40, 400, 40, 20)), *before, *came), (click("Save", 4800),)))


def _came(words: str, top: int = 60, confidence: float = 1.0) -> Sighting:
    return text(words, 5000, region=(40, top, 300, 20)).model_copy(update={"confidence": confidence})


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("53b38a7c rudder: built", "rudder: built"),
        ("4 boats were found (0.0031 sec)", "{number} boats were found"),
        ("09:24* Choir rehearsal", "Choir rehearsal"),
        ("Launched on Nov 29th 2026", "Launched on"),
        ("\u2022 Ask the harbour master", "Ask the harbour master"),
    ],
)
def test_of_a_line_the_part_is_expected_that_is_the_same_next_time(line: str, part: str) -> None:
    assert _ends_with(_came(line)) == (f'"{part}" is shown.',)


def test_a_line_that_is_the_same_next_time_comes_before_a_part_of_one() -> None:
    said = _ends_with(_came("12:05 The boat was launched", 60), _came("Gannet is afloat", 100))

    assert said[0] == '"Gannet is afloat" is shown.'


def test_what_was_read_surely_comes_before_what_was_not() -> None:
    said = _ends_with(_came("Gannet i5 afloat", 60, 0.85), _came("The boat was launched", 100))

    assert said[0] == '"The boat was launched" is shown.'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("Edit", "View"), "Edit View"),
        (("Text length", "Action"), "Text lengthAction"),
        (("Old sea songs",), "I Old sea songs"),
        (("File Edit View Help",), "Edit View"),
    ],
)
def test_what_is_only_read_together_or_apart_did_not_come(before: tuple[str, ...], after: str) -> None:
    stood = tuple(text(words, 0, 5000, (40 + 100 * at, 60, 90, 20)) for at, words in enumerate(before))

    assert _ends_with(_came(after), before=stood) == ()


def test_words_of_which_one_is_another_now_did_come() -> None:
    stood = (text("Take three shirts, four socks", 0, 5000, (40, 60, 300, 20)),)

    assert _ends_with(_came("Take four shirts, four socks"), before=stood) == (
        '"Take four shirts, four socks" is shown.',
    )


def test_the_next_command_behind_a_prompt_is_not_what_the_last_one_brought() -> None:
    assert _ends_with(_came("bash-5.2# list projects")) == ()


@pytest.mark.parametrize("asks", ["Add a new task...", "Chill"])
def test_a_value_in_a_list_shows_success_together_with_what_its_field_asks_for_again(asks: str) -> None:
    field = (100, 100, 80, 20)
    typed = event(EventKind.TYPED, 2000, "Chill", field, until_ms=2900, before="Add a new task...")
    added = event(EventKind.APPEARED, 5000, "Chill", (100, 300, 80, 20), cause=0)
    seen = (
        text("Add a new task...", 0, 2000, field),
        text("Chill", 2900, 5000, field),
        text(asks, 5000, None, field),
        text("Submit", 0, None, (100, 140, 60, 20)),
        text("Chill", 5000, None, (100, 300, 80, 20)),
    )
    look = Look(field='the "Add a new task..." field', label="Add a new task...", after="Chill", later="Chill")
    task = task_of((typed, added), seen, (click("Submit", 4800),), {2000: look})

    is_empty = asks != "Chill"
    assert criteria(task) == (('"Chill" is shown.', '"Add a new task..." is shown.') if is_empty else ())
    assert task.title == "Submit"
