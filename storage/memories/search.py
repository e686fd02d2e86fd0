"""Looking procedures up by their terms, in a time that does not grow with their number, and by their vectors.

What few procedures hold is ranked by ``bm25``. What many hold would take a second at a million, for each hit is
weighed: of such, those that hold all of it are taken newest first, in bands of time, until there are enough or the time
is up.
"""

from __future__ import annotations

import heapq
import json
import sys
import time
from array import array
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from core.recall.meaning import MOST_VECTORS, Near
from core.recall.ports import Found, Span, Wanted
from core.recall.terms import Fields

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence


RANKED: Final = """
    SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rank LIMIT ?
"""
STREAMED: Final = """
    SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?
"""
FIELDS: Final = """
    SELECT number, summary, steps, places, texts FROM procedures WHERE number IN (SELECT value FROM json_each(?))
"""
COUNTS: Final = "SELECT term, documents FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"
DOCUMENTS: Final = "SELECT number, document FROM procedures WHERE number IN (SELECT value FROM json_each(?))"
EXTENT: Final = """
    SELECT (SELECT value FROM facts WHERE name = 'procedures'),
        (SELECT min(number) FROM procedures), (SELECT max(number) FROM procedures)
"""
BEGINS: Final = """
    SELECT term, documents FROM vocabulary WHERE term > ? AND term < ? AND is_word ORDER BY term LIMIT ?
"""
SPELT: Final = """
    SELECT term, documents FROM vocabulary WHERE number IN (SELECT rowid FROM spellings WHERE spellings MATCH ?)
        AND length(term) BETWEEN ? AND ? LIMIT ?
"""
_WEIGHED: Final = 2_000
"""So many hits may be ranked: some milliseconds."""
_SECONDS: Final = 0.015
_ENOUGH: Final = 24
_BAND: Final = 8_000
"""Of about so many procedures the newest are looked through first."""
_FIRST, _LAST = -(2**62), 2**62
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HIGHEST: Final = "\U0010ffff"
_TRIGRAM: Final = 3
_FEW: Final = 2
_LONGEST: Final = 64


def milliseconds(moment: datetime) -> int:
    """Since 1970."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def found(
    connection: sqlite3.Connection, groups: Sequence[Sequence[Wanted]], span: Span | None, limit: int
) -> list[Found]:
    """As ``Memories.find``."""
    first, last = (milliseconds(span.since), milliseconds(span.until) - 1) if span else (_FIRST, _LAST)
    groups = [group for group in groups if group]
    numbers: dict[int, None] = {}
    cheap = _cheap(groups)
    if cheap:
        whole = [group for group in groups if not all(each in cheap for each in group)]
        if whole:
            expression = f"({_any(cheap)}) AND {_all(whole)}"
            # ``bm25`` would count the frequent ones out: not here.
            numbers.update(dict.fromkeys(_numbers(connection, STREAMED, expression, first, last, limit)))
        numbers.update(dict.fromkeys(_numbers(connection, RANKED, _any(cheap), first, last, limit)))
    if len(numbers) < _ENOUGH:
        numbers.update(dict.fromkeys(_common(connection, groups, first, last, limit)))
    return _read_fields(connection, list(numbers)[: 2 * limit])


def longer(connection: sqlite3.Connection, term: str, limit: int) -> dict[str, int]:
    """As ``Memories.longer_terms``."""
    return dict(connection.execute(BEGINS, (term, term + _HIGHEST, limit)).fetchall())


def similar(connection: sqlite3.Connection, term: str, limit: int) -> dict[str, int]:
    """As ``Memories.similar_terms``."""
    if len(term) < _TRIGRAM:
        return {}
    length = len(term)
    alike: dict[str, int] = {}
    # To rank by what is in common would weigh a great part of the vocabulary for each word that is not in it.
    for part, shortest, longest in (
        (term, length + 1, _LONGEST),
        (term[: max(_TRIGRAM, length // 2)], length - _FEW, length + _FEW),
        (term[-max(_TRIGRAM, length // 2) :], length - _FEW, length + _FEW),
    ):
        alike.update(connection.execute(SPELT, (_holding(part), shortest, longest, limit)).fetchall())
    alike.pop(term, None)
    return alike


def _cheap(groups: Sequence[Sequence[Wanted]]) -> list[Wanted]:
    """The rarest, as many as can be ranked."""
    chosen: list[Wanted] = []
    weighed = 0
    for each in sorted({each for group in groups for each in group}, key=lambda each: each.documents):
        weighed += each.documents
        if weighed > _WEIGHED:
            break
        chosen.append(each)
    return chosen


def _common(
    connection: sqlite3.Connection, groups: Sequence[Sequence[Wanted]], first: int, last: int, limit: int
) -> Iterator[int]:
    """Those that hold all groups, then all but the most frequent one, and so on; the newest first."""
    deadline = time.monotonic() + _SECONDS
    wanted = sorted(groups, key=lambda group: sum(each.documents for each in group))
    seen = 0
    while wanted and seen < _ENOUGH:
        expression = _all(wanted)
        for since, until in _bands(connection, first, last):
            for number in _numbers(connection, STREAMED, expression, since, until, limit - seen):
                seen += 1
                yield number
            if seen >= _ENOUGH or time.monotonic() > deadline:
                break
        if time.monotonic() > deadline:
            return
        wanted.pop()


def _bands(connection: sqlite3.Connection, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Stretches of time, the newest first, each longer than the one before; one where there are few procedures.

    To count out how many each holds would take longer than to search them.
    """
    total, oldest, newest = connection.execute(EXTENT).fetchone()
    first, last = max(first, oldest or 0), min(last, newest or 0)
    parts = [_BAND / total, 4 * _BAND / total, 16 * _BAND / total, 64 * _BAND / total] if total > _BAND else []
    length = last - first
    for part in parts:
        begin = last - round(part * length)
        if begin <= first:
            break
        yield begin, last
        last = begin - 1
    yield first, last


