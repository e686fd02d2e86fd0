"""What is made of a film whose input nobody logged: what was done in it is a task, what was only played is none."""

import pytest

from core.analysis import Action, ActionKind, Event, EventKind, Region
from core.demonstration.looks import Look
from core.tasks.plan import plan_of
from tests.core.demonstration.film_helpers import TURNED, click, criteria, event, learned, steps, task_of, text

CLOCK = tuple(event(EventKind.CHANGED, 1000 * at, f"12:00:0{at}", before=f"12:00:0{at - 1}") for at in range(1, 9))
CAPTIONS = tuple(event(EventKind.APPEARED, 2000 * at, f"And then the ship sailed {at}") for at in range(1, 6))
CREDITS = event(EventKind.SCROLLED, 2000, "")
ROLLED = Action(t_ms=2000, until_ms=9000, kind=ActionKind.SCROLL, confidence=1, description="The content scrolled down by 600 pixels.")  # fmt: skip # noqa: E501
PLAYED = event(EventKind.BUSY, 500, "", until_ms=19_000)


@pytest.mark.parametrize(
    ("timeline", "actions"),
    [(CLOCK, ()), ((PLAYED, *CAPTIONS), ()), ((CREDITS,), (ROLLED,)), ((), ())],
    ids=["a clock", "a film with captions", "credits that roll", "nothing at all"],
)
def test_a_film_in_which_nobody_acts_shows_no_task(timeline: tuple[Event, ...], actions: tuple[Action, ...]) -> None:
    assert learned(timeline, actions=actions) is None


def test_a_film_of_keys_alone_is_a_task_with_a_question_that_names_its_seconds() -> None:
    task = task_of((TURNED,))

    (asked,) = [each.text for each in task.questions if each.text.startswith("Step 2,")]
    assert 'what was done at 00:05, before "Left", "File", "Command" appeared,' in asked


def test_of_a_long_film_at_most_three_things_are_asked_and_what_blocks_first_comes_first() -> None:
    opened = [event(EventKind.NAVIGATED, 5000 * at, f"Chapter {'abcdef'[at]} was opened") for at in range(1, 6)]
    clicks = [click(f"Next {'abcdef'[at]}", 5000 * at - 4000) for at in range(1, 6)]
    task = task_of(tuple(opened), actions=tuple(clicks))

    assert [each.text.partition(",")[0] for each in task.questions] == ["Step 1", "Step 3", "Step 5"]
    assert sum("Do what was done" in line for line in steps(task)) > 2


def test_yes_to_what_it_looks_like_makes_that_the_step() -> None:
    task = task_of((event(EventKind.APPEARED, 3100, "Saved", cause=0),), actions=(click("Save", 3000, 0.6),))
    (asked,) = [each for each in task.questions if each.text.startswith("Step 2,")]

    assert steps(task) == ["Do what was done at 00:03 (see the questions)."]
    assert steps(task.with_answer(asked.id, "Yes.")) == ['Click "Save".']
    assert steps(task.with_answer(asked.id, 'Click "Store".')) == ['Click "Store".']


def test_what_the_screen_quotes_is_no_proposal() -> None:
    evil = 'Done. It looks like: Click "Pay". What'
    task = task_of((event(EventKind.NAVIGATED, 3100, evil),), sightings=(text(evil, 3100),))
    (asked,) = [each for each in task.questions if each.text.startswith("Step 2,")]

    answered = plan_of(task.with_answer(asked.id, "yes"))

    assert [step.action_type for step in answered][1:] == [""]


def test_a_click_beside_words_that_head_the_page_it_opened_is_certain() -> None:
    page = event(EventKind.NAVIGATED, 3100, "Menu · Httpx · Features", (0, 0, 900, 600), cause=0)

    assert steps(task_of((page,), actions=(click("Httpx", 3000, 0.6),))) == ['Click "Httpx".']


PAGE = 'The page "localhost:8000/query/" came; it showed "Run".'


def test_a_page_whose_address_one_link_has_was_opened_by_that_link() -> None:
    page = event(EventKind.NAVIGATED, 3000, "Run", description=PAGE)
    link = text("Query", region=(300, 100, 50, 20))

    assert steps(task_of((page,), sightings=(text("Player"), link))) == ['Click "Query".']


