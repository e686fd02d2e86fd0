"""What the routes work with; the daemon builds it, tests build it of other parts."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

from fastapi import Depends, Request

from adapters.video.video_files import VideoConverter
from core.agent_verdicts import AgentVerdicts
from core.analysis_jobs import KIND as ANALYSIS
from core.analysis_jobs import Admission, AnalysisJobs
from core.comparison.comparing_videos import ComparisonJobs
from core.errors import NotFound
from core.jobs import Job, JobState
from core.runs.live import Approvals, LiveRuns
from core.tokens import Bearer, Scope
from server.composition.from_settings import video_limits
from server.composition.watching import build_looking
from server.media.live_screens import LiveScreens
from server.media.playable import KeptUploads, PlayableCopies
from server.metrics import Metrics, Requests
from server.restart import Restart
from storage.agent_verdicts import keep_pictures

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping
    from pathlib import Path

    from adapters.keys import Keys
    from config.settings import Settings
    from core.looking import Looking
    from core.ports import AnsweringJobs
    from core.runs.run import RunRequest
    from core.tasks.ports import LearnRequest, Tasks
    from server.composition.memory import Memory
    from server.composition.memory_refining import RefinementWorker
    from server.composition.recorder import Recorder
    from server.composition.reload import ActionCacheServices
    from server.composition.scheduling import TaskSchedules
    from server.http.uploads import Uploads
    from server.setup.configuration import Configuration
    from storage.job_figures import JobFigures
    from storage.retention import Retention
    from storage.submissions import Submissions
    from storage.tokens import Tokens


RequestT = TypeVar("RequestT")


class Checks(Protocol[RequestT]):
    """What front ends need of a use case before a job is made."""

    @property
    def providers(self) -> Mapping[str, str | None]:
        """Each provider and what it lacks, ``None`` for those that can be used now."""
        ...

    def admit(self, request: RequestT) -> RequestT:
        """Refuse at once what is plainly wrong; the request as a job may keep it. Raises ``CallerError``."""
        ...


class AnalysisChecks(Admission, Protocol):
    """The same for an analysis, whose answer may be known already."""

    @property
    def providers(self) -> Mapping[str, str | None]:
        """As ``Checks`` has them."""
        ...


@dataclass(frozen=True)
class Services:
    """The parts that the routes share.

    ``stopping`` is set when the daemon is about to stop, so that waiting requests end.
    """

    settings: Settings
    analysis: AnalysisChecks
    jobs: AnsweringJobs
    uploads: Uploads
    replay: Checks[RunRequest]
    approvals: Approvals
    tasks: Tasks
    learning: Checks[LearnRequest]
    schedules: TaskSchedules
    keys: Keys
    memory: Memory
    reload: ActionCacheServices
    tokens: Tokens
    submissions: Submissions
    figures: JobFigures
    live: LiveRuns = field(default_factory=LiveRuns)
    """The runs that go on in this process."""
    retention: Retention | None = None
    """What goes when, where Vaider itself removes what is old."""
    recorder: Recorder | None = None
    """The continuous recorder, where there is one."""
    refinement_worker: RefinementWorker | None = None
    """Who words memories better, as the daemon has it; without one nothing leaves."""
    restart: Restart = field(default_factory=Restart)
    """How a page has the daemon begin anew."""
    version: str = field(default_factory=lambda: metadata.version("vaider"))
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    started: float = field(default_factory=time.monotonic)
    viewer_patience_seconds: float = 30.0
    """A viewer that takes nothing for so long is dropped; it can come back with ``Last-Event-ID``."""
    interaction_folders: dict[str, str] = field(default_factory=dict[str, str])
    """Where the answers of the jobs lie whose pictures were asked for last."""
    examining: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the doctor looks: once at a time is enough."""
    requests: Requests = field(default_factory=Requests)
    """How many were answered."""
    _chores: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @cached_property
    def metrics(self) -> Metrics:
        """What Prometheus reads."""
        return Metrics(self.figures, self.requests)

    async def slots(self) -> int:
        """How many jobs can be done at once."""
        return self.settings.max_parallel_analyses

    @cached_property
    def analyses(self) -> AnalysisJobs:
        """How an analysis is asked for."""
        return AnalysisJobs(self.analysis, self.jobs)

    @cached_property
    def comparisons(self) -> ComparisonJobs:
        """How a comparison of two runs is asked for."""
        return ComparisonJobs(self.analysis, self.jobs)

    @cached_property
    def looking(self) -> Looking:
        """Takes pictures of moments of videos."""
        return build_looking(self.settings)

    @cached_property
    def agent_verdicts(self) -> AgentVerdicts:
        """Keeps what agents judged that looked themselves."""
        return AgentVerdicts(self.jobs, self.looking, keep_pictures)

    @cached_property
    def configuration(self) -> Configuration:
        """The settings as they are in force and will be."""
        from server.setup.configuration import Configuration  # noqa: PLC0415 - only when the settings are read

        return Configuration(self.settings, self._follow)

    @cached_property
    def screens(self) -> LiveScreens:
        """The displays of the runs that go on, as pictures."""
        return LiveScreens(self.live)

    def _follow(self, settings: Settings) -> None:
        """Have those go by changed settings who can do so while they run."""
        if self.recorder is not None:
            self.recorder.reconfigure(settings)
        if self.refinement_worker is not None and self.refinement_worker.is_on and settings.memory_refiner == "none":
            self.refinement_worker.switch_off()
        if settings.embeddings_provider == "none":
            self.memory.switch_meaning_off()

    async def sees(self, bearer: Bearer, job_id: str) -> bool:
        """Whether a token's bearer may know of the job: of an analysis, and with scope ``submit`` of its own alone."""
        if bearer.scope is Scope.ADMIN:
            return True
        try:
            job = await self.jobs.get(job_id)
        except NotFound:
            return False
        if bearer.scope is Scope.SUBMIT and not await asyncio.to_thread(self.submissions.is_by, job_id, bearer.name):
            return False
        return job.kind == ANALYSIS

    def later(self, chore: Coroutine[None, None, None]) -> None:
        """Do something in the background; it is dropped when the daemon stops."""
        task = asyncio.ensure_future(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    @cached_property
    def kept_uploads(self) -> KeptUploads:
        """Those that stay after their analysis."""
        days, most = self.settings.upload_keep_days, self.settings.upload_keep_bytes
        return KeptUploads(self.settings.data_path / "uploads", keep_days=days, keep_bytes=most)

    @cached_property
    def playable(self) -> PlayableCopies:
        """Copies of videos that browsers cannot play."""
        convert = VideoConverter(**video_limits(self.settings), playable=True)
        return PlayableCopies(self.settings.data_path / "playable", convert)

    def settle_soon(self, job: Job, upload: Path) -> None:
        """Keep or remove an upload once its job is over; at once when the job reads other bytes that are the same."""
        if job.request.get("video_path") == str(upload):
            self.later(self.settle_upload(job.id, upload))
        else:
            self.uploads.discard(upload)

    async def settle_upload(self, job_id: str, upload: Path) -> None:
        """Keep or remove an upload once its job needs it no more; a job that outlives the daemon keeps it.

        Only what was analysed well is kept for a while: there is a timeline to watch it by.
        """
        with self.kept_uploads.held(upload):
            job = await self.jobs.wait(job_id)
        if job.state.is_final:
            stays = job.kind == "analysis" and job.state is JobState.DONE
            await asyncio.to_thread(self.kept_uploads.keep if stays else self.kept_uploads.let_go, upload)

    async def drop_chores(self) -> None:
        """Stop what is still going on in the background."""
        chores = tuple(self._chores)
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)


def _services(request: Request) -> Services:
    return request.app.state.services


ServicesOf = Annotated[Services, Depends(_services)]
"""How a route asks for the services."""
