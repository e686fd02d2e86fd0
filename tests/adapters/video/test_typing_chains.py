"""Letters that were read one after the other, and what of them was typed."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.text.lines import Line
from adapters.video.text.matching import Match
from adapters.video.text.screen import Draft
from adapters.video.timeline.chains import typings
from adapters.video.timeline.typed_events import carried_on
from core.analysis import Event, EventKind

FIELD = (100, 200, 240, 32)


def steps(texts: list[str], left: int) -> list[Draft]:
    """Each text in the place of the one before, 200 ms after it."""
    drafts: list[Draft] = []
    old: Line | None = None
    for number, text in enumerate(texts):
        place = (left, 206, 12 * len(text), 20)
        line = Line(text, 0.99, place, np.zeros((20, place[2]), np.uint8), 1000 + 200 * number)
        line.field_box = FIELD
        match = Match(added=[line]) if old is None else Match(changed=[(old, line)])
        drafts.append(Draft(line.t_ms, line.t_ms, line.t_ms, place, first=False, stood=(), match=match))
        old = line
    return drafts


@pytest.mark.parametrize(("left", "together"), [(101, True), (120, False)])
def test_the_side_of_a_field_may_be_read_as_a_letter_before_what_is_typed_at_it(left: int, *, together: bool) -> None:
    found = typings(steps(["A", "TAn", "Ang", "Ange", "Angel"], left))
    assert (len(found) == 1 and len(found[0]) == 5) is together


@pytest.mark.parametrize(("later", "texts"), [("Ada Silva", ["Ada Silva"]), ("Eve", ["Ada SI", "Eve"])])
def test_a_typing_goes_on_where_a_letter_was_read_in_another_case(later: str, texts: list[str]) -> None:
    first, second = (
        Event(
            t_ms=t_ms,
            until_ms=t_ms + 400,
            kind=EventKind.TYPED,
            text=text,
            field="Name",
            region=(110, 206, 90, 20),
            confidence=0.95,
            description="",
        )
        for t_ms, text in ((1000, "Ada SI"), (2000, later))
    )
    assert [event.text for event in carried_on([first, second])] == texts
