"""A job engine in memory whose jobs get on only when the test says so."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any

from core.errors import NotFound
from core.job_briefs import brief_of
from core.jobs import Job, JobEvent, JobState, Stage, state_of_result

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    from core.job_briefs import BriefJob
    from core.values import Value

_NOW = "2026-11-20T12:00:00+00:00"


class ScriptedJobs:
    """Implements ``core.ports.Jobs``.

    Args:
        on_submit: called with each new job, e.g. to finish it at once.

    """

    def __init__(self, on_submit: Callable[[ScriptedJobs, Job], None] | None = None) -> None:
        self.jobs: dict[str, Job] = {}
        self.cancelled: list[str] = []
        self.questions: list[str | None] = []
        self._events: list[JobEvent] = []
        self._numbers = itertools.count(1)
        self._on_submit = on_submit
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    async def submit(self, kind: str, request: Value, *, question: str | None = None) -> Job:
        self.questions.append(question)
        job_id = f"job-{next(self._numbers)}"
        self.jobs[job_id] = Job(
            id=job_id, kind=kind, state=JobState.QUEUED, request=request.model_dump(mode="json"), created_at=_NOW
        )
        self.tell(job_id, Stage.QUEUED, place=1)
        if self._on_submit:
            self._on_submit(self, self.jobs[job_id])
        return self.jobs[job_id]

    async def get(self, job_id: str) -> Job:
        if job_id not in self.jobs:
            raise NotFound(f"There is no job {job_id!r}; it may have been forgotten.")
        return self.jobs[job_id]

    async def list(
        self, *, state: JobState | None = None, kinds: Collection[str] = (), before: str | None = None, limit: int = 50
    ) -> Sequence[Job]:
        jobs = [job for job in self.jobs.values() if state in (None, job.state) and (not kinds or job.kind in kinds)]
        older = itertools.takewhile(lambda job: job.id != before, jobs)
        return list(reversed(list(older)))[:limit]

    async def briefs(
        self, *, state: JobState | None = None, kinds: Collection[str] = (), before: str | None = None, limit: int = 50
    ) -> Sequence[BriefJob]:
        return [brief_of(job) for job in await self.list(state=state, kinds=kinds, before=before, limit=limit)]

    async def cancel(self, job_id: str) -> Job:
        job = await self.get(job_id)
        self.cancelled.append(job_id)
        if not job.state.is_final:
            error = {"error": "The job was cancelled.", "code": "cancelled"}
            self._end(job_id, JobState.CANCELLED, Stage.CANCELLED, error=error)
        return self.jobs[job_id]

    async def leave(self, job_id: str) -> Job:
        return await self.cancel(job_id)

    async def answered(self, job_id: str, kind: str, request: Value, result: Value) -> Job:
        asked = request.model_dump(mode="json")
        self.jobs[job_id] = Job(id=job_id, kind=kind, state=JobState.QUEUED, request=asked, created_at=_NOW)
        self.finish(job_id, result.model_dump(mode="json"))
        return self.jobs[job_id]

    async def wait(self, job_id: str, seconds: float | None = None) -> Job:
        await self.get(job_id)
        try:
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(lambda: self.jobs[job_id].state.is_final)
        except TimeoutError:
            pass
        return self.jobs[job_id]

    async def history(self, job_id: str, *, after: int = 0, limit: int = 500) -> Sequence[JobEvent]:
        await self.get(job_id)
        return [event for event in self._events if event.id > after and event.job_id == job_id][:limit]

    async def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncIterator[JobEvent]:
        seen = after
        while True:
            for event in [event for event in self._events if event.id > seen]:
                seen = event.id
                if job_id in {None, event.job_id}:
                    yield event
            async with self._news:
                await self._news.wait_for(lambda: len(self._events) > seen)  # noqa: B023 - looked at within this turn

    async def last_event_id(self) -> int:
        return len(self._events)

    # -- what the test does

    def tell(self, job_id: str, stage: Stage, **data: int | str) -> None:
        """The job got to ``stage``."""
        event = JobEvent(id=len(self._events) + 1, job_id=job_id, t=_NOW, stage=stage, data=dict(data))
        self._events.append(event)
        state = self.jobs[job_id].state if stage is Stage.QUEUED else JobState.RUNNING
        self._update(job_id, progress=event, state=state)

    def finish(self, job_id: str, result: dict[str, Any]) -> None:
        """The job has come to its result."""
        state = state_of_result(result)
        self._end(job_id, state, Stage(state.value), result=result)

    def fail(self, job_id: str, error: dict[str, Any]) -> None:
        """The job failed with an error shape."""
        self._end(job_id, JobState.FAILED, Stage.FAILED, error=error)

    def _end(self, job_id: str, state: JobState, stage: Stage, **fields: Any) -> None:
        self.tell(job_id, stage)
        self._update(job_id, state=state, finished_at=_NOW, **fields)

    def _update(self, job_id: str, **fields: Any) -> None:
        self.jobs[job_id] = self.jobs[job_id].model_copy(update=fields)
        task = asyncio.ensure_future(self._announce())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _announce(self) -> None:
        async with self._news:
            self._news.notify_all()
