"""The file of the memories: its tables, how an older one gets here, and the connections that write and search.

SQLite's own ``user_version`` counts the scripts that a file has had: the tables are virtual ones and triggers, of which
SQLAlchemy and Alembic know nothing.

A file that turns out to be damaged is moved aside and a new one begun: the recorder must go on.
"""

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final, TypeVar

from core.errors import StorageFailed
from core.files import make_private, storage_failure

INDEXES: Final = ("words", "spellings")
MENDING: Final = (
    "INSERT INTO words (words) VALUES ('rebuild')",
    # Not all of the vocabulary is spelt: what would be too much could not be taken out again.
    "INSERT INTO spellings (spellings) VALUES ('delete-all')",
    "INSERT INTO spellings (rowid, term) SELECT number, term FROM vocabulary WHERE is_word",
)
"""Statements that build the indexes anew from the tables."""
_SCRIPTS: Final = (
    """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO facts VALUES ('procedures', 0);

    -- The number is the moment of its begin in milliseconds since 1970, moved on to the next that is free: a stretch of
    -- time is a stretch of rows in every index, and the newest come first without being sorted.
    CREATE TABLE procedures (
        number INTEGER PRIMARY KEY,
        ended INTEGER NOT NULL,
        summary TEXT NOT NULL,
        steps TEXT NOT NULL,
        places TEXT NOT NULL,
        texts TEXT NOT NULL,
        id TEXT NOT NULL,
        video TEXT NOT NULL,
        document TEXT NOT NULL
    );
    CREATE UNIQUE INDEX procedures_id ON procedures (id);
    CREATE INDEX procedures_video ON procedures (video);
    CREATE INDEX procedures_ended ON procedures (ended);

    CREATE VIRTUAL TABLE words USING fts5(
        summary, steps, places, texts,
        content='procedures', content_rowid='number', tokenize='unicode61 remove_diacritics 0'
    );
    INSERT INTO words (words, rank) VALUES ('rank', 'bm25(3.0, 2.0, 1.5, 1.0)');
    CREATE TRIGGER procedures_in AFTER INSERT ON procedures BEGIN
        INSERT INTO words (rowid, summary, steps, places, texts)
        VALUES (new.number, new.summary, new.steps, new.places, new.texts);
    END;
    CREATE TRIGGER procedures_out AFTER DELETE ON procedures BEGIN
        INSERT INTO words (words, rowid, summary, steps, places, texts)
        VALUES ('delete', old.number, old.summary, old.steps, old.places, old.texts);
    END;

    -- In how many procedures each term occurs; spelt are those that a misspelt word may have meant.
    CREATE TABLE vocabulary (
        number INTEGER PRIMARY KEY,
        term TEXT NOT NULL,
        documents INTEGER NOT NULL,
        is_word INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX vocabulary_term ON vocabulary (term);
    CREATE VIRTUAL TABLE spellings USING fts5(
        term, content='vocabulary', content_rowid='number', tokenize='trigram', detail='none'
    );
    CREATE TRIGGER vocabulary_in AFTER INSERT ON vocabulary WHEN new.is_word BEGIN
        INSERT INTO spellings (rowid, term) VALUES (new.number, new.term);
    END;
    CREATE TRIGGER vocabulary_out AFTER DELETE ON vocabulary WHEN old.is_word BEGIN
        INSERT INTO spellings (spellings, rowid, term) VALUES ('delete', old.number, old.term);
    END;
    """,
    """
    -- Little-endian floats of 4 bytes; those of two models cannot be compared.
    CREATE TABLE vectors (
        number INTEGER PRIMARY KEY,
        model TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        vector BLOB NOT NULL
    );
    CREATE TRIGGER vectors_out AFTER DELETE ON procedures BEGIN
        DELETE FROM vectors WHERE number = old.number;
    END;
    """,
)


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Bring the tables up to date, all or none.

    Raises:
        StorageFailed: a newer Vaider wrote the file; it is left as it is.

    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == len(_SCRIPTS):
        return
    if found > len(_SCRIPTS):
        raise StorageFailed(
            f"The memories {where} were written by a newer Vaider (schema {found}, this one knows {len(_SCRIPTS)}). "
            "Upgrade Vaider, or set another data_dir; nothing was changed."
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        for statement in _statements("".join(_SCRIPTS[found:])):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(_SCRIPTS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """One after the other: ``executescript`` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


_LOG: Final = logging.getLogger("vaider.memories")
_BUSY_MS: Final = 30_000
_CACHE_KIB: Final = 16_384
_LARGE: Final = 64 * 1024 * 1024
"""Up to this size a copy made in passing is held in memory."""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_TRUNCATE_SECONDS: Final = 30.0
_MOST_IDLE: Final = 4
_T = TypeVar("_T")


class MemoryFile:
    """The pool of connections; the file is opened at the first use.

    Args:
        path: of the file.
        prepare: called with the writing connection after the tables are there.

    """

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        self._path = path
        self._prepare = prepare
        self._lock = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._idle: list[sqlite3.Connection] = []
        self._generation = 0

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._path.stat().st_size if self._path.exists() else 0

    def close(self) -> None:
        """Close all connections; a later use opens them again."""
        with self._lock:
            self._generation += 1
            while self._idle:
                self._idle.pop().close()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def read(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """One consistent view; never waits for a writer. Raises ``StorageFailed``."""

        def reading() -> _T:
            with self._reader() as connection:
                connection.execute("BEGIN")
                try:
                    return work(connection)
                finally:
                    connection.execute("ROLLBACK")

        return self._carried_out(reading)

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """One transaction. Raises ``StorageFailed``."""

        def writing() -> _T:
            with self._lock:
                connection = self._opened()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    done = work(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                return done

        return self._carried_out(writing)

    def scrub(self) -> None:
        """Write the file anew without what was deleted, and empty its log. Raises ``StorageFailed``."""

        def scrubbing() -> None:
            with self._lock:
                connection = self._opened()
                # What was deleted from an index stands in it until its parts are merged.
                for index in INDEXES:
                    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")  # noqa: S608 - ours
                # Deleted cells are overwritten, but not the copies of them that a split of a page left in its gaps.
                connection.execute(f"PRAGMA temp_store = {'FILE' if self.size > _LARGE else 'MEMORY'}")
                try:
                    connection.execute("VACUUM")
                finally:
                    connection.execute("PRAGMA temp_store = MEMORY")
                self._empty_log(connection)

        self._carried_out(scrubbing)
        self._remove_set_aside()

    def shorten_log(self) -> None:
        """Truncate the write-ahead log after large writes, unless a reader uses it."""

        def shortening() -> None:
            with self._lock:
                connection = self._opened()
                connection.execute("PRAGMA busy_timeout = 100")
                try:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                finally:
                    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")

        self._carried_out(shortening)

    def _empty_log(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA busy_timeout = 1000")
        try:
            deadline = time.monotonic() + _TRUNCATE_SECONDS
            while time.monotonic() < deadline:
                (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not is_busy:
                    return
        finally:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        raise StorageFailed(
            f"It was deleted, but another program reads {self._path}, so its log still holds traces: "
            "close that program and forget again."
        )

    @contextlib.contextmanager
    def _reader(self) -> Generator[sqlite3.Connection]:
        with self._lock if self._writer is None else contextlib.nullcontext():
            self._opened()
            generation = self._generation
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connected()
        try:
            yield connection
        finally:
            if generation == self._generation and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _opened(self) -> sqlite3.Connection:
        if self._writer is None:
            self._make_file()
            connection = self._connected()
            try:
                migrate(connection, str(self._path))
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    def _make_file(self) -> None:
        try:
            make_private(self._path.parent)
            with os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "rb") as file:
                os.fchmod(file.fileno(), 0o600)
        except OSError as error:
            raise storage_failure(self._path, error) from error

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY_MS / 1000, check_same_thread=False, isolation_level=None)
        try:
            for setting in (
                f"busy_timeout = {_BUSY_MS}",
                "journal_mode = WAL",
                # After a loss of power the last moments are read again from the recording.
                "synchronous = NORMAL",
                "secure_delete = ON",
                "temp_store = MEMORY",
                f"cache_size = -{_CACHE_KIB}",
            ):
                connection.execute(f"PRAGMA {setting}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _carried_out(self, work: Callable[[], _T]) -> _T:
        generation = self._generation
        try:
            for mend in (self._has_mended, self._has_set_aside):
                try:
                    return work()
                except sqlite3.DatabaseError as error:
                    if _primary(error) not in _DAMAGED:
                        raise
                    if not mend(unless_later_than=generation):
                        self._has_set_aside(unless_later_than=generation)
            return work()
        except sqlite3.Error as error:
            raise StorageFailed(self._sentence(error)) from error

    def _has_mended(self, *, unless_later_than: int) -> bool:
        """Build the indexes anew from the tables; False if those are not sound either."""
        with self._lock:
            if self._generation != unless_later_than:
                return True
            try:
                connection = self._opened()
                if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    return False
                connection.execute("BEGIN IMMEDIATE")
                for statement in MENDING:
                    connection.execute(statement)
                connection.execute("COMMIT")
            except sqlite3.DatabaseError:
                if self._writer is not None and self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                return False
            _LOG.warning("memories.mended", extra={"note": "The index was damaged and was built anew."})
            return True

    def _sentence(self, error: sqlite3.Error) -> str:
        if _primary(error) == sqlite3.SQLITE_FULL:
            return f"The disk that holds {self._path} is full: free some space and try again."
        return f"The memories {self._path} failed: {error}."

    def _has_set_aside(self, *, unless_later_than: int) -> bool:
        with self._lock:
            if self._generation != unless_later_than:
                # Another thread was faster.
                return True
            self.close()
            stamp = time.strftime("%Y%m%d-%H%M%S")
            name = f"{self._path.name}.damaged-{stamp}-{self._generation}"
            for ending in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    self._path.with_name(f"{self._path.name}{ending}").rename(self._path.with_name(f"{name}{ending}"))
            _LOG.warning(
                "memories.damaged",
                extra={"moved_to": name, "note": "A new file was begun; the next forget removes the damaged one."},
            )
            return True

    def _remove_set_aside(self) -> None:
        """Delete the damaged files, because they may hold data to be forgotten that cannot be searched for."""
        try:
            for path in self._path.parent.glob(f"{self._path.name}.damaged-*"):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_failure(self._path, error) from error


def _primary(error: sqlite3.Error) -> int:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return -1 if code is None else code & 0xFF
