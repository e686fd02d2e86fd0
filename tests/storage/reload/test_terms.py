"""Entries are looked up by the words that they share with a request."""

import pytest

from core.reload.entry import Origin
from core.reload.ports import Keys
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from tests.fakes.reload.entries import GATE, SetClock, draft


@pytest.fixture
def entries(opened: Database, owner: str, clock: SetClock) -> SqlEntryStore:
    return SqlEntryStore(opened, owner, clock=clock)


def _keep(entries: SqlEntryStore, *phrasings: str, origin: str = "") -> str:
    keys = Keys(GATE, frozenset(phrasings), tuple(tuple(each.split()) for each in phrasings))
    return entries.keep(draft(phrasings[0], origin=Origin(kind="workflow", name=origin or phrasings[0])), keys).id


def _near(entries: SqlEntryStore, words: str, limit: int = 9) -> list[str]:
    return [each.entry_id for each in entries.nearest(GATE, dict.fromkeys(words.split(), 1.0), limit)]


def test_those_that_share_rarer_words_come_first(entries: SqlEntryStore) -> None:
    others = [_keep(entries, f"open the box{number:03}") for number in range(20)]
    wanted = _keep(entries, "open the archive")
    assert _near(entries, "please open the archive")[0] == wanted
    assert set(_near(entries, "open", 30)) == {*others, wanted}


def test_another_form_of_a_word_is_the_same_term(entries: SqlEntryStore) -> None:
    kept = _keep(entries, "schicke den bericht")
    assert _near(entries, "kannst du die berichte schicken") == [kept]


def test_a_word_counts_as_much_as_it_is_given(entries: SqlEntryStore) -> None:
    purchase, throw = _keep(entries, "purchase milk"), _keep(entries, "throw milk")
    found = entries.nearest(GATE, {"milk": 1.0, "purchase": 0.7, "throw": 0.1}, 9)
    assert [each.entry_id for each in found] == [purchase, throw]


def test_words_of_any_letters_and_a_request_of_thousands_of_words_are_looked_up(entries: SqlEntryStore) -> None:
    kept = _keep(entries, "öffne 报告 nul\0 % '")
    assert _near(entries, "öffne") == _near(entries, "报告") == _near(entries, "%") == [kept]
    long = {f"{number:05}": 0.5 for number in range(12_000)} | {"öffne": 1.0}
    assert [each.entry_id for each in entries.nearest(GATE, long, 9)] == [kept]


def test_what_is_forgotten_leaves_the_other_entries_of_its_words(entries: SqlEntryStore) -> None:
    first, second = _keep(entries, "open it", origin="one"), _keep(entries, "open it now", origin="other")
    entries.forget(second)
    assert _near(entries, "open it now") == [first]


def test_what_was_recorded_of_a_workflow_is_found_by_it_the_last_used_first(
    entries: SqlEntryStore, clock: SetClock
) -> None:
    first = _keep(entries, "open it", origin="mine")
    clock.move(minutes=1)
    second = _keep(entries, "open that", origin="mine")
    _keep(entries, "open it", origin="another")
    found = entries.of_origin(GATE, Origin(kind="workflow", name="mine", revision="any"), 9)
    assert [entry.id for entry in found] == [second, first]
    assert entries.of_origin("app_click", Origin(kind="workflow", name="mine"), 9) == []


def test_what_has_no_wording_is_known_by_its_origin(entries: SqlEntryStore) -> None:
    silent = Keys(GATE, frozenset(), ())
    first = entries.keep(draft(origin=Origin(name="import 1f")), silent)
    again = entries.keep(draft(origin=Origin(name="import 1f")), silent)
    other = entries.keep(draft(origin=Origin(name="import 2e")), silent)
    assert (again.id, again.version) == (first.id, 2)
    assert other.id != first.id
    assert _near(entries, "open") == []
