"""Clicks that are made as soon as the pointer has come, while what it lights up or opens still changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind
from tests.adapters.video.observer.test_observed_actions import along, arrow, form
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, Draw, write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher


def clicked(found: Findings) -> list[str | None]:
    return [action.target for action in found.actions if action.kind is ActionKind.CLICK]


def test_a_bar_that_lit_up_as_the_pointer_crossed_it_hides_no_click(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((240, 240, 700, 300), fill="#c0d8f0" if t >= 1080 else "white")
        form(canvas)
        if t >= 1280:
            write(canvas, 420, 120, "Berth 12 is free until Monday")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    assert clicked(watcher.see(scene, 3500)) == ["Book a berth"]


def test_what_comes_beside_the_pointer_is_the_first_of_what_it_brought(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t >= 1240:
            write(canvas, 80, 262, "Which quay?")
        if t >= 1400:
            write(canvas, 420, 120, "Berth 12 is free until Monday")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    assert clicked(watcher.see(scene, 3500)) == ["Book a berth"]


def test_a_tab_whose_lines_go_as_the_pointer_comes_was_clicked(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t < 1320:
            write(canvas, 420, 380, "Berth 7 is free")
            write(canvas, 420, 430, "Berth 9 is let until May")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    assert clicked(watcher.see(scene, 3500)) == ["Book a berth"]


def test_a_pointer_that_a_lit_button_hides_as_it_comes_stood_there(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t >= 1360:
            write(canvas, 420, 120, "Berth 12 is free until Monday")
        if not 1160 <= t < 1440:
            arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    assert clicked(watcher.see(scene, 3500)) == ["Book a berth"]


def test_a_list_of_which_an_entry_is_chosen_at_once_was_opened(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if 1240 <= t < 2720:
            canvas.rectangle((60, 242, 220, 420), outline="#404040", fill="white")
            for row, word in enumerate(("Berth for a day", "Berth for a week", "Berth for a year")):
                write(canvas, 80, 256 + 48 * row, word)
        if t >= 2720:
            write(canvas, 420, 120, "From Monday to Sunday")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218)), (2280, (150, 310))), t))

    assert clicked(watcher.see(scene, 4500))[:1] == ["Book a berth"]


def test_a_drawn_arrow_of_a_new_page_is_no_pointer_once_one_moves_elsewhere(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        is_new = t >= 1600
        if is_new:
            canvas.rectangle((0, 0, 800, 600), fill="#e8ecf0")
            arrow(canvas, 700, 40)
        form(canvas)
        for row in range(6):
            day = "Monday" if is_new else "Friday"
            write(canvas, 340, 160 + 40 * row, f"Berth {row + 7 * is_new} is free on {day}")
        if t >= 3800:
            write(canvas, 80, 420, "It is booked for you")
        if not 1600 <= t < 2600:
            arrow(canvas, *along(((0, (600, 560)), (600, (640, 500)), (2600, (150, 218))), t))

    assert clicked(watcher.see(scene, 5500))[-1:] == ["Book a berth"]


def test_a_button_that_says_another_word_under_the_pointer_is_called_by_the_word_that_was_clicked(
    watcher: Watcher,
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        is_out = t >= 1400
        canvas.rectangle((80, 196, 260, 240), outline="#404040", fill="#e0e8f0" if is_out else "white")
        write(canvas, 122 if is_out else 134, 208, "Unpublish" if is_out else "Publish")
        write(canvas, 420, 120, "Three readers saw it" if is_out else "A draft")
        arrow(canvas, *along(((0, (600, 500)), (800, (166, 224)), (2600, (500, 420))), t))

    assert clicked(watcher.see(scene, 4500)) == ["Publish"]


def test_a_row_whose_name_goes_was_deleted_by_the_button_in_it(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        for row, name in enumerate(("Avocet ferry", "Bittern barge", "Curlew lighter")):
            if t < 1500 or row != 1:
                write(canvas, 60, 200 + 60 * row, name)
            write(canvas, 640, 200 + 60 * row, "Delete")
        arrow(canvas, *along(((0, (600, 500)), (800, (660, 268))), t))

    assert clicked(watcher.see(scene, 3500)) == ["Delete"]


@pytest.mark.parametrize(("row", "is_click"), [(0, True), (2, False)])
def test_a_row_that_goes_beside_a_pointer_that_has_rested_for_a_while_was_clicked(
    watcher: Watcher, row: int, *, is_click: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        names = ("Rope of hemp", "Winch of iron", "Lantern")
        for at, name in enumerate(names[1:] if t >= 2400 else names):
            write(canvas, 80, 140 + 60 * at, name)
            canvas.ellipse((500, 140 + 60 * at, 520, 160 + 60 * at), outline="#b03030", width=3)
        arrow(canvas, *along(((0, (650, 560)), (800, (508, 148 + 60 * row))), t))

    found = watcher.see(scene, 4000)

    clicks = [action.target for action in found.actions if action.kind is ActionKind.CLICK]
    assert clicks == ([None] if is_click else [])


def test_a_page_that_takes_other_colours_was_clicked_though_no_word_says_where(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        is_dark = t >= 1500
        canvas.rectangle((0, 0, WIDTH, HEIGHT), fill="#14181f" if is_dark else "white")
        for row, name in enumerate(("Avocet ferry", "Bittern barge", "Curlew lighter")):
            write(canvas, 60, 200 + 60 * row, name, colour="#e8e8e8" if is_dark else "black")
        arrow(canvas, *along(((0, (400, 480)), (800, (740, 60))), t))

    (click,) = (action for action in watcher.see(scene, 3500).actions if action.kind is ActionKind.CLICK)
    assert click.region is not None
    assert click.region[:2] == pytest.approx((740, 60), abs=3)


def test_a_button_that_is_lit_when_it_is_pressed_and_answered_later_was_clicked_once(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 2300:
            canvas.rectangle((60, 60, 700, 420), outline="#404040")
            write(canvas, 90, 90, "Edit the berth", size=24)
            canvas.rectangle((80, 196, 260, 240), outline="#404040", fill="#60a0e0" if t < 1700 else "#103050")
            write(canvas, 134, 208, "Save it", colour="black" if t < 1700 else "white")
        elif t >= 2700:
            write(canvas, 90, 480, "The berth was saved")
        arrow(canvas, *along(((0, (600, 500)), (800, (186, 224))), t))

    found = watcher.see(scene, 4000)

    assert clicked(found) == ["Save it"]
    assert {event.cause for event in found.timeline if event.text} == {0}


@pytest.mark.parametrize("end", [(420, 236), (420, 250)])
def test_a_pointer_at_the_side_of_a_wide_button_that_is_lit_stands_on_its_words(
    watcher: Watcher, end: tuple[int, int]
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        canvas.rectangle((80, 240, 480, 280), fill="#107890" if t >= 1240 else "#68a8f0")
        write(canvas, 240, 248, "Submit", colour="white")
        if t >= 1600:
            write(canvas, 80, 400, "Berth 12 is free until Monday")
        stops: list[tuple[int, tuple[float, float]]] = [(0, (700, 500)), (800, end)]
        if end[1] < 240 or t < 1160:
            arrow(canvas, *along(stops, t))

    findings = watcher.see(scene, 3500)
    assert clicked(findings) == ["Submit"]
    assert findings.actions[0].description == 'Clicked "Submit".'


def test_a_row_of_a_list_that_is_lit_where_the_pointer_was_lost_is_no_button(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        canvas.rectangle((80, 240, 480, 280), fill="#107890" if t >= 1240 else "#68a8f0")
        write(canvas, 90, 248, "Submit", colour="white")
        if t >= 1900:
            write(canvas, 80, 400, "Berth 12 is free until Monday")
        if t < 1160:
            arrow(canvas, *along(((0, (700, 500)), (800, (420, 250))), t))

    assert "Submit" not in clicked(watcher.see(scene, 3500))
