"""Waiting for a job within a tool call: bounded, and never silent for long."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final, Protocol

import anyio

from core.errors import VaiderError
from core.jobs import Job, JobEvent, fraction, sentence

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from core.ports import Jobs
    from core.values import Value

LONGEST_SECONDS: Final = 44.0
"""Clients give up on a call after 60 s, some after less; every tool answers within 45."""
HEARTBEAT_SECONDS: Final = 8.0
"""Silence that long is broken by a progress notification."""
_CANCEL_GRACE_SECONDS: Final = 5.0
_TOTAL: Final = 100.0
_CRAWL: Final = 0.005
"""The part of what is left that a notification without real progress advances: MCP wants every number to be larger."""


class ProgressSink(Protocol):
    """What shows progress to the client; ``Context.report_progress`` of the MCP SDK."""

    async def __call__(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Show it; does nothing when the client did not ask for progress."""
        ...


class ProgressNotifier:
    """Turns a job's events into progress notifications whose numbers only grow."""

    def __init__(self, sink: ProgressSink) -> None:
        self._sink = sink
        self._value = -1.0
        self._words = "started"

    async def notify(self, event: JobEvent | None = None) -> None:
        """Pass an event on; without one, say that the last one still holds."""
        reached = 0.0
        if event is not None:
            reached, self._words = fraction(event) * (_TOTAL - 1), sentence(event)
        crawled = max(self._value, 0.0) + (_TOTAL - max(self._value, 0.0)) * _CRAWL
        self._value = reached if reached > self._value else crawled
        await self._sink(round(self._value, 6), _TOTAL, self._words)


async def wait_with_progress(
    jobs: Jobs,
    job: Job,
    seconds: float,
    notifier: ProgressNotifier,
    *,
    until: Callable[[JobEvent], bool] | None = None,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> Job:
    """Wait until the job is final, or ``until`` says so of an event, ``seconds`` at most; pass its events on meanwhile.

    Returns:
        The job as it then is. Events older than ``job.progress`` are not sent again.

    """
    enough = asyncio.Event()
    chores = (
        asyncio.create_task(_follow(jobs, job, notifier, until, enough)),
        asyncio.create_task(_beat(notifier, heartbeat_seconds)),
    )
    waits = (
        asyncio.create_task(jobs.wait(job.id, max(0.0, min(seconds, LONGEST_SECONDS)))),
        asyncio.create_task(enough.wait()),
    )
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return waits[0].result() if waits[0].done() else await jobs.get(job.id)
    finally:
        for task in (*chores, *waits):
            task.cancel()
        # A client that went away, or a stream that broke, must not spoil the answer.
        await asyncio.gather(*chores, *waits, return_exceptions=True)


async def submit(jobs: Jobs, kind: str, request: Value) -> Job:
    """Submit a job; a caller that is cancelled meanwhile still gets its id, because the job would run on unattended."""
    return await submitted(jobs.submit(kind, request))


async def submitted(submitting: Awaitable[Job]) -> Job:
    """The same for a submission that is under way."""
    submission = asyncio.ensure_future(submitting)
    with anyio.CancelScope(shield=True):
        await asyncio.wait({submission})
    return submission.result()


@contextlib.asynccontextmanager
async def given_up(jobs: Jobs, job_id: str) -> AsyncGenerator[None]:
    """Leave the job when its call is given up meanwhile: no other call has its id, unless it asked for the same."""
    try:
        yield
    except asyncio.CancelledError:
        with anyio.move_on_after(_CANCEL_GRACE_SECONDS, shield=True), contextlib.suppress(VaiderError):
            await jobs.leave(job_id)
        raise


async def _follow(
    jobs: Jobs, job: Job, notifier: ProgressNotifier, until: Callable[[JobEvent], bool] | None, enough: asyncio.Event
) -> None:
    events: Any = jobs.events(after=job.progress.id - 1 if job.progress else 0, job_id=job.id)
    async with contextlib.aclosing(events) as stream:
        async for event in stream:
            if until is not None and until(event):
                enough.set()
            await notifier.notify(event)


async def _beat(notifier: ProgressNotifier, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        await notifier.notify()
