"""What is told as typed where nobody logged it: letters one after another in a field, never a page that is painted."""

from typing import Any

import pytest

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.plans.step_sentences import sentence

LABEL: Region = (36, 221, 70, 14)
BOTH: Region = (36, 209, 122, 40)
FIELD: Region = (121, 218, 70, 21)
BUTTON: Region = (54, 275, 159, 14)
HEADING = Sighting(text="Weather at sea", t_ms=1000, region=(36, 150, 273, 26))


def text(words: str, region: Region, t_ms: int, until_ms: int | None = None) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region)


def event(kind: EventKind, t_ms: int, until_ms: int | None = None, **more: Any) -> Event:
    return Event(t_ms=t_ms, until_ms=until_ms, kind=kind, confidence=0.95, description="", **more)


def typed(words: str, region: Region, t_ms: int, until_ms: int, before: str | None = None) -> Event:
    return event(EventKind.TYPED, t_ms, until_ms, text=words, region=region, before=before)


def lines(*sightings: Sighting, timeline: tuple[Event, ...]) -> list[str]:
    shown = demonstrated(Findings(timeline=timeline, sightings=sightings), None, 10_000)
    lines = map(sentence, shown.steps)
    return [line for line in lines if line.startswith("Type ")]


LABEL_ALONE = text("Sea area", LABEL, 1000, 5500)
BEHIND_LABEL = typed("Sea area Kat", BOTH, 5500, 5500, before="Sea area")


def test_a_value_that_was_read_as_one_line_with_its_label_is_told_without_it() -> None:
    whole = text("Kattegat", FIELD, 6500)
    grew = event(EventKind.CHANGED, 6500, text="Kattegat", before="Sea area Kat", region=FIELD)
    half = text("Sea area Kat", BOTH, 5500, 6500)

    assert lines(HEADING, LABEL_ALONE, half, whole, timeline=(BEHIND_LABEL, grew)) == [
        'Type "Kattegat" into the "Sea area" field.'
    ]


def test_a_label_with_a_value_that_never_stands_alone_is_not_told_as_typed() -> None:
    line = text("Sea area Kat", BOTH, 5500)

    assert lines(HEADING, LABEL_ALONE, line, timeline=(BEHIND_LABEL,)) == []


def test_what_goes_on_behind_a_text_that_was_typed_is_one_value() -> None:
    first = typed("Ada", FIELD, 3000, 3600)
    second = typed("Ada Byron", FIELD, 8000, 8900, before="Ada")
    seen = (text("Name", LABEL, 0), text("Ada", FIELD, 3600, 8900), text("Ada Byron", FIELD, 8900))

    assert lines(*seen, timeline=(first, second)) == ['Type "Ada Byron" into the "Name" field.']


@pytest.mark.parametrize(
    "came",
    [
        (event(EventKind.NAVIGATED, 2500, text="Weather", region=(0, 0, 1280, 720)),),
        (event(EventKind.BUSY, 1000, 2600, region=(32, 224, 64, 48)),),
    ],
    ids=["another page came", "a spinner turned there"],
)
def test_a_page_that_is_being_painted_is_not_typed(came: tuple[Event, ...]) -> None:
    drawn = typed("Sea area", LABEL, 2600, 3100)
    seen = (HEADING, text("Sea area", LABEL, 3100), text("Ask for the forecast", BUTTON, 3100))

    assert lines(*seen, timeline=(*came, drawn)) == []
    assert lines(*seen, timeline=(drawn,)) == ["Type what was typed at 00:02 (see the questions)."]


def test_a_line_of_many_that_come_at_once_is_not_typed() -> None:
    drawn = typed("Sea area", LABEL, 2600, 3100)
    others = (text("Ask for the forecast", BUTTON, 3100), text("Tides", (54, 320, 60, 14), 3100))

    assert lines(HEADING, text("Sea area", LABEL, 3100), *others, timeline=(drawn,)) == []


def test_results_that_come_while_letters_are_typed_one_after_another_hide_no_typing() -> None:
    query = typed("Kattegat", FIELD, 2600, 4600)
    results = (text("Kattegat north", BUTTON, 3600), text("Kattegat south", (54, 320, 159, 14), 3600))
    page = event(EventKind.NAVIGATED, 3600, text="Kattegat north", region=(0, 0, 1280, 720))
    seen = (text("Sea area", LABEL, 0), text("Kattegat", FIELD, 4600), *results)

    assert lines(*seen, timeline=(query, page)) == ['Type "Kattegat" into the "Sea area" field.']


def test_a_command_whose_output_comes_at_once_is_still_typed() -> None:
    prompt, output = text("work:", (422, 351, 57, 17), 0, 5000), text("harbour", (422, 379, 70, 17), 5000)
    command = typed("work: ls", (422, 351, 90, 17), 5000, 5000, before="work:")
    seen = (prompt, text("work: ls", (422, 351, 90, 17), 5000), output, text("work:", (422, 403, 57, 17), 5000))

    assert any("ls" in line for line in lines(*seen, timeline=(command,)))


def test_a_line_that_came_whole_with_another_one_and_was_read_again_is_not_typed() -> None:
    drawn = typed("Sea area", LABEL, 1000, 3500)
    seen = (
        text("Sea are", LABEL, 1000, 3500),
        text("Ask for the forecast", BUTTON, 1000),
        text("Sea area", LABEL, 3500),
    )

    assert lines(*seen, timeline=(drawn,)) == []
