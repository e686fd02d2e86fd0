"""One process at a time runs a machine's jobs: two would each resume what the other is doing."""

from __future__ import annotations

import contextlib
import fcntl
import os
import zlib
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa
from sqlalchemy import exc

from core.errors import Conflict, StorageFailed

if TYPE_CHECKING:
    from pathlib import Path

    from storage.database import Database

_SENTENCE = "Another Vaider process (pid {pid}) already runs the jobs of this database. Use that one, or stop it first."
_LOCK_NOT_AVAILABLE = "55P03"


class Claim(Protocol):
    """What was claimed; the operating system or the database gives it up when the process dies."""

    def release(self) -> None:
        """Let another process claim."""
        ...


def claim(database: Database, owner: str) -> Claim:
    """Claim the jobs of ``owner``. Raises ``Conflict`` when another process has them, ``StorageFailed``."""
    return _FileClaim(database.path) if database.path else _SessionClaim(database, owner)


class _FileClaim:
    def __init__(self, database: Path) -> None:
        path = database.with_name(f"{database.name}.lock")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StorageFailed(f"{path} cannot be opened: {error.strerror}.") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.read(self._file, 32).decode("ascii", "replace").strip()
            os.close(self._file)
            raise Conflict(_SENTENCE.format(pid=pid)) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        os.close(self._file)


class _SessionClaim:
    def __init__(self, database: Database, owner: str) -> None:
        self._connection = database.connect()
        self._key = {"key": zlib.crc32(f"vaider jobs of {owner}".encode())}
        try:
            # A process that was killed has its lock until the server sees that it is gone: a moment is waited.
            self._connection.execute(sa.text("SET LOCAL lock_timeout = '1s'"))
            self._connection.execute(sa.text("SELECT pg_advisory_lock(:key)"), self._key)
            # The lock belongs to the session; an open transaction would hold back vacuuming for days.
            self._connection.commit()
        except exc.OperationalError as error:
            self._connection.close()
            if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                raise
            raise Conflict(_SENTENCE.format(pid="of another session")) from None

    def release(self) -> None:
        # A lost connection has lost its lock already. One that is merely closed keeps it until the server notices.
        with contextlib.suppress(exc.DBAPIError):
            self._connection.execute(sa.text("SELECT pg_advisory_unlock(:key)"), self._key)
            self._connection.commit()
        # Pooled connections outlive their checkout, and so would the lock that could not be given up.
        self._connection.invalidate()
        self._connection.close()
