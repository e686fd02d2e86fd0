"""A job from a command's point of view: submitted to the end, followed, and never left running."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from core.analysis_jobs import worked_for
from core.errors import VaiderError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from core.jobs import Job, JobEvent
    from core.ports import Jobs
    from core.values import Value

_STOP_SECONDS: Final = 10.0
"""How long a cancelled job is waited for, so that nothing is left running when the command ends."""


async def submit(jobs: Jobs, kind: str, request: Value) -> Job:
    """Submit to the end, even when interrupted: a job whose id got lost on the way could not be cancelled."""
    return await submitted(jobs, jobs.submit(kind, request))


async def submitted(jobs: Jobs, submitting: Awaitable[Job]) -> Job:
    """The same for a submission that is under way."""
    submission = asyncio.ensure_future(submitting)
    try:
        return await asyncio.shield(submission)
    except asyncio.CancelledError:
        with contextlib.suppress(VaiderError, TimeoutError):
            job = await asyncio.wait_for(submission, _STOP_SECONDS)
            await stop(jobs, job.id)
        raise


async def until_final(jobs: Jobs, job: Job, tell: Callable[[JobEvent], None], *, seconds: float | None) -> Job:
    """Wait for the job's end and pass its progress on; interrupted or out of time, it is stopped.

    Raises ``TimeoutError`` when the job has worked for ``seconds``; time in line does not count.
    """
    following = asyncio.create_task(_followed(jobs, job, tell))
    limits = [asyncio.create_task(worked_for(jobs, job.id, seconds))] if seconds is not None else []
    try:
        await asyncio.wait([following, *limits], return_when=asyncio.FIRST_COMPLETED)
        if following.done():
            return following.result()
        await stop(jobs, job.id)
        raise TimeoutError
    except asyncio.CancelledError:
        await stop(jobs, job.id)
        raise
    finally:
        for task in (following, *limits):
            task.cancel()
        await asyncio.gather(following, *limits, return_exceptions=True)


async def stop(jobs: Jobs, job_id: str) -> None:
    """Want a job no more, and wait until it has stopped, a few seconds at most; it goes on for others who asked."""
    with contextlib.suppress(VaiderError, TimeoutError):
        async with asyncio.timeout(_STOP_SECONDS):
            if (await jobs.leave(job_id)).asked_by == 0:
                await jobs.wait(job_id)


async def _followed(jobs: Jobs, job: Job, tell: Callable[[JobEvent], None]) -> Job:
    following = asyncio.create_task(_follow(jobs, job.id, tell))
    try:
        return await jobs.wait(job.id)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(jobs: Jobs, job_id: str, tell: Callable[[JobEvent], None]) -> None:
    async for event in jobs.events(job_id=job_id):
        tell(event)
