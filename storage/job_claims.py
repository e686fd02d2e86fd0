"""The one process at a time that runs an installation's jobs."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa
from sqlalchemy import exc

from core.errors import Conflict, StorageFailed
from core.files import Held, hold

if TYPE_CHECKING:
    from pathlib import Path

    from storage.database import Database

_SENTENCE = "Another Vaider process (pid {pid}) already runs the jobs of this database. Use that one, or stop it first."
_LOCK_NOT_AVAILABLE = "55P03"


class Claim(Protocol):
    """What was claimed; the operating system or the database gives it up when the process dies."""

    def keep(self) -> None:
        """Take it again if it was lost. Raises ``Conflict`` when another process has it by now, ``StorageFailed``."""
        ...

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
            self._file = hold(path, str(os.getpid()))
        except Held as error:
            raise Conflict(_SENTENCE.format(pid=error)) from None
        except OSError as error:
            raise StorageFailed(f"{path} cannot be opened: {error.strerror}.") from error

    def keep(self) -> None:
        """See the protocol: a file's lock is lost with the process alone."""

    def release(self) -> None:
        os.close(self._file)


class _SessionClaim:
    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        digest = hashlib.sha256(f"vaider jobs of {owner}".encode()).digest()
        self._key = {"key": int.from_bytes(digest[:8], signed=True)}
        self._take()

    def keep(self) -> None:
        """See the protocol: the lock is the session's, and a connection may break."""
        try:
            self._connection.execute(sa.text("SELECT 1"))
            self._connection.commit()
        except exc.DBAPIError:
            self._connection.close()
            # Closed it stays if another process has the jobs by now.
            self._take()

    def _take(self) -> None:
        self._connection = self._database.connect()
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
        if self._connection.closed:
            return
        # A lost connection has lost its lock already. One that is merely closed keeps it until the server notices.
        with contextlib.suppress(exc.DBAPIError):
            self._connection.execute(sa.text("SELECT pg_advisory_unlock(:key)"), self._key)
            self._connection.commit()
        # Pooled connections outlive their checkout, and so would the lock that could not be given up.
        self._connection.invalidate()
        self._connection.close()
