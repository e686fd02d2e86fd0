"""What is told of letters where a film has few pictures: never a label with half a value, never a wrong name."""

from typing import Any

import pytest

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.screen_texts import is_shape
from core.plans.step_sentences import sentence
from core.recording.input_log import Clicked, InputEvent, InputLog, Pressed, Typed

LABEL: Region = (32, 134, 70, 14)
FIELD: Region = (117, 131, 70, 21)
ENTRY = (Clicked(t_ms=5020, x=247, y=142), Typed(t_ms=5142, until_ms=6165, count=8))
PAGE = (
    Sighting(text="Weather at sea", t_ms=0, region=(32, 60, 240, 30)),
    Sighting(text="Sea area", t_ms=0, until_ms=5495, region=LABEL),
)


def text(words: str, region: Region, t_ms: int = 0, until_ms: int | None = None, **more: Any) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region, **more)


def typed(words: str, region: Region, t_ms: int, until_ms: int) -> Event:
    return Event(
        t_ms=t_ms, until_ms=until_ms, kind=EventKind.TYPED, text=words, region=region, confidence=0.95, description=""
    )


def lines(*sightings: Sighting, done: tuple[InputEvent, ...] = ENTRY, timeline: tuple[Event, ...] = ()) -> list[str]:
    log = InputLog(width=1280, height=720, events=done)
    shown = demonstrated(Findings(timeline=timeline, sightings=sightings), log, 10_000)
    return list(map(sentence, shown.steps))[1:]


def test_a_label_and_half_a_value_that_were_read_as_one_line_are_told_apart() -> None:
    half = text("Sea area Kat", (32, 125, 120, 37), 5495, 6510)
    timeline = (typed("Sea area Kat", (32, 125, 120, 37), 5495, 5495),)

    assert lines(*PAGE, half, text("Kattegat", FIELD, 6510), timeline=timeline) == [
        'Type "Kattegat" into the "Sea area" field.'
    ]
    assert lines(*PAGE, half, timeline=timeline) == ['Type "{Sea_area}" into the "Sea area" field.']


def test_a_value_that_was_read_in_pieces_is_one_text() -> None:
    pieces = (text("Katt", (117, 131, 36, 21), 5500), text("egat", (152, 131, 36, 21), 6500))

    assert lines(*PAGE, *pieces) == ['Type "Kattegat" into the "Sea area" field.']


def test_two_texts_of_as_many_letters_as_were_typed_are_no_value() -> None:
    rivals = (text("Kattegat", FIELD, 5500), text("Kategory", (200, 131, 70, 21), 5500))

    assert 'Type "' not in " ".join(lines(*PAGE, *rivals))


def test_what_came_of_itself_is_no_value_that_hides_a_label() -> None:
    drawn = typed("Sea area", LABEL, 1000, 1500)

    assert lines(*PAGE, text("Kattegat", FIELD, 6000), timeline=(drawn,)) == [
        'Type "Kattegat" into the "Sea area" field.'
    ]


def test_what_was_chosen_in_the_field_above_names_no_field() -> None:
    done = (Pressed(t_ms=7000, keys=("tab",)), Typed(t_ms=7320, until_ms=8500, count=10))
    page = (
        text("Choose a country", (654, 213, 132, 17), 0, 5000),
        text("Sweden", (654, 374, 59, 14), 4000, 5600),
        text("Sweden", (654, 213, 59, 14), 5000),
        text("2027-01-31", (654, 250, 87, 20), 8600),
    )

    assert not any("Sweden" in line for line in lines(*page, done=done))


@pytest.mark.parametrize(("words", "is_one"), [("YYYY-MM-DD", True), ("hh:mm", True), ("Add", False), ("A/S", False)])
def test_the_shape_of_a_date_is_known(words: str, is_one: bool) -> None:
    assert is_shape(words) == is_one
