import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reload.entry import Slot, SlotKind
from core.reload.matching.alignment import Alignment, align, best
from core.reload.templates import Place, Template
from tests.fakes.reload_idioms import SAME_IN_IDIOMS
from tests.fakes.reload_near_misses import NEARLY_THE_SAME
from tests.fakes.reload_refusals import DIFFERENT
from tests.fakes.reload_requests import SAME

NAMES = ("Alice", "Bob", "Grace Hopper", "carol", "dave")
CITIES = ("Rome", "Oslo", "New York", "Lima")
names = st.sampled_from(NAMES)
cities = st.sampled_from(CITIES)
numbers = st.integers(2, 9999).map(str)
dates = st.dates().map(str)
KINDS = {"name": names, "city": cities, "day": dates}
WORDS = """
please open show delete the a report file from to in on for and or then not all every first second monday tomorrow march
5 10 kg $ % , . " ' : = ( ) < > @bob #x alice's a.txt https://x.y 2026-03-05 5pm with recipient I me is <reload_options>
city name new don't turn off up type hello search send
"""
mixtures = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)


def aligned(recorded: str, values: Mapping[str, str], asked: str) -> Alignment:
    return align(Template.of(recorded, values), [Slot(name=name, value=value) for name, value in values.items()], asked)


@pytest.mark.parametrize(("recorded", "values", "asked", "changed"), SAME + SAME_IN_IDIOMS)
def test_what_is_the_same_in_other_words_is_taken_with_its_values(
    recorded: str, values: dict[str, str], asked: str, changed: dict[str, str]
) -> None:
    found = aligned(recorded, values, asked)
    assert found.match == ("rebound" if changed else "similar"), found.reason
    assert found.values == changed
    assert found.rebound == {values[slot]: value for slot, value in changed.items()}


@pytest.mark.parametrize(("recorded", "values", "asked"), DIFFERENT + NEARLY_THE_SAME)
def test_what_differs_in_what_is_no_value_is_refused(recorded: str, values: dict[str, str], asked: str) -> None:
    found = aligned(recorded, values, asked)
    assert found.match is None
    assert found.reason.endswith(".")
    assert not found.values


def test_a_refusal_says_what_became_of_what() -> None:
    assert aligned("Open the march report", {}, "open the april report").reason == (
        '"march" became "april", and "march" is no recorded value.'
    )


@pytest.mark.parametrize("asked", ["Open it for Alice", " open  IT for Alice. ", "\uff2fpen it for Alice!"])
def test_the_same_words_but_for_case_space_and_encoding_are_exact(asked: str) -> None:
    assert aligned("Open it for Alice", {"who": "Alice"}, asked).match == "exact"


def test_in_a_value_the_case_counts() -> None:
    assert aligned("Open it for Alice", {"who": "Alice"}, "Open it for alice").rebound == {"Alice": "alice"}


def test_what_was_picked_by_its_picture_cannot_be_another_value() -> None:
    slots = [Slot(name="who", value="Alice", rebinds=False)]
    wording = Template.of("Send it to Alice", {"who": "Alice"})
    assert align(wording, slots, "please send it to Alice").match == "similar"
    refused = align(wording, slots, "Send it to Bob")
    assert refused.match is None
    assert "picked by its picture" in refused.reason


@pytest.mark.parametrize("kind", [SlotKind.SECRET, SlotKind.READ])
def test_a_secret_is_not_taken_from_words(kind: SlotKind) -> None:
    wording = Template(parts=("Log in with ", Place(slot="key")))
    slots = [Slot(name="key", kind=kind)]
    assert align(wording, slots, "Log in with hunter").match is None
    assert align(wording, slots, "please log in with {key}").match == "similar"


def test_a_value_that_stands_there_twice_changes_in_both_places() -> None:
    values = {"who": "Alice"}
    recorded = "Send the note to Alice and open the page for Alice"
    assert aligned(recorded, values, "Send the note to Bob and open the page for Bob").values == {"who": "Bob"}
    assert aligned(recorded, values, "Send the note to Bob and open the page for Carol").match is None
    assert aligned(recorded, values, "Send the note to Bob and open the page for Alice").match is None


