"""What stood for a single frame before the page went is known to have stood there, and is no statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Watcher

FORM = ("Contact the harbour office", "Your name", "Your message", "When you will arrive", "How many berths", "Send")
NEXT = ("Berths that are free", "Anna Berg, mate", "Sven Holt, cook", "Mira Dahl, engineer", "All aboard", "Depart")
MESSAGE = "Please fill in your name."
GONE_MS = 2000


def scene(canvas: Draw, t: int) -> None:
    canvas.rectangle((0, 0, 799, 599), fill="#ffffff" if t < GONE_MS else "#d8e4f0")
    for row, text in enumerate(FORM if t < GONE_MS else NEXT):
        write(canvas, 60, 40 + 90 * row, text, colour="#202830", size=20)
    if GONE_MS - 40 <= t < GONE_MS:
        canvas.rectangle((430, 20, 790, 70), fill="#f8d0d0")
        write(canvas, 450, 34, MESSAGE, colour="#a02020", size=20)


def test_a_message_of_one_frame_is_found_by_expectations_and_not_reported(watcher: Watcher) -> None:
    found = watcher.see(scene, 4000)

    (seen,) = [one for one in found.sightings or () if one.text == MESSAGE]
    assert (seen.t_ms, seen.until_ms) == (GONE_MS - 40, GONE_MS)
    assert not any(MESSAGE in event.description for event in found.timeline)
