"""By what entries are found: their gate, their exact keys and the words that they share with a request."""

from __future__ import annotations

import json
import math
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.reload.entry_keys import keys_of
from storage.schema import RELOAD_ENTRIES, RELOAD_KEYS, RELOAD_PHRASINGS, RELOAD_TERMS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from core.reload.entry import Origin
    from core.reload.ports import Keys
    from storage.reload.rows import EntryReader


FORM: Final = "terms-1"
"""Changes when words are cut otherwise."""
_LENGTH: Final = 5
"""Letters of a word that are compared: "send" and "sends", "schicke" and "schicken" are the same term."""
_MOST_ROWS: Final = 4_000
"""Rows of the index that one look-up reads; a word that thousands of entries have tells none of them apart."""
_MOST_BOUND: Final = 1_000
"""Terms in one statement."""
_TERMS: Final = RELOAD_TERMS.c


def file_terms(connection: sa.Connection, gate: str, entry: int, keys: Keys) -> None:
    """Have an entry found by the words of its requests."""
    words = {word for each in (*keys.phrasings, keys.values) for word in each}
    rows = [{"gate": gate, "term": term, "entry": entry} for term in sorted({_term(word) for word in words})]
    if rows:
        connection.execute(sa.insert(RELOAD_TERMS), rows)
    connection.execute(sa.insert(RELOAD_PHRASINGS).values(entry=entry, words=json.dumps(keys.phrasings)))


def unfile_terms(connection: sa.Connection, entries: Collection[int]) -> None:
    """Have entries not found by words any more."""
    connection.execute(sa.delete(RELOAD_TERMS).where(_TERMS.entry.in_(entries)))
    connection.execute(sa.delete(RELOAD_PHRASINGS).where(RELOAD_PHRASINGS.c.entry.in_(entries)))


def read_phrasings(connection: sa.Connection, entries: Collection[int]) -> dict[int, list[list[str]]]:
    """The words of each request of these entries."""
    rows = connection.execute(sa.select(RELOAD_PHRASINGS).where(RELOAD_PHRASINGS.c.entry.in_(entries)))
    return {row.entry: json.loads(row.words) for row in rows}


def find_nearest(connection: sa.Connection, gate: str, words: Mapping[str, float], limit: int) -> Sequence[int]:
    """The numbers of the entries that share most with these words, the nearest first.

    Args:
        connection: to the database.
        gate: as it is kept.
        words: each with how much it counts.
        limit: how many entries.

    """
    weights: dict[str, float] = {}
    for word, weight in words.items():
        weights[_term(word)] = max(weight, weights.get(_term(word), 0.0))
    wanted = sorted(weights, key=lambda term: -weights[term])[:_MOST_BOUND]
    counted = sa.select(_TERMS.term, sa.func.count().label("entries")).where(
        _TERMS.gate == gate, _TERMS.term.in_(wanted)
    )
    counts = {row.term: row.entries for row in connection.execute(counted.group_by(_TERMS.term))}
    rare: list[str] = []
    rows = 0
    for term in sorted(counts, key=lambda each: (counts[each], each)):
        rows += counts[term]
        if rare and rows > _MOST_ROWS:
            break
        rare.append(term)
    found = sa.select(_TERMS.entry, _TERMS.term).where(_TERMS.gate == gate, _TERMS.term.in_(rare))
    scores: dict[int, float] = {}
    # The newest of those that share one word with everything.
    for row in connection.execute(found.order_by(_TERMS.entry.desc()).limit(2 * _MOST_ROWS)):
        scores[row.entry] = scores.get(row.entry, 0.0) + weights[row.term] / math.log2(1 + counts[row.term])
    return sorted(scores, key=lambda entry: (-scores[entry], -entry))[:limit]


def _term(word: str) -> str:
    return word.replace("\0", "")[:_LENGTH]  # PostgreSQL keeps no NUL


_KEYS: Final = RELOAD_KEYS.c


class EntryIndex:
    """The index of one installation's entries.

    Args:
        owner: the installation.

    """

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def gate(self, gate: str) -> str:
        """A gate as it is kept."""
        return self._digest("gate", gate)

    def origin(self, origin: Origin) -> str:
        """Where an entry comes from, as it is kept: without the revision, for the newer one replaces the older one."""
        return self._digest("origin", origin.kind, origin.name)

    def file(self, connection: sa.Connection, number: int, keys: Keys) -> None:
        """Have an entry found by these, and nothing else."""
        self.remove(connection, [number])
        rows = [{"key": self._digest("key", keys.gate, key), "entry": number} for key in keys.exact]
        if rows:
            connection.execute(sa.insert(RELOAD_KEYS), rows)
        self.file_words(connection, number, self.gate(keys.gate), keys)

    def file_words(self, connection: sa.Connection, number: int, gate: str, keys: Keys) -> None:
        """Have an entry found by the words of these keys; ``gate`` as it is kept."""
        unfile_terms(connection, [number])
        file_terms(connection, gate, number, keys)
        filed = sa.update(RELOAD_ENTRIES).where(RELOAD_ENTRIES.c.number == number)
        connection.execute(filed.values(forms=FORM))

    def remove(self, connection: sa.Connection, numbers: Collection[int]) -> None:
        """Have entries not found any more."""
        connection.execute(sa.delete(RELOAD_KEYS).where(_KEYS.entry.in_(numbers)))
        unfile_terms(connection, numbers)

    def keyed(self, connection: sa.Connection, gate: str, exact: Collection[str]) -> Sequence[int]:
        """The numbers of the entries of any of those exact keys."""
        digests = [self._digest("key", gate, key) for key in exact]
        return connection.execute(sa.select(_KEYS.entry).where(_KEYS.key.in_(digests)).distinct()).scalars().all()

    def nearest(self, connection: sa.Connection, gate: str, words: Mapping[str, float], limit: int) -> Sequence[int]:
        """The numbers of the entries behind a gate that share most with these words, the nearest first."""
        return find_nearest(connection, self.gate(gate), words, limit)

    def _digest(self, *parts: str) -> str:
        return sha256(json.dumps([self._owner, *parts]).encode()).hexdigest()


_AT_ONCE: Final = 100
"""Entries in one transaction: others write in between."""
_ROWS: Final = RELOAD_ENTRIES.c


def refile(
    read: Callable[[], AbstractContextManager[sa.Connection]],
    write: Callable[[], AbstractContextManager[sa.Connection]],
    owner: str,
    reader: EntryReader,
    index: EntryIndex,
) -> int:
    """File the owner's entries that are not filed by their words yet; returns how many.

    Args:
        read: begins a transaction.
        write: begins an exclusive write transaction.
        owner: the installation.
        reader: of its entries; what cannot be read stays as it is.
        index: of its entries.

    """
    is_other = sa.or_(_ROWS.forms.is_(None), _ROWS.forms != FORM)
    conditions = (_ROWS.owner == owner, _ROWS.set_aside.is_(False), is_other)
    with read() as connection:
        numbers = connection.execute(sa.select(_ROWS.number).where(*conditions).order_by(_ROWS.number)).scalars().all()
    filed = 0
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        with write() as connection:
            rows = connection.execute(sa.select(RELOAD_ENTRIES).where(*conditions, _ROWS.number.in_(some))).all()
            by_id = {f"reload-{row.number}": row for row in rows}
            for entry in reader.entries(connection, rows):
                row = by_id[entry.id]
                index.file_words(connection, row.number, row.gate, keys_of(entry))
                filed += 1
    return filed
