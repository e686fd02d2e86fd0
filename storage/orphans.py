"""What a farm's store holds for no job: uploads whose job was never made, and the things of attempts that were lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.jobs import JobState
from storage.schema import JOBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.database import Database
    from storage.objects import Objects

AGE: Final = timedelta(days=1)
"""What is younger may belong to a job that is being made."""
_SWEEPER: Final = int.from_bytes(b"vaidswep", "big", signed=True)
"""The advisory lock of the process that sweeps."""
_VIDEO: Final = r'^\{"video_path": "([^"]*)"'
"""No JSON's operator: what callers add may hold what PostgreSQL's JSON refuses."""


class Orphans:
    """Removes them.

    Args:
        database: of the farm, PostgreSQL.
        owner: the farm.
        objects: its store.

    """

    def __init__(self, database: Database, owner: str, objects: Objects) -> None:
        self._database = database
        self._mine = JOBS.c.owner == owner
        self._objects = objects

    def sweep(self, age: timedelta = AGE) -> int:
        """Remove what is older than ``age``, unless another process does so; how many went.

        Raises ``StorageFailed``.
        """
        before = datetime.now(UTC) - age
        with self._database.write() as connection:
            alone = connection.execute(sa.select(sa.func.pg_try_advisory_xact_lock(_SWEEPER))).scalar()
            if not alone or not self._is_ours(connection, before):
                return 0
            # Looked for first: what is old and was named by no job then is named by none later.
            old = [*self._objects.keys("uploads", before=before), *self._objects.keys("jobs", before=before)]
            orphans = list(self._unnamed(connection, old))
            for key in orphans:
                self._objects.remove(key)
        return len(orphans)

    def _is_ours(self, connection: sa.Connection, before: datetime) -> bool:
        """Whether the database is as old as what would go: a new one knows of nothing, and must not empty a bucket."""
        text = before.isoformat(timespec="milliseconds")
        return (
            connection.execute(sa.select(JOBS.c.id).where(self._mine, JOBS.c.created_at <= text).limit(1)).first()
            is not None
        )

    def _unnamed(self, connection: sa.Connection, keys: list[str]) -> Iterator[str]:
        """Those that no job names."""
        video = sa.func.substring(JOBS.c.request, _VIDEO)
        folders: set[str] = set()
        winners: dict[str, str | None] = {}
        for job_id, state, begun, upload in connection.execute(
            sa.select(JOBS.c.id, JOBS.c.state, JOBS.c.begun, video).where(self._mine)
        ):
            folders.add((upload or "").rpartition("/")[0])
            # Of one that has not ended, or not well, each attempt tells something.
            winners[job_id] = str(begun) if state == JobState.DONE.value else None
        for key in keys:
            folder = key.rpartition("/")[0]
            kind, job_id, attempt = [*key.split("/"), "", ""][:3]
            named = folder in folders if kind == "uploads" else winners.get(job_id, "") in {None, attempt}
            if not named:
                yield key
