"""What comes again for a moment: parts of a page are reported once, a message and a menu each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Watcher

FORM = ("Your name", "Your message", "Choose a subject")
FOOTER = ("Harbour office", "Opening hours", "Berths and moorings")


def shows(t: int, *since_ms: int) -> bool:
    """Whether it stands at that time: for 0.8 s from each of the moments on."""
    return any(since <= t < since + 800 for since in since_ms)


def heading(canvas: Draw) -> None:
    write(canvas, 60, 30, "Parcels of the day", size=24)


def lines(canvas: Draw, x: int, y: int, texts: tuple[str, ...]) -> None:
    for row, text in enumerate(texts):
        write(canvas, x, y + 40 * row, text)


def reported_ms(found: Findings, words: str) -> list[int]:
    return [event.t_ms for event in found.timeline if words in (event.text or "")]


def test_a_form_and_a_footer_that_fade_in_anew_are_reported_once_and_what_is_new_beside_them(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        if shows(t, 1000, 3000):
            lines(canvas, 60, 120, FORM)
            lines(canvas, 480, 420, FOOTER)
        if shows(t, 3000):
            write(canvas, 60, 320, "Please fill in your name")

    found = watcher.see(scene, 5000)

    assert reported_ms(found, "Your message") == reported_ms(found, "Opening hours") == [1000]
    assert reported_ms(found, "Please fill in") == [3000]


def test_a_message_that_is_shown_again_is_reported_again(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        if shows(t, 1000, 3000):
            write(canvas, 520, 520, "Parcel saved")

    assert reported_ms(watcher.see(scene, 5000), "Parcel saved") == [1000, 3000]


def test_a_menu_that_opens_again_is_reported_again(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        heading(canvas)
        if shows(t, 1000, 3000):
            canvas.rectangle((480, 100, 760, 240), outline="#404040", fill="#f4f4f4")
            lines(canvas, 500, 112, ("Rename", "Duplicate", "Move to bin"))

    assert reported_ms(watcher.see(scene, 5000), "Duplicate") == [1000, 3000]
