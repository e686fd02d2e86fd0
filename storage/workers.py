"""Which workers of a farm live: each says so every second, by the database's clock."""

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

    def beat(self, worker: str, also: Callable[[sa.Connection], object] | None = None) -> None:
        """It lives; ``also`` is done in the same transaction. Raises ``StorageFailed``."""
        row = {"id": worker, "owner": self._owner, "seen_at": sa.func.clock_timestamp()}
        seen = {"seen_at": sa.func.clock_timestamp()}
        with self._database.write() as connection:
            connection.execute(insert(WORKERS).values(**row).on_conflict_do_update(index_elements=["id"], set_=seen))
            if also is not None:
                also(connection)

    def leave(self, worker: str) -> None:
        """It has ended, and holds no job. Raises ``StorageFailed``."""
        with self._database.write() as connection:
            connection.execute(sa.delete(WORKERS).where(WORKERS.c.id == worker))

    def alive(self) -> Collection[str]:
        """Those that were heard of within the last seconds. Raises ``StorageFailed``."""
        since = sa.func.clock_timestamp() - timedelta(seconds=DEAD_AFTER_SECONDS)
        query = sa.select(WORKERS.c.id).where(WORKERS.c.owner == self._owner, WORKERS.c.seen_at > since)
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    def forget(self, minutes: int = 10) -> None:
        """Remove the rows of those that died long ago. Raises ``StorageFailed``."""
        before = sa.func.clock_timestamp() - timedelta(minutes=minutes)
        with self._database.write() as connection:
            connection.execute(sa.delete(WORKERS).where(WORKERS.c.owner == self._owner, WORKERS.c.seen_at < before))