def _numbers(connection: sqlite3.Connection, query: str, *values: object) -> list[int]:
    return [number for (number,) in connection.execute(query, values)]


def _read_fields(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[Found]:
    return [Found(row[0], Fields(*row[1:])) for row in connection.execute(FIELDS, (json.dumps(numbers),))]


def _all(groups: Sequence[Sequence[Wanted]]) -> str:
    return " AND ".join(f"({_any(group)})" for group in groups)


def _any(wanted: Sequence[Wanted]) -> str:
    return " OR ".join(_phrase(each.terms) for each in wanted)


def _holding(part: str) -> str:
    """The trigrams of a part of a word, all of them."""
    return " AND ".join(f'"{part[place : place + _TRIGRAM]}"' for place in range(len(part) - _TRIGRAM + 1))


def _phrase(terms: Sequence[str]) -> str:
    return '"' + " ".join(terms).replace('"', '""') + '"'


MISSING: Final = """
    SELECT document FROM procedures WHERE number IN (
        SELECT number FROM (SELECT number FROM procedures ORDER BY number DESC LIMIT ?) AS newest
        WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.number = newest.number AND model = ?)
        ORDER BY number DESC LIMIT ?
    ) ORDER BY number DESC
"""
VECTORS: Final = """
    SELECT number, vector FROM vectors WHERE number BETWEEN ? AND ? AND model = ? AND dimension = ?
    ORDER BY number DESC LIMIT ?
"""
_ADD: Final = """
    INSERT OR REPLACE INTO vectors (number, model, dimension, vector)
    SELECT number, ?, ?, ? FROM procedures WHERE id = ?
"""
_CHUNK: Final = 8_192


def missing(connection: sqlite3.Connection, model: str, limit: int) -> list[str]:
    """The documents of those without a vector."""
    return [document for (document,) in connection.execute(MISSING, (MOST_VECTORS, model, limit))]


def add(connection: sqlite3.Connection, model: str, vectors: Mapping[str, Sequence[float]]) -> None:
    """As ``VectorMemories.add_vectors``."""
    connection.executemany(_ADD, ((model, len(vector), _packed(vector), id_) for id_, vector in vectors.items()))


def nearest(
    connection: sqlite3.Connection, model: str, vector: Sequence[float], span: Span | None, limit: int
) -> list[Near]:
    """As ``VectorMemories.nearest``."""
    # Only those who switched a model on pay for it.
    import numpy as np  # noqa: PLC0415 - see above

    first, last = (milliseconds(span.since), milliseconds(span.until) - 1) if span else (_FIRST, _LAST)
    asked = np.array(vector, dtype="<f4")
    rows = connection.execute(VECTORS, (first, last, model, len(vector), MOST_VECTORS))
    count = 0
    total = squares = 0.0
    best: list[tuple[float, int]] = []
    while chunk := rows.fetchmany(_CHUNK):
        numbers = [number for number, _ in chunk]
        likeness: Any = np.frombuffer(b"".join(blob for _, blob in chunk), dtype="<f4").reshape(len(chunk), -1) @ asked
        count += len(chunk)
        total += float(likeness.sum())
        squares += float((likeness.astype("f8") ** 2).sum())
        best = heapq.nlargest(limit, [*best, *zip(likeness.tolist(), numbers, strict=True)])
    if not count:
        return []
    mean = total / count
    deviation = max(squares / count - mean * mean, 1e-12) ** 0.5
    return [Near(number, (like - mean) / deviation) for like, number in best]


def _packed(vector: Sequence[float]) -> bytes:
    floats = array("f", vector)
    if sys.byteorder == "big":
        floats.byteswap()
    return floats.tobytes()
