import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reload.entry import Slot, SlotKind
from core.reload.requests import same_values
from core.reload.templates import Place, Template

NAMES = ("Alice", "Bob", "Carol", "Zoë", "O'Brien")
WORDS = """
please open show delete the a report file from to in on for and or then not all every first second monday tomorrow march
5 10 kg $ % , . " ' : = ( ) < > @bob #x alice's a.txt https://x.y 2026-03-05 5pm with recipient I me is <reload_options>
city name new don't turn off up type hello search send
"""
mixtures = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)


def same(recorded: str, values: Mapping[str, str], asked: str) -> dict[str, str] | None:
    slots = [Slot(name=name, value=value) for name, value in values.items()]
    return same_values([Template.of(recorded, values)], slots, asked)


@pytest.mark.parametrize(
    ("recorded", "values", "asked"),
    [
        ("Delete the file", {}, "Delete the files"),
        ("Delete the file", {}, "Do not delete the file"),
        ("Delete the file", {}, "Delete the other file"),
        ("Delete the file", {}, "Delete the file and the folder"),
        ("Delete the file", {}, "Can I delete the file?"),
        ("Delete the file", {}, "should we delete the file?"),
        ("Delete the file", {}, "Delete the file only if it is empty"),
        ("Copy a.txt over b.txt", {}, "Copy b.txt over a.txt"),
        ("Open a new tab", {}, "Open the new tab"),
        ("Send 10 euros to Alice", {"who": "Alice"}, "Send 100 euros to Alice"),
        ("Send 10 euros to Alice", {"who": "Alice"}, "Send 10 euros to Alice tomorrow"),
        ("Send 10 euros to Alice", {"n": "10"}, "Send ten thousand euros to Alice"),
        ("Set the timer for 5 minutes", {"n": "5"}, "Set the timer for 5 hours"),
        ("Add milk to the cart", {"i": "milk"}, "add another milk to the cart"),
        ("Delete report.pdf", {"f": "report.pdf"}, "Delete report"),
        ("Delete report.pdf", {"f": "report.pdf"}, "Delete *.pdf"),
        ("Send 10 euros to Alice", {"who": "Alice"}, "Send 10 euros to nobody"),
        ("Send 10 euros to Alice", {"who": "Alice"}, "Send 10 euros to everyone"),
        ("Open the sales report", {"what": "sales"}, "Open the last report"),
        ("Open https://example.com/a", {"u": "https://example.com/a"}, "Open notes.txt"),
        ("Email alice@example.com", {"u": "alice@example.com"}, "Email alice"),
        ("Open report 1", {"n": "1"}, "Open report 1.5"),
        ("Open report 1", {"n": "1"}, "Open report #1"),
        ("Set the price to $50", {"p": "$50"}, "Set the price to €50"),
        ("Follow @alice", {"w": "@alice"}, "Follow alice"),
        ("Follow @alice", {"w": "@alice"}, "Follow #alice"),
        ("Open Chrome", {"a": "Chrome"}, "Open history"),
        ("Delete alice", {"w": "alice"}, "Delete history"),
        ("Send the report to Bob", {"w": "Bob"}, "Send the report to trash"),
        ("Send the report to Bob", {"w": "Bob"}, "Send the report to bob@example.com"),
        ("Open page 5", {"n": "5"}, "Open page -5"),
        ("Open page 5", {"n": "5"}, "Open page 5%"),
        ("Open page 5", {"n": "5"}, "Open page 5th"),
        ("Open page 5", {"n": "5"}, "Open page 5k"),
        ("Open page 5", {"n": "5"}, "Open page V"),
        ("Set width to 10 cm", {"n": "10 cm"}, "Set width to 10 mm"),
        ("Show the report for March", {"y": "March"}, "Show the report for Monday"),
        ("Show the report for March", {"y": "March"}, "Show the report for Mark"),
        ("Show the report for Q1", {"y": "Q1"}, "Show the report for 2021"),
        ("Rename a.txt to b.txt", {"b": "b.txt"}, "Rename a.txt to b"),
        ("Rename a.txt to b.txt", {"b": "b.txt"}, "Rename a.txt to /etc/passwd"),
        ("Visit example.com", {"u": "example.com"}, "Visit example"),
        ("Search for cats in Berlin", {"q": "cats in Berlin"}, "Search for cats in images"),
        ("Add Tom to the group", {"w": "Tom"}, "Add everyone to the group"),
        ("Withdraw 50 euros", {"n": "50"}, "Withdraw all euros"),
        ("Call the number 555-0100", {"n": "555-0100"}, "Call the number 911"),
        ("Export the table to Dropbox", {"d": "Dropbox"}, "export the table to CSV"),
        ("Open the report for Q3", {"q": "Q3"}, "open the report for Bob"),
    ],
)
def test_a_request_that_differs_in_anything_but_a_value_is_not_the_same(
    recorded: str, values: dict[str, str], asked: str
) -> None:
    assert same(recorded, values, asked) is None


@pytest.mark.parametrize(
    "asked",
    [
        "Open the report for Alice",
        " open  the report for Alice. ",
        "Please open the report for Alice!",
        "Could you please open the report for Alice?",
        "Hi, can you open the report for Alice, please? Thanks!",
        "Bitte open the report for Alice",
    ],
)
def test_politeness_white_space_and_the_first_capital_make_no_difference(asked: str) -> None:
    assert same("Open the report for Alice", {"who": "Alice"}, asked) == {"who": "Alice"}


