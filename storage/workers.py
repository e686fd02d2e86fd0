"""Which workers of a farm live: each says so every second or two, by the database's clock."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from core.farm import DEAD_AFTER_SECONDS
from storage.schema import WORKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from storage.database import Database


class Workers:
    """The table of them, on PostgreSQL.

    Args:
        database: shared by the farm.
        owner: the farm.

    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        # Made once: this is done every second, and making a statement takes longer than sending it.
        now = sa.func.clock_timestamp()
        row = insert(WORKERS).values(id=sa.bindparam("worker"), owner=owner, seen_at=now)
        self._beat = row.on_conflict_do_update(index_elements=["id"], set_={"seen_at": now})
        since = now - timedelta(seconds=DEAD_AFTER_SECONDS)
        self._alive = sa.select(WORKERS.c.id).where(WORKERS.c.owner == owner, WORKERS.c.seen_at > since)

    def beat(self, worker: str, also: Callable[[sa.Connection], object] | None = None) -> Collection[str]:
        """It lives: returns all that do. ``also`` is done in the same transaction. Raises ``StorageFailed``."""
        with self._database.write() as connection:
            connection.execute(self._beat, {"worker": worker})
            if also is not None:
                also(connection)
            return set(connection.execute(self._alive).scalars())

    def leave(self, worker: str) -> None:
        """It has ended, and holds no job. Raises ``StorageFailed``."""
        with self._database.write() as connection:
            connection.execute(sa.delete(WORKERS).where(WORKERS.c.id == worker))

    def alive(self) -> Collection[str]:
        """Those that were heard of within the last seconds. Raises ``StorageFailed``."""
        with self._database.read() as connection:
            return set(connection.execute(self._alive).scalars())

    def forget(self, minutes: int = 10) -> None:
        """Remove the rows of those that died long ago. Raises ``StorageFailed``."""
        before = sa.func.clock_timestamp() - timedelta(minutes=minutes)
        with self._database.write() as connection:
            connection.execute(sa.delete(WORKERS).where(WORKERS.c.owner == self._owner, WORKERS.c.seen_at < before))
