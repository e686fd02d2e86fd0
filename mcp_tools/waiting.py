"""Waiting for a job within a tool call: bounded, and never silent for long."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final, Protocol

from core.progress import fraction, sentence

if TYPE_CHECKING:
    from core.jobs import Job, JobEvent
    from core.ports import Jobs

LONGEST_SECONDS: Final = 44.0
"""Clients give up on a call after 60 s, some after less; every tool answers within 45."""
HEARTBEAT_SECONDS: Final = 8.0
"""Silence that long is broken by a progress notification."""
_TOTAL: Final = 100.0
_CRAWL: Final = 0.005
"""The part of what is left that a notification without real progress advances: MCP wants every number to be larger."""


class ProgressSink(Protocol):
    """What shows progress to the client; ``Context.report_progress`` of the MCP SDK."""

    async def __call__(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Show it; does nothing when the client did not ask for progress."""
        ...


class Narrator:
    """Turns a job's events into progress notifications whose numbers only grow."""

    def __init__(self, sink: ProgressSink) -> None:
        self._sink = sink
        self._value = -1.0
        self._words = "started"

    async def tell(self, event: JobEvent | None = None) -> None:
        """Pass an event on; without one, say that the last one still holds."""
        reached = 0.0
        if event is not None:
            reached, self._words = fraction(event) * (_TOTAL - 1), sentence(event)
        crawled = max(self._value, 0.0) + (_TOTAL - max(self._value, 0.0)) * _CRAWL
        self._value = reached if reached > self._value else crawled
        await self._sink(round(self._value, 6), _TOTAL, self._words)


async def wait_aloud(
    jobs: Jobs, job: Job, seconds: float, sink: ProgressSink, *, heartbeat_seconds: float = HEARTBEAT_SECONDS
) -> Job:
    """Wait until the job is final, ``seconds`` at most, and pass its events on meanwhile.

    Returns:
        The job as it then is. Events older than ``job.progress`` are not told again.

    """
    narrator = Narrator(sink)
    tasks = (
        asyncio.create_task(_follow(jobs, job, narrator)),
        asyncio.create_task(_beat(narrator, heartbeat_seconds)),
    )
    try:
        return await jobs.wait(job.id, max(0.0, min(seconds, LONGEST_SECONDS)))
    finally:
        for task in tasks:
            task.cancel()
        # A client that went away, or a stream that broke, must not spoil the answer.
        await asyncio.gather(*tasks, return_exceptions=True)


async def _follow(jobs: Jobs, job: Job, narrator: Narrator) -> None:
    events: Any = jobs.events(after=job.progress.id - 1 if job.progress else 0, job_id=job.id)
    async with contextlib.aclosing(events) as stream:
        async for event in stream:
            await narrator.tell(event)


async def _beat(narrator: Narrator, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        await narrator.tell()
