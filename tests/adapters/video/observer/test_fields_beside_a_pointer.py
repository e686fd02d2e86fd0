"""Texts that come in a field at once while a pointer is seen: a program may have written them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import EventKind
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
