"""What a film shows in a field: without what is read with it, and hidden values as such."""

import pytest

from core.analysis import EventKind
from core.demonstration.looks import Look
from tests.core.demonstration.film_helpers import TURNED, click, criteria, event, steps, task_of, text

_PLACE = (300, 200, 120, 20)


def test_letters_that_dots_hide_are_supplied_at_each_run_however_the_dots_are_read() -> None:
    typed = event(EventKind.TYPED, 2000, "", _PLACE, until_ms=2900).model_copy(update={"text": None})
    look = Look(field='the "Password" field', label="Password", after="00000000", later="000000.0")

    task = task_of((typed,), looks={2000: look})

    assert steps(task) == ['Type "{Password}" into the "Password" field.']
    assert not [each for each in task.questions if "could not be read" in each.text]


def test_letters_that_dots_hide_are_supplied_in_the_field_that_the_timeline_names() -> None:
    typed = event(EventKind.TYPED, 2000, "", _PLACE, until_ms=2900, field="Password").model_copy(update={"text": None})

    assert steps(task_of((typed,), looks={2000: Look()})) == ['Type "{Password}" into the "Password" field.']


@pytest.mark.parametrize(
    ("after", "later", "held"),
    [
        ("a tide gauge", "a tide gauge", "tide gauge"),
        ("tide gauge", "tide gaugeI", "tide gauge"),
        ("tide gauge|", "tide gauge", "tide gauge"),
        ("old tide gauge", "old tide gauge", ""),
    ],
)
def test_an_icon_before_what_was_typed_and_a_caret_behind_it_are_no_part_of_it(
    after: str, later: str, held: str
) -> None:
    typed = event(EventKind.TYPED, 2000, "tide gauge", _PLACE, until_ms=2900)
    look = Look(field='the "Search" field', label="Search", after=after, later=later)

    said = steps(task_of((typed,), looks={2000: look}))

    assert (f'Type "{held}" into the "Search" field.' in said) is bool(held)


@pytest.mark.parametrize("asks_again", [True, False])
def test_letters_without_a_label_go_into_the_field_that_was_typed_into_there_before_and_asks_the_same_again(
    *, asks_again: bool
) -> None:
    first = event(EventKind.TYPED, 1000, "Dune", _PLACE, until_ms=1900, field="Name of a book...")
    first = first.model_copy(update={"before": "Name of a book..."})
    again = event(EventKind.TYPED, 4000, "Emma", _PLACE, until_ms=4900, field=None, confidence=1)
    asks = (text("Name of a book...", 5200, region=_PLACE),) if asks_again else ()
    looks = {1000: Look(field='the "Name of a book..." field', label="Name of a book...", after="Dune", later="Dune")}

    said = steps(task_of((first, again), asks, looks=looks))

    assert ('Type "Emma" into the "Name of a book..." field.' in said) is asks_again


@pytest.mark.parametrize(
    ("value", "came", "is_certain"),
    [
        ("telefonr", ("telefon",), False),
        ("New S", ("New Sub Todo",), False),
        ("telefon", ("telefon", "telefonr"), True),
        ("Wellington New Zealand", ("Wellington, New Zealand",), True),
        ("3000", ("30000",), True),
        ("Ostend", ("Harbours",), True),
    ],
)
def test_a_value_that_then_stands_elsewhere_otherwise_is_asked_about_with_what_stands_there(
    value: str, came: tuple[str, ...], *, is_certain: bool
) -> None:
    typed = event(EventKind.TYPED, 2000, value, _PLACE, until_ms=2900)
    look = Look(field='the "Item" field', label="Item", after=value, later=value)
    later = tuple(text(each, 4000, region=(60, 400 + 30 * at, 120, 20)) for at, each in enumerate(came))

    task = task_of((typed,), later, looks={2000: look})

    assert (f'Type "{value}" into the "Item" field.' in steps(task)) is is_certain
    assert is_certain is not any(f'Type "{came[0]}" into the "Item" field.' in one.text for one in task.questions)


@pytest.mark.parametrize(("high", "sure", "is_certain"), [(10, 0.985, False), (10, 0.995, True), (16, 0.985, True)])
def test_small_letters_that_were_not_read_for_certain_are_asked_about(
    high: int, sure: float, *, is_certain: bool
) -> None:
    place = (300, 200, 120, high)
    typed = event(EventKind.TYPED, 2000, "ada@gmal.com", place, until_ms=2900, confidence=sure)
    look = Look(field='the "E-mail" field', label="E-mail", after="ada@gmal.com", later="ada@gmal.com")

    task = task_of((typed,), looks={2000: look})

    assert (steps(task) == ['Type "ada@gmal.com" into the "E-mail" field.']) is is_certain
    assert is_certain is not any('Type "ada@gmal.com" into the "E-mail" field.' in one.text for one in task.questions)


