"""Who submitted which job, and under which label; several may have asked for the same job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.schema import SUBMISSIONS

if TYPE_CHECKING:
    from collections.abc import Collection

    from storage.database import Database

_MOST: Final = 10_000
"""Of a filter's newest submissions so many are looked at."""


class Submissions:
    """Safe from any thread.

    Args:
        database: open.

    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, job_id: str, submitter: str, label: str, size: int) -> None:
        """Keep that ``submitter`` asked for the job, with so many bytes of video."""
        row = {"job_id": job_id, "submitter": submitter, "label": label, "size": size}
        row |= {"submitted_at": datetime.now(UTC).isoformat(timespec="milliseconds")}
        with self._database.write() as connection:
            connection.execute(sa.insert(SUBMISSIONS).values(**row))

    def is_by(self, job_id: str, submitter: str) -> bool:
        """Whether that submitter asked for the job."""
        asked = sa.select(SUBMISSIONS.c.number).where(
            SUBMISSIONS.c.job_id == job_id, SUBMISSIONS.c.submitter == submitter
        )
        with self._database.read() as connection:
            return connection.execute(asked.limit(1)).first() is not None

    def jobs(self, *, submitter: str | None, label: str | None) -> Collection[str]:
        """The ids of the newest jobs of a submitter, of a label, or of both."""
        query = sa.select(SUBMISSIONS.c.job_id).order_by(SUBMISSIONS.c.number.desc()).limit(_MOST)
        if submitter is not None:
            query = query.where(SUBMISSIONS.c.submitter == submitter)
        if label is not None:
            query = query.where(SUBMISSIONS.c.label == label)
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())