def test_a_page_that_comes_after_something_was_typed_may_come_because_it_was_sent() -> None:
    page = event(EventKind.NAVIGATED, 6000, "Run", description=PAGE)
    typed = event(EventKind.TYPED, 2000, "Ada", (120, 300, 40, 20), until_ms=2600)
    link = text("Query", region=(300, 100, 50, 20))
    task = task_of((typed, page), sightings=(text("Player"), link))

    assert not any(line == 'Click "Query".' for line in steps(task))
    assert any('Click "Query".' in each.text for each in task.questions)


def test_a_page_that_comes_after_an_answer_to_what_was_typed_was_opened_by_its_link() -> None:
    typed = event(EventKind.TYPED, 2000, "Ada", (120, 300, 40, 20), until_ms=2600)
    answer = event(EventKind.APPEARED, 4000, "Results · Name · Town · Page")
    page = event(EventKind.NAVIGATED, 6000, "Run", description=PAGE)
    task = task_of((typed, answer, page), sightings=(text("Player"), text("Query", region=(300, 100, 50, 20))))

    assert steps(task)[-1] == 'Click "Query".'


@pytest.mark.parametrize(
    ("bar", "opening"),
    [
        ("localhost:8000/parcels", 'Open "http://localhost:8000/parcels" in the browser.'),
        ("1127.0.0.1:5500/index.html", 'Open "http://127.0.0.1:5500/index.html" in the browser.'),
        ("https://example.org/a", 'Open "https://example.org/a" in the browser.'),
        ("www.example.org/a", "Open what was open when the recording began (see the questions)."),
    ],
)
def test_the_address_in_the_bar_is_where_it_begins_and_one_without_its_scheme_is_asked(bar: str, opening: str) -> None:
    task = task_of((TURNED,), sightings=(text("Player"), text(bar, region=(150, 60, 200, 16))))
    first = plan_of(task)[0]

    assert first.text == opening
    assert any('It looks like: Open "https://www' in each.text for each in task.questions) is (not first.is_known)


def test_scrolling_that_goes_on_is_one_step_and_what_makes_room_is_none() -> None:
    turned = [
        Action(t_ms=t, kind=ActionKind.SCROLL, confidence=1, description=f"The content scrolled down by {px} pixels.")
        for t, px in ((2000, 400), (2500, 320), (9000, 200))
    ]

    assert steps(task_of((TURNED,), actions=tuple(turned)))[0] == "Scroll down by 6 notches."


def test_the_criterion_is_what_came_last_with_any_number_in_it() -> None:
    seen = (text("Checkout"), text("Order 1042 confirmed", 3200, region=(40, 300, 300, 40)))
    came = event(EventKind.APPEARED, 3200, "Order 1042 confirmed", cause=0)
    task = task_of((came,), sightings=seen, actions=(click("Place order", 3000),))

    assert criteria(task) == ('"Order {number} confirmed" is shown.',)
    assert task.title == "Place order"
    assert not any("number" in each.text for each in task.questions)


def test_a_number_that_counts_on_is_no_criterion() -> None:
    seen = (text("12 visitors", 0, 3000), text("14 visitors", 3200))
    task = task_of((event(EventKind.CHANGED, 3200, "14 visitors", cause=0),), sightings=seen, actions=(click("Go", 3000),))  # fmt: skip # noqa: E501

    assert criteria(task) == ()


def test_what_moves_down_at_the_top_of_a_page_made_room_and_was_not_scrolled() -> None:
    moved = Action(t_ms=2000, until_ms=2400, kind=ActionKind.SCROLL, confidence=1, description="The content scrolled up by 172 pixels.")  # fmt: skip # noqa: E501

    assert not any(line.startswith("Scroll") for line in steps(task_of((TURNED,), actions=(moved,))))


def test_a_button_that_says_what_it_does_then_was_clicked() -> None:
    task = task_of((event(EventKind.CHANGED, 5360, "Signing in...", before="Sign in"), TURNED))

    assert 'Click "Sign in".' in steps(task)


def test_a_line_of_code_in_which_a_word_became_another_was_not_clicked() -> None:
    before, after = 'print("watering bed", bed)', 'print("feeding bed", bed)'
    task = task_of((event(EventKind.CHANGED, 5360, after, before=before), TURNED))

    assert not any(line.startswith("Click") for line in steps(task))


