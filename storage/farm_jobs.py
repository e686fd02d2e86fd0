"""What a farm asks of its jobs besides: several API processes take them, and several workers do them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.jobs import JobState
from storage.job_events import SqlJobStore
from storage.schema import JOB_EVENTS, JOBS

if TYPE_CHECKING:
    from collections.abc import Collection

FINAL: Final = tuple(state.value for state in JobState if state.is_final)


class FarmJobStore(SqlJobStore):
    """The jobs of a farm, on PostgreSQL."""

    def newest_event(self) -> int:
        """The highest id of an event that can be seen by now: one that was given may not be committed yet."""
        with self._database.read() as connection:
            return connection.execute(sa.select(sa.func.max(JOB_EVENTS.c.id))).scalar() or 0

    def attempt(self, job_id: str) -> int:
        """Which attempt at the job this process has begun, 0 for none."""
        return self._attempts.get(job_id, 0)

    def lost(self, job_ids: Collection[str]) -> Collection[str]:
        """Those of the jobs begun here that are final by now, or begun by another process."""
        query = sa.select(JOBS.c.id, JOBS.c.begun).where(JOBS.c.id.in_(job_ids), JOBS.c.state.not_in(FINAL))
        with self._database.read() as connection:
            begun_by_now = {row.id: row.begun for row in connection.execute(query)}
        return [job_id for job_id in job_ids if begun_by_now.get(job_id) != self.attempt(job_id)]

    def under_way(self, question: str) -> str | None:
        """The oldest job that answers the question and is not final."""
        query = sa.select(JOBS.c.id).where(JOBS.c.question == question, JOBS.c.state.not_in(FINAL), self._mine)
        with self._database.read() as connection:
            return connection.execute(query.order_by(JOBS.c.number).limit(1)).scalar()

    def place(self, job_id: str) -> int | None:
        """How many jobs wait that were submitted no later, itself included; ``None`` when it does not wait."""
        own = sa.select(JOBS.c.number).where(JOBS.c.id == job_id, JOBS.c.state == JobState.QUEUED.value)
        waiting = sa.select(sa.func.count()).where(JOBS.c.state == JobState.QUEUED.value, self._mine)
        with self._database.read() as connection:
            number = connection.execute(own).scalar()
            return number and connection.execute(waiting.where(JOBS.c.number <= number)).scalar()
