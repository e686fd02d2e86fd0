"""Columns beside pages, and windows over them, as other people's recordings have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import HEIGHT, Draw, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Watcher

PAGES = {
    "cellar": ("Wine cellar", "Seven casks are full", "Two casks leak"),
    "harbour": ("Harbour book", "Aurora leaves at noon", "Byron pays tomorrow"),
    "kitchen": ("Kitchen list", "Bread is in the oven", "Buy three lemons"),
}
STEPS = ("open the cellar", "read the casks", "open the harbour", "read the boats", "open the kitchen")


def test_a_log_that_grows_beside_pages_is_one_thing_and_no_part_of_them(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, 260, HEIGHT), fill="#e4e8f0")
        for row, text in enumerate(("Three pages", "tests of today", "chapter one")):
            write(canvas, 20, 30 + 40 * row, text)
        for row, step in enumerate(STEPS[: 1 + t // 1000]):
            write(canvas, 20, 170 + 40 * row, step)
        name, lines = list(PAGES.items())[min(t // 2000, 2)][0], list(PAGES.values())[min(t // 2000, 2)]
        write(canvas, 290, 20, f"http://boats.example/{name}", size=16)
        for row, line in enumerate(lines):
            write(canvas, 300, 120 + 60 * row, line, size=22)

    timeline = watcher.see(scene, 6000).timeline
    pages = [event for event in timeline if event.kind is EventKind.NAVIGATED]
    assert [event.text and event.text.split(" · ")[-3:] for event in pages] == [
        list(lines) for lines in list(PAGES.values())[1:]
    ]
    (log,) = [event for event in timeline if event not in pages]
    assert log.text == " · ".join(STEPS[1:])
    assert log.description.startswith("4 lines came in the column at the left within ")
    assert log.until_ms is None


def test_what_a_log_at_the_left_asked_for_is_no_page(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, 260, HEIGHT), fill="#e4e8f0")
        number = min(t // 2000, 2)
        for row in range(1 + t // 500 % 4):
            write(canvas, 20, 60 + 40 * row, f"https://api.example/{number}{row}", size=16)
        write(canvas, 290, 20, f"http://boats.example/{list(PAGES)[number]}", size=16)
        for row, line in enumerate(list(PAGES.values())[number]):
            write(canvas, 300, 120 + 60 * row, line, size=22)

    pages = [event for event in watcher.see(scene, 6000).timeline if event.kind is EventKind.NAVIGATED]
    assert ["http://boats.example/" in event.description for event in pages] == [True] * (len(PAGES) - 1)
    assert not [event for event in pages if "api.example" in event.description]


def test_a_window_that_closes_brings_nothing_that_it_had_only_covered(watcher: Watcher) -> None:
    rows = [f"{boat} of {port}" for boat in ("Aurora", "Byron", "Dorado", "Fornax") for port in ("Bergen", "Lagos")]

    def scene(canvas: Draw, t: int) -> None:
        for number, row in enumerate(rows):
            write(canvas, 200, 40 + 60 * number, row)
            write(canvas, 620, 40 + 60 * number, f"berth {number + 11}")
        if 1000 <= t < 3000:
            canvas.rectangle((240, 90, 560, 400), fill="#f4f4f0", outline="#404040")
            write(canvas, 400, 200, "Saved")

    timeline = watcher.see(scene, 4500).timeline
    assert [(event.t_ms, event.text) for event in timeline if event.kind is EventKind.APPEARED] == [(1000, "Saved")]
    assert not [event for event in timeline if any(name in (event.text or "") for name in ("Aurora", "berth"))]
