"""Jobs, their events and their summaries in the database."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Unpack

import sqlalchemy as sa
from pydantic import ValidationError

from core.errors import NotFound
from core.job_briefs import BriefJob, begun, brief_of, ended
from core.jobs import Job, JobEvent, JobFilter, JobState, NewJob, Stage, UnfinishedJob, outcome_of
from storage.job_claims import Claim, claim
from storage.schema import JOB_BRIEFS, JOB_EVENTS, JOBS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from storage.database import Database


_WRITTEN: Final = {"place", "progress"}
"""Fields left out of the stored summary, because they are computed from elsewhere."""
JOBS_AND_BRIEFS: Final = JOBS.outerjoin(JOB_BRIEFS, JOB_BRIEFS.c.job == JOBS.c.number)
BRIEF_COLUMNS: Final = (JOBS.c.number, JOBS.c.id, JOBS.c.state, JOB_BRIEFS.c.brief)
"""None of what stands behind its request in a row of the jobs."""


def write_brief(connection: sa.Connection, job: int, brief: BriefJob) -> None:
    """Keep it in the place of what was kept of the job of that number."""
    connection.execute(sa.delete(JOB_BRIEFS).where(JOB_BRIEFS.c.job == job))
    row = {"job": job, "brief": brief.model_dump_json(exclude=_WRITTEN, exclude_defaults=True)}
    connection.execute(sa.insert(JOB_BRIEFS).values(**row))


def end_brief(
    connection: sa.Connection,
    job: int,
    state: JobState,
    finished_at: str,
    *,
    result: Mapping[str, Any] | None,
    error: Mapping[str, Any] | None,
) -> None:
    """Keep how the job ended; of a job without a brief it is made when it is first listed."""
    kept = read_brief(connection.execute(sa.select(JOB_BRIEFS.c.brief).where(JOB_BRIEFS.c.job == job)).scalar())
    if kept is not None:
        write_brief(connection, job, ended(kept, state, finished_at, result=result, error=error))


def read_brief(text: str | None) -> BriefJob | None:
    """``None`` of what is not there, or was written in another format, or without the line about its end."""
    try:
        brief = BriefJob.model_validate_json(text) if text else None
    except ValidationError:
        return None
    return None if brief and brief.outcome and brief.headline is None else brief


_FINAL = tuple(state.value for state in JobState if state.is_final)
_FINAL_STAGES = {JobState.DONE: Stage.DONE, JobState.FAILED: Stage.FAILED, JobState.CANCELLED: Stage.CANCELLED}


class SqlJobStore:
    """Implements ``core.ports.JobStore``.

    Args:
        database: several installations may share a server.
        owner: the installation whose jobs these are.

    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        # A file is one installation's. Of a server's jobs those of others are not seen.
        self._mine = sa.true() if database.path else JOBS.c.owner == owner
        # Whoever follows by the last id would miss an event that is committed after one of a higher id.
        digest = hashlib.sha256(f"vaider events of {owner}".encode()).digest()
        self._order = int.from_bytes(digest[:8], signed=True)
        self._claim: Claim | None = None
        self._attempts: dict[str, int] = {}
        """Of each job that was begun here: the attempt. Nothing is written for it when it is at another one by now."""

    @property
    def owner(self) -> str:
        """The installation whose jobs these are."""
        return self._owner

    def claim(self) -> None:
        """Be the only process that runs these jobs."""
        self._claim = claim(self._database, self._owner)

    def release(self) -> None:
        """Give up what ``claim`` took."""
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def create(
        self, new: NewJob, data: Mapping[str, Any], also: Callable[[sa.Connection], object] | None = None
    ) -> JobEvent:
        """Keep a new job, queued, and its first event; ``also`` is done in the same transaction."""
        with self._database.write() as connection:
            brief = begun(new.id, new.kind, new.request, _now())
            _insert_job(connection, self._owner, new, brief)
            if also is not None:
                also(connection)
            return self._insert_event(connection, new.id, Stage.QUEUED, data)

    def create_done(self, new: NewJob, result: Mapping[str, Any]) -> tuple[JobEvent, JobEvent]:
        """Keep a new job that is done already, and its first and last event."""
        with self._database.write() as connection:
            now = _now()
            brief = ended(begun(new.id, new.kind, new.request, now), JobState.DONE, now, result=result)
            _insert_job(connection, self._owner, new, brief, result=_json(result), folder=_folder_of(result))
            first = self._insert_event(connection, new.id, Stage.QUEUED, {})
            return first, self._insert_event(connection, new.id, Stage.DONE, _ending(result, None))

    def get(self, job_id: str) -> Job | None:
        """The job with its newest event, if there is one of that id."""
        with self._database.read() as connection:
            row = connection.execute(_jobs().where(JOBS.c.id == job_id, self._mine)).one_or_none()
        return _job(row) if row else None

    def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """Jobs, newest first."""
        query = _narrowed(_jobs().where(self._mine), **which)
        with self._database.read() as connection:
            return [_job(row) for row in connection.execute(query)]

    def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        """Jobs as lists show them, newest first."""
        found = _with_newest(JOBS_AND_BRIEFS, *BRIEF_COLUMNS).where(self._mine)
        query = _narrowed(found, **which)
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [self._brief(row) for row in rows]

    def counts(self) -> Mapping[JobState, int]:
        """How many jobs there are of each state."""
        query = sa.select(JOBS.c.state, sa.func.count()).where(self._mine).group_by(JOBS.c.state)
        with self._database.read() as connection:
            return {JobState(state): count for state, count in connection.execute(query)}

    def unfinished(self) -> Sequence[UnfinishedJob]:
        """The jobs that are not final, oldest first."""
        columns = (JOBS.c[name] for name in UnfinishedJob.model_fields)
        query = (
            sa.select(*columns).where(JOBS.c.owner == self._owner, JOBS.c.state.not_in(_FINAL)).order_by(JOBS.c.number)
        )
        with self._database.read() as connection:
            return [
                UnfinishedJob.model_validate(dict(row))
                for row in connection.execute(query.order_by(JOBS.c.number)).mappings()
            ]

    def begin(self, job_id: str) -> int:
        """Mark the job running; tells how often it has now been begun, 0 when it is already final."""
        if self._claim is not None:
            self._claim.keep()
        self._attempts.pop(job_id, None)
        attempt = self._change(job_id, state=JobState.RUNNING.value, begun=JOBS.c.begun + 1, begun_at=_now())
        if attempt:
            self._attempts[job_id] = attempt
        return attempt

    def put_back(self, job_id: str) -> None:
        """Take back the last ``begin``."""
        self._change(job_id, begun=JOBS.c.begun - 1, state=JobState.QUEUED.value)
        self._attempts.pop(job_id, None)

    def note_deaths(self, job_id: str, deaths: int) -> None:
        """Queue it again, with the number of ends of the process that may have been its fault."""
        self._change(job_id, deaths=deaths, state=JobState.QUEUED.value)

    def append(self, job_id: str, stage: Stage, data: Mapping[str, Any]) -> JobEvent | None:
        """Keep a progress event; ``None`` when the job is final, or another process has begun it since."""
        mine = (
            sa.select(JOBS.c.number)
            .where(JOBS.c.id == job_id, JOBS.c.state.not_in(_FINAL), self._not_taken(job_id))
            .with_for_update(read=True)
        )
        with self._database.write() as connection:
            if connection.execute(mine).first() is None:
                return None
            return self._insert_event(connection, job_id, stage, data)

    def finish(
        self,
        job_id: str,
        state: JobState,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> JobEvent | None:
        """Make the job final and keep its last event; ``None`` when it was final before, or is another process's."""
        finished_at = _now()
        values: dict[str, Any] = {"state": state.value, "finished_at": finished_at}
        values |= {"result": _json(result) if result is not None else None}
        values |= {"error": _json(error) if error is not None else None, "folder": _folder_of(result)}
        with self._database.write() as connection:
            opened = _open_job(job_id).where(self._not_taken(job_id))
            number = connection.execute(opened.values(**values).returning(JOBS.c.number)).scalar()
            if number is None:
                return None
            end_brief(connection, number, state, finished_at, result=result, error=error)
            self._attempts.pop(job_id, None)
            return self._insert_event(connection, job_id, _FINAL_STAGES[state], _ending(result, error))

    def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        """Change the result of a job that is done, in one transaction. Raises ``NotFound``."""
        with self._database.write() as connection:
            mine = sa.and_(JOBS.c.id == job_id, self._mine, JOBS.c.state == JobState.DONE.value)
            row = connection.execute(
                sa.select(JOBS.c.number, JOBS.c.result, JOBS.c.finished_at).where(mine).with_for_update()
            ).one_or_none()
            if row is None or row.result is None:
                raise NotFound(f"There is no job {job_id!r} that is done.")
            result = change(json.loads(row.result))
            connection.execute(sa.update(JOBS).where(mine).values(result=_json(result)))
            end_brief(connection, row.number, JobState.DONE, row.finished_at, result=result, error=None)
            return _job(connection.execute(_jobs().where(JOBS.c.number == row.number)).one())

    def events(
        self, *, after: int, job_id: str | None = None, stage: Stage | None = None, limit: int = 500
    ) -> Sequence[JobEvent]:
        """Events with an id above ``after``, oldest first; those of one job, or of one stage."""
        query = sa.select(JOB_EVENTS).where(JOB_EVENTS.c.id > after).order_by(JOB_EVENTS.c.id).limit(limit)
        if self._database.path is None:
            query = query.where(JOB_EVENTS.c.job_id.in_(sa.select(JOBS.c.id).where(self._mine)))
        if job_id is not None:
            query = query.where(JOB_EVENTS.c.job_id == job_id)
        if stage is not None:
            query = query.where(JOB_EVENTS.c.stage == stage.value)
        with self._database.read() as connection:
            return [_event(row) for row in connection.execute(query)]

    def last_event_id(self) -> int:
        """The highest id ever given, 0 when there was none; also when its event has been pruned."""
        with self._database.read() as connection:
            newest = connection.execute(sa.select(sa.func.max(JOB_EVENTS.c.id))).scalar()
            given = connection.execute(sa.text(_LAST_GIVEN[connection.dialect.name])).scalar()
        return max(newest or 0, given or 0)

    def prune(self, days: int) -> int:
        """Forget the events of jobs that have been final for ``days``; tells how many went."""
        before = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
        old = sa.select(JOBS.c.id).where(JOBS.c.finished_at < before, self._mine)
        with self._database.write() as connection:
            return connection.execute(sa.delete(JOB_EVENTS).where(JOB_EVENTS.c.job_id.in_(old))).rowcount

    def _not_taken(self, job_id: str) -> sa.ColumnElement[bool]:
        attempt = self._attempts.get(job_id)
        return sa.true() if attempt is None else JOBS.c.begun == attempt

    def _insert_event(self, connection: sa.Connection, job_id: str, stage: Stage, data: Mapping[str, Any]) -> JobEvent:
        """Last in its transaction: on a server, the ids of an installation are committed in their order."""
        if self._database.path is None:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(self._order)))
        t = _now()
        row = {"job_id": job_id, "stored_at": t, "stage": stage.value, "data": _json(data)}
        number = connection.execute(sa.insert(JOB_EVENTS).values(**row).returning(JOB_EVENTS.c.id)).scalar_one()
        return JobEvent(id=number, job_id=job_id, t=t, stage=stage, data=dict(data))

    def _brief(self, row: sa.Row[Any]) -> BriefJob:
        brief = read_brief(row.brief) or self._made_brief(row.number)
        state = JobState(row.state)
        outcome = brief.outcome or outcome_of(state, None, None)
        return brief.model_copy(update={"state": state, "outcome": outcome, "progress": _progress(row)})

    def _made_brief(self, number: int) -> BriefJob:
        """Of a job of an older Vaider: read whole, this once."""
        with self._database.write() as connection:
            brief = brief_of(_job(connection.execute(_jobs().where(JOBS.c.number == number)).one()))
            write_brief(connection, number, brief)
        return brief

    def _change(self, job_id: str, **values: Any) -> int:
        with self._database.write() as connection:
            changed = _open_job(job_id).where(self._not_taken(job_id)).values(**values).returning(JOBS.c.begun)
            return connection.execute(changed).scalar() or 0


