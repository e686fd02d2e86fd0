"""Clicks that a menu names: one that opens below its title, and one that opens at the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def test_a_menu_that_opens_at_the_pointer_was_opened_by_the_right_button(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        editor(canvas)
        if 2600 <= t < 5000:
            menu(canvas, 152, 428)
        arrow(canvas, *along(((0, (500, 300)), (1200, (150, 428))), t))

    found = watcher.see(scene, 6000)

    assert done(found)[0] == (ActionKind.RIGHT_CLICK, "High water at nine in the evening")
    assert found.actions[0].description == 'Right-clicked "High water at nine in the evening".'


def test_a_page_whose_heading_repeats_a_link_may_have_been_opened_otherwise(watcher: Watcher) -> None:
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

    assert done(watcher.see(scene, 5000)) == []