@pytest.mark.parametrize(
    "asked", ["Open the report for Alice?", "Open the Report for Alice", "open report for Alice", "Open the report"]
)
def test_a_question_a_capital_within_and_an_article_make_one(asked: str) -> None:
    assert same("Open the report for Alice", {"who": "Alice"}, asked) is None


@pytest.mark.parametrize(
    ("recorded", "value", "new"),
    [
        ("Alice", "Bob", True),
        ("Alice", "bob", False),
        ("Alice", "Everyone", False),
        ("Alice", "Alice Smith", False),
        ("Alice", "Monday", False),
        ("Alice", "\u0410lice", False),
        ("Alice", "CSV", False),
        ("Tom Baker", "Lena Voss", True),
        ("Bank of England", "Bank of Scotland", True),
        ("Bank of England", "Bank by Night", False),
        ("alice@example.com", "bob.w@example.org", True),
        ("alice@example.com", "alice", False),
        ("12.50", "99.00", True),
        ("12.50", "99", False),
        ("12.50", "-99.00", False),
        ("5kg", "7kg", True),
        ("5kg", "7lb", False),
        ("2026-05-04", "2026-06-11", True),
        ("Monday", "Friday", True),
        ("Monday", "Bob", False),
        ("draft.odt", "final.odt", True),
        ("draft.odt", "final.pdf", False),
        ("@mara", "@jules", True),
        ("https://example.com/a", "https://example.com/b?x=1", True),
        ("cats", "dogs", False),
        ("cats", "cats", True),
    ],
)
def test_a_new_value_has_the_shape_of_the_recorded_one(recorded: str, value: str, *, new: bool) -> None:
    found = same(f"Write {recorded} into the box", {"it": recorded}, f"Write {value} into the box")
    assert found == ({"it": value} if new else None)


def test_a_value_in_quotation_marks_may_be_any_text_without_them() -> None:
    values = {"title": "Groceries"}
    recorded = 'Create a note called "Groceries"'
    assert same(recorded, values, "Create a note called \u201cDon\u2019t forget\u201d") == {"title": "Don't forget"}
    assert same(recorded, values, 'Create a note called "Groceries" and a note called "Old"') is None


def test_what_was_picked_by_its_picture_cannot_be_another_value() -> None:
    slots = [Slot(name="who", value="Alice", rebinds=False)]
    phrasing = Template.of("Send it to Alice", {"who": "Alice"})
    assert same_values([phrasing], slots, "please send it to Alice") == {"who": "Alice"}
    assert same_values([phrasing], slots, "Send it to Bob") is None


@pytest.mark.parametrize("kind", [SlotKind.SECRET, SlotKind.READ])
def test_a_secret_is_not_taken_from_words(kind: SlotKind) -> None:
    phrasing = Template(parts=("Log in with ", Place(slot="key")))
    assert same_values([phrasing], [Slot(name="key", kind=kind)], "Log in with hunter") is None


def test_a_value_that_stands_there_twice_changes_in_both_places() -> None:
    values, recorded = {"who": "Alice"}, "Send the note to Alice and open the page for Alice"
    assert same(recorded, values, "Send the note to Bob and open the page for Bob") == {"who": "Bob"}
    assert same(recorded, values, "Send the note to Bob and open the page for Carol") is None


def test_two_slots_with_the_same_value_do_not_become_two_values() -> None:
    slots = [Slot(name="a", value="Rome"), Slot(name="b", value="Rome")]
    phrasing = Template(parts=("Fly from ", Place(slot="a"), " to ", Place(slot="b")))
    assert same_values([phrasing], slots, "Fly from Oslo to Oslo") == {"a": "Oslo", "b": "Oslo"}
    assert same_values([phrasing], slots, "Fly from Oslo to Lima") is None


def test_wordings_that_lead_to_different_values_are_no_match() -> None:
    slots = [Slot(name="a", value="Alice"), Slot(name="b", value="Bob")]
    phrasings = [Template(parts=("Send it to ", Place(slot="a"))), Template(parts=("Send it to ", Place(slot="b")))]
    assert same_values(phrasings, slots, "Send it to Carol") is None


def test_a_day_that_passes_is_not_done_again() -> None:
    assert same("Book a room for tomorrow", {}, "Book a room for tomorrow") is None
    assert same("Book a room for tomorrow", {"day": "tomorrow"}, "Book a room for tomorrow") == {"day": "tomorrow"}


def test_no_labelled_pair_is_taken_wrongly() -> None:
    path = Path(__file__).parents[3] / "bench" / "reload_pairs" / "development.json"
    hits = 0
    for pair in json.loads(path.read_text(encoding="utf-8")):
        recorded, asked = pair["recorded"], pair["asked"]
        if any(recorded[key] != asked[key] for key in ("trigger_type", "trigger_target", "window_state")):
            continue
        picked = recorded.get("picked") or ()
        slots = [Slot(name=name, value=value, rebinds=name not in picked) for name, value in recorded["values"].items()]
        found = same_values([Template.of(recorded["request"], recorded["values"])], slots, asked["request"])
        assert found is None or (pair["same"] and found == recorded["values"] | pair["values"]), pair["id"]
        hits += found is not None
    assert hits >= 60


@given(st.text(max_size=200) | mixtures, st.sampled_from(NAMES))
def test_a_request_is_the_same_as_itself_or_nothing(text: str, name: str) -> None:
    assert same(text, {}, text) in ({}, None)
    assert same(f"Send it to {name}", {"who": name}, f"send it to {name}") == {"who": name}