@pytest.mark.parametrize(
    ("field", "named"), [("Password *", 'the first "Password" field'), ("Name:", 'the "Name:" field')]
)
def test_which_of_several_equal_labels_it_was_stays_known_where_only_the_sign_behind_one_was_not_read(
    field: str, named: str
) -> None:
    typed = event(EventKind.TYPED, 2000, "harpoon", _PLACE, until_ms=2900, field=field)
    look = Look(field='the first "Password" field', label="Password", after="harpoon", later="harpoon")

    assert steps(task_of((typed,), looks={2000: look})) == [f'Type "harpoon" into {named}.']


def test_a_value_that_may_begin_with_the_icon_of_its_field_is_asked_about() -> None:
    typed = event(EventKind.TYPED, 2000, "Q cake", _PLACE, until_ms=2900, before="Search...")
    look = Look(field='the "Search..." field', label="Search...", after="Q cake", later="Q cake")
    task = task_of((typed,), looks={2000: look})

    assert not any("cake" in line for line in steps(task))
    assert any('Type "cake" into the "Search..." field' in each.text for each in task.questions)


@pytest.mark.parametrize(("stands", "value"), [("Corner bookshop", "Corner bookshop"), ("Corner", "Corner bookshopl")])
def test_a_caret_behind_a_value_is_none_of_it_where_the_value_stands_without_it_later(stands: str, value: str) -> None:
    typed = event(EventKind.TYPED, 2000, "Corner bookshopl", _PLACE, until_ms=3900)
    look = Look(field='the "Payee" field', label="Payee", after="Corner bookshopl", later="Corner bookshopl")
    seen = (text("Player"), text(stands, 6000, region=(40, 400, 200, 20)))

    assert steps(task_of((typed,), seen, looks={2000: look})) == [f'Type "{value}" into the "Payee" field.']


def _end(button: str, said: str) -> tuple[str, ...]:
    """The criteria where a form is saved, and the page of the list, with a button, says so."""
    typed = event(EventKind.TYPED, 1000, "Nemo", _PLACE, until_ms=1900, field="Name:")
    saved = event(EventKind.NAVIGATED, 5000, f"{said} \u00b7 {button}", (0, 0, 900, 600), cause=0)
    seen = (
        text("New Patient", 0, 5000, (40, 20, 90, 20)),
        text("Name:", 0, 5000, (200, 200, 60, 20)),
        text("Save", 0, 5000, (40, 400, 40, 20)),
        text(said, 5000, None, (40, 60, 300, 20)),
        text(button, 5000, None, (700, 60, 120, 20)),
    )
    look = Look(field='the "Name:" field', label="Name:", after="Nemo", later="Nemo")
    return criteria(task_of((typed, saved), seen, (click("Save", 4800),), {1000: look}))


def test_what_a_button_of_the_last_page_says_is_not_gone() -> None:
    gone = '"New Patient" is no longer shown.'

    assert gone in _end("Export", "The patient was added")
    assert gone not in _end("+ New Patient", "The patient was added")


def test_a_number_in_parentheses_behind_a_word_is_a_number_like_any() -> None:
    assert '"The patient Nemo({number}) was added" is shown.' in _end("Export", "The patient Nemo(5) was added")


@pytest.mark.parametrize("more", [False, True])
def test_a_page_that_comes_after_a_hidden_value_looks_asked_for_by_enter_unless_another_came(more: bool) -> None:
    typed = event(EventKind.TYPED, 2000, "", _PLACE, until_ms=2900).model_copy(update={"text": None})
    came = event(EventKind.NAVIGATED, 4000, "Rowing club \u00b7 Search", (0, 0, 900, 600))
    link = text("Rowing club", 0, 4000, (40, 20, 90, 20))
    heading = text("Rowing club", 4000, None, (40, 60, 200, 40))
    look = Look(field='the "Password" field', label="Password", masked=True)

    other = (event(EventKind.NAVIGATED, 6000, "Boats \u00b7 Ada \u00b7 Gannet", (0, 0, 900, 600)),) if more else ()
    asked = task_of((typed, came, *other), (link, heading), looks={2000: look}).questions

    assert any("It looks like: Press Enter." in each.text for each in asked) is not more


def test_a_word_of_which_one_letter_was_read_wrong_is_no_criterion() -> None:
    saved = event(
        EventKind.NAVIGATED, 5000, "Bcoking \u00b7 Booking \u00b7 The booking was added", (0, 0, 900, 600), cause=0
    )
    seen = (
        text("Save", 0, 5000, (40, 400, 40, 20)),
        text("Bcoking", 5000, None, (40, 60, 300, 40)),
        text("Booking", 0, None, (700, 60, 120, 20)),
        text("The booking was added", 5000, None, (40, 120, 300, 20)),
    )

    assert criteria(task_of((saved,), seen, (click("Save", 4800),))) == ('"The booking was added" is shown.',)


