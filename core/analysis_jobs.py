"""Asking for an analysis: refused before a job is made of it, joined to a job that answers the same, or a new job."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Protocol

from core.jobs import NOBODY, Job, Sender, Stage, new_job_id

if TYPE_CHECKING:
    from core.analysis import AnalysisRequest
    from core.ports import AnsweringJobs, Jobs
    from core.video_analysis import Admitted

KIND: Final = "analysis"
_AT_ONCE: Final = 8


class Admission(Protocol):
    """What is needed of ``core.video_analysis.VideoAnalysis`` before a job is made."""

    def admit(self, request: AnalysisRequest, job_id: str) -> Admitted:
        """Refuse what can be refused, and answer what is known already. Raises ``CallerError``."""
        ...


class AnalysisJobs:
    """The one way in for each front end of a process that has an engine.

    Args:
        admission: looks at a request on a thread.
        jobs: the engine.

    """

    def __init__(self, admission: Admission, jobs: AnsweringJobs) -> None:
        self._admission = admission
        self._jobs = jobs
        # Apart from the threads that answer other requests: a slow disk may hold these for a minute.
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="vaider-admission")

    async def submit(self, request: AnalysisRequest, sender: Sender = NOBODY) -> Job:
        """The job that answers; it is done already when nothing had to be watched.

        Raises ``CallerError`` and ``StorageFailed``.
        """
        job_id = new_job_id()
        loop = asyncio.get_running_loop()
        admitted = await loop.run_in_executor(self._threads, self._admission.admit, request, job_id)
        if admitted.answer is not None:
            return await self._jobs.answered(job_id, KIND, admitted.request, admitted.answer, sender=sender)
        return await self._jobs.submit(KIND, admitted.request, question=admitted.question, sender=sender)


async def worked_for(jobs: Jobs, job_id: str, seconds: float) -> None:
    """Return when the job has worked for so long since this call; the time that it waits in line does not count."""
    events: Any = jobs.events(job_id=job_id)
    async with contextlib.aclosing(events) as stream:
        async for event in stream:
            if event.stage is not Stage.QUEUED:
                break
    await asyncio.sleep(seconds)
