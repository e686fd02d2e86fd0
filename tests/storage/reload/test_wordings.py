"""What is found by words is what a look at each would find."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from core.reload.entry import Origin
from core.reload.ports import Keys
from storage.reload.entries import SqlEntries
from tests.fakes.reload_entries import GATE, SetClock, draft

if TYPE_CHECKING:
    from storage.database import Database

WORDS = [f"word{number}" for number in range(9)]


@pytest.fixture
def entries(opened: Database, owner: str, clock: SetClock) -> SqlEntries:
    return SqlEntries(opened, owner, clock=clock)


def _keep(entries: SqlEntries, *wordings: frozenset[str]) -> str:
    name = " ".join(sorted({word for words in wordings for word in words}))
    return entries.keep(draft(name), Keys(GATE, frozenset({name}), wordings)).id


def test_each_set_of_words_that_a_request_holds_is_found_and_no_other(entries: SqlEntries, clock: SetClock) -> None:
    chosen = random.Random(7)
    sets = [frozenset(words) for size in range(1, 4) for words in combinations(WORDS, size)]
    kept = {words: _keep(entries, words) for words in chosen.sample(sets, 60)}
    for _ in range(8):
        clock.move(minutes=1)
        asked = frozenset(chosen.sample(WORDS, chosen.randrange(1, 7)))
        found = entries.candidates(GATE, asked, 100)
        assert {entry.id for entry in found} == {kept[words] for words in kept if words <= asked}
        assert [entry.id for entry in entries.candidates(GATE, asked, 2)] == [entry.id for entry in found[:2]]
        if found:
            oldest = found[-1].id
            entries.begin_use(oldest, "job")
            assert entries.candidates(GATE, asked, 100)[0].id == oldest


def test_a_long_request_that_could_hold_anything_finds_what_it_holds(entries: SqlEntries) -> None:
    for number in range(30):
        _keep(entries, frozenset({"open", f"other{number}"}))
    kept = _keep(entries, frozenset({"open", "report"}))
    for number in range(30, 40):
        _keep(entries, frozenset({"open", f"other{number}"}))
    # More words than a signature has bits, and many that are filed under none of its own.
    asked = {f"long{number}" for number in range(12_000)} | {"open", "report"}
    assert [entry.id for entry in entries.candidates(GATE, asked, 1)] == [kept]


def test_what_is_forgotten_leaves_the_other_entries_of_its_words(entries: SqlEntries) -> None:
    words = Keys(GATE, frozenset({"open it"}), (frozenset({"open"}), frozenset({"show"})))
    first, second = (entries.keep(draft(origin=Origin(name=name)), words).id for name in ("one", "other"))
    assert [entry.id for entry in entries.candidates(GATE, {"show"}, 9)] == [second, first]
    entries.forget(second)
    assert [entry.id for entry in entries.candidates(GATE, {"show"}, 9)] == [first]
    entries.forget(first)
    assert entries.candidates(GATE, {"show", "open"}, 9) == []


def test_words_of_any_letters_are_found(entries: SqlEntries) -> None:
    kept = _keep(entries, frozenset({"öffne", "报告", "nul\0", "%", "'", "half\ud800"[:4]}))
    assert [entry.id for entry in entries.candidates(GATE, {"öffne", "报告", "nul\0", "%", "'", "half"}, 9)] == [kept]


def test_what_has_no_wording_is_known_by_its_origin(entries: SqlEntries) -> None:
    silent = Keys(GATE, frozenset(), ())
    first = entries.keep(draft(origin=Origin(name="import 1f")), silent)
    again = entries.keep(draft(origin=Origin(name="import 1f")), silent)
    other = entries.keep(draft(origin=Origin(name="import 2e")), silent)
    assert (again.id, again.version) == (first.id, 2)
    assert other.id != first.id
    assert entries.candidates(GATE, {"open"}, 9) == []
    assert {entry.id for entry in entries.newest(9)} == {first.id, other.id}