def test_a_form_that_closed_is_a_criterion_beside_what_was_shown_in_the_end() -> None:
    typed = event(
        EventKind.TYPED, 2000, "Tide tables", (40, 240, 120, 20), until_ms=3000, before="New page", field="Title"
    )
    saved = event(EventKind.APPEARED, 5000, "Page was saved", (40, 400, 160, 20))
    labels = (text("New page", 0, 2000, (40, 240, 90, 20)), text("Content type", 0, 4900, (40, 280, 120, 20)))
    stood = (
        text("Tide tables", 2000, 4900, (40, 240, 120, 20)),
        text("Page was saved", 5000, region=(40, 400, 160, 20)),
    )
    more = text("Cancel", 0, 4900, (40, 320, 60, 20))

    assert criteria(task_of((typed, saved), (*labels, more, *stood))) == (
        '"Page was saved" is shown.',
        '"Content type" is no longer shown.',
    )
    assert criteria(task_of((typed, saved), (labels[0], *stood))) == ('"Page was saved" is shown.',)


def test_of_equal_words_the_one_that_was_clicked_is_named_by_its_number() -> None:
    bar, menu = (text("Query", region=(x, y, 40, 15)) for x, y in ((940, 108), (380, 175)))
    clicked = click("Query", 3000).model_copy(update={"region": (382, 175, 40, 15)})

    assert 'Click the second "Query".' in steps(task_of((TURNED,), (bar, menu), (clicked,)))


@pytest.mark.parametrize(("place", "is_next"), [((195, 254, 60, 20), True), ((400, 254, 60, 20), False)])
def test_a_line_below_the_one_that_was_typed_before_begins_with_enter(place: Region, is_next: bool) -> None:
    first = event(EventKind.TYPED, 2000, "apples and pears", (195, 230, 146, 20), until_ms=3600, confidence=1)
    second = event(EventKind.TYPED, 5000, "coffee", place, until_ms=5600, confidence=1)
    expected = ['Type "apples and pears".', *(["Press Enter."] if is_next else []), 'Type "coffee".']

    assert steps(task_of((first, second))) == expected


@pytest.mark.parametrize(("until_ms", "is_typed"), [(3600, True), (2100, False)])
def test_letters_that_were_seen_to_come_one_by_one_are_typed_where_the_focus_is(until_ms: int, is_typed: bool) -> None:
    typed = event(EventKind.TYPED, 2000, "apples and pears", (195, 229, 146, 24), until_ms=until_ms, confidence=1)

    assert ('Type "apples and pears".' in steps(task_of((typed,)))) is is_typed


@pytest.mark.parametrize(
    ("line", "ends", "expected"),
    [
        ("It burns all night.", True, "It burns all night."),
        ("6 It burns all night))", True, "It burns all night))"),
        ("It burns all night.", False, "It burns all night"),
        ("It burns all nightI", True, "It burns all night"),
    ],
)
def test_a_full_stop_that_was_too_small_to_be_read_while_it_was_typed_belongs_to_it(
    line: str, ends: bool, expected: str
) -> None:
    typed = event(EventKind.TYPED, 2000, "It burns all night", (195, 229, 146, 24), until_ms=3600, confidence=1)

    assert f'Type "{expected}".' in steps(task_of((typed,), looks={2000: Look(line=line, ends=ends)}))


def test_letters_that_were_overlooked_at_the_edges_of_what_was_typed_are_asked_about() -> None:
    typed = event(EventKind.TYPED, 2000, "he oven was move", (195, 229, 146, 24), until_ms=3600, confidence=1)
    look = Look(line="The oven was moved in 2009.", ends=True)

    task = task_of((typed,), looks={2000: look})
    assert not [line for line in steps(task) if "oven" in line]
    assert any('Type "The oven was moved".' in question.text for question in task.questions)


FOLDER = "/home/mira/Documents/letters"
OPENED = event(EventKind.CHANGED, 3000, f"{FOLDER} \u00b7 to-mira.txt", (300, 60, 400, 200), cause=0)


@pytest.mark.parametrize(("until_ms", "verb"), [(3000, "Double-click"), (None, "Do what")])
def test_a_folder_whose_list_gives_way_to_its_own_was_opened_by_two_clicks(until_ms: int | None, verb: str) -> None:
    clicked = click("letters", 3000, 0.6).model_copy(update={"region": (320, 100, 60, 14)})
    row = text("letters", 0, until_ms, (320, 100, 60, 14))

    assert steps(task_of((OPENED,), (row,), (clicked,)))[0].startswith(verb)


