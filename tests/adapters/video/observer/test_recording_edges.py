"""What a recording's own beginning and end put on the screen is no event of the recorded program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import VerdictResult, Video
from core.expectations import judge
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, Watcher, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Draw

LASTING_MS = 6000


def shop(canvas: Draw, t: int) -> None:
    canvas.rectangle((0, 0, WIDTH, HEIGHT), fill="#c8d4e0")
    canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
    write(canvas, 24, 14, "Harbour shop", colour="white")
    write(canvas, 40, 90, "Loading the parcels")
    if t >= 2000:
        write(canvas, 40, 150, "Order 1042 confirmed")


def black(canvas: Draw) -> None:
    canvas.rectangle((0, 0, WIDTH, HEIGHT), fill="black")


def closing(at_ms: int, left: Callable[[Draw], None] = black) -> Callable[[Draw, int], None]:
    """The shop, until its browser is closed."""
    return lambda canvas, t: shop(canvas, t) if t < at_ms else left(canvas)


def result(expectation: str, findings: Findings) -> VerdictResult:
    video = Video(
        path="clip.mp4",
        duration_ms=LASTING_MS,
        width=WIDTH,
        height=HEIGHT,
        fps=25.0,
        codec="h264",
        size_bytes=1,
        sha256="0" * 64,
    )
    return judge(expectation, findings, video).verdict


def test_what_the_end_of_the_recording_takes_away_is_no_event(watcher: Watcher) -> None:
    findings = watcher.see(closing(5400), LASTING_MS)
    assert findings.closing_ms == pytest.approx(5400, abs=40)
    assert [event.text for event in findings.timeline] == ["Order 1042 confirmed"]
    assert result('"Loading the parcels" disappears', findings) is VerdictResult.UNCLEAR
    assert result('"Order 1042 confirmed" is shown at the end', findings) is VerdictResult.PASS
    assert result('"Order 1042 confirmed" is not shown at the end', findings) is VerdictResult.FAIL
    assert result('"Loading the parcels" does not disappear', findings) is VerdictResult.PASS
    assert result('"Order 1042 confirmed" appears', findings) is VerdictResult.PASS


def test_a_program_that_closes_while_the_recording_goes_on_is_an_event(watcher: Watcher) -> None:
    findings = watcher.see(closing(2400), LASTING_MS)
    assert findings.closing_ms is None
    assert result('"Loading the parcels" disappears', findings) is VerdictResult.PASS
    assert result('"Order 1042 confirmed" is shown at the end', findings) is VerdictResult.FAIL


def test_a_program_that_closes_on_a_desktop_that_stays_is_an_event(watcher: Watcher) -> None:
    def desktop(canvas: Draw) -> None:
        black(canvas)
        write(canvas, 30, 560, "Applications", colour="white")

    findings = watcher.see(closing(5000, desktop), LASTING_MS)
    assert findings.closing_ms is None
    assert result('"Loading the parcels" disappears', findings) is VerdictResult.PASS


def test_a_text_that_goes_at_the_very_end_while_its_page_stays_is_an_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((0, 0, WIDTH, HEIGHT), fill="#c8d4e0")
        if t < 5400:
            write(canvas, 40, 90, "Loading the parcels")

    findings = watcher.see(scene, LASTING_MS)
    assert findings.closing_ms is None
    assert result('"Loading the parcels" disappears', findings) is VerdictResult.PASS


def test_a_blank_first_screen_is_not_the_first_screen_of_the_program(watcher: Watcher) -> None:
    findings = watcher.see(lambda canvas, t: shop(canvas, t) if t >= 600 else None, LASTING_MS)
    assert findings.first_screen == ("Harbour shop", "Loading the parcels")
    assert [event.text for event in findings.timeline] == ["Order 1042 confirmed"]
