"""What is told as clicked where nobody logged it: a target that was read, and what followed; else it is asked."""

import pytest

from core.analysis import Action, ActionKind, Event, EventKind, Findings, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft

SAVED = Event(
    t_ms=3100, kind=EventKind.APPEARED, text="Parcel was saved", confidence=0.95, region=(40, 300, 160, 20),
    description="", cause=0,
)  # fmt: skip
SEEN = (
    Sighting(text="Save", t_ms=0, region=(40, 200, 40, 20)),
    Sighting(text="Parcel was saved", t_ms=3100, region=(40, 300, 160, 20)),
)


def clicked(target: str, t_ms: int = 3000, confidence: float = 0.9) -> Action:
    return Action(t_ms=t_ms, kind=ActionKind.CLICK, target=target, confidence=confidence, description="")


def plan(
    *actions: Action,
    timeline: tuple[Event, ...] = (SAVED,),
    closing_ms: int | None = None,
    seen: tuple[Sighting, ...] = SEEN,
) -> str:
    found = Findings(timeline=timeline, actions=actions, sightings=seen, closing_ms=closing_ms)
    return draft(demonstrated(found, None, 10_000))


def test_a_click_on_what_was_read_is_a_step_and_its_effect_is_not_asked_about() -> None:
    text = plan(clicked("Save"))

    assert '2. Click "Save". (inferred)' in text
    assert "Do what was done" not in text
    assert '- "Parcel was saved" is shown.' in text


def test_a_click_beside_some_words_is_asked_with_what_it_looks_like() -> None:
    text = plan(clicked("Save", confidence=0.6))

    assert '. Click "Save".' not in text.partition("SuggestedPlan:")[2].partition("Alternative")[0]
    assert 'It looks like: Click "Save". What is to be done instead?' in text


def test_a_click_of_which_nothing_came_but_a_hint_that_goes_at_once_is_asked() -> None:
    hint = SAVED.model_copy(update={"text": "Saves the parcel", "until_ms": SAVED.t_ms + 300})
    plain, _, _ = plan(clicked("Save"), timeline=(hint,)).partition("Alternative")

    assert '. Click "Save". (inferred)' not in plain


def test_a_second_click_on_the_same_place_may_be_a_late_answer_and_is_no_step() -> None:
    text = plan(clicked("Save"), clicked("Save", 4800))

    assert text.count('. Click "Save". (inferred)') == 1


def test_a_click_where_the_pointer_still_stands_on_words_that_it_hides_a_part_of_is_no_step() -> None:
    first, second = clicked("crew.txt"), clicked("crew.tx", 4800)

    assert 'crew.tx"' not in plan(first.model_copy(update={"kind": ActionKind.RIGHT_CLICK}), second)


def test_two_clicks_that_nobody_can_do_so_soon_are_no_steps() -> None:
    assert "Click" not in plan(clicked("Open"), clicked("Save", 3150))


def test_words_that_were_read_as_one_are_no_target() -> None:
    assert "Click" not in plan(clicked("cylindershorsepowermiles"))


def test_the_right_button_on_what_the_screen_then_names_is_a_step() -> None:
    opened = SAVED.model_copy(update={"text": 'Copy \u00b7 Paste \u00b7 "notes.txt" (4 bytes) plain text'})
    action = clicked("notes.txt", confidence=0.6).model_copy(update={"kind": ActionKind.RIGHT_CLICK})

    assert '2. Right-click "notes.txt". (inferred)' in plan(action, timeline=(opened,))


def test_words_of_two_columns_are_no_target() -> None:
    chosen = clicked("Portugal Lisboa").model_copy(update={"region": (229, 279, 110, 16)})
    below = Sighting(text="Valparaiso", t_ms=0, region=(296, 300, 70, 16))

    assert '. Click "Portugal Lisboa".' in plan(chosen)
    assert '. Click "Portugal Lisboa".' not in plan(chosen, seen=(*SEEN, below)).partition("Alternative")[0]


def test_what_comes_when_the_recording_closes_is_no_criterion() -> None:
    criteria = plan(clicked("Save"), closing_ms=3050).partition("SuccessCriteria:")[2].partition("SuggestedPlan:")[0]

    assert "Parcel was saved" not in criteria