_LAST_GIVEN = {
    "sqlite": "SELECT seq FROM sqlite_sequence WHERE name = 'job_events'",
    "postgresql": "SELECT last_value FROM job_events_id_seq WHERE is_called",
}
"""Where each database remembers the newest id that it gave, also when the row is gone."""


def _open_job(job_id: str) -> sa.Update:
    return sa.update(JOBS).where(JOBS.c.id == job_id, JOBS.c.state.not_in(_FINAL))


def _insert_job(connection: sa.Connection, owner: str, new: NewJob, brief: BriefJob, **values: str | None) -> None:
    row = {"id": new.id, "kind": new.kind, "owner": owner, "question": new.question, "request": _json(new.request)}
    row |= {"state": brief.state.value, "begun": 0, "deaths": 0}
    row |= {"submitter": new.submitter, "traceparent": new.traceparent}
    row |= {"created_at": brief.created_at, "finished_at": brief.finished_at}
    number = connection.execute(sa.insert(JOBS).values(**row, **values).returning(JOBS.c.number)).scalar_one()
    write_brief(connection, number, brief)


def _folder_of(result: Mapping[str, Any] | None) -> str | None:
    """Where the pictures of an answer lie."""
    folder = (result or {}).get("interactions_dir")
    return folder if isinstance(folder, str) and folder else None


