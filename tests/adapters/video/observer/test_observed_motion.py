"""What moves without meaning anything: hands, spinners and the pointer on its way."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.motion.settled import ContinuousMotion
from adapters.video.timeline.continuous_motion import is_pointer
from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import Watcher, write

if TYPE_CHECKING:
    from tests.fakes.videos.drawn_screens import Draw


@pytest.mark.nightly
def test_the_hand_of_a_clock_is_no_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 60, "Station clock")
        canvas.ellipse((230, 230, 370, 370), outline="black", width=4)
        angle = 2 * pi * (t // 1000) / 12
        canvas.line((300, 300, 300 + 60 * sin(angle), 300 - 60 * cos(angle)), fill="black", width=8)

    assert watcher.see(scene, 7000).timeline == ()


@pytest.mark.nightly
def test_a_spinner_that_takes_the_place_of_a_word_is_not_read_as_a_sign(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((300, 280, 460, 330), fill="#3a2c86")
        if 1000 <= t < 2400:
            turn = (t - 1000) * 360 / 640
            canvas.ellipse((370, 295, 390, 315), outline="#8070c0", width=3)
            canvas.arc((370, 295, 390, 315), turn, turn + 70, fill="white", width=3)
        else:
            write(canvas, 346, 294, "Continue", colour="white")

    findings = watcher.see(scene, 4800)
    assert [event.kind for event in findings.timeline if event.text is None] == [EventKind.BUSY]
    assert {one.text for one in findings.sightings or ()} == {"Continue"}


@pytest.mark.parametrize("step", [7, pytest.param(12, marks=pytest.mark.nightly), 30])
def test_a_pointer_that_sets_out_slowly_or_fast_leaves_no_trace(watcher: Watcher, step: int) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 60, "Night watch", colour="white")
        x = 120 + step * min(max((t - 1000) // 40, 0), 18)
        arrow = [(x, 300), (x, 318), (x + 4, 314), (x + 8, 321), (x + 11, 319), (x + 7, 313), (x + 13, 313)]
        canvas.polygon(arrow, fill="black", outline="white")

    findings = watcher.see(scene, 4000, dark=True)
    assert findings.timeline == ()
    assert {one.text for one in findings.sightings or ()} == {"Night watch"}


def test_another_page_is_told_by_what_is_written_large(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        lines = (
            ("Home", "Depots", "Crews", "Ingrid", "Trams")
            if t >= 1000
            else ("Help", "Imprint", "Terms", "Jobs", "News")
        )
        for number, line in enumerate(lines):
            write(canvas, 40 + 140 * number, 20, line)
        write(canvas, 40, 160, "Welcome back" if t >= 1000 else "Please sign in", size=34)
        write(canvas, 40, 260, "Depot Lund closes early" if t >= 1000 else "Use your work account")

    (event,) = watcher.see(scene, 2400).timeline
    assert event.kind is EventKind.NAVIGATED
    assert "Welcome back" in event.description


@pytest.mark.nightly
def test_what_keeps_moving_is_read_all_the_same(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 24, 14, "Harbour office")
        if t >= 800:
            x = 40 + (t - 800) // 40 * 24 % 600
            canvas.rectangle((x, 330, x + 24, 350), fill="#c0392b")
        if t >= 2000:
            write(canvas, 40, 300, "The harbour office is closed today")

    findings = watcher.see(scene, 4800)
    (told,) = [event for event in findings.timeline if "harbour office" in (event.text or "")]
    assert told.t_ms == pytest.approx(2000, abs=500)


def test_a_text_that_changes_faster_than_one_reads_is_not_told_step_by_step(watcher: Watcher) -> None:
    parts = ["oil.c", "wick.c", "flame.c", "brass.c", "hinge.c", "glass.c", "lens.c", "frame.c", "handle.c", "chain.c"]

    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 24, 14, "Harbour office")
        if t >= 1000:
            step = min((t - 1000) // 200, len(parts) - 1)
            write(canvas, 40, 300, f"compiling {parts[step]}")

    timeline = watcher.see(scene, 5000).timeline
    assert len(timeline) <= 3, [event.description for event in timeline]
    assert any("compiling chain.c" in (event.text or "") for event in timeline)


@pytest.mark.nightly
def test_what_stands_for_some_frames_while_a_spinner_turns_is_read_in_its_own_frame(watcher: Watcher) -> None:
    pages = (
        "Harbour",
        "Lantern",
        "Rudder",
        "Compass",
        "Anchor",
        "Mainsail",
        "Captain",
        "Voyage",
        "Mooring",
        "Lighthouse",
    )

    def scene(canvas: Draw, t: int) -> None:
        turn = t * 360 / 640
        canvas.arc((30, 30, 60, 60), turn, turn + 90, fill="#2040a0", width=5)
        number = min(max(t - 1840, 0) // 120, len(pages) - 1)
        write(canvas, 200 + 40 * (number % 3), 120 + 40 * number, pages[number], size=30)

    findings = watcher.see(scene, 4400)
    assert {sighting.text for sighting in findings.sightings or ()} == set(pages)


@pytest.mark.nightly
def test_pages_that_a_fast_test_passes_through_are_each_told_by_their_address(watcher: Watcher) -> None:
    pages = {
        0: ("login", "Sign in"),
        1000: ("berths", "Free berths"),
        1240: ("lamps", "Mast lamps"),
        1480: ("ropes", "Ropes"),
    }

    def scene(canvas: Draw, t: int) -> None:
        path, title = pages[max(start for start in pages if start <= t)]
        canvas.rectangle((0, 0, 800, 50), fill="#e8e8e8")
        write(canvas, 90, 14, f"localhost:8080/{path}")
        for row in range(6):
            write(canvas, 60, 120 + 60 * row, f"{title} of harbour number {row + 11}")

    found = [(event.t_ms, event.description.split(" of harbour")[0]) for event in watcher.see(scene, 3000).timeline]
    assert found == [
        (start, f'The page "localhost:8080/{path}" came; it showed "{title}')
        for start, (path, title) in pages.items()
        if start
    ]


@pytest.mark.nightly
def test_rows_that_light_up_under_a_pointer_are_no_moving_picture(watcher: Watcher) -> None:
    names = ("Epic poetry", "History books", "Philosophical books")

    def scene(canvas: Draw, t: int) -> None:
        step = (t - 1000) // 160
        for number, name in enumerate(names):
            lit = 0 <= step < 12 and step // 4 == number
            canvas.rectangle((20, 60 + 25 * number, 560, 84 + 25 * number), fill="#d0b098" if lit else "#f4e8d8")
            write(canvas, 40, 62 + 25 * number, name)
        if 0 <= step < 12:
            # A hand has another form at each step, so that nothing is known to move.
            x, y = 120 + 4 * step, 64 + 6 * step
            canvas.ellipse((x, y, x + 6 + step % 3 * 3, y + 10 - step % 2 * 4), fill="#803010")

    assert watcher.see(scene, 4400, fps=12).timeline == ()


def test_what_comes_with_a_page_in_two_pieces_is_not_typed(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 1000:
            for number, name in enumerate(("Depots", "Crews", "Trams")):
                write(canvas, 40, 60 + 40 * number, name)
        else:
            write(canvas, 40, 60, "Commit 2581930", size=30)
            write(canvas, 40, 160, "Ingrid Holm committed now" if t >= 1160 else "Ingrid Holm committed")
            write(canvas, 40, 220, "automated backup of all settings")

    assert EventKind.TYPED not in {event.kind for event in watcher.see(scene, 3000).timeline}


def test_a_count_of_what_is_typed_is_no_spinner(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 60, "Translation")
        write(canvas, 640, 400, f"{min(max((t - 1000) // 90, 0), 16)} | 25")

    findings = watcher.see(scene, 4000)
    assert EventKind.BUSY not in {event.kind for event in findings.timeline}


def test_a_thin_line_that_keeps_moving_is_no_picture(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 40, 60, "Night watch")
        if 1000 <= t < 3400:
            for left in range(t // 40 * 13 % 60, 600, 60):
                canvas.rectangle((left, 0, left + 30, 6), fill="#2050c0")

    (event,) = watcher.see(scene, 5200).timeline
    assert event.kind is EventKind.BUSY
    assert event.description.startswith("A line of ")


@pytest.mark.parametrize("painted_ms", [600, 1600])
def test_a_picture_that_comes_before_the_words_of_a_page_or_after_them_is_a_part_of_it(
    watcher: Watcher, painted_ms: int
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t >= painted_ms:
            canvas.rectangle((420, 120, 760, 520), fill="#305040")
        for row, text in enumerate(("Night watch", "Two crews are out", "Ingrid is on call", "Low tide at noon")):
            if t >= 1200:
                write(canvas, 40, 60 + 50 * row, text)

    (event,) = watcher.see(scene, 4000).timeline
    assert event.text == "Night watch \u00b7 Two crews are out \u00b7 Ingrid is on call \u00b7 Low tide at noon"


@pytest.mark.parametrize(("tip", "is_it"), [((700, 552), True), ((640, 552), False)])
def test_what_moves_just_where_the_pointer_stands_is_the_pointer(tip: tuple[int, int], *, is_it: bool) -> None:
    motion = ContinuousMotion(3400, 4880, (696, 560, 16, 16), np.zeros((1, 1), np.bool_))

    assert is_pointer(motion, [(0, (20, 20)), (3100, tip), (3900, None)]) is is_it