def test_what_was_typed_behind_a_letter_of_an_icon_is_not_expected_again() -> None:
    value = "Office computers"
    typed = event(EventKind.TYPED, 1000, value, _PLACE, until_ms=2600)
    look = Look(field='the "Name" field', label="Name", after=value, later=value)
    saved = event(EventKind.APPEARED, 5000, f"v{value} Add \u00b7 Group was added")
    seen = (
        text(f"v{value} Add", 5000, region=(40, 100, 300, 30)),
        text("Group was added", 5000, region=(40, 160, 200, 20)),
    )

    assert criteria(task_of((typed, saved), seen, (click("Save", 4800),), {1000: look})) == (
        '"Group was added" is shown.',
    )


def test_what_was_read_with_a_sign_of_its_field_is_what_two_of_three_readings_say() -> None:
    typed = event(EventKind.TYPED, 2000, "11", _PLACE, until_ms=2300)
    look = Look(field='the "Length" field', label="Length", after="11 4", later="11")

    assert steps(task_of((typed,), looks={2000: look})) == ['Type "11" into the "Length" field.']


@pytest.mark.parametrize(("hint", "is_typed"), [("Account", True), ("", False)])
def test_what_goes_into_a_field_that_showed_a_hint_is_typed_whatever_list_opens_beside_it(
    hint: str, is_typed: bool
) -> None:
    typed = event(EventKind.TYPED, 2000, "repairs", _PLACE, until_ms=2400, before="rel")
    look = Look(field='the "Account" field', label="Account", before=hint, after="repairs", later="repairs")
    entries = ("Rent", "Flour", "Coffee", "Equity", "Bank", "Counter")
    listed = tuple(text(each, 2100, 9000, (300, 240 + 24 * row, 80, 16)) for row, each in enumerate(entries))

    seen = (text("rel", 1900, 2000, _PLACE), text("repairs", 2400, None, _PLACE), *listed)
    said = steps(task_of((typed,), seen, (click("Save", 6000),), {2000: look}))
    assert ('Type "repairs" into the "Account" field.' in said) is is_typed


def test_the_colon_of_a_label_is_no_part_of_what_was_typed() -> None:
    typed = event(EventKind.TYPED, 2000, ": mira_olsen", _PLACE, until_ms=2900, before="root_", confidence=0.99)
    look = Look(line="Second choice: mira_olsen", ends=True)

    assert steps(task_of((typed,), looks={2000: look})) == ['Type "mira_olsen" into the "Second choice:" field.']


@pytest.mark.parametrize(
    ("typed", "hint", "after", "later", "held"),
    [
        ("tide", "Search experiments", "tide 0", "tide 0", "tide"),
        ("12.5", "0.00", "12.5", "12.50 - +", "12.50"),
        ("Q cake", "Q Search...", "Q cake", "Q cake", "cake"),
        ("berth 7", "", "berth 7", "berth 7", "berth 7"),
        ("berth 7\u00d7", "", "berth 7\u00d7", "berth 7\u00d7", "berth 7"),
        ("12 \u65e5", "", "12 \u65e5", "12 \u65e5", "12"),
    ],
)
def test_the_icons_of_a_field_are_no_part_of_what_it_holds(
    typed: str, hint: str, after: str, later: str, held: str
) -> None:
    came = event(EventKind.TYPED, 2000, typed, _PLACE, until_ms=2900)
    look = Look(field='the "Find" field', label="Find", before=hint, after=after, later=later)

    assert steps(task_of((came,), looks={2000: look})) == [f'Type "{held}" into the "Find" field.']


def test_a_look_that_found_another_text_says_nothing_of_what_was_typed() -> None:
    typed = event(EventKind.TYPED, 2000, "> cd bakery", _PLACE, until_ms=2900, confidence=0.99)
    look = Look(field='the "2" field', label="2", after="C1", later="C1")

    said = steps(task_of((typed, TURNED), looks={2000: look}))
    # Nor is it certain without that: a part of it may be a prompt.
    assert not [line for line in said if "C1" in line or "bakery" in line]


def test_what_is_written_behind_a_text_of_several_lines_is_added_however_that_is_read() -> None:
    typed = event(EventKind.TYPED, 2000, "Sown in spring.", _PLACE, until_ms=2900)
    before, after = "Plums Created Saturday", "Plums Created saturday Sown in spring."
    look = Look(field='the "Page" field', label="Page", before=before, after=after, later=after, several_lines=True)

    assert steps(task_of((typed,), looks={2000: look})) == ['Add "Sown in spring." to the "Page" field.']


