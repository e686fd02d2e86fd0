"""Boxes beside words: ticked or cleared, by what stands in them, however the row around them is lit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind
from tests.adapters.video.observer.test_observed_actions import along, arrow, form
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher

_CAME_MS, _CLICK_MS, _WENT_MS = 1200, 2000, 3200
_WORDS = "With power on the quay"


def _box(canvas: Draw, *, is_set: bool, ground: str, left: int = 300) -> None:
    canvas.rectangle((left, 206, left + 18, 224), outline="#404040", fill=ground)
    if is_set:
        canvas.line(((left + 4, 215), (left + 8, 219), (left + 15, 210)), fill="black", width=3)


def _lit_row(watcher: Watcher, *, before: bool, after: bool, has_pointer: bool = True) -> Findings:
    """A row that is lit and framed while it has the pointer, or is pressed; the tick comes or goes in three steps."""

    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        is_lit = _CAME_MS + 120 <= t < _WENT_MS if has_pointer else _CLICK_MS - 100 <= t < _CLICK_MS + 400
        fading = _CLICK_MS <= t < _CLICK_MS + 160 and before != after
        if is_lit:
            canvas.rectangle((290, 198, 620, 232), fill="#e4ecf8", outline="#8090a0")
        ground = "#b0c8f0" if fading else "#d0dcf0" if is_lit else "white"
        _box(canvas, is_set=(before if t < _CLICK_MS else after) and not fading, ground=ground)
        write(canvas, 330, 206, _WORDS)
        if has_pointer:
            arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (560, 214)), (_WENT_MS, (600, 420))), t))

    return watcher.see(scene, 5000)


@pytest.mark.parametrize("is_set", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_a_box_that_is_ticked_or_cleared_in_a_row_that_is_lit_was_clicked(watcher: Watcher, is_set: bool) -> None:
    found = _lit_row(watcher, before=not is_set, after=is_set)

    done = "ticked" if is_set else "cleared"
    assert [(each.kind, each.target, each.value) for each in found.actions] == [(ActionKind.CLICK, _WORDS, done)]
    assert [event.description for event in found.timeline] == [f'The box beside "{_WORDS}" was {done}.']


def test_a_row_that_is_only_lit_leaves_its_box_as_it_was(watcher: Watcher) -> None:
    found = _lit_row(watcher, before=True, after=True)

    assert not found.actions
    assert not [event for event in found.timeline if "was" in event.description]


def test_without_a_pointer_a_box_that_is_ticked_where_its_row_is_pressed_was_clicked(watcher: Watcher) -> None:
    (action,) = _lit_row(watcher, before=False, after=True, has_pointer=False).actions

    assert (action.target, action.value) == (_WORDS, "ticked")


def test_a_bullet_that_goes_while_its_words_stay_was_not_cleared(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t < _CLICK_MS:
            canvas.ellipse((300, 206, 318, 224), outline="#404040", fill="white")
            canvas.ellipse((306, 212, 312, 218), fill="#404040")
        write(canvas, 330, 206, _WORDS)

    found = watcher.see(scene, 4000)
    assert not found.actions
    assert not [event for event in found.timeline if "was" in event.description]


def test_a_box_that_the_pointer_stands_on_is_told_by_what_is_left_when_it_goes(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int, after: bool) -> None:
        form(canvas)
        _box(canvas, is_set=after and t >= _CLICK_MS, ground="white")
        write(canvas, 330, 206, _WORDS)
        arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (306, 212)), (_WENT_MS, (600, 420))), t))

    ticked, left = (watcher.see(lambda canvas, t, on=on: scene(canvas, t, on), 5000) for on in (True, False))

    assert [(each.target, each.value) for each in ticked.actions] == [(_WORDS, "ticked")]
    assert not left.actions


def test_boxes_of_a_list_that_ticks_itself_were_not_clicked_where_the_pointer_was_not(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        _box(canvas, is_set=t >= _CLICK_MS, ground="white")
        write(canvas, 330, 206, _WORDS)
        arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (140, 420)), (_WENT_MS, (600, 420))), t))

    assert not watcher.see(scene, 5000).actions


@pytest.mark.parametrize(("until_ms", "is_told"), [(9000, True), (_WENT_MS + 50, False)])
def test_a_switch_under_the_pointer_and_below_its_name_is_told_when_it_stays(
    watcher: Watcher, until_ms: int, is_told: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 330, 300, "Vaccinated")
        is_on = _CLICK_MS <= t < until_ms
        canvas.rounded_rectangle((330, 332, 360, 348), 8, fill="#2060d0" if is_on else "#d8d8d8")
        arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (342, 338)), (_WENT_MS, (600, 420))), t))

    said = ['The mark beside "Vaccinated" changed its look.'] if is_told else []
    assert [event.description for event in watcher.see(scene, 5000).timeline if not event.text] == said


def _switch(canvas: Draw, *, is_on: bool) -> None:
    canvas.rounded_rectangle((330, 332, 372, 354), 11, fill="#2060d0" if is_on else "#c8c8c8")
    canvas.ellipse((352, 334, 370, 352) if is_on else (332, 334, 350, 352), fill="white")


def _own_box(canvas: Draw, *, is_on: bool) -> None:
    canvas.rectangle((330, 332, 348, 350), outline="#404040", fill="white")
    if is_on:
        canvas.line(((334, 341), (338, 345), (345, 336)), fill="black", width=3)


@pytest.mark.parametrize(
    ("draw", "is_on"),
    [
        (_switch, False),
        (_own_box, True),
        pytest.param(_switch, True, marks=pytest.mark.nightly),
        pytest.param(_own_box, False, marks=pytest.mark.nightly),
    ],
)
def test_a_switch_or_a_box_below_its_name_is_told_by_how_it_stands_then(
    watcher: Watcher, draw: Callable[..., None], is_on: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 330, 300, "Vaccinated")
        draw(canvas, is_on=is_on if t >= _CLICK_MS else not is_on)
        # It hides a corner of it until it goes.
        arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (347, 349)), (_WENT_MS, (600, 420))), t))

    (action,) = watcher.see(scene, 5000).actions
    assert (action.kind, action.target, action.value) == (
        ActionKind.CLICK,
        "Vaccinated",
        "ticked" if is_on else "cleared",
    )
    assert abs(action.t_ms - _CLICK_MS) <= 150


def test_a_box_below_words_that_has_words_of_its_own_is_named_by_those(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 330, 300, "Vaccinated")
        _own_box(canvas, is_on=t >= _CLICK_MS)
        write(canvas, 360, 331, "Against rabies")
        arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (420, 342)), (_WENT_MS, (600, 420))), t))

    (action,) = watcher.see(scene, 5000).actions
    assert (action.target, action.value) == ("Against rabies", "ticked")


@pytest.mark.parametrize(("comes", "sure"), [("", True), ("Power costs four a day", False)])
def test_without_a_pointer_a_box_that_is_ticked_while_nothing_else_happens_was_clicked(
    watcher: Watcher, comes: str, sure: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        _box(canvas, is_set=t >= _CLICK_MS, ground="white")
        write(canvas, 330, 206, _WORDS)
        if t >= _CLICK_MS + 200:
            write(canvas, 330, 420, comes)

    (action,) = watcher.see(scene, 5000).actions
    assert (action.target, action.value, action.confidence > 0.88) == (_WORDS, "ticked", sure)


def test_an_icon_of_a_link_that_leads_to_a_page_was_not_ticked(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < _CLICK_MS + 400:
            form(canvas)
        _box(canvas, is_set=t >= _CLICK_MS, ground="white")
        write(canvas, 330, 206, _WORDS)
        if t >= _CLICK_MS + 400:
            for row, line in enumerate(("High water at nine", "Low water at three", "Fog at dawn", "Wind from west")):
                write(canvas, 60, 280 + 70 * row, line, size=24)

    found = watcher.see(scene, 5000)
    assert not [each for each in found.actions if each.value]
    assert not [event for event in found.timeline if "ticked" in event.description]


def test_a_choice_among_round_ones_that_shows_elsewhere_as_well_is_one_click(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        is_chosen = t >= _CLICK_MS
        canvas.ellipse((300, 206, 318, 224), outline="#404040", fill="white", width=2)
        if is_chosen:
            canvas.ellipse((304, 210, 314, 220), fill="#2060d0")
        write(canvas, 330, 206, _WORDS)
        if t >= _CLICK_MS + 160:
            write(canvas, 330, 420, "Power costs four a day")
        arrow(canvas, *along(((0, (600, 500)), (_CAME_MS - 400, (420, 214)), (_WENT_MS, (600, 420))), t))

    found = watcher.see(scene, 5000)

    assert [(each.kind, each.target, each.value) for each in found.actions] == [(ActionKind.CLICK, _WORDS, None)]
    assert all(event.cause == 0 for event in found.timeline)


@pytest.mark.parametrize("row", [206, 300])
def test_without_a_pointer_a_box_is_ticked_by_what_is_typed_in_its_row(watcher: Watcher, row: int) -> None:
    value = "Long winter"

    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        _box(canvas, is_set=t >= 2600, ground="white")
        write(canvas, 330, 206, "Album")
        write(canvas, 460, row, value[: max(0, (t - 1000) // 90)])

    found = watcher.see(scene, 4500)

    assert [event.description for event in found.timeline if not event.text] == ['The box beside "Album" was ticked.']
    assert (ActionKind.CLICK in {action.kind for action in found.actions}) is (row != 206)
