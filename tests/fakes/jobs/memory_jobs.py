"""A job engine of plain memory: the ``Jobs`` port for tests of front ends."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Unpack

from core.analysis import FindingsSoFar
from core.errors import NotFound, VaiderError
from core.job_briefs import BriefJob, brief_of
from core.jobs import NOBODY, Job, JobEvent, JobFilter, JobState, Sender, Stage, state_of_result
from core.values import Value

NOW = "2026-11-20T12:00:00+00:00"
Report = Callable[..., None]
Work = Callable[[str, dict[str, Any], Report], Awaitable[dict[str, Any]]]
"""job id, request, report → result; raises ``VaiderError`` to fail."""
_CANCELLED = {"error": "The job was cancelled.", "code": "cancelled"}


class MemoryJobs:
    """Its jobs get on only when the test says so.

    Args:
        on_submit: called with each new job, e.g. to finish it at once.

    """

    def __init__(self, on_submit: Callable[[MemoryJobs, Job], None] | None = None) -> None:
        self.jobs: dict[str, Job] = {}
        self.cancelled: list[str] = []
        self.stored: list[JobEvent] = []
        self.broken: Exception | None = None
        """Raised by every look at the jobs."""
        self.viewers = 0
        self._on_submit = on_submit
        self._news = asyncio.Condition()
        self._announced: set[asyncio.Task[None]] = set()

    async def submit(self, kind: str, request: Value, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        del question
        job = self._new(kind, request, JobState.QUEUED, sender=sender)
        self.report(job.id, Stage.QUEUED, place=1)
        if self._on_submit:
            self._on_submit(self, self.jobs[job.id])
        return self.jobs[job.id]

    async def get(self, job_id: str) -> Job:
        if job_id not in self.jobs:
            raise NotFound(f"There is no job {job_id!r}; it may have been forgotten.")
        return self.jobs[job_id]

    async def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        if self.broken:
            raise self.broken
        state, kinds, among = which.get("state"), which.get("kinds"), which.get("among")
        jobs = [job for job in self.jobs.values() if state in (None, job.state) and (not kinds or job.kind in kinds)]
        jobs = [job for job in jobs if among is None or job.id in among]
        older = itertools.takewhile(lambda job: job.id != which.get("before"), jobs)
        return list(reversed(list(older)))[: which.get("limit", 50)]

    async def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        return [brief_of(job) for job in await self.list(**which)]

    async def counts(self) -> Mapping[JobState, int]:
        if self.broken:
            raise self.broken
        return Counter(job.state for job in self.jobs.values())

    async def cancel(self, job_id: str) -> Job:
        job = await self.get(job_id)
        self.cancelled.append(job_id)
        if not job.state.is_final:
            self._stop(job_id)
        return self.jobs[job_id]

    async def leave(self, job_id: str) -> Job:
        job = await self.get(job_id)
        if job.asked_by > 1:
            self.jobs[job_id] = job.model_copy(update={"asked_by": job.asked_by - 1})
            return self.jobs[job_id]
        return (await self.cancel(job_id)).model_copy(update={"asked_by": 0})

    async def answered(self, job_id: str, kind: str, request: Value, result: Value, *, sender: Sender = NOBODY) -> Job:
        self._new(kind, request, JobState.QUEUED, job_id, sender)
        self.finish(job_id, result.model_dump(mode="json"))
        return self.jobs[job_id]

    async def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        job = await self.get(job_id)
        self.jobs[job_id] = job.model_copy(update={"result": dict(change(job.result or {}))})
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
        return [event for event in self.stored[after:] if event.job_id == job_id][:limit]

    async def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncIterator[JobEvent]:
        self.viewers += 1
        try:
            while True:
                for event in self.stored[after:]:
                    after = event.id
                    if job_id in (None, event.job_id):
                        yield event
                async with self._news:
                    while len(self.stored) <= after:
                        await self._news.wait()
        finally:
            self.viewers -= 1

    async def last_event_id(self) -> int:
        return len(self.stored)

    # -- what the test does

    def report(self, job_id: str, stage: Stage, **data: int | str | None) -> None:
        """The job got to ``stage``."""
        self._store(job_id, stage, data, state=self.jobs[job_id].state if stage is Stage.QUEUED else JobState.RUNNING)

    def find(self, job_id: str, found: FindingsSoFar) -> None:
        """The job runs, and has found that by now."""
        self.report(job_id, Stage.FOUND, done=found.done, total=found.total)
        self.jobs[job_id] = self.jobs[job_id].model_copy(update={"so_far": found})

    def finish(self, job_id: str, result: dict[str, Any]) -> None:
        """The job has come to its result."""
        self._end(job_id, state_of_result(result), result=result)

    def fail(self, job_id: str, error: dict[str, Any]) -> None:
        """The job failed with an error shape."""
        self._end(job_id, JobState.FAILED, error=error)

    def _new(
        self, kind: str, request: Value, state: JobState, job_id: str | None = None, sender: Sender = NOBODY
    ) -> Job:
        name = job_id or f"job-{len(self.jobs) + 1}"
        asked = request.model_dump(mode="json")
        trace = sender.traceparent
        self.jobs[name] = Job(id=name, kind=kind, state=state, request=asked, created_at=NOW, traceparent=trace)
        return self.jobs[name]

    def _stop(self, job_id: str) -> None:
        self._end(job_id, JobState.CANCELLED, error=_CANCELLED)

    def _end(self, job_id: str, state: JobState, **ended: Any) -> None:
        self._store(job_id, Stage(state.value), {}, state=state, finished_at=NOW, **ended)

    def _store(self, job_id: str, stage: Stage, data: dict[str, int | str | None], **fields: Any) -> None:
        event = JobEvent(id=len(self.stored) + 1, job_id=job_id, t=NOW, stage=stage, data=data)
        self.jobs[job_id] = self.jobs[job_id].model_copy(update={"progress": event, **fields})
        self.stored.append(event)
        task = asyncio.ensure_future(self._announce())
        self._announced.add(task)
        task.add_done_callback(self._announced.discard)

    async def _announce(self) -> None:
        async with self._news:
            self._news.notify_all()


class WorkingJobs(MemoryJobs):
    """Runs each job as a task of the running loop; of two that ask the same there is one job.

    Args:
        work: does every job.

    """

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._questions: dict[str, str] = {}

    async def submit(self, kind: str, request: Value, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        if self.broken:
            raise self.broken
        same = self._questions.get(question or "")
        if same is not None and not self.jobs[same].state.is_final:
            self.jobs[same] = self.jobs[same].model_copy(update={"asked_by": self.jobs[same].asked_by + 1})
            return self.jobs[same]
        job = self._new(kind, request, JobState.RUNNING, sender=sender)
        self._questions[question or job.id] = job.id
        self.report(job.id, Stage.QUEUED)
        self._tasks[job.id] = asyncio.ensure_future(self._run(job))
        return self.jobs[job.id]

    def _stop(self, job_id: str) -> None:
        self._tasks[job_id].cancel()

    async def _run(self, job: Job) -> None:
        def report(stage: Stage, **data: int | str | None) -> None:
            self.report(job.id, stage, **data)

        try:
            result = await self._work(job.id, job.request, report)
        except VaiderError as error:
            self.fail(job.id, error.to_json())
        except asyncio.CancelledError:
            super()._stop(job.id)
        except Exception as error:  # noqa: BLE001 - as the engine does; a task that nobody asks would tell it to no one
            self.fail(job.id, {"error": repr(error), "code": "internal_error"})
        else:
            self.finish(job.id, result)
