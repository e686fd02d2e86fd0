"""Finds the sets of words that a request holds, among a hundred thousand, without looking at each.

Each distinct set of words behind a gate is one row, however many entries have it. It is filed under one of its words,
the one under which the fewest are, and with a signature: a bit for each word. A request looks under each of its own
words, passes by what has a bit that it has not, and compares the words of what is left.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from storage.schema import RELOAD_WORDED, RELOAD_WORDINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_BITS: Final = 63
_ALL: Final = (1 << _BITS) - 1
_NO_WORD: Final = 0
"""What a set without words is filed under."""
_AT_ONCE: Final = 8
"""Wordings whose entries one statement reads; always the same statement, for it takes longer to build than to run."""
_MOST_BOUND: Final = 10_000
"""Values in one statement; SQLite takes 32,766."""


def file_wordings(
    connection: sa.Connection, gate: str, entry: int, wordings: Iterable[frozenset[str]], last_used: str
) -> None:
    """Have the entry found by each of its sets of words."""
    for words in set(wordings):
        wording = _filed(connection, gate, words, last_used)
        row = {"entry": entry, "wording": wording, "last_used": last_used}
        connection.execute(sa.insert(RELOAD_WORDED).values(**row))


def unfile_wordings(connection: sa.Connection, entries: Collection[int]) -> None:
    """Have the entries not found any more."""
    worded, wordings = RELOAD_WORDED.c, RELOAD_WORDINGS.c
    theirs = worded.entry.in_(entries)
    touched = connection.execute(sa.select(worded.wording).where(theirs).distinct()).scalars().all()
    connection.execute(sa.delete(RELOAD_WORDED).where(theirs))
    is_used = sa.exists().where(worded.wording == wordings.number)
    for some in _parts(touched):
        connection.execute(sa.delete(RELOAD_WORDINGS).where(wordings.number.in_(some), ~is_used))


def touch_wordings(connection: sa.Connection, entry: int, last_used: str) -> None:
    """Note when the entry was used."""
    worded, wordings = RELOAD_WORDED.c, RELOAD_WORDINGS.c
    connection.execute(sa.update(RELOAD_WORDED).where(worded.entry == entry).values(last_used=last_used))
    its = sa.select(worded.wording).where(worded.entry == entry)
    older = sa.update(RELOAD_WORDINGS).where(wordings.number.in_(its), wordings.last_used < last_used)
    connection.execute(older.values(last_used=last_used))


def find_worded(connection: sa.Connection, gate: str, words: Collection[str], limit: int, since: str) -> Sequence[int]:
    """The numbers of entries with a set of words that are all among ``words``, none twice.

    Those used last, but no set of words crowds out another: from each its newest one is taken, then from each its
    second, and so on.
    """
    found = _contained(connection, gate, frozenset(words), limit, since)
    if not found:
        return []
    # Twice an equal part: what some have less of, others may fill.
    share = min(limit, 2 * (limit // len(found)) + 2)
    by_rank: list[list[tuple[str, int]]] = [[] for _ in range(share)]
    for start in range(0, len(found), _AT_ONCE):
        some = found[start : start + _AT_ONCE]
        bound: dict[str, Any] = {f"wording{at}": number for at, number in enumerate(some)}
        bound |= {f"wording{at}": -1 for at in range(len(some), _AT_ONCE)}
        ranks: dict[int, int] = {}
        for row in connection.execute(_NEWEST, {**bound, "since": since, "share": share}):
            rank = ranks[row.wording] = ranks.get(row.wording, -1) + 1
            by_rank[rank].append((row.last_used, row.entry))
    taken: dict[int, None] = {}
    for rank in by_rank:
        taken |= dict.fromkeys(entry for _, entry in sorted(rank, reverse=True))
    return list(taken)[:limit]


def _contained(connection: sa.Connection, gate: str, words: frozenset[str], limit: int, since: str) -> Sequence[int]:
    """The numbers of the sets that are contained in ``words``, used last first, at most ``limit``."""
    columns = RELOAD_WORDINGS.c
    hashes = {_hash(word) for word in words}
    missing = _ALL & ~_signature(hashes)
    found: list[tuple[str, int]] = []
    for keys in _parts([_NO_WORD, *hashes]):
        # Only what the index holds, and the newest of it: thousands may pass. Few of those are not contained.
        query = sa.select(columns.last_used, columns.number).where(
            columns.gate == gate,
            columns.key.in_(keys),
            columns.signature.bitwise_and(missing) == 0,
            columns.last_used >= since,
        )
        query = query.order_by(columns.last_used.desc(), columns.number.desc())
        wanted, offset, size = len(found) + limit, 0, 2 * limit
        while len(found) < wanted:
            page = connection.execute(query.limit(size).offset(offset)).all()
            numbers = [row.number for row in page]
            texts = sa.select(columns.number, columns.words).where(columns.number.in_(numbers))
            held = {row.number for row in connection.execute(texts) if words.issuperset(json.loads(row.words))}
            found += [(row.last_used, row.number) for row in page if row.number in held]
            if len(page) < size:
                break
            offset, size = offset + size, 4 * size
    return [number for _, number in sorted(found, reverse=True)[:limit]]


def _filed(connection: sa.Connection, gate: str, words: frozenset[str], last_used: str) -> int:
    """The number of that set of words, which is made if it is new."""
    columns = RELOAD_WORDINGS.c
    text = json.dumps(sorted(words))
    digest = sha256(f"{gate}\n{text}".encode()).hexdigest()
    number = connection.execute(sa.select(columns.number).where(columns.digest == digest)).scalar()
    if number is not None:
        newer = sa.update(RELOAD_WORDINGS).where(columns.number == number, columns.last_used < last_used)
        connection.execute(newer.values(last_used=last_used))
        return number
    hashes = {_hash(word) for word in words}
    row: Mapping[str, Any] = {
        "gate": gate,
        "digest": digest,
        "key": _emptiest(connection, gate, hashes),
        "signature": _signature(hashes),
        "words": text,
        "last_used": last_used,
    }
    return connection.execute(sa.insert(RELOAD_WORDINGS).values(**row).returning(columns.number)).scalar_one()


def _emptiest(connection: sa.Connection, gate: str, hashes: Collection[int]) -> int:
    """The word that the fewest sets are filed under."""
    columns = RELOAD_WORDINGS.c
    filed = dict.fromkeys(hashes, 0)
    for some in _parts(list(filed)):
        counted = sa.select(columns.key, sa.func.count().label("times")).where(
            columns.gate == gate, columns.key.in_(some)
        )
        filed |= {row.key: row.times for row in connection.execute(counted.group_by(columns.key))}
    return min(filed, key=lambda key: (filed[key], key), default=_NO_WORD)


def _hash(word: str) -> int:
    return int.from_bytes(sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big") & _ALL or 1


def _signature(hashes: Iterable[int]) -> int:
    signature = 0
    for each in hashes:
        signature |= 1 << each % _BITS
    return signature


def _parts(values: Sequence[int]) -> Iterable[Sequence[int]]:
    return (values[start : start + _MOST_BOUND] for start in range(0, len(values), _MOST_BOUND))


def _newest(at: int) -> sa.Select[Any]:
    columns = RELOAD_WORDED.c
    own = sa.select(columns.wording, columns.last_used, columns.entry).where(
        columns.wording == sa.bindparam(f"wording{at}", type_=sa.Integer),
        columns.last_used >= sa.bindparam("since", type_=sa.String),
    )
    own = own.order_by(columns.last_used.desc(), columns.entry.desc())
    return sa.select(own.limit(sa.bindparam("share", type_=sa.Integer)).subquery(f"newest{at}"))


_NEWEST: Final = sa.union_all(*(_newest(at) for at in range(_AT_ONCE)))
"""The newest entries of some wordings; those of one come one after another, the newest first."""
