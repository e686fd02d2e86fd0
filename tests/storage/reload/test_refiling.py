"""Entries are found by words as they are known now, whatever they were when the entries were kept."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from core.reload.matching.forms import word_forms
from core.reload.matching.keys import keys_of, question_keys
from core.reload.offers import Question
from storage.reload.entries import SqlEntries
from storage.schema import RELOAD_DOCUMENTS, RELOAD_ENTRIES, RELOAD_WORDED
from tests.fakes.reload_entries import SetClock, draft

if TYPE_CHECKING:
    from storage.database import Database


@pytest.fixture
def entries(opened: Database, owner: str, clock: SetClock) -> SqlEntries:
    return SqlEntries(opened, owner, clock=clock)


def _keep(entries: SqlEntries, request: str) -> str:
    kept = draft(request)
    return entries.keep(kept, keys_of(kept)).id


def _found(entries: SqlEntries, request: str) -> list[str]:
    gate, _, words = question_keys(Question(request=request))
    return [entry.id for entry in entries.candidates(gate, words[0], 500)]


def _have_filed_otherwise(database: Database, owner: str, forms: str | None) -> None:
    """As if words had been known in those forms, in which nobody asks any more."""
    own = sa.select(RELOAD_ENTRIES.c.number).where(RELOAD_ENTRIES.c.owner == owner)
    with database.write() as connection:
        connection.execute(sa.delete(RELOAD_WORDED).where(RELOAD_WORDED.c.entry.in_(own)))
        connection.execute(sa.update(RELOAD_ENTRIES).where(RELOAD_ENTRIES.c.owner == owner).values(forms=forms))


@pytest.mark.parametrize(("forms", "count"), [("older", 110), (None, 1)])
def test_what_was_filed_in_other_forms_of_its_words_is_found_again(
    opened: Database, owner: str, clock: SetClock, forms: str | None, count: int
) -> None:
    entries = SqlEntries(opened, owner, clock=clock)
    kept = [_keep(entries, f"Open the report of room{number}") for number in range(count)]
    _have_filed_otherwise(opened, owner, forms)
    assert _found(entries, "show me the report of room0") == []
    again = SqlEntries(opened, owner, clock=clock)
    assert [_found(again, f"show me the report of room{number}") for number in range(count)] == [
        [each] for each in kept
    ]


def test_what_was_filed_in_these_forms_is_not_filed_again(
    opened: Database, owner: str, clock: SetClock, entries: SqlEntries
) -> None:
    _keep(entries, "Open the report")
    _have_filed_otherwise(opened, owner, word_forms())
    assert _found(SqlEntries(opened, owner, clock=clock), "open the report") == []


def test_what_cannot_be_read_keeps_nothing_else_from_being_filed(
    opened: Database, owner: str, clock: SetClock, entries: SqlEntries
) -> None:
    broken, kept = _keep(entries, "Open the letter"), _keep(entries, "Open the report")
    number = int(broken.removeprefix("reload-"))
    with opened.write() as connection:
        of_it = RELOAD_DOCUMENTS.c.entry == number
        connection.execute(sa.update(RELOAD_DOCUMENTS).where(of_it).values(document="{"))
    _have_filed_otherwise(opened, owner, "older")
    assert _found(SqlEntries(opened, owner, clock=clock), "show the report") == [kept]


def test_what_others_filed_is_left_to_them(opened: Database, owner: str, clock: SetClock, entries: SqlEntries) -> None:
    _keep(entries, "Open the report")
    _have_filed_otherwise(opened, owner, "older")
    SqlEntries(opened, f"another {owner}"[:128], clock=clock)
    assert _found(entries, "open the report") == []


def test_the_forms_of_words_are_the_same_in_each_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", "from core.reload.matching.forms import word_forms; print(word_forms())"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {word_forms()}