def test_a_menu_that_was_closed_without_a_choice_is_closed_by_escape() -> None:
    menu = SAVED.model_copy(update={"text": "Cut \u00b7 Copy \u00b7 Paste", "until_ms": 4500})
    later = SAVED.model_copy(update={"t_ms": 5000, "text": "Berth 12 is booked", "cause": None})
    closed = clicked("Save", 4500, confidence=0.6).model_copy(update={"kind": ActionKind.DISMISS})

    text = plan(clicked("Save"), closed, timeline=(menu, later))
    assert "3. Press Escape. (inferred)" in text
    # What comes afterwards is not its doing.
    assert 'before "Berth 12 is booked" appeared' in text
    assert "Escape" not in plan(clicked("Save", confidence=0.6), closed, timeline=(menu,))


def test_a_key_that_was_pressed_for_certain_is_a_step_and_explains_only_what_comes_soon() -> None:
    later = SAVED.model_copy(update={"t_ms": 6500, "text": "Berth 12 is booked", "cause": None})
    pressed = Action(t_ms=3000, kind=ActionKind.PRESS, value="Enter", confidence=0.9, description="")

    text = plan(pressed, timeline=(SAVED, later))
    assert "2. Press Enter. (inferred)" in text
    assert 'before "Berth 12 is booked" appeared' in text
    assert "Parcel was saved" not in text.partition("## Questions")[2]


def test_what_a_likely_click_brought_is_proposed_with_it() -> None:
    page = SAVED.model_copy(update={"kind": EventKind.NAVIGATED})

    assert 'It looks like: Click "Save".' in plan(clicked("Save", confidence=0.6), timeline=(page,))


def test_words_beside_a_box_that_was_ticked_are_its_own() -> None:
    words, below = "Let guests in", Sighting(text="Harbour", t_ms=0, region=(296, 300, 70, 16))
    ticked = clicked(words).model_copy(update={"region": (229, 279, 110, 16), "value": "ticked"})

    assert f'2. Tick the "{words}" check box. (inferred)' in plan(ticked, seen=(*SEEN, below))


def test_a_file_that_was_clicked_may_have_been_clicked_twice() -> None:
    opened = SAVED.model_copy(update={"text": "notes.md \u00b7 High water at nine"})

    text = plan(clicked("notes.md"), timeline=(opened,))
    assert 'It looks like: Double-click "notes.md".' in text
    page = opened.model_copy(update={"kind": EventKind.NAVIGATED})
    assert '2. Click "notes.md". (inferred)' in plan(clicked("notes.md"), timeline=(page,))


def test_what_opens_a_small_dialog_and_leads_into_its_field_is_a_step_of_its_own() -> None:
    opened = SAVED.model_copy(update={"text": "Pattern: \u00b7 Cancel", "region": (30, 280, 200, 60)})
    focused = opened.model_copy(update={"text": None, "kind": EventKind.CHANGED})
    typed = Action(t_ms=4500, kind=ActionKind.TYPE, confidence=0.95, description="", region=(40, 290, 80, 24))

    assert 'Click "Save".' in plan(clicked("Save"), typed, timeline=(opened,))
    assert 'Click "Save".' not in plan(clicked("Save"), typed, timeline=(focused,))


def test_a_click_beside_the_word_that_ends_the_path_of_the_pages_is_a_step() -> None:
    came = SAVED.model_copy(update={"kind": EventKind.NAVIGATED, "text": "Admin / Patients \u00b7 Search..."})
    beside = clicked("Patients", confidence=0.6)

    assert '. Click "Patients". (inferred)' in plan(beside, timeline=(came,))
    assert '. Click "Admin". (inferred)' not in plan(clicked("Admin", confidence=0.6), timeline=(came,))


def test_a_link_that_could_be_of_two_columns_is_one_where_the_address_ends_with_its_words() -> None:
    link = clicked("NEW TICKET").model_copy(update={"region": (100, 200, 134, 20)})
    below = Sighting(text="Custom query", t_ms=0, region=(150, 232, 126, 16))
    came = SAVED.model_copy(
        update={"kind": EventKind.NAVIGATED, "description": 'The page "localhost:8000/newticket" came; it showed "A".'}
    )

    assert '. Click "NEW TICKET". (inferred)' in plan(link, timeline=(came,), seen=(*SEEN, below))
    other = came.model_copy(update={"description": 'The page "localhost:8000/query" came; it showed "A".'})
    assert '. Click "NEW TICKET". (inferred)' not in plan(link, timeline=(other,), seen=(*SEEN, below))


def test_what_a_program_writes_while_a_text_is_typed_is_no_question() -> None:
    typed = Action(t_ms=2000, until_ms=2900, kind=ActionKind.TYPE, value="Mira", confidence=0.99, description="")
    copied = SAVED.model_copy(update={"kind": EventKind.CHANGED, "before": "nick", "text": "Mira"})

    assert "Do what was done" not in plan(typed, timeline=(copied,))


