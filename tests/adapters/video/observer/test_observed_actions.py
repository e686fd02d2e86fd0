"""What was done: clicks by the pointer, choices by menus; and nothing where nothing shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind, EventKind
from core.narrative import statements
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher

_ARROW = ((0, 0), (0, 16), (4, 13), (7, 19), (9, 18), (6, 12), (11, 12))


def arrow(canvas: Draw, x: float, y: float) -> None:
    corners = [(x + dx, y + dy) for dx, dy in (*_ARROW, _ARROW[0])]
    canvas.line(corners, fill="white", width=3)
    canvas.polygon(corners, fill="black")


def along(stops: Sequence[tuple[int, tuple[float, float]]], t: int) -> tuple[float, float]:
    """Where a pointer is that glides from stop to stop and rests between them."""
    place = stops[0][1]
    for (start, target), (_, old) in zip(stops[1:], stops, strict=False):
        way = min(max((t - start) / 400, 0), 1)
        if way > 0:
            place = old[0] + (target[0] - old[0]) * way, old[1] + (target[1] - old[1]) * way
    return place


def form(canvas: Draw) -> None:
    write(canvas, 40, 30, "Harbour office", size=26)
    canvas.rectangle((60, 200, 220, 240), outline="#404040", fill="#d8e4f0")
    write(canvas, 80, 208, "Book a berth")
    canvas.rectangle((60, 300, 220, 340), outline="#404040", fill="#d8e4f0")
    write(canvas, 80, 308, "Cancel it")


def test_a_click_is_what_the_pointer_rests_on_when_something_changes(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t >= 2600:
            write(canvas, 400, 120, "Berth 12 is booked")
        if t >= 5000:
            write(canvas, 400, 420, "The booking is cancelled")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218)), (3400, (140, 318))), t))

    found = watcher.see(scene, 7000)
    assert [(action.kind, action.target) for action in found.actions] == [
        (ActionKind.CLICK, "Book a berth"),
        (ActionKind.CLICK, "Cancel it"),
    ]
    # What changes elsewhere may have been asked of a server first.
    assert [0 <= t_ms - action.t_ms <= 800 for action, t_ms in zip(found.actions, (2600, 5000), strict=True)] == [
        True,
        True,
    ]
    assert [(event.text, event.cause) for event in found.timeline] == [
        ("Berth 12 is booked", 0),
        ("The booking is cancelled", 1),
    ]
    assert [statement.sentence for statement in statements(found.timeline, found.actions)] == [
        'Clicked "Book a berth" → "Berth 12 is booked" appeared.',
        'Clicked "Cancel it" → "The booking is cancelled" appeared.',
    ]


def test_a_click_that_was_waited_for_was_when_the_spinner_began(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if 2000 <= t < 4000:
            canvas.arc((400, 300, 440, 340), t % 360, t % 360 + 90, fill="#2050a0", width=5)
        if t >= 4000:
            write(canvas, 400, 120, "Berth 12 is booked")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    found = watcher.see(scene, 6000)
    assert [action.target for action in found.actions] == ["Book a berth"]
    assert abs(found.actions[0].t_ms - 2000) <= 200
    assert [(event.kind, event.cause) for event in found.timeline] == [(EventKind.BUSY, 0), (EventKind.APPEARED, 0)]


def test_a_dialog_that_goes_while_the_pointer_rests_on_its_words_was_answered(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        if 1000 <= t < 3400:
            canvas.rectangle((200, 200, 560, 400), outline="#404040", fill="#f4f4f4")
            write(canvas, 240, 230, "Keep berth 7 for her?")
            # The button lights up while the pointer is on it, and the pointer hides a part of its word.
            canvas.rectangle((400, 330, 520, 370), outline="#404040", fill="#ffffff" if t >= 1900 else "#e4e4e4")
            write(canvas, 445, 340, "Yes", size=16)
        arrow(canvas, *along(((0, (600, 500)), (1600, (458, 348))), t))

    found = watcher.see(scene, 5000)
    assert [(action.kind, action.target) for action in found.actions] == [(ActionKind.CLICK, "Yes")]
    assert abs(found.actions[0].t_ms - 3400) <= 150


def test_what_a_click_opens_after_its_row_was_lit_is_its_effect(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour office", size=26)
        canvas.rectangle((50, 196, 320, 244), fill="#c0d8f0" if t >= 1300 else "white")
        write(canvas, 80, 208, "Berths of the quay")
        if t >= 1520:
            write(canvas, 400, 120, "Berth 12 is free until Monday")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    found = watcher.see(scene, 4000)
    assert [action.target for action in found.actions] == ["Berths of the quay"]


@pytest.mark.nightly
def test_what_runs_by_itself_is_no_answer_to_a_pointer_that_has_long_been_there(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        # A list that a server sends anew every three seconds, wherever the pointer is.
        for row in range(4):
            write(canvas, 320, 200 + 40 * row, f"Tide gauge {row}: {40 + row + 7 * (t // 3000)} inches of water")
        arrow(canvas, *along(((0, (600, 560)), (4000, (150, 218))), t))

    assert not watcher.see(scene, 9500).actions


def test_what_changes_without_a_pointer_has_no_known_cause(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t >= 1600:
            write(canvas, 400, 120, "Berth 12 is booked")

    found = watcher.see(scene, 3000)
    assert not found.actions
    assert [event.cause for event in found.timeline] == [None]


def test_a_tooltip_that_goes_with_the_pointer_is_no_click(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if 1900 <= t < 3560:
            write(canvas, 165, 244, "Takes the next free one", size=16)
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218)), (3400, (640, 420))), t))

    found = watcher.see(scene, 5000)
    assert not found.actions


def _menu_bar(watcher: Watcher, opens_ms: int, closes_ms: int, *stops: tuple[int, tuple[float, float]]) -> Findings:
    """A window whose menu "Route" opens below its name; the pointer comes from below and goes on along the stops."""

    def scene(canvas: Draw, t: int) -> None:
        for left, name in ((40, "Voyage"), (160, "Route"), (280, "Crew")):
            write(canvas, left, 20, name, size=18)
        write(canvas, 60, 420, "Three ships are in the harbour")
        if opens_ms <= t < closes_ms:
            canvas.rectangle((156, 48, 380, 190), outline="#404040", fill="#f4f4f4")
            for row, entry in enumerate(("Reverse the order", "Plan another leg", "Measure the way")):
                write(canvas, 170, 60 + 42 * row, entry, size=18)
        arrow(canvas, *along(((0, (600, 500)), (800, (180, 30)), *stops), t))

    return watcher.see(scene, 4500)


def test_a_menu_that_opens_as_the_pointer_comes_and_is_entered_was_clicked(watcher: Watcher) -> None:
    found = _menu_bar(watcher, 1240, 3200, (2400, (230, 115)))
    assert (found.actions[0].kind, found.actions[0].target) == (ActionKind.CLICK, "Route")
    assert ActionKind.DISMISS not in {action.kind for action in found.actions}


def test_a_menu_that_closes_while_the_pointer_stays_and_nothing_comes_was_dismissed(watcher: Watcher) -> None:
    found = _menu_bar(watcher, 1500, 2600)
    assert [(action.kind, action.target) for action in found.actions] == [
        (ActionKind.CLICK, "Route"),
        (ActionKind.DISMISS, "Route"),
    ]
    assert abs(found.actions[1].t_ms - 2600) <= 150
    # The menu's own line says for how long it stood there.
    assert len(statements(found.timeline, found.actions)) == 1


@pytest.mark.parametrize(("comes", "closes"), [("", True), ("Berth 12 is booked until Monday at noon", False)])
def test_a_menu_over_most_of_a_page_was_dismissed_if_all_is_as_before(
    watcher: Watcher, comes: str, closes: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        for left, name in ((40, "Voyage"), (160, "Route"), (280, "Crew")):
            write(canvas, left, 20, name, size=18)
        for row, line in enumerate(("Ferry to Leith", "Tug at the quay", "Pilot on board", "Fog at dawn")):
            write(canvas, 170, 66 + 42 * row, line, size=18)
        write(canvas, 60, 540, "Three ships are in the harbour", size=18)
        if 1500 <= t < 2600:
            canvas.rectangle((156, 48, 420, 240), outline="#404040", fill="#f4f4f4")
            for row, entry in enumerate(("Reverse the order", "Plan another leg", "Measure the way", "Print")):
                write(canvas, 170, 60 + 42 * row, entry, size=18)
        if t >= 2600:
            write(canvas, 420, 400, comes)
        arrow(canvas, *along(((0, (600, 500)), (800, (180, 30))), t))

    kinds = [action.kind for action in watcher.see(scene, 4500).actions]
    assert (ActionKind.DISMISS in kinds) is closes


@pytest.mark.nightly
def test_a_menu_of_a_bar_whose_names_are_read_one_by_one_was_not_opened_by_the_right_button(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        for left, name in ((70, "Voyage"), (160, "Route"), (250, "Crew")):
            write(canvas, left, 20, name, size=18)
        write(canvas, 60, 420, "Three ships are in the harbour")
        if 1500 <= t < 3700:
            canvas.rectangle((164, 40, 420, 190), outline="#404040", fill="#f4f4f4")
            for row, entry in enumerate(("Reverse the order", "Plan another leg", "Measure the way")):
                write(canvas, 184, 42 + 42 * row, entry, size=18)
        arrow(canvas, *along(((0, (600, 500)), (800, (172, 34)), (2400, (230, 94))), t))

    first = watcher.see(scene, 4500).actions[0]
    assert (first.kind, first.target) == (ActionKind.CLICK, "Route")


@pytest.mark.parametrize(
    ("place", "lines"),
    [
        ((420, 470), ("Berth 12 is booked", "until Monday")),
        pytest.param((240, 212), ("Berth 12 is booked",), marks=pytest.mark.nightly),
    ],
)
def test_a_message_that_goes_by_itself_was_not_dismissed(
    watcher: Watcher, place: tuple[int, int], lines: tuple[str, ...]
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if 1700 <= t < 3400:
            for row, line in enumerate(lines):
                write(canvas, place[0], place[1] + 34 * row, line)
        arrow(canvas, *along(((0, (600, 560)), (800, (150, 218))), t))

    assert [action.kind for action in watcher.see(scene, 5000).actions] == [ActionKind.CLICK]


def test_what_changes_long_after_the_pointer_came_may_have_another_cause(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t >= 2800:
            write(canvas, 400, 120, "The tide turns")
        arrow(canvas, *along(((0, (600, 500)), (800, (150, 218))), t))

    assert not watcher.see(scene, 4500).actions


def _boxed(watcher: Watcher, since_ms: int, until_ms: int = 9000) -> Findings:
    """A box in the row of a pointer that comes at 1200 and goes at 3000, filled during that time."""

    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 330, 208, "With power on the quay")
        is_filled = since_ms <= t < until_ms
        canvas.rectangle((300, 208, 316, 224), outline="#404040", fill="#2050a0" if is_filled else "white")
        arrow(canvas, *along(((0, (600, 500)), (800, (420, 214)), (3000, (600, 420))), t))

    return watcher.see(scene, 4500)


@pytest.mark.parametrize(("left", "is_told"), [(60, True), (160, False)])
def test_a_small_box_that_changes_once_right_below_its_name_is_told(watcher: Watcher, left: int, is_told: bool) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 62, 440, "With power on the quay")
        canvas.rectangle((left, 470, left + 13, 483), outline="#404040", fill="#2050a0" if t >= 2600 else "white")

    said = ['The mark beside "With power on the quay" changed its look.'] if is_told else []
    assert [event.description for event in watcher.see(scene, 4500).timeline] == said


@pytest.mark.parametrize("since_ms", [1400, pytest.param(2600, marks=pytest.mark.nightly)])
def test_a_box_that_is_ticked_in_the_row_of_the_pointer_was_clicked(watcher: Watcher, since_ms: int) -> None:
    found = _boxed(watcher, since_ms)
    assert [(action.kind, action.target) for action in found.actions] == [(ActionKind.CLICK, "With power on the quay")]
    assert [event.description for event in found.timeline] == [
        'The mark beside "With power on the quay" changed its look.'
    ]


def test_a_box_that_lights_up_under_the_pointer_was_not_ticked(watcher: Watcher) -> None:
    assert not _boxed(watcher, 1300, 3050).actions


def _looks(watcher: Watcher, left: int, *spans: tuple[int, int]) -> list[str]:
    """What is said of a square beside a text at 330 which is filled during the spans, without a pointer."""

    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        write(canvas, 330, 208, "With power on the quay")
        is_filled = any(start <= t < end for start, end in spans)
        canvas.rectangle((left, 200, left + 28, 228), outline="#404040", fill="#2050a0" if is_filled else "white")

    return [event.description for event in watcher.see(scene, 6000).timeline]


def test_a_box_that_is_ticked_is_told_without_a_pointer_a_caret_and_a_lamp_are_not(watcher: Watcher) -> None:
    assert _looks(watcher, 290, (2600, 7000)) == ['The mark beside "With power on the quay" changed its look.']
    assert _looks(watcher, 560, (2600, 7000)) == []
    assert _looks(watcher, 290, (1200, 2200), (3200, 4200)) == []


@pytest.mark.nightly
def test_a_pointer_that_was_on_its_way_when_the_page_came_stood_on_nothing(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        form(canvas)
        if t < 1800:
            write(canvas, 470, 200, "Ingrid Dahl of the quay")
            # The last that is seen of it is a step on its way to a tab.
            arrow(canvas, *along(((0, (700, 560)), (1400, (480, 170))), t))
        else:
            write(canvas, 400, 420, "Her address")
            write(canvas, 400, 470, "What she is called")

    assert "Ingrid Dahl of the quay" not in {action.target for action in watcher.see(scene, 4000).actions}


def keypad(watcher: Watcher, third: str, shown: str) -> Findings:
    """A pointer clicks three keys that are drawn on the screen, the third of which bears a sign or none."""
    places = {"7": (150, 300), "8": (250, 300), third: (250, 380)}

    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 30, "Harbour dues", size=26)
        for key, (x, y) in places.items():
            canvas.rectangle((x - 40, y - 28, x + 40, y + 28), outline="#404040", fill="#d8e4f0")
            write(canvas, x - 8, y - 12, key, size=22)
        typed = shown[: 3 if t >= 3400 else 2 if t >= 2400 else 1 if t >= 1400 else 0] or "0"
        write(canvas, 300, 150, typed, size=30)
        stops = ((0, (600, 500)), (800, (160, 310)), (1900, (260, 310)), (2900, (260, 390)))
        arrow(canvas, *along(stops, t))

    return watcher.see(scene, 5000)


def test_keys_that_are_drawn_on_the_screen_are_clicked_and_nothing_is_typed(watcher: Watcher) -> None:
    found = keypad(watcher, "5", "785")
    assert [(action.kind, action.target) for action in found.actions] == [
        (ActionKind.CLICK, "7"),
        (ActionKind.CLICK, "8"),
        (ActionKind.CLICK, "5"),
    ]
    assert EventKind.TYPED not in {event.kind for event in found.timeline}


@pytest.mark.nightly
def test_a_key_that_bears_no_word_is_clicked_by_its_place(watcher: Watcher) -> None:
    found = keypad(watcher, "", "780")
    assert [action.target for action in found.actions] == ["7", "8", None]


def test_a_page_was_asked_for_where_the_pointer_rests_as_it_comes_and_not_where_it_passed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 2000:
            form(canvas)
            write(canvas, 420, 300, "Ingrid Dahl of the quay")
        else:
            for row, line in enumerate(("Her address", "What she is called", "Where her boat lies", "When she came")):
                write(canvas, 60, 120 + 100 * row, line, size=24)
        # A codec hides it on its way, but for one picture.
        if not 1640 <= t < 1840:
            stops = ((0, (600, 520)), (800, (700, 520)), (1600, (500, 310)), (1620, (150, 318)))
            place = (500, 310) if 1600 <= t < 1640 else (150, 318) if t >= 1840 else along(stops, t)
            arrow(canvas, *place)

    assert [action.target for action in watcher.see(scene, 4500).actions] == ["Cancel it"]


def test_the_row_that_lights_up_as_the_pointer_goes_to_it_is_no_second_click(watcher: Watcher) -> None:
    leaves_ms = 2600

    def scene(canvas: Draw, t: int) -> None:
        for column, word in enumerate(("File", "Edit", "Harbour")):
            write(canvas, 60 + 120 * column, 40, word)
        if t >= 1400:
            canvas.rectangle((56, 60, 300, 240), outline="#808080", fill="#f4f4f4")
            if t >= leaves_ms:
                canvas.rectangle((58, 62, 298, 96), fill="#b8cff0")
            for row, entry in enumerate(("New berth", "Open the plan", "Leave")):
                write(canvas, 72, 68 + 50 * row, entry)
        stops = ((0, (600, 500)), (800, (76, 50)), (leaves_ms, (250, 80)))
        arrow(canvas, *along(stops, t))

    assert [action.target for action in watcher.see(scene, 4500).actions] == ["File"]
