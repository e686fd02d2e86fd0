"""Clicks that their effects name: a menu below its title, a dialog or a page by the words of what opened it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind
from tests.adapters.video.observer.test_observed_actions import along, arrow
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher

ENTRIES = ("Undo", "Copy", "Rename...", "Preferences")


def editor(canvas: Draw) -> None:
    for x, title in ((40, "File"), (120, "Edit"), (200, "Search"), (300, "Help")):
        write(canvas, x, 20, title)
    write(canvas, 60, 420, "High water at nine in the evening")


def menu(canvas: Draw, x: int, y: int, entries: tuple[str, ...] = ENTRIES) -> None:
    canvas.rectangle((x, y, x + 170, y + 10 + 30 * len(entries)), outline="#404040", fill="#f4f4f4")
    for row, entry in enumerate(entries):
        write(canvas, x + 20, y + 8 + 30 * row, entry)


def done(found: Findings) -> list[tuple[ActionKind, str | None]]:
    return [(action.kind, action.target) for action in found.actions]


def test_a_menu_that_opens_below_a_word_of_a_bar_was_opened_by_it(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if 2000 <= t < 3500:
            menu(canvas, 112, 46)

    found = watcher.see(scene, 5000)

    assert done(found) == [(ActionKind.CLICK, "Edit")]
    assert [event.cause for event in found.timeline] == [0]


def test_of_a_bar_that_is_read_as_one_line_the_name_at_the_pointer_is_told(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 20, "File Edit View Window")
        write(canvas, 60, 420, "High water at nine in the evening")
        if t >= 2600:
            menu(canvas, 112, 46)
        arrow(canvas, *along(((0, (600, 500)), (800, (134, 30))), t))

    assert done(watcher.see(scene, 4500)) == [(ActionKind.CLICK, "View")]


def test_lines_that_come_below_a_word_and_stay_are_no_menu(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if t >= 2000:
            menu(canvas, 112, 46)

    assert done(watcher.see(scene, 5000)) == []


def test_an_entry_is_named_by_the_dialog_that_it_opens(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if 2000 <= t < 3500:
            menu(canvas, 112, 46)
        if t >= 3500:
            canvas.rectangle((300, 200, 640, 360), outline="#404040", fill="#f4f4f4")
            write(canvas, 320, 210, "Rename the list")
            write(canvas, 320, 260, "Its new name is asked here")

    assert done(watcher.see(scene, 6000)) == [(ActionKind.CLICK, "Edit"), (ActionKind.CLICK, "Rename...")]


@pytest.mark.nightly
def test_an_entry_is_named_by_the_title_of_a_dialog_in_letters_as_high(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if 2000 <= t < 3500:
            menu(canvas, 112, 46, ("Undo", "Copy", "Select by pattern"))
        if t >= 3500:
            canvas.rectangle((300, 200, 640, 380), outline="#404040", fill="#f4f4f4")
            for row, words in enumerate(("Select by Pattern", "The names to look for", "Cancel it")):
                write(canvas, 320, 210 + 50 * row, words)

    assert done(watcher.see(scene, 6000)) == [(ActionKind.CLICK, "Edit"), (ActionKind.CLICK, "Select by pattern")]


def test_what_a_menu_had_hidden_names_none_of_its_entries(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        write(canvas, 130, 180, "Rename on the other side")
        if 2000 <= t < 3500:
            menu(canvas, 112, 46, ("Undo", "Copy", "Rename", "Preferences", "Close it"))
        if t >= 3500:
            write(canvas, 460, 300, "Nothing is left to undo")

    assert (ActionKind.CLICK, "Rename") not in done(watcher.see(scene, 6000))


def test_words_that_stood_for_a_moment_were_no_menu(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if 3380 <= t < 3500:
            menu(canvas, 112, 146)
        if t >= 3500:
            for row, words in enumerate(("Preferences", "Show the line numbers", "Wrap long lines")):
                write(canvas, 320, 110 + 50 * row, words)

    assert not done(watcher.see(scene, 6000))


def test_a_menu_that_opens_at_the_pointer_was_opened_by_the_right_button(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if 2600 <= t < 5000:
            menu(canvas, 152, 428)
        arrow(canvas, *along(((0, (500, 300)), (1200, (150, 428))), t))

    found = watcher.see(scene, 6000)

    assert done(found)[0] == (ActionKind.RIGHT_CLICK, "High water at nine in the evening")
    assert found.actions[0].description == 'Right-clicked "High water at nine in the evening".'


def test_a_page_is_opened_by_the_link_that_its_heading_repeats(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 2500:
            write(canvas, 60, 30, "Harbour office", size=30)
            for row, link in enumerate(("Berths", "Visitors of the week", "Opening hours")):
                write(canvas, 60, 120 + 50 * row, link)
            write(canvas, 60, 400, "All of it is free of charge, and open to everybody")
        else:
            write(canvas, 60, 30, "Visitors of the week", size=30)
            for row, name in enumerate(("Aurora of Bergen", "Mira of Lisbon", "Otto of Kiel", "Ida of Oslo")):
                write(canvas, 60, 140 + 60 * row, name)

    assert done(watcher.see(scene, 5000)) == [(ActionKind.CLICK, "Visitors of the week")]


def test_a_list_that_is_filled_again_is_no_menu_whose_entry_was_chosen(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if t >= 2000:
            rows = ENTRIES if t < 3500 else ("Rename a file of yours", "Copy the text", "Undo all of it", "Preferences")
            menu(canvas, 300, 120, rows)

    assert (ActionKind.CLICK, "Rename...") not in done(watcher.see(scene, 6000))


LETTERS = ("Berth seven is free", "Keys for the boat house", "Gale warning tonight")


def inbox(canvas: Draw, chosen: int | None) -> None:
    """A list at the left, and at the right the letter that is chosen from it, under its heading."""
    for row, letter in enumerate(LETTERS):
        write(canvas, 30, 90 + 60 * row, letter)
    canvas.line((300, 0, 300, 599), fill="#c0c0c0")
    if chosen is not None:
        write(canvas, 330, 60, LETTERS[chosen], size=26)
        for row, line in enumerate(("from the harbour office", "to all crews", "Dear crews,", "come and see us.")):
            write(canvas, 330, 130 + 40 * row, f"{line}{'' if chosen else ' '}")


def test_what_is_chosen_from_a_list_is_named_by_the_heading_of_what_it_opens(watcher: Watcher) -> None:
    found = watcher.see(lambda canvas, t: inbox(canvas, 1 if t >= 2000 else None), 4000)

    assert done(found) == [(ActionKind.CLICK, LETTERS[1])]


def test_equal_words_in_letters_of_one_size_head_nothing(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        inbox(canvas, None)
        if t >= 2000:
            for row, line in enumerate((LETTERS[1], "is what Otto wrote", "yesterday evening", "to all of us")):
                write(canvas, 330, 60 + 40 * row, line)

    assert done(watcher.see(scene, 4000)) == []


def test_what_is_opened_in_the_place_of_another_is_named_by_its_heading_alone(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        inbox(canvas, 0 if t < 2000 else 1)
        # Two lines come in two places, and none of them says more than the other.
        write(canvas, 330, 400, "Otto Brandt" if t < 2000 else "Mira Olsen")
        write(canvas, 330, 520, "yesterday evening" if t < 2000 else "on Monday")

    assert done(watcher.see(scene, 4000)) == [(ActionKind.CLICK, LETTERS[1])]
