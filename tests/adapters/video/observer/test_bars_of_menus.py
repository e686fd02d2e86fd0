"""A bar whose menus are read as one line: while one of them is lit and open, and after it has closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.adapters.video.observer.test_observed_actions import along, arrow
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher

OPENS_MS, CLOSES_MS = 1240, 3200


def window(canvas: Draw, *, lit: bool) -> None:
    """A window whose second menu is lit and open."""
    write(canvas, 40, 20, "Archive", size=16)
    if lit:
        canvas.rectangle((104, 14, 158, 46), fill="#2868b8")
    write(canvas, 110, 20, "Action", size=16, colour="white" if lit else "#202830")
    write(canvas, 168, 20, "Help", size=16)
    if lit:
        canvas.rectangle((104, 46, 330, 190), outline="#404040", fill="#f4f4f4")
        for row, entry in enumerate(("Add a file", "Extract all", "Delete")):
            write(canvas, 120, 60 + 42 * row, entry, size=16)
    write(canvas, 60, 420, "Three files are in the archive", size=16)


def opened_and_closed(watcher: Watcher) -> Findings:
    def scene(canvas: Draw, t: int) -> None:
        window(canvas, lit=OPENS_MS <= t < CLOSES_MS)
        if t >= CLOSES_MS:
            write(canvas, 60, 300, "plums.txt was added", size=16)
        arrow(canvas, *along(((0, (600, 500)), (800, (130, 30)), (2200, (170, 70)), (3400, (500, 420))), t))

    return watcher.see(scene, 5000)


def test_the_names_of_a_bar_stand_there_while_one_menu_is_open_and_when_it_has_closed(watcher: Watcher) -> None:
    found = opened_and_closed(watcher)

    for t_ms in (CLOSES_MS - 300, CLOSES_MS + 900):
        there = [one for one in found.sightings or () if one.t_ms <= t_ms and (one.until_ms or t_ms + 1) > t_ms]
        words = " ".join(one.text for one in there).split()
        assert {"Archive", "Help"} <= set(words)
