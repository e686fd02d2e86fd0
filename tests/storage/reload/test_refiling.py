"""Entries are found by words as they are known now, whatever they were when the entries were kept."""

import pytest
import sqlalchemy as sa

from core.reload.entry_keys import keys_of
from core.reload.requests import words
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from storage.reload.index import FORM
from storage.schema import RELOAD_DOCUMENTS, RELOAD_ENTRIES, RELOAD_TERMS
from tests.fakes.reload.entries import SetClock, draft


@pytest.fixture
def entries(opened: Database, owner: str, clock: SetClock) -> SqlEntryStore:
    return SqlEntryStore(opened, owner, clock=clock)


def _keep(entries: SqlEntryStore, request: str) -> str:
    kept = draft(request)
    return entries.keep(kept, keys_of(kept)).id


def _found(entries: SqlEntryStore, request: str) -> list[str]:
    gate = keys_of(draft(request)).gate
    return [each.entry_id for each in entries.nearest(gate, dict.fromkeys(words(request), 1.0), 500)]


def _have_filed_otherwise(database: Database, owner: str, forms: str | None) -> None:
    """As if words had been known in those forms, in which nobody asks any more."""
    own = sa.select(RELOAD_ENTRIES.c.number).where(RELOAD_ENTRIES.c.owner == owner)
    with database.write() as connection:
        connection.execute(sa.delete(RELOAD_TERMS).where(RELOAD_TERMS.c.entry.in_(own)))
        connection.execute(sa.update(RELOAD_ENTRIES).where(RELOAD_ENTRIES.c.owner == owner).values(forms=forms))


@pytest.mark.parametrize(("forms", "count"), [("older", 110), (None, 1)])
def test_what_was_filed_in_other_forms_of_its_words_is_found_again(
    opened: Database, owner: str, clock: SetClock, forms: str | None, count: int
) -> None:
    entries = SqlEntryStore(opened, owner, clock=clock)
    kept = [_keep(entries, f"Open the report of room{number}") for number in range(count)]
    _have_filed_otherwise(opened, owner, forms)
    assert _found(entries, "show me the report of room0") == []
    again = SqlEntryStore(opened, owner, clock=clock)
    assert set(_found(again, "show me the report of room0")) == set(kept)


def test_what_was_filed_in_these_forms_is_not_filed_again(
    opened: Database, owner: str, clock: SetClock, entries: SqlEntryStore
) -> None:
    _keep(entries, "Open the report")
    _have_filed_otherwise(opened, owner, FORM)
    assert _found(SqlEntryStore(opened, owner, clock=clock), "open the report") == []


def test_what_cannot_be_read_keeps_nothing_else_from_being_filed(
    opened: Database, owner: str, clock: SetClock, entries: SqlEntryStore
) -> None:
    broken, kept = _keep(entries, "Open the letter"), _keep(entries, "Open the report")
    number = int(broken.removeprefix("reload-"))
    with opened.write() as connection:
        of_it = RELOAD_DOCUMENTS.c.entry == number
        connection.execute(sa.update(RELOAD_DOCUMENTS).where(of_it).values(document="{"))
    _have_filed_otherwise(opened, owner, "older")
    assert _found(SqlEntryStore(opened, owner, clock=clock), "show the report") == [kept]


def test_what_others_filed_is_left_to_them(
    opened: Database, owner: str, clock: SetClock, entries: SqlEntryStore
) -> None:
    _keep(entries, "Open the report")
    _have_filed_otherwise(opened, owner, "older")
    SqlEntryStore(opened, f"another {owner}"[:128], clock=clock)
    assert _found(entries, "open the report") == []
