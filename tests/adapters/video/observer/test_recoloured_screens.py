"""A screen in other colours whose text stays: a theme that is switched is reported as that, and none of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import Draw, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Watcher

PAGE = ("Harbour office", "Berths that are free today", "Ships that wait outside", "High water at nine", "Theme: light")
OTHERS = ("Crew list", "Anna Berg, mate", "Sven Holt, cook", "Mira Dahl, engineer", "All hands are aboard")
COLOURS = "The screen changed its colours; its text stayed."


def page(canvas: Draw, lines: tuple[str, ...], *, dark: bool) -> None:
    canvas.rectangle((0, 0, 799, 599), fill="#202428" if dark else "#ffffff")
    for row, line in enumerate(lines):
        write(canvas, 60, 60 + 70 * row, line, colour="#e8e8e8" if dark else "#202830", size=20)


def test_a_theme_that_is_switched_is_one_statement_and_comes_back_as_one(watcher: Watcher) -> None:
    found = watcher.see(lambda canvas, t: page(canvas, PAGE, dark=2000 <= t < 4000), 6000)

    assert [(event.t_ms, event.description) for event in found.timeline] == [(2000, COLOURS), (4000, COLOURS)]


def test_the_label_of_the_switch_is_reported_beside_the_colours(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas, PAGE if t < 2000 else (*PAGE[:-1], "Theme: dark"), dark=t >= 2000)

    assert {event.description for event in watcher.see(scene, 4000).timeline} == {
        COLOURS,
        'The text "Theme: light" changed to "Theme: dark".',
    }


def test_another_page_in_other_colours_is_another_page(watcher: Watcher) -> None:
    found = watcher.see(lambda canvas, t: page(canvas, PAGE if t < 2000 else OTHERS, dark=t >= 2000), 4000)

    assert [event.kind for event in found.timeline] == [EventKind.NAVIGATED]
