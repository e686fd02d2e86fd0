"""How the jobs stand, in numbers: for graphs and alarms."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from core.jobs import JobState
from storage.schema import JOB_EVENTS, JOBS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from storage.database import Database

_FINAL = tuple(state.value for state in JobState if state.is_final)
_PAGE = 500


class Ended(NamedTuple):
    """A job that has ended: its kind and state, and how many seconds it waited and worked, where it ever began."""

    kind: str
    state: str
    waited: float | None
    worked: float | None


class JobFigures:
    """Safe from any thread, but ``ended`` of one at a time.

    Args:
        database: open.
        owner: the installation whose jobs these are.

    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        with database.read() as connection:
            self._seen = connection.execute(sa.select(sa.func.max(JOB_EVENTS.c.id))).scalar() or 0

    def counts(self) -> Mapping[str, int]:
        """How many jobs there are of each state."""
        query = sa.select(JOBS.c.state, sa.func.count()).where(JOBS.c.owner == self._owner).group_by(JOBS.c.state)
        with self._database.read() as connection:
            return {state: int(count) for state, count in connection.execute(query)}

    def oldest_waiting(self) -> datetime | None:
        """Since when the job waits that came first of those that wait."""
        waiting = sa.and_(JOBS.c.owner == self._owner, JOBS.c.state == JobState.QUEUED.value)
        first = sa.select(sa.func.min(JOBS.c.number)).where(waiting).scalar_subquery()
        with self._database.read() as connection:
            since = connection.execute(sa.select(JOBS.c.created_at).where(JOBS.c.number == first)).scalar()
        return datetime.fromisoformat(since) if since else None

    def ended(self) -> Iterator[Ended]:
        """The jobs that have ended since this was asked for last, or since the start."""
        columns = (JOBS.c.kind, JOBS.c.state, JOBS.c.created_at, JOBS.c.begun_at, JOBS.c.finished_at)
        query = (
            sa.select(JOB_EVENTS.c.id, *columns)
            .join(JOBS, JOBS.c.id == JOB_EVENTS.c.job_id)
            .where(JOBS.c.owner == self._owner, JOB_EVENTS.c.stage.in_(_FINAL))
            .order_by(JOB_EVENTS.c.id)
            .limit(_PAGE)
        )
        while True:
            with self._database.read() as connection:
                page = connection.execute(query.where(JOB_EVENTS.c.id > self._seen)).all()
            for row in page:
                self._seen = row.id
                begun = row.begun_at and datetime.fromisoformat(row.begun_at)
                waited = begun and (begun - datetime.fromisoformat(row.created_at)).total_seconds()
                worked = begun and (datetime.fromisoformat(row.finished_at) - begun).total_seconds()
                yield Ended(row.kind, row.state, waited, worked)
            if len(page) < _PAGE:
                return