def test_a_look_that_was_taken_after_the_first_letters_takes_none_of_them_away() -> None:
    typed = event(EventKind.TYPED, 2000, "The right edge is loose.", _PLACE, until_ms=2900)
    after = "The right edge is loose."
    look = Look(field='the "Page" field', label="Page", before="Th", after=after, later=after, several_lines=True)

    assert steps(task_of((typed,), looks={2000: look})) == [f'Replace the text in the "Page" field with "{after}".']


def test_what_is_written_behind_the_text_of_a_field_is_no_value_behind_a_label() -> None:
    typed = event(EventKind.TYPED, 2000, "Tides and winds", _PLACE, until_ms=2900, before="Tides")
    look = Look(field='the "Title:" field', label="Title:", before="Tides", after="Tides and winds", later="")
    seen = (text("Tides", 0, 2000, (300, 200, 45, 20)), text("Tides and winds", 2900, None, _PLACE))

    assert steps(task_of((typed,), seen, looks={2000: look})) == ['Type "Tides and winds" into the "Title:" field.']


def test_a_label_that_is_read_with_the_first_word_of_its_value_ends_at_its_colon() -> None:
    whole = "Summary: Buoy has lost its bell"
    typed = event(EventKind.TYPED, 2000, whole, _PLACE, until_ms=3300, before="Summary: Buoy")
    seen = (text("Summary: Buoy", 0, 2000, (300, 200, 90, 20)), text(whole, 3300, None, (300, 200, 220, 20)))

    said = steps(task_of((typed, TURNED), seen))
    assert said[0] == 'Type "Buoy has lost its bell" into the "Summary:" field.'


@pytest.mark.parametrize("held", ["Picnic on Sundoy", "All Picnic on Sunday x", "Picnic on Sunday 1,"])
def test_a_field_that_holds_another_text_than_was_read_while_it_was_typed_is_asked_about(held: str) -> None:
    typed = event(EventKind.TYPED, 2000, "Picnic on Sunday", _PLACE, until_ms=2900)
    look = Look(field='the "Title" field', label="Title", after=held, later=held)

    said = steps(task_of((typed, TURNED), looks={2000: look}))
    assert not [line for line in said if "Picnic" in line]


@pytest.mark.parametrize(
    ("row", "is_sure"), [("Un banc pour le jarīin", False), ("Un banc pour le jardin", True), ("Bancs", True)]
)
def test_a_text_that_its_row_has_with_another_letter_is_asked_about(row: str, is_sure: bool) -> None:
    typed = event(EventKind.TYPED, 2000, "Un banc pour le jardin", _PLACE, until_ms=2900, confidence=0.99)

    said = steps(task_of((typed, TURNED), looks={2000: Look(line=row, ends=True)}))
    assert ('Type "Un banc pour le jardin".' in said) is is_sure


@pytest.mark.parametrize(("line", "is_sure"), [("Grebe | 3 | Mira", False), ("Grebe, 3, Mira", True)])
def test_a_row_of_a_table_whose_outer_bars_may_be_borders_is_asked_about(line: str, is_sure: bool) -> None:
    typed = event(EventKind.TYPED, 2000, line, _PLACE, until_ms=3600, confidence=0.99)

    assert (f'Type "{line}".' in steps(task_of((typed, TURNED)))) is is_sure


@pytest.mark.parametrize(("until_ms", "is_typed"), [(None, True), (2000, False)])
def test_what_filled_an_empty_field_at_once_was_typed_though_a_page_had_just_come(
    until_ms: int | None, is_typed: bool
) -> None:
    page = event(EventKind.NAVIGATED, 1700, "New mailbox · Username · Save", (0, 0, 900, 600))
    filled = event(EventKind.TYPED, 2000, "tamati", _PLACE, until_ms=until_ms, field="Username")
    look = Look(field='the "Username" field', label="Username", after="tamati", later="tamati")
    seen = (text("tamati", 2000, region=_PLACE),)

    said = steps(task_of((page, filled), seen, looks={2000: look}))
    assert ('Type "tamati" into the "Username" field.' in said) is is_typed


@pytest.mark.parametrize(
    ("label", "line", "is_told"),
    [
        ("Price:", "book 5", True),
        ("Price:", "book 50", False),
        ("Price", "book 5", False),
        ("Price", "Price 5", True),
        ("Price", "Price 5 each", False),
    ],
)
def test_a_short_value_is_told_where_its_row_says_it_and_its_label_ends_as_one_or_is_all_else_there(
    label: str, line: str, *, is_told: bool
) -> None:
    typed = event(EventKind.TYPED, 2000, "5", (300, 230, 12, 20), field=label, until_ms=None)
    seen = (text("Expenses"), text(label, region=(300, 200, 45, 20)))

    said = steps(task_of((typed, TURNED), seen, looks={2000: Look(line=line, ends=True)}))
    assert (f'Type "5" into the "{label}" field.' in said) is is_told
