"""What is seen to change at one moment in several places: each is told as what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.video.observation import Watch
from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import draw, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw, Watcher


def test_a_title_of_which_one_word_changes_with_its_page_is_read_anew(watcher: Watcher) -> None:
    """A word of the size of a pointer that comes below a line hides nothing of it."""

    def scene(canvas: Draw, t: int) -> None:
        is_over = t >= 1600
        write(canvas, 20, 40, "Checkout: Complete!" if is_over else "Checkout: Overview", size=16)
        if is_over:
            write(canvas, 300, 300, "Thank you for your order!")
        else:
            write(canvas, 110, 87, "QTY", size=11)
            write(canvas, 300, 300, "One blue mug")

    findings = watcher.see(scene, 3200)

    texts = {(sighting.text, sighting.t_ms) for sighting in findings.sightings or ()}
    assert {("Checkout: Overview", 0), ("Checkout: Complete!", 1600)} <= texts


def test_two_things_that_change_at_once_are_each_seen_to_change(watcher: Watcher) -> None:
    """The first has a line that reaches over the second, and none of its own changes lies there."""

    def scene(canvas: Draw, t: int) -> None:
        is_other = t >= 1600
        write(canvas, 40, 60, f"{'98' if is_other else '12'} socks for men who go to sea in all weathers", size=22)
        canvas.rectangle((40, 92, 90, 260), fill="#f0d0d8" if is_other else "#205050")
        write(canvas, 420, 190, "Out of stock" if is_other else "In stock")

    findings = watcher.see(scene, 3200)

    assert {("In stock", 0), ("Out of stock", 1600)} <= {(one.text, one.t_ms) for one in findings.sightings or ()}


def test_words_that_a_dialog_had_cut_were_not_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 100, "First name")
        write(canvas, 200, 100, "Last name")
        write(canvas, 560, 100, "carmela@example.com")
        write(canvas, 560, 160, "abigail@example.com")
        if t < 1600:
            canvas.rectangle((256, 40, 640, 500), fill="white", outline="#404040")
            write(canvas, 300, 240, "Edit the contact", size=24)

    assert not [event for event in watcher.see(scene, 3200).timeline if event.kind is EventKind.TYPED]


def test_of_things_that_rest_together_each_comes_with_the_picture_before_both() -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 20, 40, "Harbour office", size=26)
        if t >= 800:
            canvas.rectangle((64, 200, 127, 223), fill="#204060")
            canvas.rectangle((152, 200, 215, 223), fill="#204060")

    watch = Watch()
    settled = [one for frame in draw(scene, 1600) for one in watch.feed(frame) if not one.first]

    assert [one.box for one in settled] == [(64, 200, 64, 24), (152, 200, 64, 24)]
    assert [int(one.before.min()) for one in settled] == [235, 235]


def test_content_that_moves_by_less_than_a_line_at_once_was_not_scrolled(watcher: Watcher) -> None:
    rows = ["Avocet ferry", "Bittern barge", "Curlew lighter", "Dunlin tug", "Egret pilot", "Fulmar dredger", "Godwit"]

    def scene(canvas: Draw, t: int) -> None:
        down = 17 if t >= 1600 else 0
        for row, name in enumerate(rows):
            write(canvas, 60, 60 + 70 * row + down, f"{name} lies at berth {row}")

    assert not watcher.see(scene, 3200).timeline
