"""Looks entries up by the words that they share with a request; those with the rarest words first."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.schema import RELOAD_TERMS, RELOAD_WORDINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.reload.ports import Keys

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
    words = {word for each in (*keys.wordings, keys.values) for word in each}
    rows = [{"gate": gate, "term": term, "entry": entry} for term in sorted({_term(word) for word in words})]
    if rows:
        connection.execute(sa.insert(RELOAD_TERMS), rows)
    connection.execute(sa.insert(RELOAD_WORDINGS).values(entry=entry, words=json.dumps(keys.wordings)))


def unfile_terms(connection: sa.Connection, entries: Collection[int]) -> None:
    """Have entries not found by words any more."""
    connection.execute(sa.delete(RELOAD_TERMS).where(_TERMS.entry.in_(entries)))
    connection.execute(sa.delete(RELOAD_WORDINGS).where(RELOAD_WORDINGS.c.entry.in_(entries)))


def read_wordings(connection: sa.Connection, entries: Collection[int]) -> dict[int, list[list[str]]]:
    """The words of each request of these entries."""
    rows = connection.execute(sa.select(RELOAD_WORDINGS).where(RELOAD_WORDINGS.c.entry.in_(entries)))
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
