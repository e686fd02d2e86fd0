"""Texts that come in a field at once while a pointer is seen: a program may have written them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind, EventKind
from tests.adapters.video.observer.test_observed_actions import along, arrow
from tests.fakes.videos.drawn_screens import write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw, Watcher

FILLED_MS = 1600


def test_a_digit_beside_a_pointer_was_typed_in_a_field_with_a_sign_at_its_end(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 120, "Price:")
        canvas.rectangle((120, 150, 420, 186), outline="#707070")
        write(canvas, 396, 157, "Q")
        is_filled = t >= FILLED_MS
        write(canvas, 132, 157, "5" if is_filled else "Enter a price", colour="black" if is_filled else "#d0d0d0")
        arrow(canvas, *along(((0, (600, 500)), (500, (300, 170)), (1100, (560, 320))), t))

    typed = [event for event in watcher.see(scene, 3200).timeline if event.kind is EventKind.TYPED]
    assert [(event.text, event.field) for event in typed] == [("5", "Price:")]


@pytest.mark.parametrize("gets_focus", [True, False])
def test_a_text_that_comes_at_once_beside_a_pointer_was_typed_where_its_field_had_got_the_focus(
    watcher: Watcher, *, gets_focus: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 120, "Ship")
        has_focus = gets_focus and t >= FILLED_MS - 400
        canvas.rectangle((120, 150, 420, 186), outline="black" if has_focus else "#b0b0b0", width=1 + has_focus)
        if t >= FILLED_MS:
            write(canvas, 132, 157, "Aurora")
        arrow(canvas, *along(((0, (600, 500)), (500, (300, 230))), t))

    typed = [event for event in watcher.see(scene, 3200).timeline if event.kind is EventKind.TYPED]
    assert [(event.text, event.field) for event in typed] == [("Aurora", "Ship")] * gets_focus


@pytest.mark.parametrize("has_focus", [True, False])
def test_what_comes_beside_a_pointer_where_a_field_with_the_focus_lost_its_value_was_typed_then(
    watcher: Watcher, *, has_focus: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 120, "Ship")
        canvas.rectangle((120, 150, 420, 186), outline="#707070")
        if t < FILLED_MS:
            write(canvas, 132, 157, "Aurora")
        elif t >= FILLED_MS + 600:
            write(canvas, 132, 157, "Otter")
            if has_focus:
                canvas.line((184, 156, 184, 180), fill="black")
        arrow(canvas, *along(((0, (600, 500)), (500, (300, 172))), t))

    typed = [event for event in watcher.see(scene, 3800).timeline if event.kind is EventKind.TYPED]
    assert [(event.text, event.field) for event in typed] == [("Otter", "Ship")] * has_focus
    assert all(abs(event.t_ms - FILLED_MS) <= 80 for event in typed)


@pytest.mark.parametrize(("value", "has_focus", "is_typed"), [("Otter", True, True), ("Otter", False, False)])
def test_what_comes_beside_a_pointer_over_a_value_was_typed_where_the_field_has_the_focus(
    watcher: Watcher, value: str, *, has_focus: bool, is_typed: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, 120, "Berth")
        canvas.rectangle((120, 150, 420, 186), outline="#707070")
        write(canvas, 132, 157, "quay" if t < FILLED_MS else value)
        if has_focus and t >= FILLED_MS:
            canvas.line((178, 156, 178, 180), fill="#202830")
        arrow(canvas, *along(((0, (600, 500)), (500, (300, 172))), t))

    typed = [event for event in watcher.see(scene, 3200).timeline if event.kind is EventKind.TYPED]
    assert [(event.text, event.before) for event in typed] == [("Otter", "quay")] * is_typed


def offered(canvas: Draw, t: int, *, taken: bool = True, others: bool = False) -> None:
    """A field with a line below it; the browser offers a value, whose end is hidden, that is clicked, or goes again."""
    write(canvas, 60, 40, "Harbour office", size=28)
    write(canvas, 60, 150, "Quay")
    canvas.line((200, 176, 700, 176), fill="#8080d0")
    write(canvas, 60, 210, "Depth")
    canvas.line((200, 236, 700, 236), fill="#8080d0")
    if 1200 <= t < 2600:
        canvas.rectangle((200, 182, 700, 206), outline="#909090", fill="#3a8ee6" if t > 2000 else "white")
        write(canvas, 212, 184, "Ostend We", colour="white" if t > 2000 else "black", size=15)
    if t >= 2600 and taken:
        write(canvas, 200, 150, "Ostend West")
    if t >= 2600 and others:
        for at, text in enumerate(("Tides of today", "Boats for hire", "Berths that are free", "Prices")):
            write(canvas, 60, 300 + 40 * at, text)
    arrow(canvas, *along(((0, (640, 420)), (900, (330, 160)), (1900, (260, 192))), t))


def test_a_value_that_a_browser_offered_below_its_field_was_typed_there_and_not_clicked(watcher: Watcher) -> None:
    found = watcher.see(offered, 4200)

    (typed,) = [event for event in found.timeline if event.kind is EventKind.TYPED]
    assert (typed.text, typed.field) == ("Ostend West", "Quay")
    assert [action.value for action in found.actions if action.kind is ActionKind.TYPE] == ["Ostend West"]
    assert not [action for action in found.actions if action.kind is ActionKind.CLICK]


@pytest.mark.parametrize("otherwise", [{"taken": False}, {"others": True}])
def test_an_offer_that_goes_again_or_goes_with_a_page_was_not_typed(
    watcher: Watcher, otherwise: dict[str, bool]
) -> None:
    found = watcher.see(lambda canvas, t: offered(canvas, t, **otherwise), 4200)

    assert not [event for event in found.timeline if event.kind is EventKind.TYPED]
