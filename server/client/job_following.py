"""A job, or the analysis of one video, as a command has it: submitted to the end, followed, never left running."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from core.analysis import Analysis, AnalysisRequest, VerdictResult
from core.analysis_jobs import worked_for
from core.errors import TimedOut, VaiderError, exit_code
from core.jobs import Job, JobEvent, JobState
from core.provider_choice import AUTO
from core.rules import Rules, last_word, retry_plan
from server.client.jobs import error_from

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from core.ports import Jobs
    from core.values import Value
    from server.client.engine import Engine


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


async def until_final(jobs: Jobs, job: Job, report: Callable[[JobEvent], None], *, seconds: float | None) -> Job:
    """Wait for the job's end and pass its progress on; interrupted or out of time, it is stopped.

    Raises ``TimeoutError`` when the job has worked for ``seconds``; time in line does not count.
    """
    following = asyncio.create_task(_followed(jobs, job, report))
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


async def _followed(jobs: Jobs, job: Job, report: Callable[[JobEvent], None]) -> Job:
    following = asyncio.create_task(_follow(jobs, job.id, report))
    try:
        return await jobs.wait(job.id)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(jobs: Jobs, job_id: str, report: Callable[[JobEvent], None]) -> None:
    async for event in jobs.events(job_id=job_id):
        report(event)


@dataclass(frozen=True)
class Outcome:
    """What became of one video: an analysis, or the reason why there is none.

    ``note`` is a sentence for people, about what was tried.
    """

    video_path: str
    analysis: Analysis | None = None
    error: VaiderError | None = None
    note: str | None = None

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
    engine: Engine, request: AnalysisRequest, *, seconds: float | None, report: Callable[[JobEvent], None]
) -> Outcome:
    """Have one video analysed, and pass its progress on.

    A command that is interrupted, or an analysis that takes longer than ``seconds`` without its time in line, leaves
    no job running without a caller.
    """
    try:
        async with engine.turn:
            job = await submitted(engine.jobs, engine.analyse(request))
        job = await until_final(engine.jobs, job, report, seconds=seconds)
        if job.state is JobState.DONE and job.result is not None:
            found = await engine.fetch(request, Analysis.model_validate(job.result))
            return Outcome(request.video_path, analysis=found)
    except TimeoutError:
        limit = f"The analysis took longer than {seconds:g} s and was stopped; raise --timeout or the rules' limit."
        return Outcome(request.video_path, error=TimedOut(limit))
    except VaiderError as error:
        return Outcome(request.video_path, error=error)
    return Outcome(request.video_path, error=error_from(job.error or {}))


async def ask_by_rules(
    engine: Engine,
    request: AnalysisRequest,
    rules: Rules,
    *,
    seconds: float | None,
    notify: Callable[[JobEvent], None],
) -> Outcome:
    """The same, and after a mismatch again as the project's rules say, until all is as expected.

    A provider that was named is the only one that is asked again: nothing goes to another behind the caller's back.
    """
    outcome = await ask(engine, request, seconds=seconds, report=notify)
    if outcome.analysis is None or outcome.exit_code == 0:
        return outcome
    first = outcome.analysis.provider
    # The daemon's own setting may have named it, although the request did not.
    chosen_freely = request.provider == AUTO and outcome.analysis.provider_reason.startswith(AUTO)
    usable = [name for name, lack in engine.providers.items() if lack is None] if chosen_freely else [first]
    plan = retry_plan(rules, usable, first)
    asked = [first]
    for provider in plan.providers:
        # Its kept answer is the one that did not match.
        cached = request.use_cache and provider not in asked
        again = request.model_copy(update={"provider": provider, "use_cache": cached})
        asked.append(provider)
        answered = await ask(engine, again, seconds=seconds, report=notify)
        outcome = answered if answered.analysis is not None else outcome
        if answered.exit_code == 0:
            return replace(answered, note=f"{provider} found all as expected at try {len(asked)}; {first} did not.")
    assert outcome.analysis is not None  # noqa: S101 - only analyses take the place of one
    return replace(outcome, note=last_word(len(asked), plan, outcome.analysis.interactions_dir))