def test_two_slots_with_the_same_value_do_not_become_two_values() -> None:
    slots = [Slot(name="a", value="Rome"), Slot(name="b", value="Rome")]
    wording = Template(parts=("Fly from ", Place(slot="a"), " to ", Place(slot="b")))
    assert align(wording, slots, "Fly from Oslo to Oslo").rebound == {"Rome": "Oslo"}
    assert align(wording, slots, "Fly from Oslo to Lima").match is None


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("register a new patient with recipient Grace Hopper", {"recipient": "Grace Hopper"}),
        ("Register a new patient, recipient: Grace Hopper", {"recipient": "Grace Hopper"}),
        ("Register a new patient; city = Oslo", {"city": "Oslo"}),
        (
            "Register a new patient with city Oslo and pickup date 2026-04-01",
            {"city": "Oslo", "pickup_date": "2026-04-01"},
        ),
        ("Register a new patient with pickup_date=2026-04-01", {"pickup_date": "2026-04-01"}),
        ('Register a new patient with recipient "Ann of Green Gables"', {"recipient": "Ann of Green Gables"}),
    ],
)
def test_a_value_is_given_by_the_name_of_its_slot(asked: str, values: dict[str, str]) -> None:
    slots = [
        Slot(name="recipient", value="Ada Lovelace"),
        Slot(name="pickup_date", value="2026-03-05"),
        Slot(name="city", value="Rome"),
    ]
    found = align(Template.of("Register a new patient", {}), slots, asked)
    assert (found.match, found.values) == ("rebound", values), found.reason


@pytest.mark.parametrize(
    "asked",
    [
        "Register a new patient without recipient Grace Hopper",
        "Register a new patient with recipient",
        "Register a new patient with recipient nobody",
        "Register a new patient with pickup tomorrow",
        "Register a new patient with date 2026-04-01",
        "Register a new patient with pickup date tomorrow",
        "Register a new patient with recipient Bob and recipient Carol",
        "Register a new patient with recipient Bob and delete the old one",
        "Delete a patient with recipient Grace Hopper",
    ],
)
def test_what_is_not_said_by_a_whole_name_alone_is_refused(asked: str) -> None:
    slots = [Slot(name="recipient", value="Ada Lovelace"), Slot(name="pickup_date", value="2026-03-05")]
    assert align(Template.of("Register a new patient", {}), slots, asked).match is None


def test_of_several_wordings_the_most_certain_counts() -> None:
    slots = [Slot(name="who", value="Alice")]
    wordings = [Template.of("Send it to Alice", {"who": "Alice"}), Template.of("Register Alice", {"who": "Alice"})]
    assert best(wordings, slots, "Register Alice").match == "exact"
    assert best(wordings, slots, "please register Bob").values == {"who": "Bob"}
    assert best(wordings, slots, "Unregister Alice").match is None
    assert best([], slots, "Register Alice").match is None


def test_wordings_that_disagree_on_the_values_offer_nothing() -> None:
    slots = [Slot(name="a", value="Alice"), Slot(name="b", value="Bob")]
    wordings = [
        Template(parts=("Send it to ", Place(slot="a"))),
        Template(parts=("Send it to ", Place(slot="b"))),
    ]
    assert best(wordings, slots, "Send it to Carol").match is None


def test_a_day_that_passes_is_not_done_again() -> None:
    assert aligned("Book a room for tomorrow", {}, "Book a room for tomorrow").match is None
    assert aligned("Book a room for tomorrow", {"day": "tomorrow"}, "Book a room for tomorrow").match == "exact"
    assert aligned("Show today's weather", {}, "Show today's weather").match == "exact"


@pytest.mark.parametrize("value", ["x" * 201, "bob and delete everything", "bob, carol", "", " ", "bob's boss", "me"])
def test_what_cannot_be_a_value_is_refused(value: str) -> None:
    assert aligned("Send it to Alice", {"who": "Alice"}, f"Send it to {value}").match is None


