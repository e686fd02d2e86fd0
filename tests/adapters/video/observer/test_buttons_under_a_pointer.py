"""Clicks anywhere on a button, far from its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import ActionKind
from tests.adapters.video.observer.test_observed_actions import along, arrow
from tests.fakes.videos.drawn_screens import write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw, Watcher

LEFT, TOP = 200, 300
ANSWERED_MS = 2000


def till(canvas: Draw, t: int, *, ground: str = "#d8e4f0", beside: str = "") -> None:
    """A wide button with one short word in its middle, and what the page says to it."""
    write(canvas, 60, 40, "Harbour office", size=28)
    canvas.rectangle((LEFT, TOP, LEFT + 400, TOP + 40), fill=ground)
    write(canvas, LEFT + 180, TOP + 9, "Add")
    write(canvas, LEFT + 280, TOP + 9, beside)
    if t >= ANSWERED_MS:
        write(canvas, 60, 420, "Berth 12 is booked")


@pytest.mark.parametrize(
    ("ground", "beside", "is_sure"), [("#d8e4f0", "", True), ("white", "", False), ("#d8e4f0", "Take", False)]
)
def test_a_click_far_from_the_words_is_on_them_where_they_stand_alone_on_their_button(
    watcher: Watcher, ground: str, beside: str, *, is_sure: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        till(canvas, t, ground=ground, beside=beside)
        arrow(canvas, *along(((0, (600, 560)), (800, (LEFT + 110, TOP + 30)), (3000, (600, 560))), t))

    clicks = [one for one in watcher.see(scene, 4500).actions if one.kind is ActionKind.CLICK]
    assert [one.target for one in clicks if one.confidence >= 0.85] == ["Add"] * is_sure


@pytest.mark.parametrize("is_on_it", [True, False])
def test_a_hand_that_moves_on_after_two_pictures_clicked_the_button_that_it_was_on(
    watcher: Watcher, *, is_on_it: bool
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        till(canvas, t)
        way = max(0, t - 1400) * 0.5
        arrow(canvas, 560 - way, (TOP + 26 if is_on_it else TOP + 120) - max(0, t - 2100) * 0.4)

    clicks = [one for one in watcher.see(scene, 2700, fps=10).actions if one.kind is ActionKind.CLICK]
    assert [one.target for one in clicks if one.confidence >= 0.85] == ["Add"] * is_on_it


def test_of_a_bar_with_several_names_no_click_is_on_all_of_them(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((LEFT, TOP, LEFT + 400, TOP + 30), fill="#d8e4f0")
        write(canvas, LEFT + 12, TOP + 5, "File      Sessions      Help")
        if t >= ANSWERED_MS:
            write(canvas, 60, 420, "Berth 12 is booked")
        arrow(canvas, *along(((0, (600, 560)), (800, (LEFT + 300, TOP + 20))), t))

    clicks = [one for one in watcher.see(scene, 4000).actions if one.kind is ActionKind.CLICK]
    assert not [one.target for one in clicks if one.confidence >= 0.85]