def test_a_box_that_is_seen_ticked_or_cleared_is_brought_into_that_state() -> None:
    shown = SAVED.model_copy(update={"text": None, "description": 'The box beside "Save" was ticked.'})
    ticked, cleared = (clicked("Save").model_copy(update={"value": value}) for value in ("ticked", "cleared"))

    assert '2. Tick the "Save" check box. (inferred)' in plan(ticked, timeline=(shown,))
    assert '2. Untick the "Save" check box. (inferred)' in plan(cleared, timeline=(shown,))


def test_a_switch_that_was_clicked_where_no_words_stand_is_asked_with_the_name_beside_it() -> None:
    place = (40, 200, 16, 16)
    mark = SAVED.model_copy(
        update={
            "kind": EventKind.CHANGED,
            "text": None,
            "region": place,
            "description": 'The mark beside "Vaccinated" changed its look.',
        }
    )
    nameless = Action(t_ms=3000, kind=ActionKind.CLICK, region=place, confidence=0.5, description="")

    assert 'It looks like: Tick the "Vaccinated" check box.' in plan(nameless, timeline=(mark,))


def test_words_in_equal_lines_are_told_by_the_number_of_their_line() -> None:
    rows = tuple(Sighting(text="Edit / Delete", t_ms=0, region=(400, top, 100, 20)) for top in (100, 140, 180))
    action = clicked("Delete").model_copy(update={"region": (440, 140, 50, 20)})

    assert '2. Click the second "Delete". (inferred)' in plan(action, seen=(*SEEN, *rows))


TASK = Event(
    t_ms=5000, until_ms=6000, kind=EventKind.TYPED, text="Order stamps", confidence=1, region=(40, 300, 90, 20),
    description="", field="Add a task", before="Add a task",
)  # fmt: skip


def test_a_button_that_empties_a_field_was_clicked_though_the_field_is_typed_into_next() -> None:
    hint = SAVED.model_copy(update={"text": "Add a task", "region": (40, 300, 80, 20)})
    button = clicked("Add").model_copy(update={"region": (400, 300, 40, 20)})
    within = clicked("Add a task").model_copy(update={"region": (40, 300, 80, 20)})
    typing = Action(t_ms=5000, kind=ActionKind.TYPE, value="Order stamps", confidence=1, description="", region=TASK.region)  # fmt: skip # noqa: E501

    assert '. Click "Add". (inferred)' in plan(button, typing, timeline=(hint, TASK))
    assert ". Click" not in plan(within, typing, timeline=(hint, TASK))


def test_clicks_on_what_a_field_asks_for_led_into_it_though_more_went_with_that() -> None:
    went = SAVED.model_copy(
        update={"kind": EventKind.VANISHED, "text": "Task \u00b7 Is needed", "cause": 1, "t_ms": 4000}
    )
    hints = [clicked("Task", t_ms).model_copy(update={"region": (40, 290, 30, 20)}) for t_ms in (3400, 4000)]
    typing = Action(t_ms=5000, kind=ActionKind.TYPE, value="Order stamps", confidence=1, description="", region=TASK.region)  # fmt: skip # noqa: E501

    assert 'Click "Task"' not in plan(*hints, typing, timeline=(went, TASK))


@pytest.mark.parametrize(("goes_ms", "is_step"), [(4900, False), (None, True)])
def test_a_click_that_brings_the_offer_which_is_then_taken_led_into_the_field(
    goes_ms: int | None, *, is_step: bool
) -> None:
    offer = SAVED.model_copy(update={"text": "Order sta", "region": (50, 330, 80, 20), "until_ms": goes_ms})
    label = clicked("Task").model_copy(update={"region": (300, 280, 30, 20)})
    typing = Action(t_ms=5000, kind=ActionKind.TYPE, value="Order stamps", confidence=1, description="", region=TASK.region)  # fmt: skip # noqa: E501

    assert ('. Click "Task". (inferred)' in plan(label, typing, timeline=(offer, TASK))) is is_step


@pytest.mark.parametrize(
    ("heading", "is_step"),
    [("Parcels", True), ("All parcels here", True), ("Letters", False), ("", False)],
)
def test_a_likely_click_whose_words_the_heading_of_a_page_then_says_is_a_step(heading: str, is_step: bool) -> None:
    words = "parcels here"
    page = SAVED.model_copy(update={"kind": EventKind.NAVIGATED, "text": f"{heading} · Berths · Boats"})

    assert (f'. Click "{words}". (inferred)' in plan(clicked(words, confidence=0.58), timeline=(page,))) == is_step