def test_a_letter_of_another_alphabet_is_no_value() -> None:
    assert aligned("Follow mara", {"who": "mara"}, "Follow m\u0430ra").match is None
    assert aligned("Follow mara", {"who": "mara"}, "Follow \u043c\u0430\u0440\u0430").match == "rebound"


def test_labelled_pairs_are_told_apart() -> None:
    path = Path(__file__).parents[4] / "bench" / "reload_pairs" / "development.json"
    pairs = json.loads(path.read_text(encoding="utf-8"))
    hits = total = 0
    for pair in pairs:
        recorded, asked = pair["recorded"], pair["asked"]
        if any(recorded[key] != asked[key] for key in ("trigger_type", "trigger_target", "window_state")):
            continue
        picked = recorded.get("picked") or ()
        slots = [Slot(name=name, value=value, rebinds=name not in picked) for name, value in recorded["values"].items()]
        found = align(Template.of(recorded["request"], recorded["values"]), slots, asked["request"])
        assert found.match is None or (pair["same"] and found.values == pair["values"]), pair["id"]
        total += pair["same"]
        hits += found.match is not None
    assert hits >= 0.9 * total > 0


@given(st.text(max_size=200) | mixtures)
def test_whatever_was_asked_is_itself(text: str) -> None:
    found = align(Template.of(text, {}), [], text)
    assert found.match == "exact" or "another day by now" in found.reason


@given(
    mixtures | st.text(max_size=80), mixtures | st.text(max_size=80), st.sampled_from(["alice's", "5", "a", "to", "x"])
)
def test_any_two_texts_can_be_compared_and_never_lose_the_value(recorded: str, asked: str, value: str) -> None:
    slots = [Slot(name="city", value=value), Slot(name="name", value="Bob")]
    found = align(Template.of(recorded, {"city": value}), slots, asked)
    assert (found.match is None) or bool(found.values) == (found.match == "rebound")
    assert all(new and (new in asked or new.isdigit()) for new in found.values.values())


@given(numbers, numbers, names, cities, dates)
def test_another_number_name_or_day_that_is_no_value_is_refused(
    number: str, other: str, name: str, city: str, day: str
) -> None:
    recorded = f"Book {number} seats to {city} for {name} on {day}"
    for old, new in ((number, other), (name, "Mallory"), (city, "Paris"), (day, "1815-12-10")):
        asked = recorded.replace(old, new, 1)
        found = aligned(recorded, {}, asked)
        assert found.match == ("exact" if asked == recorded else None)


@given(cities, cities)
def test_swapped_values_are_taken_swapped(one: str, other: str) -> None:
    values = {"origin": one, "destination": other}
    found = aligned(f"Fly from {one} to {other}", values, f"Fly from {other} to {one}")
    if one == other:
        assert found.match == "exact"
    else:
        assert found.values == {"origin": other, "destination": one}


@given(st.fixed_dictionaries(KINDS), st.fixed_dictionaries(KINDS))
def test_the_recorded_wording_with_the_new_values_is_what_was_asked(
    values: dict[str, str], new: dict[str, str]
) -> None:
    wording = Template.of("Book a flight to {city} for {name} on {day}".format(**values), values)
    slots = [Slot(name=slot, value=value) for slot, value in values.items()]
    found = align(wording, slots, wording.filled(new))
    assert found.match is not None, found.reason
    filled = values | found.values
    assert wording.filled(filled) == wording.filled(new)
    rebuilt = [Slot(name=slot, value=value) for slot, value in filled.items()]
    assert align(wording, rebuilt, wording.filled(new)).match == "exact"


@pytest.mark.parametrize(
    "unit", ["a ", "alice ", "to ", "and ", "' ", "the file of ", "open a, ", "a.1 ", "for 5 min "]
)
def test_hostile_requests_are_judged_in_no_time(unit: str) -> None:
    text = (unit * 10_000)[:10_000]
    start = time.perf_counter()
    aligned("Send the file a.txt to alice", {"a": "alice", "b": "a.txt"}, text)
    aligned(text, {"a": "alice", "b": "file", "c": "a"}, f"{text[:9990]} now")
    assert time.perf_counter() - start < 3
