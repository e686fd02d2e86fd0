"""Short numbers that are typed in fields, of which few digits are seen to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.analysis import EventKind
from tests.fakes.videos.drawn_screens import write

if TYPE_CHECKING:
    from core.analysis import Findings
    from tests.fakes.videos.drawn_screens import Draw, Watcher

GREW_MS = 2000
TOP = 200


def page(canvas: Draw, t: int, *, arrows: int) -> None:
    """A field with one arrow at its end, as where one chooses, or with two, as where one counts."""
    write(canvas, 60, 40, "Harbour office", size=28)
    write(canvas, 120, TOP - 30, "Weight")
    canvas.rectangle((120, TOP, 420, TOP + 36), outline="#707070")
    write(canvas, 130, TOP + 7, "7" if t < GREW_MS else "75")
    middle = TOP + 18
    if arrows == 2:
        canvas.polygon(((396, middle - 3), (408, middle - 3), (402, middle - 9)), fill="black")
        canvas.polygon(((396, middle + 3), (408, middle + 3), (402, middle + 9)), fill="black")
    else:
        canvas.polygon(((394, middle - 4), (410, middle - 4), (402, middle + 6)), fill="black")


def typed_in(findings: Findings) -> list[tuple[str | None, str | None]]:
    return [(event.text, event.field) for event in findings.timeline if event.kind is EventKind.TYPED]


@pytest.mark.parametrize(("arrows", "typed"), [(2, [("75", "Weight")]), (1, [])])
def test_a_digit_more_in_a_field_that_counts_was_typed_and_none_where_one_chooses(
    watcher: Watcher, arrows: int, typed: list[tuple[str, str]]
) -> None:
    assert typed_in(watcher.see(lambda canvas, t: page(canvas, t, arrows=arrows), 3600)) == typed


def test_digits_that_come_where_something_keeps_moving_were_typed_and_are_no_picture(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, TOP - 30, "Weight")
        canvas.rectangle((120, TOP, 420, TOP + 36), outline="#707070")
        write(canvas, 130, TOP + 7, "7510"[: 1 + (t > 1600) + (t > 2000) + (t > 2400)])
        if 1000 <= t < 3000:
            x = 180 + (t // 40) % 5 * 20
            canvas.rectangle((x, TOP + 2, x + 30, TOP + 12), fill="#b08030")
            canvas.rectangle((122, TOP + 32, 122 + x % 60, TOP + 34), fill="#b08030")

    findings = watcher.see(scene, 4200)

    assert typed_in(findings) == [("7510", "Weight")]
    assert not [event for event in findings.timeline if event.kind is EventKind.BUSY]


def test_a_number_that_is_written_over_after_an_answer_was_typed_by_itself(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        write(canvas, 60, 40, "Harbour office", size=28)
        write(canvas, 120, TOP - 30, "Weight")
        canvas.rectangle((120, TOP, 420, TOP + 36), outline="#707070")
        steps = ((1000, "1"), (1200, "16"), (1400, "165"), (3200, "1"), (3400, "18"), (3600, "180"))
        write(canvas, 130, TOP + 7, next((text for since_ms, text in reversed(steps) if t >= since_ms), ""))
        for row, words in enumerate(("Normal weight", "Exercise often", "Sleep well", "Eat slowly")):
            if t >= 2200:
                write(canvas, 460, 300 + 60 * row, words)

    assert typed_in(watcher.see(scene, 5000)) == [("165", "Weight"), ("180", "Weight")]
