"""The answer about a job that goes on in the background."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Self

from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from core.analysis import FindingsSoFar
from core.jobs import Job, JobEvent, JobState


class Started(BaseModel):
    """The handle of a job that goes on in the background."""

    job_id: str
    state: JobState
    place: int | None = Field(description="Its place in line, 1 = next; null when it does not wait.")
    progress: JobEvent | None = Field(default=None, description="How far it is.")
    so_far: FindingsSoFar | None = Field(default=None, description="What an analysis has found by now.")
    job_url: str
    events_url: str

    @classmethod
    def of(cls, job: Job) -> Self:
        """The handle of a job."""
        return cls(
            job_id=job.id,
            state=job.state,
            place=job.place,
            progress=job.progress,
            so_far=job.so_far,
            job_url=f"/jobs/{job.id}",
            events_url=f"/events?job={job.id}",
        )


def started(job: Job, headers: Mapping[str, str] | None = None) -> Response:
    """The answer 202 about a job."""
    handle = Started.of(job)
    headers = {"Location": handle.job_url, **(headers or {})}
    return JSONResponse(handle.model_dump(mode="json"), HTTPStatus.ACCEPTED, headers)
