"""One video's analysis from question to outcome, with its cancellation and its limit of time."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from core.analysis import Analysis, VerdictResult
from core.errors import TimedOut, VaiderError, exit_code
from core.jobs import JobState
from server.client import error_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.analysis import AnalysisRequest
    from core.jobs import Job, JobEvent
    from core.ports import Jobs
    from server.engine import Engine

_STOP_SECONDS: Final = 10.0
"""How long a cancelled job is waited for, so that nothing is left running when the command ends."""


@dataclass(frozen=True)
class Outcome:
    """What became of one video: an analysis, or the reason why there is none."""

    video_path: str
    analysis: Analysis | None = None
    error: VaiderError | None = None

    @property
    def exit_code(self) -> int:
        """0 as expected, 1 not as expected or not clear, else what the error means."""
        if self.error is not None:
            return exit_code(self.error)
        verdicts = self.analysis.verdicts if self.analysis else ()
        return 0 if all(verdict.verdict is VerdictResult.PASS for verdict in verdicts) else 1

    def to_json(self) -> dict[str, Any]:
        """The answer as HTTP gives it, or the error shape with the video it is about."""
        if self.analysis is not None:
            return self.analysis.model_dump(mode="json")
        assert self.error is not None  # noqa: S101 - an outcome has one of the two
        return {**self.error.to_json(), "video_path": self.video_path}


async def ask(
    engine: Engine, request: AnalysisRequest, *, seconds: float | None, tell: Callable[[JobEvent], None]
) -> Outcome:
    """Have one video analysed, and pass its progress on.

    A command that is interrupted, or an analysis that takes longer than ``seconds``, leaves no job running.
    """
    try:
        await asyncio.to_thread(engine.check, request)
        job = await engine.jobs.submit("analysis", request)
        try:
            async with asyncio.timeout(seconds):
                job = await _until_final(engine.jobs, job, tell)
        except (TimeoutError, asyncio.CancelledError):
            await _stop(engine.jobs, job.id)
            raise
    except TimeoutError:
        limit = f"The analysis took longer than {seconds:g} s and was stopped; raise --timeout or the rules' limit."
        return Outcome(request.video_path, error=TimedOut(limit))
    except VaiderError as error:
        return Outcome(request.video_path, error=error)
    if job.state is JobState.DONE and job.result is not None:
        return Outcome(request.video_path, analysis=Analysis.model_validate(job.result))
    return Outcome(request.video_path, error=error_from(job.error or {}))


async def _until_final(jobs: Jobs, job: Job, tell: Callable[[JobEvent], None]) -> Job:
    following = asyncio.create_task(_follow(jobs, job.id, tell))
    try:
        return await jobs.wait(job.id)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(jobs: Jobs, job_id: str, tell: Callable[[JobEvent], None]) -> None:
    async for event in jobs.events(job_id=job_id):
        tell(event)


async def _stop(jobs: Jobs, job_id: str) -> None:
    with contextlib.suppress(VaiderError, TimeoutError):
        async with asyncio.timeout(_STOP_SECONDS):
            await jobs.cancel(job_id)
            await jobs.wait(job_id)
