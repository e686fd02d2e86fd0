"""Without a pointer: controls that are lit, or lose the focus, before what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.text.lines import Line
from adapters.video.timeline.lights import faint_lights
from core.analysis import ActionKind
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Watcher


def lit_pages(canvas: Draw, t: int, *, lit: tuple[str, ...]) -> None:
    for number, link in enumerate(("Stations", "Weather", "Query")):
        place = (30, 90 + 80 * number, 240, 134 + 80 * number)
        canvas.rectangle(place, fill="#9fb8e8" if link in lit and 1000 <= t < 1400 else "#ffffff", outline="#8090a0")
        write(canvas, 44, 98 + 80 * number, link)
    write(canvas, 420, 120, "Two stations are known" if t < 1400 else "Pick a table, or ask in SQL")
    write(canvas, 420, 200, "Ostend and Leith" if t < 1400 else "The last ten questions are kept")


def test_without_a_pointer_a_control_that_is_lit_before_something_follows_was_clicked(watcher: Watcher) -> None:
    findings = watcher.see(lambda canvas, t: lit_pages(canvas, t, lit=("Query",)), 2600)

    (action,) = findings.actions
    assert (action.kind, action.target, action.t_ms) == (ActionKind.CLICK, "Query", 1000)
    assert all(event.cause == 0 for event in findings.timeline)


def test_of_two_controls_that_are_lit_at_once_none_was_clicked(watcher: Watcher) -> None:
    findings = watcher.see(lambda canvas, t: lit_pages(canvas, t, lit=("Query", "Stations")), 2600)

    assert findings.actions == ()
    assert findings.timeline


def test_a_button_that_takes_the_focus_from_a_field_was_pressed_however_long_the_answer_takes(
    watcher: Watcher,
) -> None:
    word, pressed_ms, answered_ms = "Aurora", 3400, 5200

    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 30, "Harbour office", size=26)
        write(canvas, 120, 150, "Name of the boat")
        is_pressed = t >= pressed_ms
        canvas.rectangle((120, 180, 420, 214), outline="#c0c0c0" if is_pressed else "#2050c0", width=3)
        write(canvas, 130, 186, word[: max((t - 1000) // 160, 0)])
        canvas.rectangle((120, 320, 240, 356), fill="#6088d8" if is_pressed else "#a8c0f0")
        write(canvas, 140, 328, "Register")
        if t >= answered_ms:
            write(canvas, 420, 430, "No berth is free for this boat today")
            write(canvas, 420, 470, "Ask again tomorrow morning")

    click = watcher.see(scene, 7000).actions[-1]
    assert (click.kind, click.target, click.t_ms) == (ActionKind.CLICK, "Register", pressed_ms)


def test_a_button_behind_whose_words_a_circle_turns_was_pressed_and_nothing_was_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 3200:
            write(canvas, 60, 30, "Harbour office", size=26)
            canvas.rectangle((120, 320, 300, 356), fill="#2050c0")
            write(canvas, 140, 328, "Sign in", colour="white")
            if t >= 2000:
                # What a turning arc is read as.
                write(canvas, 214, 328, "CUOD"[(t - 2000) // 160 % 4], colour="white")
        else:
            for row, text in enumerate(("Good morning, Mira", "Berths", "Boats", "Crews", "Reports")):
                write(canvas, 420, 80 + 60 * row, text)

    findings = watcher.see(scene, 5000)
    assert [(one.kind, one.target, one.t_ms) for one in findings.actions] == [(ActionKind.CLICK, "Sign in", 2000)]
    assert not [event.text for event in findings.timeline if (event.text or "").startswith("Sign in ")]


def test_what_is_lit_in_the_bar_of_the_address_was_no_click_on_the_page(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        lit_pages(canvas, t, lit=())
        canvas.rectangle((0, 0, 799, 44), fill="#e8e8f0")
        write(canvas, 30, 12, "http://localhost:8080/#/stations")
        canvas.rectangle((560, 6, 720, 38), fill="#9fb8e8" if 1000 <= t < 1400 else "#ffffff")
        write(canvas, 580, 12, "Electron 106")

    assert watcher.see(scene, 2600).actions == ()


def _whole_page(canvas: Draw, t: int, *, lit_ms: int, is_page: bool, light: str = "#9fb8e8", high: int = 44) -> None:
    """A link that is lit from then on; at 1400 another page comes, or one small text."""
    canvas.rectangle((30, 90, 240, 134), fill="#ffffff", outline="#8090a0")
    if lit_ms <= t < 1400:
        canvas.rectangle((34, 112 - high // 2, 236, 112 + high // 2), fill=light)
    if t < 1400 or not is_page:
        write(canvas, 44, 98, "Stations")
        write(canvas, 420, 120, "Two stations are known", size=20)
        write(canvas, 420, 320, "Ostend and Leith", size=20)
    else:
        for row, line in enumerate(("High water at nine", "Low water at three", "Fog at dawn", "Wind from west")):
            write(canvas, 60, 200 + 90 * row, line, size=24)
    if t >= 1400 and not is_page:
        write(canvas, 420, 440, "Three")


@pytest.mark.parametrize(("is_page", "is_sure"), [(True, True), (False, False)])
def test_a_control_that_leads_to_a_page_was_clicked_for_certain(watcher: Watcher, is_page: bool, is_sure: bool) -> None:
    (action,) = watcher.see(lambda canvas, t: _whole_page(canvas, t, lit_ms=1000, is_page=is_page), 2600).actions

    assert (action.target, action.confidence > 0.85) == ("Stations", is_sure)


@pytest.mark.parametrize(("words", "is_sure"), [("Sea   Harbour", False), ("Harbour", True)])
def test_a_name_that_is_read_as_one_with_its_neighbour_is_no_sure_click(
    watcher: Watcher, words: str, is_sure: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 1400:
            canvas.rectangle((108, 84, 230, 124), fill="#9fb8e8" if t >= 1000 else "white")
            write(canvas, 120 if is_sure else 60, 94, words)
            write(canvas, 420, 220, "Two stations are known", size=20)
            write(canvas, 420, 320, "Ostend and Leith", size=20)
        else:
            for row, line in enumerate(("High water at nine", "Low water at three", "Fog at dawn", "Wind from west")):
                write(canvas, 60, 200 + 90 * row, line, size=24)

    sure = [action.target for action in watcher.see(scene, 2600).actions if action.confidence > 0.85]
    assert sure == (["Harbour"] if is_sure else [])


def test_a_row_that_stays_lit_beside_what_came_may_only_have_been_passed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        _whole_page(canvas, t, lit_ms=1000, is_page=True)
        if t >= 1400:
            canvas.rectangle((34, 90, 236, 134), fill="#9fb8e8")
            write(canvas, 44, 98, "Stations")

    (action,) = watcher.see(scene, 2600).actions
    assert action.target == "Stations"
    assert action.confidence < 0.85


def test_a_control_that_loses_its_light_before_a_page_was_not_clicked_again_for_certain(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 3200:
            _whole_page(canvas, t, lit_ms=5000, is_page=False)
            canvas.rectangle((34, 90, 236, 134), fill="#9fb8e8" if 1000 <= t < 3000 else "#ffffff")
            write(canvas, 44, 98, "Stations")
        else:
            _whole_page(canvas, t, lit_ms=5000, is_page=True)

    (again,) = (action for action in watcher.see(scene, 4400).actions if action.t_ms > 2500)
    assert (again.target, again.confidence > 0.85) == ("Stations", False)


_FAINT = "#f2f2f2"


@pytest.mark.nightly
def test_a_control_that_is_lit_faintly_before_a_page_was_clicked(watcher: Watcher) -> None:
    found = watcher.see(lambda canvas, t: _whole_page(canvas, t, lit_ms=1000, is_page=True, light=_FAINT), 2600)

    (action,) = found.actions
    assert (action.target, action.confidence > 0.85) == ("Stations", True)
    assert abs(action.t_ms - 1000) <= 80


def test_a_faint_light_that_is_no_higher_than_its_words_is_no_click(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        _whole_page(canvas, t, lit_ms=1000, is_page=True, light=_FAINT, high=16)

    assert not watcher.see(scene, 2600).actions


@pytest.mark.parametrize(("until_ms", "is_lit"), [(3000, False), (900, True)])
def test_a_faint_light_over_two_buttons_is_none_of_one_though_the_other_goes_just_then(
    until_ms: int, is_lit: bool
) -> None:
    def name(text: str, x: int, until_ms: int | None) -> Line:
        box = (x, 452, 30, 11)
        return Line(text, 0.99, box, np.zeros((11, 30), np.uint8), 0, until_ms)

    lines = (name("Close", 581, None), name("Save", 637, until_ms))
    assert bool(list(faint_lights([(3000, (536, 440, 144, 32))], (), lines))) is is_lit


def test_what_changes_in_the_last_picture_before_a_page_is_a_part_of_that(watcher: Watcher) -> None:
    found = watcher.see(lambda canvas, t: _whole_page(canvas, t, lit_ms=1300, is_page=True), 2600, fps=12.5)

    assert found.timeline
    assert not found.actions


@pytest.mark.parametrize(("left", "width", "is_link"), [(44, 74, True), (44, 16, False), (250, 74, False)])
def test_a_link_that_is_underlined_before_a_page_was_clicked(
    watcher: Watcher, left: int, width: int, is_link: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 1400:
            write(canvas, 44, 98, "Stations")
            write(canvas, 420, 120, "Two stations are known", size=20)
            write(canvas, 420, 320, "Ostend and Leith", size=20)
            if t >= 1000:
                canvas.line((left, 119, left + width, 119), fill="#202830", width=2)
        else:
            for row, line in enumerate(("High water at nine", "Low water at three", "Fog at dawn", "Wind from west")):
                write(canvas, 60, 200 + 90 * row, line, size=24)

    assert [action.target for action in watcher.see(scene, 2600).actions] == ["Stations"] * is_link


def test_a_button_after_which_the_page_goes_was_clicked_though_the_next_is_long_in_coming(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 1400:
            canvas.rectangle((30, 90, 240, 134), fill="#9fb8e8" if t >= 1000 else "#ffffff", outline="#8090a0")
            write(canvas, 44, 98, "Stations")
            for row, line in enumerate(("High water at nine", "Low water at three", "Fog at dawn", "Wind from west")):
                write(canvas, 420, 120 + 60 * row, line, size=20)
        elif t >= 4000:
            for row, line in enumerate(("Ostend and Leith", "Two stations are known", "Neither has a crane")):
                write(canvas, 60, 200 + 90 * row, line, size=24)

    (action,) = watcher.see(scene, 5200).actions
    assert (action.target, action.t_ms) == ("Stations", 1000)


@pytest.mark.parametrize(("every_ms", "is_clicked"), [(600, False), (4000, True)])
def test_a_control_that_pulses_all_the_time_was_not_clicked_when_something_came(
    watcher: Watcher, every_ms: int, *, is_clicked: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 30, "Harbour office", size=26)
        canvas.rectangle(
            (120, 320, 240, 356), fill="#6088d8" if t >= 1000 and (t - 1000) // every_ms % 2 == 0 else "#a8c0f0"
        )
        write(canvas, 140, 328, "Register")
        if t >= 4900:
            write(canvas, 420, 430, "No berth is free for this boat today")
            write(canvas, 420, 470, "Ask again tomorrow morning")

    seen = watcher.see(scene if not is_clicked else lambda canvas, t: scene(canvas, t - 3400 if t < 4900 else t), 6500)
    assert bool(seen.actions) is is_clicked


@pytest.mark.parametrize(("times", "is_sure"), [(3, True), (2, False)])
def test_a_control_that_is_answered_each_time_that_it_is_lit_was_clicked(
    watcher: Watcher, times: int, is_sure: bool
) -> None:
    answers = ("Berth two is free", "Nobody asked for it", "Berth nine is taken")

    def scene(canvas: Draw, t: int) -> None:
        number, since_ms = divmod(t, 2000)
        is_lit = number < times and 1000 <= since_ms < 1400
        canvas.rectangle((30, 90, 240, 134), fill="#9fb8e8" if is_lit else "#ffffff", outline="#8090a0")
        write(canvas, 44, 98, "Ask again")
        said = min(number + (since_ms >= 1400), times)
        if said:
            write(canvas, 420, 320, answers[said - 1])

    actions = watcher.see(scene, 2000 * times + 800).actions

    assert [action.target for action in actions] == ["Ask again"] * times
    assert {action.confidence > 0.85 for action in actions} == {is_sure}
