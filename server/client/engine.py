"""Where a command's jobs run: at a server that is named, in the running daemon, or else in this process."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from core.analysis_jobs import KIND, AnalysisJobs
from core.comparison.comparing_videos import KIND as COMPARISON
from core.comparison.comparing_videos import ComparisonJobs
from server.client.address import address
from server.client.jobs import RemoteJobs, health, lacks
from server.client.recorder_and_reload import RemoteActionCache

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

    from adapters.video.process.child import KeptChild
    from config.settings import Settings
    from core.analysis import Analysis, AnalysisRequest
    from core.comparison.values import CompareRequest
    from core.jobs import Job
    from core.looking import AgentVerdict
    from core.ports import Jobs
    from core.reload.reloads import ActionCache
    from core.runs.run import RunRequest
    from core.tasks.ports import LearnRequest
    from server.client.address import Address

    ActionCacheClient = ActionCache | RemoteActionCache


async def _as_it_is(_: AnalysisRequest, analysis: Analysis) -> Analysis:
    return analysis


@dataclass(frozen=True)
class Engine:
    """A job engine, how an analysis is asked for, and the providers behind it: each with what it lacks, if anything.

    ``daemon`` is the URL of the daemon it belongs to, ``None`` when it runs in this process and ends with it.
    ``admit`` is the check before a run, ``admit_lesson`` that before learning, and ``answer`` passes on what a person
    says to a run that asks. ``reloads`` is what was done once, ``judge`` keeps what an agent says that looked itself,
    ``compare`` makes a job of two runs.
    ``turn`` is held while a job is submitted, so that several get in line in the order in which they were asked for.
    ``fetch`` makes an answer's pictures files of this machine, where they are another's.
    """

    jobs: Jobs
    analyse: Callable[[AnalysisRequest], Awaitable[Job]]
    providers: Mapping[str, str | None]
    daemon: str | None
    admit: Callable[[RunRequest], RunRequest]
    answer: Callable[[str, str, bool], Awaitable[None]]
    admit_lesson: Callable[[LearnRequest], LearnRequest]
    reloads: Callable[[], ActionCacheClient]
    judge: Callable[[str, AgentVerdict], Awaitable[Job]]
    compare: Callable[[CompareRequest], Awaitable[Job]]
    fetch: Callable[[AnalysisRequest, Analysis], Awaitable[Analysis]] = _as_it_is
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@asynccontextmanager
async def open_engine(
    settings: Settings, kept: KeptChild | None = None, *, server: Address | None = None, label: str = ""
) -> AsyncGenerator[Engine]:
    """The daemon's when one answers at the configured address, else one of our own. Raises ``VaiderError``.

    ``kept`` is as ``server.vaider.open_vaider`` takes it. Where a ``server`` is named it is that one's or none.
    Analyses are listed under the ``label``, where there is a list of them.
    """
    if server is not None:
        from server.client.remote import TeamJobs, found_server  # noqa: PLC0415 - only for who names one

        found = await asyncio.to_thread(found_server, server)
        async with TeamJobs(server, label, settings.data_path) as team:
            yield replace(_of_daemon(team, server, found), fetch=team.fetch)
        return
    where = address(settings)
    found = await asyncio.to_thread(health, where)
    if found is not None:
        async with RemoteJobs(where, label) as jobs:
            yield _of_daemon(jobs, where, found)
        return
    # Half a second that a command with a daemon need not wait.
    from core.agent_verdicts import AgentVerdicts  # noqa: PLC0415
    from server.composition.watching import build_looking  # noqa: PLC0415
    from server.vaider import open_vaider  # noqa: PLC0415
    from storage.agent_verdicts import keep_pictures  # noqa: PLC0415

    async with open_vaider(settings, kept=kept) as vaider:

        async def answer(job_id: str, approval_id: str, agree: bool) -> None:
            vaider.replaying.approvals.answer(job_id, approval_id, agree=agree)

        yield Engine(
            vaider.jobs,
            AnalysisJobs(vaider.analysis, vaider.jobs).submit,
            vaider.analysis.providers,
            None,
            vaider.replaying.replay.admit,
            answer,
            vaider.learning.admit,
            lambda: vaider.replaying.reload.reloads,
            AgentVerdicts(vaider.jobs, build_looking(settings), keep_pictures).judge,
            ComparisonJobs(vaider.analysis, vaider.jobs).submit,
        )


def _of_daemon(jobs: RemoteJobs, where: Address, found: Mapping[str, Any]) -> Engine:
    async def pass_on(job_id: str, approval_id: str, agree: bool) -> None:
        await jobs.answer(job_id, approval_id, agree=agree)

    return Engine(
        jobs,
        lambda request: jobs.submit(KIND, request),
        lacks(found),
        where.url,
        lambda request: request,
        pass_on,
        lambda lesson: lesson,
        lambda: RemoteActionCache(where),
        jobs.judge,
        lambda request: jobs.submit(COMPARISON, request),
    )