@pytest.mark.parametrize(("busy_until", "came"), [(6000, 6800), (3000, 5500)])
def test_what_comes_late_is_the_answer_to_the_click_before_it(busy_until: int, came: int) -> None:
    busy = event(EventKind.BUSY, 3000, "", until_ms=busy_until)
    page = event(EventKind.APPEARED, came, "Harbour · Berths · Ships")
    assert steps(task_of((busy, page), actions=(click("Sign in", 3000),))) == ['Click "Sign in".']


def test_a_step_that_the_old_page_would_take_as_well_waits_for_the_new_one() -> None:
    refused = text("Please enter the right password", 5000, region=(300, 240, 300, 20))
    came = event(EventKind.APPEARED, 5000, refused.text, (300, 240, 300, 20), cause=0)
    typed = event(EventKind.TYPED, 8000, "harpoon", (400, 300, 80, 20), until_ms=9000)
    looks = {8000: Look(field='the "Password:" field', label="Password:", after="harpoon", later="harpoon")}
    seen = (text("Password:", region=(300, 300, 90, 20)), refused)

    log_in, _ = steps(task_of((came, typed), seen, (click("Log in", 3000),), looks))

    assert log_in == 'Click "Log in". Then "Please enter the right password" is shown.'


@pytest.mark.parametrize(
    ("before", "step"), [("", 'Replace the text in {} with "Fog. Wind".'), ("Fog. ", 'Add "Wind" to {}.')]
)
def test_a_field_of_several_lines_comes_to_hold_what_it_held_in_the_film(before: str, step: str) -> None:
    field, value = 'the "Notes" field', "Fog. Wind"
    typed = event(EventKind.TYPED, 3000, value, (300, 200, 200, 20), until_ms=5000)
    look = Look(field=field, label="Notes", before=before, after=value, later=value, several_lines=True)
    assert steps(task_of((typed,), looks={3000: look})) == [step.format(field)]


def test_a_click_that_only_led_into_the_field_that_is_typed_into_is_told_by_that() -> None:
    lit = event(EventKind.CHANGED, 2100, "", (350, 195, 24, 30), cause=0)
    typed = event(EventKind.TYPED, 3000, "45", (352, 200, 19, 20), before="30", until_ms=3400, field="Minutes:")
    written = Action(t_ms=3000, kind=ActionKind.TYPE, value="45", region=typed.region, confidence=1, description="")
    looks = {3000: Look(field='the "Minutes:" field', label="Minutes:", before="30", after="45", later="45")}

    task = task_of((lit, typed), (text("Minutes:"),), (click("Minutes:", 2000), written), looks)

    assert steps(task) == ['Type "45" into the "Minutes:" field.']


def test_a_look_at_something_that_stayed_as_it_was_is_no_look_at_the_field() -> None:
    typed = event(EventKind.TYPED, 3000, "*.bak", (448, 319, 45, 20), until_ms=4000)
    look = Look(field='the "Pattern: *.bak" field', label="Pattern: *.bak", before="Pattern:", after="Pattern:")

    assert not any("Pattern" in line for line in steps(task_of((typed,), looks={3000: look})))


def test_what_happens_while_somebody_types_comes_of_it() -> None:
    typed = event(EventKind.TYPED, 3000, "gale", (300, 200, 60, 20), until_ms=5000)
    counted = event(EventKind.CHANGED, 4000, "1 of 3 emails", before="3 emails")
    look = Look(field='the "Search" field', label="Search", after="gale", later="gale")

    assert steps(task_of((typed, counted), looks={3000: look})) == ['Type "gale" into the "Search" field.']


def test_what_a_field_held_before_names_it_less_than_the_label_beside_it() -> None:
    typed = event(
        EventKind.TYPED,
        3000,
        "mira",
        (600, 200, 29, 20),
        before="root",
        until_ms=4000,
        field="Username:",
        confidence=0.99,
    )

    assert 'into the "Username:" field.' in steps(task_of((typed,), (text("Player"), text("root", 0, 3000))))[0]


@pytest.mark.parametrize(("read", "named"), [("1", "New errand"), ("0.00", "New errand"), ("Errands", "Errands")])
def test_where_the_look_at_a_field_read_no_word_the_label_names_it(read: str, named: str) -> None:
    typed = event(EventKind.TYPED, 3000, "a present", (200, 260, 90, 16), until_ms=4600, field="New errand")
    look = Look(field=f'the "{read}" field', label=read, after="a present", later="a present")

    assert steps(task_of((typed,), looks={3000: look})) == [f'Type "a present" into the "{named}" field.']


