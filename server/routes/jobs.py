"""``/jobs``: what takes long, its state and result, and its end."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from core.jobs import Job, JobState
from server.errors import documented
from server.services import ServicesOf

router = APIRouter(prefix="/jobs", tags=["jobs"])

JobId = Annotated[str, Path(min_length=1, max_length=100, description="A job's id.")]


class JobList(BaseModel):
    """Jobs, newest first."""

    jobs: list[Job]


@router.get("", summary="List jobs, newest first", responses=documented())
async def list_jobs(
    services: ServicesOf,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many.")] = 50,
) -> JobList:
    """List them."""
    return JobList(jobs=list(await services.jobs.list(state=state, limit=limit)))


@router.get("/{job_id}", summary="A job's state, progress and result", responses=documented(404))
async def get_job(job_id: JobId, services: ServicesOf) -> Job:
    """Look it up."""
    return await services.jobs.get(job_id)


@router.delete(
    "/{job_id}",
    summary="Cancel a job",
    description="Asks the job to stop and answers at once; a finished job stays as it is.",
    responses=documented(404),
)
async def cancel_job(job_id: JobId, services: ServicesOf) -> Job:
    """Ask it to stop."""
    return await services.jobs.cancel(job_id)
