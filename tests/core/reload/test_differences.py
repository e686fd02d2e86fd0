import pytest

from core.reload.differences import compare
from core.reload.entry import Slot
from core.reload.templates import Template

VALUES = {"recipient": "Ada Lovelace", "pickup_date": "2026-03-05", "city": "Rome"}
SLOTS = [Slot(name=name, value=value) for name, value in VALUES.items()]


def proposed(recorded: str, values: dict[str, str], asked: str) -> dict[str, str]:
    slots = [Slot(name=name, value=value) for name, value in values.items()]
    return dict(compare(Template.of(recorded, values), slots, asked).proposed)


@pytest.mark.parametrize(
    ("recorded", "asked", "differs"),
    [
        ("Open the march report", "please open the march report", ()),
        ("Open the march report", "open the april report", ('asked for "april", recorded: "march"',)),
        ("Delete the file", "delete the file permanently", ('asked for "permanently" as well',)),
        ("Delete all read mails", "delete all mails", ('recorded: "read", which is not asked for',)),
        ("Turn on wifi", "turn off wifi", ('asked for "off", recorded: "on"',)),
    ],
)
def test_what_a_request_says_otherwise_is_listed_word_by_word(
    recorded: str, asked: str, differs: tuple[str, ...]
) -> None:
    assert compare(Template.of(recorded, {}), [], asked).differs == differs


def test_a_day_that_has_passed_is_a_difference() -> None:
    recorded = Template.of("Book a room for tomorrow", {})
    assert compare(recorded, [], "Book a room for tomorrow").differs == (
        '"tomorrow" was another day when it was recorded',
    )


def test_a_value_is_no_difference_but_a_proposal() -> None:
    found = compare(
        Template.of("Send it to Alice", {"who": "Alice"}), [Slot(name="who", value="Alice")], "send it to Bob"
    )
    assert (found.proposed, found.differs) == ({"who": "Bob"}, ())


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("register a new patient with recipient Grace Hopper", {"recipient": "Grace Hopper"}),
        ("Register a new patient, recipient: Grace Hopper", {"recipient": "Grace Hopper"}),
        ("Register a new patient; city = Oslo", {"city": "Oslo"}),
        ("Register a new patient with pickup date 2026-04-01", {"pickup_date": "2026-04-01"}),
        ("Register a new patient", {}),
    ],
)
def test_a_value_is_proposed_by_the_name_of_its_slot(asked: str, values: dict[str, str]) -> None:
    assert dict(compare(Template.of("Register a new patient", {}), SLOTS, asked).proposed) == values


@pytest.mark.parametrize(
    ("recorded", "values", "asked", "expected"),
    [
        (
            "Search the web for hotels in Rome",
            {"q": "hotels in Rome"},
            "search the web for flights to Oslo",
            "flights to Oslo",
        ),
        ("Send the report to alice@x.org", {"q": "alice@x.org"}, "mail bob@y.org the report", "bob@y.org"),
        ("Set the brightness to 40%", {"q": "40"}, "brightness to 55% please", "55"),
        ('Write "hello" into the box', {"q": "hello"}, 'put "see you, then" into the box', "see you, then"),
    ],
)
def test_a_value_is_proposed_by_its_shape_and_its_neighbours(
    recorded: str, values: dict[str, str], asked: str, expected: str
) -> None:
    assert proposed(recorded, values, asked) == {"q": expected}


def test_nothing_is_proposed_for_what_the_request_does_not_say() -> None:
    assert proposed("Send the invoice to Alice", {"who": "Alice"}, "open the calculator") == {}


def test_a_pasted_book_is_compared_within_bounds() -> None:
    book = "and then the old man said to the sea " * 1000
    found = compare(Template.of("Send it to Alice", {"who": "Alice"}), [Slot(name="who", value="Alice")], book[:10_000])
    assert len(found.differs) <= 8
