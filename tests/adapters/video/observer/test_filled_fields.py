"""Texts that come in a field at once, as a test fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind, EventKind
from tests.adapters.video.observer.test_observed_actions import along, arrow
from tests.fakes.videos.drawn_screens import write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw, Watcher

FILLED_MS = 1600


def form(canvas: Draw, t: int, *, asks: str = "", held: str = "", focus: bool = True, table: bool = False) -> None:
    """Two fields below their names, of which the second is filled; or the cells of a table at the same places."""
    write(canvas, 60, 40, "Harbour office", size=28)
    is_filled = t >= FILLED_MS
    for top, name, value in ((150, "Name of the boat", "Aurora"), (250, "Home port", "Ostend")):
        write(canvas, 120, top - 30, name)
        is_here = name == "Home port"
        has_focus = focus and is_filled == is_here and not table
        canvas.rectangle((120, top, 520, top + 36), outline="#2050c0" if has_focus else "#b0b0b0", width=1 + has_focus)
        if table:
            canvas.rectangle((520, top, 700, top + 36), outline="#b0b0b0")
            canvas.rectangle((120, top - 40, 520, top), outline="#b0b0b0")
        if is_filled or not is_here:
            write(canvas, 130, top + 7, value)
        elif asks:
            write(canvas, 130, top + 7, asks, colour="#b8b8b8")
        elif held:
            write(canvas, 130, top + 7, held)


@pytest.mark.parametrize("focus", [True, False])
def test_a_text_that_comes_at_once_in_an_empty_field_was_typed_there(watcher: Watcher, *, focus: bool) -> None:
    findings = watcher.see(lambda canvas, t: form(canvas, t, focus=focus), 3000)

    (event,) = findings.timeline
    (action,) = findings.actions
    assert (event.kind, event.text, event.field, event.until_ms) == (EventKind.TYPED, "Ostend", "Home port", None)
    assert (action.kind, action.value, action.target) == (ActionKind.TYPE, "Ostend", "Home port")
    assert abs(event.t_ms - FILLED_MS) <= 80


def test_so_was_one_that_comes_where_the_field_said_fainter_what_it_asks_for(watcher: Watcher) -> None:
    findings = watcher.see(lambda canvas, t: form(canvas, t, asks="Where it lies"), 3000)

    (event,) = findings.timeline
    assert (event.kind, event.text, event.before) == (EventKind.TYPED, "Ostend", "Where it lies")


@pytest.mark.parametrize("focus", [True, False])
def test_one_that_comes_in_the_place_of_a_value_was_typed_where_the_field_got_the_focus(
    watcher: Watcher, *, focus: bool
) -> None:
    findings = watcher.see(lambda canvas, t: form(canvas, t, held="Bergen", focus=focus), 3000)

    (event,) = findings.timeline
    assert (event.kind, event.text, event.before) == (
        EventKind.TYPED if focus else EventKind.CHANGED,
        "Ostend",
        "Bergen",
    )


@pytest.mark.parametrize(("line_to", "is_typed"), [(440, True), (190, False)])
def test_so_was_one_above_a_line_that_goes_on_behind_it(watcher: Watcher, line_to: int, is_typed: bool) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        canvas.line((120, 180, line_to, 180), fill="#d8d8d8")
        is_filled = t >= FILLED_MS
        write(canvas, 122, 152, "Ostend" if is_filled else "Port", colour="black" if is_filled else "#b0b0b0")

    (event,) = watcher.see(scene, 3000).timeline
    assert (event.kind, event.text) == (EventKind.TYPED if is_typed else EventKind.CHANGED, "Ostend")


def test_a_row_of_a_table_above_its_line_was_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        for row, (berth, boat) in enumerate((("Berth 4", "Aurora"), ("Berth 5", "Nereid"), ("Berth 6", "Kittiwake"))):
            canvas.line((120, 180 + 50 * row, 600, 180 + 50 * row), fill="#d8d8d8")
            if row < 2 or t >= FILLED_MS:
                write(canvas, 124, 152 + 50 * row, berth)
            write(canvas, 340, 152 + 50 * row, boat)

    findings = watcher.see(scene, 3000)
    assert findings.actions == ()
    assert [(event.kind, event.text) for event in findings.timeline] == [(EventKind.APPEARED, "Berth 6")]


def test_what_a_field_asks_for_that_comes_again_was_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas, 0)
        if t >= FILLED_MS:
            write(canvas, 130, 257, "Where it lies", colour="#a0a0a0")

    findings = watcher.see(scene, 3000)
    assert findings.actions == ()
    assert [(event.kind, event.text) for event in findings.timeline] == [(EventKind.APPEARED, "Where it lies")]


def test_a_text_that_comes_in_a_cell_of_a_table_was_not(watcher: Watcher) -> None:
    findings = watcher.see(lambda canvas, t: form(canvas, t, table=True), 3000)

    assert findings.actions == ()
    assert [event.kind for event in findings.timeline] == [EventKind.APPEARED]


def test_one_that_comes_at_the_top_of_a_high_field_was_typed_there(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 120, "Remarks")
        canvas.rectangle((120, 150, 620, 320), outline="#909090")
        if t >= FILLED_MS:
            write(canvas, 130, 158, "The mast is to be laid down")

    (event,) = watcher.see(scene, 3000).timeline
    assert (event.kind, event.text, event.field) == (EventKind.TYPED, "The mast is to be laid down", "Remarks")


def test_a_label_that_stands_in_the_middle_of_its_button_was_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        canvas.rectangle((180, 150, 340, 186), outline="#909090")
        write(canvas, 226 if t >= FILLED_MS else 240, 157, "Saving it" if t >= FILLED_MS else "Save")

    findings = watcher.see(scene, 3000)
    assert findings.actions == ()
    assert [(event.kind, event.text) for event in findings.timeline] == [(EventKind.CHANGED, "Saving it")]


def test_a_page_whose_fields_came_with_their_values_was_not_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        for top in range(100, 460, 60):
            canvas.rectangle((120, top, 520, top + 36), outline="#b0b0b0")
            if t >= FILLED_MS:
                write(canvas, 130, top + 7, f"Berth number {top}")

    findings = watcher.see(scene, 3000)
    assert findings.actions == ()
    assert findings.timeline


def test_hidden_characters_that_come_at_once_are_told_once(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 120, "Password")
        has_focus = FILLED_MS <= t < 2600
        canvas.rectangle((120, 150, 520, 186), outline="#2050c0" if has_focus else "#909090", width=1 + has_focus)
        for left in range(132, 132 + 9 * 12, 12) if t >= FILLED_MS else ():
            canvas.ellipse((left, 164, left + 7, 171), fill="#202830")

    (event,) = watcher.see(scene, 4000).timeline
    assert event.description == 'Hidden characters were typed into "Password".'
    assert abs(event.t_ms - FILLED_MS) <= 80


def test_what_is_seen_to_come_in_a_few_long_steps_is_one_typing(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        for top, name, begins_ms, values in (
            (150, "Name of the boat", 1600, ("Meer", "Meeresleuchten", "Meeresleuchten")),
            (250, "Home port", 1720, ("Friedrichs", "Friedrichs", "Friedrichskoog Nord")),
        ):
            write(canvas, 40, top + 7, name)
            canvas.rectangle((320, top, 700, top + 36), outline="#b0b0b0")
            if t >= begins_ms:
                write(canvas, 330, top + 7, values[min((t - begins_ms) // 120, 2)])

    typed = [(event.text, event.field) for event in watcher.see(scene, 3600).timeline]

    assert typed == [("Meeresleuchten", "Name of the boat"), ("Friedrichskoog Nord", "Home port")]


def test_a_border_too_pale_to_be_seen_to_come_is_there_when_a_field_is_filled(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 900:
            return
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 220, "Home port")
        canvas.rectangle((120, 250, 290, 286), outline="#eaeaea")
        if t >= FILLED_MS:
            write(canvas, 130, 257, "Ostend")

    event = watcher.see(scene, 3000).timeline[-1]

    assert (event.kind, event.text, event.field) == (EventKind.TYPED, "Ostend", "Home port")


def underlined(canvas: Draw, t: int) -> None:
    """Two fields of one line each inside a card, which are filled one after the other."""
    write(canvas, 60, 40, "Harbour office", size=28)
    canvas.rectangle((104, 220, 560, 400), outline="#d0d0d0")
    for top, asks, value, filled_ms in ((250, "Name of the boat", "Aurora", 1600), (310, "Home port", "Ostend", 2600)):
        canvas.line((130, top + 30, 530, top + 30), fill="#d0d0d0")
        is_filled = t >= filled_ms
        write(canvas, 130, top, value if is_filled else asks, colour="#202020" if is_filled else "#b0b0b0")


def test_fields_that_are_a_line_in_a_card_are_named_by_what_they_ask_for(watcher: Watcher) -> None:
    actions = watcher.see(underlined, 4000).actions

    assert [(one.value, one.target) for one in actions] == [("Aurora", "Name of the boat"), ("Ostend", "Home port")]


def password(canvas: Draw, left: int, dots: int) -> None:
    """Its field, with what it asks for until there are dots."""
    canvas.rectangle((left, 250, left + 300, 286), outline="#b0b0b0")
    if not dots:
        write(canvas, left + 10, 257, "Password", colour="#b0b0b0")
    for at in range(dots):
        canvas.ellipse((left + 12 + 11 * at, 265, left + 18 + 11 * at, 271), fill="#202020")


def test_a_hidden_text_that_comes_where_a_field_says_what_it_asks_for_was_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        password(canvas, 120, 9 if t >= FILLED_MS else 0)

    (event,) = watcher.see(scene, 3000).timeline

    assert (event.kind, event.text, event.field) == (EventKind.TYPED, None, "Password")


def test_words_that_also_stand_elsewhere_may_be_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 560, 400, "Ostend")
        form(canvas, t, asks="Where it lies")

    (event,) = watcher.see(scene, 3000).timeline

    assert (event.kind, event.text) == (EventKind.TYPED, "Ostend")


@pytest.mark.parametrize("focus", [True, False])
def test_a_whole_form_that_comes_at_once_was_typed_where_one_of_its_fields_got_the_focus(
    watcher: Watcher, *, focus: bool
) -> None:
    values = {
        "First name": "Aino",
        "Last name": "Virtanen",
        "Street": "Linnankatu 14",
        "Town": "Turku",
        "Boat": "Aurora",
    }

    def scene(canvas: Draw, t: int) -> None:
        is_filled = t >= FILLED_MS
        write(canvas, 60, 40, "Harbour office", size=28)
        for row, (name, value) in enumerate(values.items()):
            top, has_focus = 110 + 60 * row, focus and is_filled and row == len(values) - 1
            write(canvas, 60, top + 7, name)
            canvas.rectangle(
                (220, top, 620, top + 36), outline="#2050c0" if has_focus else "#b0b0b0", width=1 + has_focus
            )
            if is_filled:
                write(canvas, 230, top + 7, value)

    typed = [(event.field, event.text) for event in watcher.see(scene, 3000).timeline if event.kind is EventKind.TYPED]

    assert sorted(typed) == (sorted(values.items()) if focus else [])


@pytest.mark.parametrize(("caret", "kind"), [(True, EventKind.TYPED), (False, EventKind.APPEARED)])
def test_a_caret_behind_a_text_shows_that_it_was_typed_in_a_field_without_a_border(
    watcher: Watcher, *, caret: bool, kind: EventKind
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 60, 200, "Notes")
        if t >= FILLED_MS:
            write(canvas, 60, 240, "The buoy lies too far north")
            if caret:
                canvas.line((276, 241, 276, 263), fill="#202020")

    (event,) = watcher.see(scene, 2800).timeline

    assert (event.kind, event.text) == (kind, "The buoy lies too far north")
    assert event.field == ("Notes" if caret else None)


def test_a_prompt_with_a_caret_behind_it_was_written_by_the_shell(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 20, 20, "mira@quay:~$ make fleet")
        if t >= FILLED_MS:
            write(canvas, 20, 50, "mira@quay:~$")
            canvas.line((135, 51, 135, 73), fill="#202020")

    assert [event.kind for event in watcher.see(scene, 2800).timeline] == [EventKind.APPEARED]


def test_a_hidden_text_that_is_typed_letter_by_letter_is_named_by_what_its_field_asked_for(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 40, 258, "All berths of the river")
        password(canvas, 320, max(0, min(9, (t - FILLED_MS) // 120)))

    (event,) = watcher.see(scene, 4000).timeline

    assert (event.kind, event.text, event.field) == (EventKind.TYPED, None, "Password")


def test_a_line_before_the_block_cursor_of_a_terminal_may_be_what_a_program_wrote(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 20, 20, "Message 2 of 3 ALL")
        if t >= FILLED_MS:
            write(canvas, 20, 500, "Include original message in Reply?")
            canvas.rectangle((292, 500, 301, 523), fill="#202020")

    assert [event.kind for event in watcher.see(scene, 2800).timeline] == [EventKind.APPEARED]


@pytest.mark.parametrize(
    ("asks", "more", "is_typed"), [("Where it lies", False, True), ("", False, False), ("Where it lies", True, False)]
)
def test_beside_a_pointer_only_what_comes_alone_where_a_field_asked_for_it_was_typed(
    watcher: Watcher, asks: str, *, more: bool, is_typed: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas, t, asks=asks)
        if more and t >= FILLED_MS:
            write(canvas, 120, 400, "The harbour was changed", size=22)
        arrow(canvas, *along(((0, (700, 500)), (600, (400, 256))), t))

    (action, *_) = watcher.see(scene, 3000).actions or (None,)
    assert (action is not None and action.kind is ActionKind.TYPE) is is_typed
    assert not is_typed or (action is not None and action.value == "Ostend")
