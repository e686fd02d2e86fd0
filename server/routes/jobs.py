"""``/jobs``: what takes long, its state and result, and its end."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from core.job_briefs import BriefJob
from core.jobs import Job, JobState
from server.http.errors import documented
from server.services import Services, ServicesOf

router = APIRouter(prefix="/jobs", tags=["jobs"])

JobKind = Literal["analysis", "replay", "reload", "learning"]
JobId = Annotated[str, Path(min_length=1, max_length=100, description="A job's id.")]


class JobList(BaseModel):
    """Jobs, newest first."""

    jobs: list[Job] | list[BriefJob]


@router.get(
    "",
    summary="List jobs, newest first",
    description="With `brief`, what a list needs of each: its title, how it ended, what it took; without what it was "
    "asked and what it answered, which may be megabytes.",
    responses=documented(404),
)
async def list_jobs(
    services: ServicesOf,
    *,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    kind: Annotated[list[JobKind], Query(description="Only jobs that do this, or one of these.")] = [],  # noqa: B006 - FastAPI copies it
    before: Annotated[
        str | None, Query(min_length=1, max_length=100, description="Only jobs older than the job of this id.")
    ] = None,
    brief: Annotated[bool, Query(description="Tell of each what a list needs.")] = False,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many.")] = 50,
) -> JobList:
    """List them."""
    if before is not None:
        await services.jobs.get(before)
    if brief:
        return JobList(jobs=list(await services.jobs.briefs(state=state, kinds=kind, before=before, limit=limit)))
    found = await services.jobs.list(state=state, kinds=kind, before=before, limit=limit)
    return JobList(jobs=[current(services, job) for job in found])


@router.get("/{job_id}", summary="A job's state, progress and result", responses=documented(404))
async def get_job(job_id: JobId, services: ServicesOf) -> Job:
    """Look it up."""
    return current(services, await services.jobs.get(job_id))


@router.delete(
    "/{job_id}",
    summary="Cancel a job",
    description="Asks the job to stop and answers at once; a finished job stays as it is. An analysis that several "
    "callers asked for goes on until each of them has taken it back (`asked_by` says how many are left), or until it "
    "is cancelled for `all` of them.",
    responses=documented(404),
)
async def cancel_job(
    job_id: JobId,
    services: ServicesOf,
    *,
    for_all: Annotated[bool, Query(alias="all", description="Whoever else asked for it.")] = False,
) -> Job:
    """Ask it to stop."""
    jobs = services.jobs
    return current(services, await (jobs.cancel(job_id) if for_all else jobs.leave(job_id)))


def current(services: Services, job: Job) -> Job:
    """The job with what only this process knows of it: what it asks, and how its run stands."""
    if job.state is not JobState.RUNNING:
        return job
    now = {"approval": services.approvals.open_of(job.id), "live": services.live.state(job.id)}
    return job.model_copy(update=now) if any(now.values()) else job
