"""The stored procedures, in a file of their own: they are private and stay on this machine."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from core.memory import Procedure
from core.recall.meaning import Near
from core.recall.ports import Found, Span, Wanted
from core.recall.terms import ANALYSIS, fields_of
from storage.memories import search as memory_search
from storage.memories import search as memory_vectors
from storage.memories.file import MemoryFile
from storage.memories.search import milliseconds

_CHUNK: Final = 500
"""Rows removed in one transaction, so that other writers wait some tenths of a second at most."""
_SPELT: Final = re.compile(r"[^\W\d]{2,24}")
_INSERT: Final = """
    INSERT INTO procedures (number, ended, summary, steps, places, texts, id, video, document)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COUNT_UP: Final = """
    INSERT INTO vocabulary (term, documents, is_word) VALUES (?, ?, ?)
    ON CONFLICT (term) DO UPDATE SET documents = documents + excluded.documents
"""
_TOTAL: Final = "UPDATE facts SET value = value + ? WHERE name = 'procedures'"
_FIRST, _LAST = -(2**62), 2**62


class SqlMemories:
    """Implements ``core.recall.ports.Memories`` and ``core.recall.meaning.VectorMemories``.

    Args:
        path: of the file, which is made with the user's permissions only.

    """

    def __init__(self, path: Path) -> None:
        self._file = MemoryFile(path, _prepare)

    def open(self) -> None:
        """Prepare; the file itself is opened at its first use."""

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        """Replace the procedures of that video."""
        documents = {each.id: (each, each.model_dump_json()) for each in procedures}

        def work(connection: sqlite3.Connection) -> None:
            rows = connection.execute(
                "SELECT number, id, document FROM procedures WHERE video = ?", (video,)
            ).fetchall()
            kept = {id_ for _, id_, document in rows if id_ in documents and documents[id_][1] == document}
            changed = [id_ for id_ in documents if id_ not in kept]
            elsewhere = [
                row[0]
                for id_ in changed
                if (row := connection.execute("SELECT number FROM procedures WHERE id = ?", (id_,)).fetchone())
            ]
            _remove(connection, {*elsewhere, *(number for number, id_, _ in rows if id_ not in kept)})
            _insert(connection, [documents[id_] for id_ in changed])

        self._file.write(work)

    def get(self, procedure_id: str) -> Procedure | None:
        """The procedure of that id."""
        row = self._file.read(
            lambda connection: connection.execute(
                "SELECT document FROM procedures WHERE id = ?", (procedure_id,)
            ).fetchone()
        )
        return None if row is None else _procedure(row[0])

    def newest(
        self, limit: int, *, before: datetime | None = None, since: datetime | None = None
    ) -> Sequence[Procedure]:
        """Those that began last; the newest first."""
        first = _FIRST if since is None else milliseconds(since)
        last = _LAST if before is None else milliseconds(before) - 1
        query = "SELECT document FROM procedures WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?"
        rows = self._file.read(lambda connection: connection.execute(query, (first, last, limit)).fetchall())
        return [each for (document,) in rows if (each := _procedure(document))]

    def forget(self, since: datetime, until: datetime) -> int:
        """Remove everything that touches the stretch, so that no byte of it is left in any file."""
        return self._forget("ended >= ? AND number < ?", (milliseconds(since), milliseconds(until)))

    def forget_procedure(self, procedure_id: str) -> bool:
        """Remove one in the same way."""
        return self._forget("id = ?", (procedure_id,)) > 0

    def prune(self, before: datetime) -> int:
        """Remove those that ended before a moment, in many small transactions."""
        removed = self._remove_where("ended < ?", (milliseconds(before),))
        if removed > _CHUNK:
            self._file.shorten_log()
        return removed

    def count(self) -> int:
        """Number of procedures."""
        # To count a million rows takes longer than to answer a question.
        query = "SELECT value FROM facts WHERE name = 'procedures'"
        return self._file.read(lambda connection: connection.execute(query).fetchone()[0])

    def frequencies(self, terms: Collection[str]) -> Mapping[str, int]:
        """In how many procedures each of the terms occurs."""
        wanted = json.dumps(list(terms))
        rows = self._file.read(lambda connection: connection.execute(memory_search.COUNTS, (wanted,)).fetchall())
        return dict(rows)

    def longer_terms(self, term: str, limit: int) -> Mapping[str, int]:
        """Terms that begin with another one."""
        return self._file.read(lambda connection: memory_search.longer(connection, term, limit))

    def similar_terms(self, term: str, limit: int) -> Mapping[str, int]:
        """Terms that contain another one, or share its beginning or its end."""
        return self._file.read(lambda connection: memory_search.similar(connection, term, limit))

    def find(self, groups: Sequence[Sequence[Wanted]], span: Span | None, limit: int) -> Sequence[Found]:
        """Procedures that hold something of the groups."""
        return self._file.read(lambda connection: memory_search.found(connection, groups, span, limit))

    def read(self, numbers: Sequence[int]) -> Mapping[int, Procedure]:
        """Those of the numbers that are still there."""
        wanted = json.dumps(list(numbers))
        rows = self._file.read(lambda connection: connection.execute(memory_search.DOCUMENTS, (wanted,)).fetchall())
        return {number: each for number, document in rows if (each := _procedure(document))}

    def without_vector(self, model: str, limit: int) -> Sequence[Procedure]:
        """As ``core.recall.meaning.VectorMemories``."""
        documents = self._file.read(lambda connection: memory_vectors.missing(connection, model, limit))
        return [each for document in documents if (each := _procedure(document))]

    def add_vectors(self, model: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """As ``core.recall.meaning.VectorMemories``."""
        self._file.write(lambda connection: memory_vectors.add(connection, model, vectors))

    def nearest(self, model: str, vector: Sequence[float], span: Span | None, limit: int) -> Sequence[Near]:
        """As ``core.recall.meaning.VectorMemories``."""
        return self._file.read(lambda connection: memory_vectors.nearest(connection, model, vector, span, limit))

    def _forget(self, condition: str, values: tuple[object, ...]) -> int:
        removed = self._remove_where(condition, values)
        self._file.scrub()
        return removed

    def _remove_where(self, condition: str, values: tuple[object, ...]) -> int:
        query = f"SELECT number FROM procedures WHERE {condition} LIMIT {_CHUNK}"  # noqa: S608 - a condition of ours

        def chunk(connection: sqlite3.Connection) -> int:
            numbers = [number for (number,) in connection.execute(query, values)]
            _remove(connection, numbers)
            return len(numbers)

        removed = 0
        while done := self._file.write(chunk):
            removed += done
        return removed


def _procedure(document: str) -> Procedure | None:
    """What was stored; nothing if it is none that this Vaider can read."""
    try:
        return Procedure.model_validate_json(document)
    except ValueError:
        return None


def _prepare(connection: sqlite3.Connection) -> None:
    """Read what an older Vaider stored anew, if the same text gives other terms by now."""
    known = connection.execute("SELECT value FROM facts WHERE name = 'analysis'").fetchone()
    if known == (ANALYSIS,):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        numbers = [number for (number,) in connection.execute("SELECT number FROM procedures")]
        for begin in range(0, len(numbers), _CHUNK):
            chunk = numbers[begin : begin + _CHUNK]
            documents = [
                connection.execute("SELECT document FROM procedures WHERE number = ?", (number,)).fetchone()[0]
                for number in chunk
            ]
            _remove(connection, chunk)
            _insert(connection, [(each, document) for document in documents if (each := _procedure(document))])
        connection.execute("INSERT OR REPLACE INTO facts VALUES ('analysis', ?)", (ANALYSIS,))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _insert(connection: sqlite3.Connection, procedures: Sequence[tuple[Procedure, str]]) -> None:
    terms: Counter[str] = Counter()
    for procedure, document in procedures:
        fields = fields_of(procedure)
        number = milliseconds(procedure.started_at)
        while connection.execute("SELECT 1 FROM procedures WHERE number = ?", (number,)).fetchone():
            number += 1
        ended = milliseconds(procedure.ended_at)
        connection.execute(_INSERT, (number, ended, *fields, procedure.id, procedure.video, document))
        terms.update(set(" ".join(fields).split()))
    connection.executemany(
        _COUNT_UP, ((term, count, _SPELT.fullmatch(term) is not None) for term, count in terms.items())
    )
    connection.execute(_TOTAL, (len(procedures),))


def _remove(connection: sqlite3.Connection, numbers: Collection[int]) -> None:
    terms: Counter[str] = Counter()
    query = "SELECT summary || ' ' || steps || ' ' || places || ' ' || texts FROM procedures WHERE number = ?"
    for number in numbers:
        terms.update(set(connection.execute(query, (number,)).fetchone()[0].split()))
        connection.execute("DELETE FROM procedures WHERE number = ?", (number,))
    connection.executemany(
        "UPDATE vocabulary SET documents = documents - ? WHERE term = ?",
        ((count, term) for term, count in terms.items()),
    )
    connection.executemany("DELETE FROM vocabulary WHERE term = ? AND documents <= 0", ((term,) for term in terms))
    connection.execute(_TOTAL, (-len(numbers),))
