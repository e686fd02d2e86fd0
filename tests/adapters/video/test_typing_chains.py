"""Letters that were read one after the other, and what of them was typed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.text.lines import Line
from adapters.video.text.matching import Match
from adapters.video.text.screen import Draft
from adapters.video.timeline.chains import typings
from adapters.video.timeline.typed_events import carried_on
from core.analysis import Event, EventKind

if TYPE_CHECKING:
    from adapters.video.frame import Box

FIELD = (100, 200, 240, 32)


def steps(texts: list[str], left: int, field: Box | None = FIELD, step_ms: int = 200) -> list[Draft]:
    """Each text in the place of the one before, a moment after it."""
    drafts: list[Draft] = []
    old: Line | None = None
    for number, text in enumerate(texts):
        place = (left, 206, 12 * len(text), 20)
        line = Line(text, 0.99, place, np.zeros((20, place[2]), np.uint8), 1000 + step_ms * number)
        line.field_box = field
        match = Match(added=[line]) if old is None else Match(changed=[(old, line)])
        drafts.append(Draft(line.t_ms, line.t_ms, line.t_ms, place, first=False, stood=(), match=match))
        old = line
    return drafts


@pytest.mark.parametrize(("left", "together"), [(101, True), (120, False)])
def test_the_side_of_a_field_may_be_read_as_a_letter_before_what_is_typed_at_it(left: int, *, together: bool) -> None:
    found = typings(steps(["A", "TAn", "Ang", "Ange", "Angel"], left))
    assert (len(found) == 1 and len(found[0]) == 5) is together


@pytest.mark.parametrize(("step_ms", "is_typed"), [(20, False), (200, True)])
def test_what_comes_in_no_field_faster_than_anybody_types_was_not_typed(step_ms: int, *, is_typed: bool) -> None:
    found = typings(steps(["Be", "Bert", "Berth 1", "Berth 12"], 400, field=None, step_ms=step_ms))
    assert bool(found) is is_typed


@pytest.mark.parametrize(("covered", "is_typed"), [("Server room", False), ("Tool room", True)])
def test_a_text_that_comes_again_from_below_a_notice_was_not_typed(covered: str, *, is_typed: bool) -> None:
    (first, *later) = steps([covered, "Server", "Server ro", "Server room"], 400, field=None, step_ms=500)
    old, _ = later[0].match.changed[0]
    old.until_ms = later[0].t_ms - 300
    gone = replace(first, t_ms=old.until_ms, match=Match(removed=[old]))
    later[0] = replace(later[0], match=Match(added=[later[0].match.changed[0][1]]))
    assert bool(typings([gone, *later])) is is_typed


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        (("Ada SI", None), ("Ada Silva", None, EventKind.TYPED), ["Ada Silva"]),
        (("Ada SI", None), ("Eve", None, EventKind.TYPED), ["Ada SI", "Eve"]),
        (("Slary", None), ("Salary", "Slary", EventKind.CHANGED), ["Salary"]),
        (("Slary", None), ("Wifi", "Slary", EventKind.CHANGED), ["Slary", "Wifi"]),
        (("-300", "-3000"), ("1000", None, EventKind.APPEARED), ["1000"]),
        (("Otter", "Heron"), ("1000", None, EventKind.APPEARED), ["Otter", "1000"]),
    ],
)
def test_a_typing_goes_on_where_a_letter_is_read_in_another_case_or_the_text_is_corrected_or_taken_away(
    first: tuple[str, str | None], second: tuple[str, str | None, EventKind], texts: list[str]
) -> None:
    events = [event(1000, *first), event(2000, *second)]
    assert [one.text for one in carried_on(events)] == texts


def event(t_ms: int, text: str, before: str | None, kind: EventKind = EventKind.TYPED) -> Event:
    return Event(
        t_ms=t_ms,
        until_ms=t_ms + 400,
        kind=kind,
        text=text,
        before=before,
        field="Name",
        region=(110, 206, 90, 20),
        confidence=0.95,
        description="",
    )
