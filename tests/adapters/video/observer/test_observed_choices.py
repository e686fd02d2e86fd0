"""Choices from menus, by what closes them and what then stands in their field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.text.lines import Line
from adapters.video.timeline.choices import with_choices
from core.analysis import ActionKind, Event, EventKind
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Watcher

PLACES = ("Small berth", "Large berth", "Dry dock")


def office(canvas: Draw, held: str, *entries: str) -> None:
    """A page with a field, and below it an open menu where there are entries."""
    write(canvas, 40, 30, "Harbour office", size=26)
    canvas.rectangle((60, 100, 300, 136), outline="#404040")
    write(canvas, 72, 106, held)
    if entries:
        canvas.rectangle((60, 138, 300, 148 + 34 * len(entries)), outline="#404040", fill="#f4f4f4")
        for row, entry in enumerate(entries):
            write(canvas, 72, 146 + 34 * row, entry)


def test_a_choice_shows_by_its_menu_without_any_pointer(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        office(canvas, "Choose a place" if t < 2600 else "Dry dock", *(PLACES if 1000 <= t < 2600 else ()))

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.target, action.value) for action in found.actions] == [
        (ActionKind.CHOOSE, "Choose a place", "Dry dock")
    ]
    assert abs(found.actions[0].t_ms - 2600) <= 80


@pytest.mark.parametrize("sign", ["list", "none", "row"])
def test_a_value_that_gives_way_in_a_field_with_a_list_was_chosen_though_the_list_was_not_recorded(
    watcher: Watcher, sign: str
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        office(canvas, "Dry dock" if t < 2000 else "Berth")
        if sign == "row":
            write(canvas, 190, 106, "12.50")
        if sign != "none":
            canvas.line(((270, 114), (278, 122), (286, 114)), fill="#404040", width=3)

    found = watcher.see(scene, 4000)
    assert [(action.kind, action.target, action.value) for action in found.actions] == [
        (ActionKind.CHOOSE, "Dry dock", "Berth")
    ] * (sign == "list")


def test_the_lit_entry_of_a_menu_may_begin_farther_left_than_the_others(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        held = "Dry dock" if t < 2600 else "Berth"
        write(canvas, 40, 30, "Harbour office", size=26)
        canvas.rectangle((60, 100, 300, 136), outline="#404040")
        write(canvas, 84, 108, held, size=14)
        if 1000 <= t < 2600:
            canvas.rectangle((60, 138, 300, 220), outline="#404040", fill="#f4f4f4")
            write(canvas, 68, 144, "Dry dock", size=24)
            write(canvas, 84, 190, "Berth", size=14)

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.target, action.value) for action in found.actions] == [
        (ActionKind.CHOOSE, "Dry dock", "Berth")
    ]


def test_a_choice_goes_into_a_field_in_which_nothing_could_be_read(watcher: Watcher) -> None:
    entries = ("Small berth", "Dry dock", "Large berth")

    def scene(canvas: Draw, t: int) -> None:
        office(canvas, "" if t < 2600 else "Dry dock", *(entries if 1000 <= t < 2600 else ()))

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.target, action.value) for action in found.actions] == [
        (ActionKind.CHOOSE, None, "Dry dock")
    ]


def test_an_entry_that_its_field_shows_before_the_menu_closes_is_chosen_when_that_closes(watcher: Watcher) -> None:
    entries = ("Small berth", "Dry dock", "Large berth", "Mooring")

    def scene(canvas: Draw, t: int) -> None:
        # Keys go through the list, of which the first entry is a dash, and the field shows each entry.
        held = "Choose a place" if t < 1800 else "Large berth"
        office(canvas, held, *(("-", *entries) if 1000 <= t < 2600 else ()))

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.value) for action in found.actions] == [(ActionKind.CHOOSE, "Large berth")]
    assert abs(found.actions[0].t_ms - 2600) <= 80


def test_an_entry_of_a_menu_that_stood_over_its_field_is_chosen(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        canvas.rectangle((60, 200, 300, 236), outline="#404040")
        write(canvas, 72, 206, "Medium" if t < 2600 else "Large berth")
        if 1000 <= t < 2600:
            canvas.rectangle((50, 160, 310, 282), outline="#404040", fill="#f4f4f4")
            for row, entry in enumerate(("Small berth", "Middle one", "Large berth")):
                write(canvas, 68, 172 + 36 * row, entry)

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.value) for action in found.actions] == [(ActionKind.CHOOSE, "Large berth")]


def test_of_a_menu_over_its_field_what_that_held_is_an_entry(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        canvas.rectangle((60, 200, 300, 236), outline="#404040")
        write(canvas, 72, 206, "Small berth" if t < 2600 else "large berth")
        if 1000 <= t < 2600:
            canvas.rectangle((50, 190, 310, 272), outline="#404040", fill="#f4f4f4")
            for row, entry in enumerate(("Small berth", "Large berth")):
                write(canvas, 76, 202 + 34 * row, entry)

    found = watcher.see(scene, 4500)
    # One of two readings has another case.
    assert [(action.kind, action.target) for action in found.actions] == [(ActionKind.CHOOSE, "Small berth")]


def test_an_entry_goes_into_its_field_while_another_comes_back_to_where_the_menu_had_hidden_it(
    watcher: Watcher,
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        for row in range(2):
            canvas.rectangle((60, 200 + 40 * row, 300, 232 + 40 * row), outline="#404040")
        write(canvas, 72, 206, "None" if t < 2600 else "Slight")
        write(canvas, 72, 246, "None")
        if 1000 <= t < 2600:
            canvas.rectangle((50, 196, 310, 330), outline="#404040", fill="#f4f4f4")
            for row, entry in enumerate(("None", "Slight", "Medium", "Full")):
                write(canvas, 68, 208 + 31 * row, entry)

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.value) for action in found.actions] == [(ActionKind.CHOOSE, "Slight")]


def test_an_entry_that_moves_up_while_letters_are_typed_is_not_chosen_yet(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        office(canvas, "")
        write(canvas, 72, 106, "Berth of the pilots"[: max((t - 1800) // 160, 0)] if t < 3400 else "Berth of")
        if t >= 1000:
            canvas.rectangle((60, 138, 300, 310), outline="#404040", fill="#f4f4f4")
            entries = ("Small dock", "Berth of the pilots", "Large dock")
            for row, entry in enumerate(entries if t < 2200 else entries[1:2]):
                write(canvas, 72, 150 + 34 * row, entry)

    assert ActionKind.CHOOSE not in {action.kind for action in watcher.see(scene, 4500).actions}


def test_rows_that_move_up_when_one_goes_are_no_choice() -> None:
    def row(name: str, price: str, y: int, since_ms: int, until_ms: int | None) -> list[Line]:
        places = ((72, y, 160, 22), (300, y, 74, 22))
        lines = [
            Line(text, 1.0, box, np.zeros((22, box[2]), np.uint8), since_ms)
            for text, box in zip((name, price), places, strict=True)
        ]
        for line in lines:
            line.until_ms = until_ms
        return lines

    lines = [*row("Rope", "5000", 120, 1000, 4500), *row("Winch", "10000", 180, 2500, 4500)]
    lines += row("Winch", "10000", 120, 4500, None)
    for line in lines[:2]:
        # They made room for the second row.
        line.been = [(2500, line.box)]

    came = Event(t_ms=4500, kind=EventKind.CHANGED, text="10000", before="5000", confidence=1, description="")

    assert not with_choices([], [came], lines)


def test_rows_that_are_sorted_are_no_choice(watcher: Watcher) -> None:
    boats = ("Small berth", "Middle one", "Large berth", "Mooring")

    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        if t >= 1000:
            for row, boat in enumerate(boats if t < 2600 else boats[::-1]):
                write(canvas, 68, 172 + 36 * row, boat)

    assert ActionKind.CHOOSE not in {action.kind for action in watcher.see(scene, 4500).actions}


def test_the_only_entry_that_what_was_typed_has_left_is_chosen(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        held = "" if t < 1000 else "berth" if t < 2600 else "Berth of the pilots"
        office(canvas, held, *(("Berth of the pilots",) if 1200 <= t < 2600 else ()))

    found = watcher.see(scene, 4500)
    assert (ActionKind.CHOOSE, "berth", "Berth of the pilots") in {
        (action.kind, action.target, action.value) for action in found.actions
    }


def test_a_field_to_search_in_may_stand_between_a_list_and_its_entries(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        office(canvas, "Choose a place" if t < 2600 else "Dry dock")
        if 1000 <= t < 2600:
            canvas.rectangle((60, 138, 300, 310), outline="#404040", fill="#f4f4f4")
            canvas.rectangle((72, 146, 288, 212), outline="#404040", fill="white")
            for row, entry in enumerate(("Small berth", "Dry dock")):
                write(canvas, 72, 222 + 34 * row, entry)

    found = watcher.see(scene, 4500)
    assert [(action.kind, action.value) for action in found.actions] == [(ActionKind.CHOOSE, "Dry dock")]


def test_what_a_page_says_in_the_place_of_a_field_was_not_chosen_in_it(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 2600:
            office(canvas, "Search for a place", *(PLACES if t >= 1000 else ()))
            write(canvas, 420, 300, "Nobody is at the desk", size=24)
        else:
            write(canvas, 72, 106, "Dry dock")
            for row, line in enumerate(("Twelve metres", "Free from Monday", "Water, power", "No crane", "Two keys")):
                write(canvas, 330, 60 + 100 * row, line, size=26)

    found = watcher.see(scene, 4500)
    assert EventKind.NAVIGATED in {event.kind for event in found.timeline}
    assert ActionKind.CHOOSE not in {action.kind for action in found.actions}


def test_the_heads_of_a_table_that_goes_are_no_menu(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        write(canvas, 72, 106, "Search the list" if t < 2600 else "Voyages")
        for column, head in enumerate(("Boat", "Voyages", "Crew")):
            if 1000 <= t < 2600:
                write(canvas, 72 + 160 * column, 150, head)

    assert not watcher.see(scene, 4500).actions


def test_what_closes_with_more_lines_than_a_menu_has_is_an_editor(watcher: Watcher) -> None:
    draft = ("A heron for three", "An otter for two", "A teal for one", "A grebe for six", "A coot for none")

    def scene(canvas: Draw, t: int) -> None:
        for row in range(14):
            write(canvas, 520, 30 + 36 * row, f"Neighbour {'ABCDEFGHIJKLMN'[row]}")
        write(canvas, 72, 106, "Keeper" if t < 2600 else "Boats for hire")
        for row, line in enumerate(("Boats for hire", "Teal", "Otto") if 1000 <= t < 2600 else ()):
            write(canvas, 72, 146 + 34 * row, line)
        for row, line in enumerate(draft if t < 2600 else ()):
            write(canvas, 72, 320 + 34 * row, line)

    assert ActionKind.CHOOSE not in {action.kind for action in watcher.see(scene, 4500).actions}


def test_what_is_shown_over_all_of_a_list_was_not_chosen_in_it() -> None:
    def line(text: str, box: tuple[int, int, int, int], t_ms: int, until_ms: int | None) -> Line:
        return Line(text, 1.0, box, np.zeros((box[3], box[2]), np.uint8), t_ms, until_ms)

    entries = [line(text, (72, 146 + 20 * row, 90, 14), 1000, 2600) for row, text in enumerate(PLACES)]
    over = line("Dry dock", (40, 120, 300, 120), 1800, None)
    assert with_choices([], [], [*entries, over]) == []
