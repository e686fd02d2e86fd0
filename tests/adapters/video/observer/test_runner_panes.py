"""A test runner that writes its commands beside the page, faster than they come to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.demonstration.written_trace import written_trace
from core.narrative import statements
from tests.fakes.videos.clips import film
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Draw, Watcher

RIGHT, ROW, TOP, VISIBLE = 300, 28, 130, 12
SHIPS = ("Aurora", "Borealis", "Cassandra", "Dolphin", "Endeavour", "Fram", "Gjoa", "Halcyon", "Iris", "Jupiter")
FIELDS = ("bow", "stern", "mast", "keel", "helm", "hull", "deck", "sail", "anchor", "rudder")
ROWS = [
    "visit /berths",
    *(row for field, ship in zip(FIELDS, SHIPS, strict=True) for row in (f"get #{field}", f"-type {ship}")),
]
STEP_MS = 120
DONE_MS = STEP_MS * len(ROWS)


def runner(canvas: Draw, rows: int) -> None:
    """The column with so many rows; the last ones are in view, and those above are not."""
    canvas.rectangle((0, 0, RIGHT, HEIGHT), fill="#1b1e2e")
    canvas.rectangle((RIGHT, 0, WIDTH, HEIGHT), fill="#e1e3ed")
    write(canvas, 20, 20, "Specs", colour="#d0d4e8")
    first = max(rows - VISIBLE, 0)
    if not first:
        write(canvas, 40, TOP - ROW, "TEST BODY", colour="#9095ad", size=12)
    for at, row in enumerate(ROWS[first:rows]):
        y = TOP + ROW * at
        write(canvas, 38, y, str(first + at + 1), colour="#34384c", size=14)
        write(canvas, 70, y, row, colour="#d0d4e8", size=16)


def page(canvas: Draw) -> None:
    write(canvas, 340, 60, "Harbour office", size=28)


def seen(watcher: Watcher) -> Findings:
    def scene(canvas: Draw, t: int) -> None:
        runner(canvas, min(t // STEP_MS, len(ROWS)))
        page(canvas)

    return watcher.see(scene, DONE_MS + 1500)


def test_commands_that_come_and_move_all_the_time_are_each_read_with_their_own_number(watcher: Watcher) -> None:
    found = written_trace(seen(watcher), film("/videos/berths.cy.js.mp4"))

    assert found is not None
    typed = [f'type "{ship}" into #{field}' for field, ship in zip(FIELDS, SHIPS, strict=True)]
    assert [action.title for action in found.trace.actions] == ["open /berths", *typed]


def test_a_text_that_a_runner_writes_is_found_with_a_picture(watcher: Watcher) -> None:
    found = seen(watcher)

    last = next(one for one in found.sightings or () if "Jupiter" in one.text)
    assert last.frame is not None
    assert (watcher.directory / last.frame.removeprefix("frames/")).is_file()


def test_what_came_beside_a_runner_s_column_is_told_as_ever(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        runner(canvas, min(t // STEP_MS, len(ROWS)))
        page(canvas)
        if t >= DONE_MS:
            write(canvas, 340, 200, "Ten ships are moored")

    told = [one.sentence for one in statements(watcher.see(scene, DONE_MS + 1500).timeline, ())]
    assert told == ['"Ten ships are moored" appeared.']


TITLES = ("sails at dawn", "moors at dusk", "sinks at noon")
GREEN, RED, STEP_Y = "#1fa971", "#e45770", 40


def mark(canvas: Draw, y: int, colour: str) -> None:
    tick = [(30, y + 9), (34, y + 14), (43, y + 5)]
    cross = [[(31, y + 5), (41, y + 15)], [(31, y + 15), (41, y + 5)]]
    for stroke in [tick] if colour == GREEN else cross:
        canvas.line(stroke, fill=colour, width=3)


def titles(canvas: Draw, *colours: str, menu: str = "Specs") -> None:
    """The column with the titles of tests alone, and the page's size above the page."""
    canvas.rectangle((0, 0, RIGHT, HEIGHT), fill="#1b1e2e")
    canvas.rectangle((RIGHT, 0, WIDTH, HEIGHT), fill="#e1e3ed")
    write(canvas, 20, 20, menu, colour="#d0d4e8")
    write(canvas, 600, 20, "1000x660 (79%)", size=16)
    canvas.rectangle((0, TOP, 4, TOP + STEP_Y * len(colours)), fill=GREEN)
    for at, title in enumerate(TITLES):
        write(canvas, 54, TOP + STEP_Y * at, title, colour="#d0d4e8", size=16)
        if colours[at:]:
            mark(canvas, TOP + STEP_Y * at, colours[at])


def test_tests_that_a_column_shows_as_over_are_told_with_how_they_ended(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        titles(canvas, *(GREEN, RED)[: t // 1000])
        page(canvas)

    findings = watcher.see(scene, 3000)
    found = written_trace(findings, film("/videos/ships.cy.js.mp4"))

    assert found is not None
    assert [(one.title, one.ended) for one in found.trace.tests] == [
        ("sails at dawn", "passed"),
        ("moors at dusk", "failed"),
    ]
    assert [abs(one.t_ms - at) <= 300 for one, at in zip(found.trace.tests, (1000, 2000), strict=True)] == [True, True]
    assert found.findings.timeline == ()


def test_a_column_without_commands_makes_no_event_and_leaves_the_page(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        titles(canvas)
        page(canvas)
        if t >= 1000:
            write(canvas, 54, TOP + 3 * STEP_Y, "is found again", colour="#d0d4e8", size=16)
            write(canvas, 340, 200, "Ten ships are moored")

    found = written_trace(watcher.see(scene, 2500), film("/videos/ships.cy.js.mp4"))

    assert found is not None
    assert [one.sentence for one in statements(found.findings.timeline, (), found.trace)] == [
        '"Ten ships are moored" appeared.'
    ]
    assert found.findings.first_screen == ("Harbour office",)


def test_a_picture_s_size_beside_another_column_makes_no_runner_of_it(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        titles(canvas, menu="Albums")
        if t >= 1000:
            write(canvas, 54, TOP + 3 * STEP_Y, "is found again", colour="#d0d4e8", size=16)

    findings = watcher.see(scene, 2500)

    assert findings.runner_column is None
    assert [event.text for event in findings.timeline] == ["is found again"]
