"""The one database: SQLite in the data directory, or PostgreSQL by URL; opened only in a state that we understand."""

import contextlib
import fcntl
import os
import sqlite3
import stat
from collections.abc import Generator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc

from core.errors import StorageFailed
from core.files import make_private
from storage.schema import HEAD, METADATA, REVISION
from storage.sqlite_version import check_sqlite

_BUSY_MS = 30_000
"""How long a writer waits for another process; slow disks under load take seconds."""
_MIGRATION = int.from_bytes(b"vaider", "big")
"""The advisory lock of who brings the tables up to date."""
_HEADER = b"SQLite format 3\0"
_HEADER_BYTES = 100


class Database:
    """Connections to the database; ``open`` once before use.

    Args:
        url: a SQLAlchemy URL, ``sqlite:///<absolute path>`` or ``postgresql://…``.

    """

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url)
        if self._url.drivername == "postgresql":
            self._url = self._url.set(drivername="postgresql+psycopg")
        self._engine: sa.Engine | None = None

    @property
    def url(self) -> str:
        """The URL as given, with its password."""
        return self._url.set(drivername=self._url.get_backend_name()).render_as_string(hide_password=False)

    @property
    def path(self) -> Path | None:
        """The SQLite file; ``None`` for PostgreSQL."""
        return Path(self._url.database) if self._is_sqlite and self._url.database else None

    def open(self) -> None:
        """Connect, and bring the tables up to date.

        Raises:
            StorageFailed: the file is damaged, of a newer Vaider, or cannot be reached. It is left as it is. Or SQLite
                is too old.

        """
        # Beside PostgreSQL too: the memories are always kept in SQLite.
        check_sqlite()
        with contextlib.nullcontext() if self.path is None else _prepared_file(self.path):
            self._engine = self._connectable()
            try:
                with self.write() as connection:
                    if not self._is_sqlite:
                        # Of several processes that start at once, one makes the tables.
                        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION)))
                    _migrate(connection, self._where)
            except StorageFailed:
                self.close()
                raise

    def close(self) -> None:
        """Close all connections."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    @contextlib.contextmanager
    def read(self) -> Generator[sa.Connection]:
        """One consistent view; never waits for a writer."""
        with self._translated(), self._opened.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def write(self) -> Generator[sa.Connection]:
        """One transaction that takes the write lock at once, so that it cannot fail half-way for want of it."""
        with self._translated(), self._opened.execution_options(vaider_write=True).begin() as connection:
            yield connection

    def connect(self) -> sa.Connection:
        """A connection of the caller's own, to close when done."""
        with self._translated():
            return self._opened.connect()

    @property
    def _is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    @property
    def _where(self) -> str:
        # libpq takes a password from the query as well.
        return str(self.path) if self.path else self._url.set(query={}).render_as_string(hide_password=True)

    @property
    def _opened(self) -> sa.Engine:
        if self._engine is None:
            raise StorageFailed("The database is not open.")
        return self._engine

    def _connectable(self) -> sa.Engine:
        if not self._is_sqlite:
            return sa.create_engine(self._url, pool_pre_ping=True, pool_size=4, max_overflow=4)
        engine = sa.create_engine(self._url, connect_args={"check_same_thread": False, "timeout": _BUSY_MS / 1000})
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    @contextlib.contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except exc.DBAPIError as error:
            raise StorageFailed(_sentence(error, self._where)) from error


def _set_up_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver's own transactions begin too late for DDL and cannot take the write lock at once.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("vaider_write") else "BEGIN")


@contextlib.contextmanager
def _prepared_file(path: Path) -> Generator[None]:
    """The file, readable by the user only, and locked at its first use.

    The lock is needed because the switch to WAL does not wait for other connections.

    The folder is what is locked: opening and closing the file itself would let go of another connection's locks
    (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    """
    try:
        make_private(path.parent)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StorageFailed(f"The database {path} cannot be opened: {error.strerror}.") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        _prepare_file(path)
        yield
    finally:
        os.close(folder)


def _prepare_file(path: Path) -> None:
    """Make the file with the user's permissions only; refuse one that is no sound database."""
    log = path.with_name(f"{path.name}-wal")
    try:
        # Beside a log the file may be half-way through taking it in; a kill at that moment is SQLite's to mend.
        has_log = log.exists()
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_IMODE(status.st_mode) & 0o077:
                os.fchmod(file.fileno(), 0o600)
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise StorageFailed(f"The database {path} cannot be opened: {error.strerror}.") from error
    if header and not (has_log or log.exists() or _is_sound(header, status.st_size)):
        raise StorageFailed(_damaged(str(path)))


def _is_sound(header: bytes, size: int) -> bool:
    """Whether the file's own header fits the file; fields as in https://sqlite.org/fileformat2.html#the_database_header."""
    if len(header) < _HEADER_BYTES or not header.startswith(_HEADER):
        return False
    page_size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    has_page_count = header[24:28] == header[92:96]
    return not has_page_count or size >= pages * (65536 if page_size == 1 else page_size)


def _migrate(connection: sa.Connection, where: str) -> None:
    found = _revision(connection)
    if found == HEAD:
        return
    if found is None:
        _make_tables(connection)
        return
    # Alembic takes a fifth of a second and 10 MB to import: only when there is something to do.
    from storage.migrations.run import known_revisions, upgrade  # noqa: PLC0415 - see above

    if found not in known_revisions():
        raise StorageFailed(
            f"The database {where} was written by a newer Vaider (schema {found}, this one knows {HEAD}). "
            "Upgrade Vaider, or set another data_dir; nothing was changed."
        )
    upgrade(connection)


def _make_tables(connection: sa.Connection) -> None:
    # Without a check for existing tables, as a migration would: unnumbered tables of these names are not ours.
    METADATA.create_all(connection, checkfirst=False)
    REVISION.create(connection)
    connection.execute(REVISION.insert().values(version_num=HEAD))


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(REVISION.name):
        return None
    return connection.execute(sa.select(REVISION.c.version_num)).scalar()


def _damaged(where: str) -> str:
    return (
        f"The database {where} is damaged or is no database. It was left untouched: move it away to start afresh, "
        "or put a backup in its place."
    )


def _sentence(error: exc.DBAPIError, where: str) -> str:
    text = str(error.orig)
    if isinstance(error.orig, sqlite3.DatabaseError):
        if error.orig.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            return _damaged(where)
        if error.orig.sqlite_errorcode & 0xFF == sqlite3.SQLITE_FULL:
            return f"The disk that holds {where} is full: free some space and try again."
    return f"The database {where} failed: {text.splitlines()[0] if text else type(error.orig).__name__}."