def _ending(result: Mapping[str, Any] | None, error: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the last event says of a job's end."""
    outcome = {name: result[name] for name in ("outcome", "reason") if name in result} if result else {}
    return {**outcome, **(error or {})}


def _jobs() -> sa.Select[Any]:
    return _with_newest(JOBS, *JOBS.c)


def _narrowed(
    query: sa.Select[Any],
    *,
    state: JobState | None = None,
    kinds: Collection[str] = (),
    before: str | None = None,
    among: Collection[str] | None = None,
    limit: int = 50,
) -> sa.Select[Any]:
    """Newest first."""
    if state is not None:
        query = query.where(JOBS.c.state == state.value)
    if kinds:
        query = query.where(JOBS.c.kind.in_(kinds))
    if among is not None:
        query = query.where(JOBS.c.id.in_(among))
    if before is not None:
        query = query.where(JOBS.c.number < sa.select(JOBS.c.number).where(JOBS.c.id == before).scalar_subquery())
    return query.order_by(JOBS.c.number.desc()).limit(limit)


def _with_newest(jobs: sa.FromClause, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """With the newest event of each."""
    any_event = JOB_EVENTS.alias()
    newest = sa.select(sa.func.max(any_event.c.id)).where(any_event.c.job_id == JOBS.c.id)
    reported = [JOB_EVENTS.c[name].label(f"event_{name}") for name in ("id", "stored_at", "stage", "data")]
    is_newest = JOB_EVENTS.c.id == newest.correlate(JOBS).scalar_subquery()
    return sa.select(*columns, *reported).select_from(jobs.outerjoin(JOB_EVENTS, is_newest))


def _progress(row: sa.Row[Any]) -> JobEvent | None:
    if row.event_id is None:
        return None
    return JobEvent(
        id=row.event_id,
        job_id=row.id,
        t=row.event_stored_at,
        stage=Stage(row.event_stage),
        data=json.loads(row.event_data),
    )


def _job(row: sa.Row[Any]) -> Job:
    return Job(
        id=row.id,
        kind=row.kind,
        state=JobState(row.state),
        request=json.loads(row.request),
        result=json.loads(row.result) if row.result is not None else None,
        error=json.loads(row.error) if row.error is not None else None,
        progress=_progress(row),
        created_at=row.created_at,
        finished_at=row.finished_at,
        traceparent=row.traceparent,
        pinned=row.pinned,
        leaves_at=row.leaves_at,
    )


def _event(row: sa.Row[Any]) -> JobEvent:
    return JobEvent(id=row.id, job_id=row.job_id, t=row.stored_at, stage=Stage(row.stage), data=json.loads(row.data))


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
