"""A job engine of plain memory: the ``Jobs`` port for tests of front ends."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from core.errors import NotFound, VaiderError
from core.job_briefs import brief_of
from core.jobs import Job, JobEvent, JobState, Stage, state_of_result

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Sequence

    from core.job_briefs import BriefJob
    from core.values import Value

NOW = "2026-11-20T12:00:00+00:00"
Report = Callable[..., Awaitable[None]]
Work = Callable[[str, dict[str, Any], Report], Awaitable[dict[str, Any]]]
"""job id, request, report → result; raises ``VaiderError`` to fail."""


class MemoryJobs:
    """Runs each job as a task of the running loop.

    Args:
        work: does every job.

    """

    def __init__(self, work: Work) -> None:
        self.jobs: dict[str, Job] = {}
        self.stored: list[JobEvent] = []
        self.broken: Exception | None = None
        """Raised by every look at the jobs."""
        self.viewers = 0
        self._work = work
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changed: asyncio.Condition | None = None
        self._numbers = itertools.count(1)
        self._questions: dict[str, str] = {}

    async def submit(self, kind: str, request: Value, *, question: str | None = None) -> Job:
        if self.broken:
            raise self.broken
        same = self._questions.get(question or "")
        if same is not None and not self.jobs[same].state.is_final:
            self.jobs[same] = self.jobs[same].model_copy(update={"asked_by": self.jobs[same].asked_by + 1})
            return self.jobs[same]
        job = Job(
            id=f"job-{len(self.jobs) + 1}",
            kind=kind,
            state=JobState.RUNNING,
            request=request.model_dump(mode="json"),
            created_at=NOW,
        )
        self.jobs[job.id] = job
        self._questions[question or job.id] = job.id
        await self.store(job.id, Stage.QUEUED)
        self._tasks[job.id] = asyncio.ensure_future(self._run(job))
        return await self.get(job.id)

    async def get(self, job_id: str) -> Job:
        if job_id not in self.jobs:
            raise NotFound(f"There is no job {job_id!r}.")
        return self.jobs[job_id]

    async def list(
        self, *, state: JobState | None = None, kinds: Collection[str] = (), before: str | None = None, limit: int = 50
    ) -> Sequence[Job]:
        if self.broken:
            raise self.broken
        jobs = [job for job in self.jobs.values() if state in (None, job.state) and (not kinds or job.kind in kinds)]
        older = itertools.takewhile(lambda job: job.id != before, jobs)
        return list(reversed(list(older)))[:limit]

    async def briefs(
        self, *, state: JobState | None = None, kinds: Collection[str] = (), before: str | None = None, limit: int = 50
    ) -> Sequence[BriefJob]:
        return [brief_of(job) for job in await self.list(state=state, kinds=kinds, before=before, limit=limit)]

    async def cancel(self, job_id: str) -> Job:
        job = await self.get(job_id)
        if not job.state.is_final:
            self._tasks[job_id].cancel()
        return job

    async def leave(self, job_id: str) -> Job:
        job = await self.get(job_id)
        if job.asked_by > 1:
            self.jobs[job_id] = job.model_copy(update={"asked_by": job.asked_by - 1})
            return self.jobs[job_id]
        return (await self.cancel(job_id)).model_copy(update={"asked_by": 0})

    async def answered(self, job_id: str, kind: str, request: Value, result: Value) -> Job:
        asked = request.model_dump(mode="json")
        self.jobs[job_id] = Job(id=job_id, kind=kind, state=JobState.QUEUED, request=asked, created_at=NOW)
        told = result.model_dump(mode="json")
        await self._end(job_id, state_of_result(told), result=told)
        return self.jobs[job_id]

    async def wait(self, job_id: str, seconds: float | None = None) -> Job:
        await self.get(job_id)
        try:
            async with asyncio.timeout(seconds), self._condition:
                await self._condition.wait_for(lambda: self.jobs[job_id].state.is_final)
        except TimeoutError:
            pass
        return self.jobs[job_id]

    async def history(self, job_id: str, *, after: int = 0, limit: int = 500) -> Sequence[JobEvent]:
        await self.get(job_id)
        return [event for event in self.stored[after:] if event.job_id == job_id][:limit]

    async def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncIterator[JobEvent]:
        self.viewers += 1
        try:
            while True:
                for event in self.stored[after:]:
                    after = event.id
                    if job_id in (None, event.job_id):
                        yield event
                async with self._condition:
                    while len(self.stored) <= after:
                        await self._condition.wait()
        finally:
            self.viewers -= 1

    async def last_event_id(self) -> int:
        return len(self.stored)

    async def store(self, job_id: str, stage: Stage, **data: int | str | None) -> None:
        """Append an event, as the engine does for a job's reports."""
        event = JobEvent(id=next(self._numbers), job_id=job_id, t=NOW, stage=stage, data=data)
        async with self._condition:
            self.stored.append(event)
            self.jobs[job_id] = self.jobs[job_id].model_copy(update={"progress": event})
            self._condition.notify_all()

    @property
    def _condition(self) -> asyncio.Condition:
        self._changed = self._changed or asyncio.Condition()
        return self._changed

    async def _run(self, job: Job) -> None:
        async def report(stage: Stage, **data: int | str | None) -> None:
            await self.store(job.id, stage, **data)

        try:
            result = await self._work(job.id, job.request, report)
        except VaiderError as error:
            await self._end(job.id, JobState.FAILED, error=error.to_json())
        except asyncio.CancelledError:
            gone = {"error": "The job was cancelled.", "code": "cancelled"}
            await self._end(job.id, JobState.CANCELLED, error=gone)
        except Exception as error:  # noqa: BLE001 - as the engine does; a task that nobody asks would tell it to no one
            await self._end(job.id, JobState.FAILED, error={"error": repr(error), "code": "internal_error"})
        else:
            await self._end(job.id, state_of_result(result), result=result)

    async def _end(self, job_id: str, state: JobState, **ended: Any) -> None:
        update = {"state": state, "finished_at": NOW, **ended}
        self.jobs[job_id] = self.jobs[job_id].model_copy(update=update)
        await self.store(job_id, Stage(state.value))
