"""How far the schedules of tasks are decided, and the log of decisions, in the database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.schedules.ports import Entry, Outcome, State
from storage.schema import SCHEDULE_DECISIONS, SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.database import Database

KEPT: Final = 1000
"""Decisions of one task; a schedule of every minute makes more than that in a day."""


class SqlSchedules:
    """Implements ``core.schedules.ports.Schedules``.

    Args:
        database: open.
        owner: the installation whose tasks these are.

    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner

    def begin(self, task_id: str, key: str, handled: datetime) -> State:
        """The state of the schedule ``key``; a new one where the task had another."""
        with self._database.write() as connection:
            found = connection.execute(sa.select(SCHEDULES).where(*self._is(task_id))).one_or_none()
            if found is not None and found.key == key:
                ceiling = datetime.fromisoformat(found.ceiling) if found.ceiling else None
                return State(key=key, handled=datetime.fromisoformat(found.handled), ceiling=ceiling)
            connection.execute(sa.delete(SCHEDULES).where(*self._is(task_id)))
            row = {"owner": self._owner, "task": task_id, "key": key, "handled": _text(handled)}
            connection.execute(sa.insert(SCHEDULES).values(**row))
        return State(key=key, handled=handled)

    def note(self, task_id: str, state: State, entries: Sequence[Entry]) -> bool:
        """Keep what was decided, unless it has been already."""
        handled = _text(state.handled)
        is_open = (*self._is(task_id), SCHEDULES.c.key == state.key, SCHEDULES.c.handled < handled)
        with self._database.write() as connection:
            if connection.execute(sa.update(SCHEDULES).where(*is_open).values(handled=handled)).rowcount == 0:
                return False
            rows = [{"owner": self._owner, "task": task_id, **entry.model_dump(mode="json")} for entry in entries]
            if rows:
                connection.execute(sa.insert(SCHEDULE_DECISIONS), rows)
                self._prune(connection, task_id)
        return True

    def restart(self, task_id: str, state: State) -> None:
        """Keep this state in the place of another one of that schedule."""
        changed = sa.update(SCHEDULES).where(*self._is(task_id), SCHEDULES.c.key == state.key)
        ceiling = _text(state.ceiling) if state.ceiling else None
        with self._database.write() as connection:
            connection.execute(changed.values(handled=_text(state.handled), ceiling=ceiling))

    def has_fired(self, task_id: str, moment: str) -> bool:
        """Whether the log says that it has."""
        log = SCHEDULE_DECISIONS.c
        query = sa.select(log.number).where(*self._logged(task_id), log.moment == moment).limit(1)
        with self._database.read() as connection:
            return connection.execute(query.where(log.outcome == Outcome.FIRED.value)).one_or_none() is not None

    def end(self, task_id: str) -> None:
        """Forget the state; the log stays."""
        with self._database.write() as connection:
            connection.execute(sa.delete(SCHEDULES).where(*self._is(task_id)))

    def forget(self, task_id: str) -> None:
        """Forget all of a task."""
        with self._database.write() as connection:
            connection.execute(sa.delete(SCHEDULES).where(*self._is(task_id)))
            connection.execute(sa.delete(SCHEDULE_DECISIONS).where(*self._logged(task_id)))

    def task_ids(self) -> Sequence[str]:
        """The tasks of which anything is kept."""
        with self._database.read() as connection:
            found = {
                task
                for table in (SCHEDULES, SCHEDULE_DECISIONS)
                for task in connection.execute(
                    sa.select(table.c.task).where(table.c.owner == self._owner).distinct()
                ).scalars()
            }
        return sorted(found)

    def log(self, task_id: str, limit: int) -> Sequence[Entry]:
        """The newest decisions, newest first."""
        log = SCHEDULE_DECISIONS.c
        query = sa.select(log.moment, log.outcome, log.reason, log.job_id, log.decided_at)
        query = query.where(*self._logged(task_id)).order_by(log.number.desc()).limit(limit)
        with self._database.read() as connection:
            return [Entry.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def _prune(self, connection: sa.Connection, task_id: str) -> None:
        log = SCHEDULE_DECISIONS.c
        newest = sa.select(log.number).where(*self._logged(task_id)).order_by(log.number.desc()).offset(KEPT).limit(1)
        oldest = connection.execute(newest).scalar()
        if oldest is not None:
            connection.execute(sa.delete(SCHEDULE_DECISIONS).where(*self._logged(task_id), log.number <= oldest))

    def _is(self, task_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return SCHEDULES.c.owner == self._owner, SCHEDULES.c.task == task_id

    def _logged(self, task_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return SCHEDULE_DECISIONS.c.owner == self._owner, SCHEDULE_DECISIONS.c.task == task_id


def _text(moment: datetime) -> str:
    """All of one length, so that they compare as text as they do in time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
