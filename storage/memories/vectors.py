"""The vectors of procedures, compared one by one: a hundred thousand take some tenths of a second, and no index."""

from __future__ import annotations

import heapq
import sys
from array import array
from typing import TYPE_CHECKING, Any, Final

from core.recall.meaning import MOST_VECTORS, Near
from storage.memories.search import milliseconds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from core.recall.spans import Span

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
_FIRST, _LAST = -(2**62), 2**62


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
