"""What lists tell of jobs, kept beside them, so that a list reads no request and no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from pydantic import ValidationError

from core.job_briefs import BriefJob, ended
from storage.schema import JOB_BRIEFS, JOBS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.jobs import JobState

_WRITTEN: Final = {"place", "progress"}
"""What is known elsewhere."""
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
    """``None`` of what is not there, or was written by a Vaider that told something else."""
    try:
        return BriefJob.model_validate_json(text) if text else None
    except ValidationError:
        return None
