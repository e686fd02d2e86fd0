"""Which jobs a task or a workflow waits for or is carried out by at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from pydantic import BaseModel, Field

from core.jobs import Job, JobEvent, JobState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.ports import Jobs

_MOST = 500


class ActiveJob(BaseModel):
    """A job that is not over."""

    job_id: str
    kind: str = Field(description="`replay`, `reload` or `learning`.")
    state: JobState
    place: int | None = Field(description="Its place in line, 1 = next; null when it runs.")
    progress: JobEvent | None = Field(description="The newest progress event.")


class Activity(NamedTuple):
    """All jobs that are not over, those that run first."""

    jobs: Sequence[Job]

    @classmethod
    async def now(cls, jobs: Jobs) -> Self:
        """As it is at this moment. Raises ``StorageFailed``."""
        return cls(
            [job for state in (JobState.RUNNING, JobState.QUEUED) for job in await jobs.list(state=state, limit=_MOST)]
        )

    def of_task(self, task_id: str) -> list[ActiveJob]:
        """Its runs, and what merges recordings into it."""
        return [_told(job) for job in self.jobs if task_id in {job.request.get("task"), job.request.get("into")}]

    def of_workflow(self, folder: str) -> list[ActiveJob]:
        """Its runs, by its folder."""
        return [_told(job) for job in self.jobs if job.request.get("workflow") == folder]


def _told(job: Job) -> ActiveJob:
    return ActiveJob(job_id=job.id, kind=job.kind, state=job.state, place=job.place, progress=job.progress)
