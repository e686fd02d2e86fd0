"""A job from a command's point of view: submitted to the end, followed, and never left running."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from core.errors import VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.jobs import Job, JobEvent
    from core.ports import Jobs
    from core.values import Value

_STOP_SECONDS: Final = 10.0
"""How long a cancelled job is waited for, so that nothing is left running when the command ends."""


async def submit(jobs: Jobs, kind: str, request: Value) -> Job:
    """Submit to the end, even when interrupted: a job whose id got lost on the way could not be cancelled."""
    submission = asyncio.ensure_future(jobs.submit(kind, request))
    try:
        return await asyncio.shield(submission)
    except asyncio.CancelledError:
        with contextlib.suppress(VaiderError, TimeoutError):
            job = await asyncio.wait_for(submission, _STOP_SECONDS)
            await stop(jobs, job.id)
        raise


async def until_final(jobs: Jobs, job: Job, tell: Callable[[JobEvent], None], *, seconds: float | None) -> Job:
    """Wait for the job's end and pass its progress on; interrupted or out of time, it is stopped.

    Raises ``TimeoutError`` after ``seconds``.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _followed(jobs, job, tell)
    except (TimeoutError, asyncio.CancelledError):
        await stop(jobs, job.id)
        raise


async def stop(jobs: Jobs, job_id: str) -> None:
    """Cancel a job and wait until it has stopped, a few seconds at most."""
    with contextlib.suppress(VaiderError, TimeoutError):
        async with asyncio.timeout(_STOP_SECONDS):
            await jobs.cancel(job_id)
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