def test_a_row_that_is_named_with_a_time_is_clicked_by_the_rest_of_its_name_where_that_is_one() -> None:
    row, other = "Oil the door - done May 24 2021 19:22", "Oil the door - done May 25 2021 08:10"
    seen = (*SEEN, Sighting(text=row, t_ms=0, region=(40, 240, 300, 20)))
    twice = (*seen, Sighting(text=other, t_ms=0, region=(40, 270, 300, 20)))

    assert '2. Click "Oil the door - done". (inferred)' in plan(clicked(row), seen=seen)
    assert f'2. Click "{row}". (inferred)' in plan(clicked(row), seen=twice)
    assert '2. Click "May 24 2021". (inferred)' in plan(clicked("May 24 2021"), seen=seen)


def test_a_click_on_a_value_where_it_was_typed_only_marks_it() -> None:
    typing = Action(
        t_ms=1000, kind=ActionKind.TYPE, value="Ada", confidence=1, description="", region=(40, 300, 30, 20)
    )
    within = clicked("Ada").model_copy(update={"region": (42, 302, 28, 16)})
    row = clicked("Ada").model_copy(update={"region": (40, 500, 30, 20)})
    gone = SAVED.model_copy(update={"kind": EventKind.VANISHED, "text": "Ada", "cause": 1})

    hidden = typing.model_copy(update={"value": None})
    nameless = within.model_copy(update={"target": None})
    page = SAVED.model_copy(update={"kind": EventKind.NAVIGATED, "text": "Berths", "cause": 1})
    assert "Do what was done" in plan(hidden, nameless, timeline=(page,))
    assert '. Click "Ada".' not in plan(typing, within, timeline=(gone,))
    assert '. Click "Ada".' in plan(typing, row, timeline=(gone,))


@pytest.mark.parametrize(("click_ms", "is_asked"), [(4000, True), (3500, False)])
def test_what_a_later_click_without_words_brought_is_asked_about(click_ms: int, is_asked: bool) -> None:
    nameless = Action(t_ms=click_ms, kind=ActionKind.CLICK, confidence=0.5, description="", region=(90, 90, 1, 1))
    saved = SAVED.model_copy(update={"t_ms": click_ms + 60, "text": "Two parcels are here", "cause": 1})

    assert ("Do what was done" in plan(clicked("Urgent"), nameless, timeline=(saved,))) is is_asked


@pytest.mark.parametrize(("sure", "is_step"), [(0.95, True), (0.9, False)])
def test_a_click_right_behind_one_that_ticked_a_box_is_a_step(sure: float, *, is_step: bool) -> None:
    said = plan(
        clicked("Insured", 2750, confidence=sure), clicked("Save"), timeline=(SAVED.model_copy(update={"cause": 1}),)
    )

    assert ('. Click "Save". (inferred)' in said) is is_step


@pytest.mark.parametrize("stands", [True, False])
def test_what_sent_a_form_is_proposed_where_the_same_form_is_filled_again(*, stands: bool) -> None:
    def typed(value: str, t_ms: int) -> Event:
        place = (200, 100, 60, 20)
        return Event(
            t_ms=t_ms, until_ms=t_ms + 600, kind=EventKind.TYPED, text=value, field="Name:", confidence=0.99,
            region=place, description="",
        )  # fmt: skip

    again = SAVED.model_copy(update={"t_ms": 7000, "cause": None, "text": "Crate was saved"})
    button = SEEN[0] if stands else SEEN[0].model_copy(update={"until_ms": 6000})
    seen = (button, SEEN[1], Sighting(text="Name:", t_ms=0, region=(140, 100, 50, 20)))
    said = plan(clicked("Save"), timeline=(typed("Parcel", 1000), SAVED, typed("Crate", 5000), again), seen=seen)

    assert said.count('. Click "Save". (inferred)') == 1
    assert ('It looks like: Click "Save".' in said) is stands


@pytest.mark.parametrize(("t_ms", "is_asked"), [(3500, False), (4400, True)])
def test_what_comes_while_the_page_of_a_click_stands_came_of_something_else(t_ms: int, *, is_asked: bool) -> None:
    page = SAVED.model_copy(update={"kind": EventKind.NAVIGATED})
    dialog = SAVED.model_copy(update={"t_ms": t_ms, "cause": None, "text": "Title · Author · Pages"})
    said = plan(clicked("Save"), timeline=(page, dialog))

    assert ("Do what was done" in said) is is_asked
