"""Films of tests beside whose page their runner writes its commands."""

import pytest

from core.analysis import Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft

LEFT, STEP, TOP = 80, 28, 300


def written(*rows: str, t_ms: int = 5000, until_ms: int | None = None) -> list[Sighting]:
    """A test's commands, below its heading, each with its number."""
    heading = line("TEST BODY", (48, TOP - STEP, 62, 10), t_ms, until_ms)
    numbers = [line(str(at + 1), (50, TOP + STEP * at, 8, 10), t_ms, until_ms) for at in range(len(rows))]
    lines = [line(row, (LEFT, TOP + STEP * at, 190, 14), t_ms, until_ms) for at, row in enumerate(rows)]
    return [heading, *numbers, *lines]


def line(text: str, place: Region, t_ms: int, until_ms: int | None = None) -> Sighting:
    return Sighting(text=text, t_ms=t_ms, until_ms=until_ms, region=place, confidence=0.99)


PAGE = [line("Harbour office", (600, 60, 200, 24), 0), line("Email:", (600, 200, 50, 16), 0)]
BUTTON = line("Book a berth", (600, 400, 100, 16), 0)
DONE = line("Berth 12 is booked", (600, 500, 160, 16), 6000)
COMMANDS = (
    "visit http://localhost:3000/berths",
    'get input[name="email"]',
    "-type ada@example.com",
    'get [data-test="book-berth"]',
    "-click",
)


def plan(sightings: list[Sighting], *events: Event) -> str:
    shown = Event(
        t_ms=6000, kind=EventKind.APPEARED, text=DONE.text, region=DONE.region, confidence=0.9, description=""
    )
    return draft(demonstrated(Findings(timeline=(*events, shown), sightings=tuple(sightings)), None, 10_000))


def steps(text: str) -> str:
    return text.partition("SuggestedPlan:\n")[2].partition("Alternative")[0]


def test_what_is_typed_is_read_from_the_commands_and_its_field_is_named_by_the_page() -> None:
    value = line("ada@example.com", (660, 200, 130, 16), 4600)
    text = plan([*PAGE, DONE, value, *written(*COMMANDS)])

    assert 'Open "http://localhost:3000/berths" in the browser.' in steps(text)
    assert 'Type "ada@example.com" into the "Email:" field.' in steps(text)
    assert '- "Berth {number} is booked" is shown.' in text
    assert "-click" not in text.partition("SuggestedPlan")[0]


def test_a_field_is_called_as_its_author_does_where_no_value_of_it_is_seen() -> None:
    text = plan([*PAGE, DONE, *written('get input[name="callsign"]', "-type Aurora{enter}")])

    assert 'Type "Aurora" into the "callsign" field. (inferred)\n' in steps(text)
    assert "Press Enter." in steps(text)


def test_a_password_is_no_more_learned_from_the_runner_than_from_a_keyboard() -> None:
    text = plan([*PAGE, DONE, *written('get input[name="password"]', "-type s3same")])

    assert 'Type "{password}" into the "password" field.' in steps(text)
    assert "s3same" not in text


@pytest.mark.parametrize("selector", ['input[type="password"].entry', '[type="password"]'])
def test_a_password_is_one_by_the_kind_of_its_field_too(selector: str) -> None:
    assert "s3same" not in plan([*PAGE, DONE, *written(*COMMANDS[:3], f"get {selector}", "-type s3same")])


@pytest.mark.parametrize(
    ("rows", "step"),
    [
        (("contains Book a berth", "-click"), 'Click "Book a berth".'),
        (('get [placeholder="Which quay"]', "-click"), 'Click "Which quay".'),
        (("get #book-a-berth", "-click"), 'Click "Book a berth".'),
        (("contains label, Insured", "-check"), 'Tick the "Insured" check box.'),
    ],
)
def test_a_click_is_on_the_words_that_a_selector_says_or_that_are_on_the_page(rows: tuple[str, ...], step: str) -> None:
    assert step in steps(plan([*PAGE, BUTTON, DONE, *written(*rows)]))


def test_what_no_word_of_the_page_names_is_asked_about_with_what_the_runner_wrote() -> None:
    text = plan([*PAGE, DONE, *written("get .btn-primary", "-click", 'get [data-cy="harbour-pilot"]', "-click")])

    assert "Do what was done" in steps(text)
    assert 'the test runner wrote click .btn-primary, click [data-cy="harbour-pilot"]' in text
    assert 'It looks like: Click "harbour pilot".' in text


def test_a_row_that_is_read_after_the_one_below_it_stands_before_that() -> None:
    early = written("get #email", "-type ada@example.com", t_ms=4000)
    (late,) = written('contains "Book a berth"', "-click", t_ms=4400)[-1:]
    late = late.model_copy(update={"region": (LEFT, TOP + 3 * STEP, 190, 14)})
    between = line("contains Book a berth", (LEFT, TOP + 2 * STEP, 190, 14), 4900)
    number = line("3", (50, TOP + 2 * STEP, 8, 10), 4900)

    assert 'Click "Book a berth".' in steps(plan([*PAGE, BUTTON, DONE, *early, late, between, number]))


def test_a_page_that_only_has_such_words_is_no_test() -> None:
    menu = [line(text, (LEFT, TOP + STEP * at, 90, 14), 5000) for at, text in enumerate(COMMANDS)]

    assert "ada@example.com" not in steps(plan([*PAGE, DONE, *menu]))