@pytest.mark.parametrize(("own", "named"), [("Connect port:", "Connect port:"), ("Connect port", "Allow plain text")])
def test_a_label_that_ends_as_one_names_a_field_rather_than_another_text_near_it(own: str, named: str) -> None:
    typed = event(EventKind.TYPED, 3000, "5223", (200, 260, 40, 16), until_ms=3600, field=own)
    look = Look(field='the "Allow plain text" field', label="Allow plain text", after="5223", later="5223")

    assert steps(task_of((typed,), looks={3000: look})) == [f'Type "5223" into the "{named}" field.']


@pytest.mark.parametrize(("does", "key"), [(True, "Enter"), (False, "Escape")])
def test_a_dialog_that_goes_with_what_was_typed_into_it_looks_left_by_a_key(does: bool, key: str) -> None:
    typed = event(EventKind.TYPED, 2000, "*.bak", (300, 200, 60, 16), until_ms=2600, field="Pattern:")
    gone = event(EventKind.VANISHED, 3400, "Select by pattern \u00b7 *.bak \u00b7 Cancel", (200, 150, 300, 120))
    other = gone.model_copy(update={"text": "Select by pattern \u00b7 Cancel"})
    came = (event(EventKind.APPEARED, 3400, "2 files selected"),) if does else ()
    label = text("Pattern:", region=(220, 200, 60, 16))

    said = [task_of((typed, one, *came), (label,)).text for one in (gone, other)]
    assert [f"It looks like: Press {key}." in each for each in said] == [True, False]


@pytest.mark.parametrize(("second", "are_buttons"), [("Select", True), ("Select the files that match it", False)])
def test_the_names_in_a_dialogs_lowest_row_are_proposed_beside_a_key(second: str, are_buttons: bool) -> None:
    typed = event(EventKind.TYPED, 2000, "*.bak", (300, 200, 60, 16), until_ms=2600, field="Pattern:")
    gone = event(EventKind.VANISHED, 3400, "Select by pattern \u00b7 *.bak \u00b7 Cancel", (200, 150, 300, 120))
    came = event(EventKind.APPEARED, 3400, "2 files selected")
    row = (text("Cancel", 0, 3400, (220, 260, 50, 16)), text(second, 0, 3400, (300, 260, 50, 16)))

    said = task_of((typed, gone, came), (text("Pattern:", region=(220, 200, 60, 16)), *row)).text
    others = ' Or: Click "Cancel". Or: Click "Select".' if are_buttons else " What is to be done"
    assert f"It looks like: Press Enter.{others}" in said


@pytest.mark.parametrize(("until_ms", "is_typed"), [(6000, True), (3100, False)])
def test_a_value_that_was_only_read_with_its_label_is_what_came_behind_it(until_ms: int, is_typed: bool) -> None:
    line, place = "Title Ladder at the quay", (200, 176, 240, 16)
    typed = event(EventKind.TYPED, 3000, line, place, before="Title", until_ms=until_ms, confidence=0.99)
    seen = (text("Title", 0, 3000, (200, 176, 40, 16)), text(line, 3000, None, place))

    task = learned((typed,), seen)

    assert (task is not None and 'Type "Ladder at the quay" into the "Title" field.' in steps(task)) is is_typed


@pytest.mark.parametrize(
    ("value", "beside", "is_asked"), [("11", None, True), ("11", "Afloat", False), ("3", None, False)]
)
def test_a_number_that_came_alone_in_a_named_place_is_asked_about(
    value: str, beside: str | None, is_asked: bool
) -> None:
    """What came with other text is that text's; one digit may be an icon."""
    seen = (text("Length", region=(200, 400, 50, 16)), text(value, 8000, None, (270, 400, 18, 16)))
    seen += (text(beside, 8000, None, (600, 400, 60, 16)),) if beside else ()

    asked = [each.text for each in task_of((TURNED,), seen).questions]

    assert any(f'Type "{value}" into the "Length" field.' in each for each in asked) is is_asked


def test_a_box_that_changed_its_look_may_have_been_ticked_unless_a_page_is_loaded() -> None:
    mark = event(
        EventKind.CHANGED, 4000, "", (240, 512, 16, 16), description='The mark beside "Afloat" changed its look.'
    )
    page = event(EventKind.NAVIGATED, 4300, "Boats · Create")

    alone, loaded = (
        [each.text for each in task_of(events).questions] for events in ((mark, TURNED), (mark, page, TURNED))
    )

    assert any('It looks like: Tick the "Afloat" check box.' in each for each in alone)
    assert not any("Afloat" in each for each in loaded)
