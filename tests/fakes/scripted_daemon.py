"""The daemon's HTTP surface over scripted jobs, for clients of it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Any

from adapters.keys import Keys
from config.settings import load_settings
from core.analysis import AnalysisRequest
from core.jobs import Job, Stage
from core.runs.approvals import Approvals
from core.runs.run import RunOutcome, RunRequest
from core.tasks.lessons import LearnRequest
from server.answers.tasks import tasks_of
from server.app import create_app
from server.dashboard.credentials import Credentials
from server.http.uploads import Uploads
from server.listening import DaemonServer
from server.parts.memory import Memory
from server.security import Access, allowed_hosts
from server.services import Services
from tests.fakes.admission import Admission, LearningAdmission
from tests.fakes.analyses import result
from tests.fakes.kept_reload import kept_reload
from tests.fakes.memory_daemon import Checks, until
from tests.fakes.memory_schedules import memory_schedules
from tests.fakes.run_results import learned_result, run_result
from tests.fakes.scripted_jobs import ScriptedJobs

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

MISSING = {"error": "There is no file; check the path.", "code": "invalid_path"}
NOTHING = {"error": "Nothing was learned from the recording.", "code": "no_task", "reason": "LOW_SIGNAL"}
BROKEN = {"error": "Gemini does not answer; try again later.", "code": "upstream_error"}
PATIENCE = 10.0
_ENDS = {"unclear": RunOutcome.UNCLEAR, "failed": RunOutcome.FAILED}


def act(jobs: ScriptedJobs, job: Job) -> None:
    """Do what the video's name says: ``fine``, ``wrong`` (a verdict fails), ``missing``, ``broken`` or ``endless``."""
    if job.kind == "replay":
        carry_out(jobs, job)
        return
    jobs.tell(job.id, Stage.DECODING, done=1, total=2)
    if job.kind == "learning":
        learn(jobs, job)
        return
    request = AnalysisRequest.model_validate(job.request)
    if "missing" in request.video_path:
        jobs.fail(job.id, MISSING)
    elif "broken" in request.video_path:
        jobs.fail(job.id, BROKEN)
    elif "endless" not in request.video_path:
        verdicts = 0 if not request.expectations else 2 if "wrong" in request.video_path else 1
        answered: dict[str, Any] = result(job_id=job.id, verdicts=verdicts)
        jobs.finish(job.id, {**answered, "provider": "local" if request.provider == "auto" else request.provider})


def learn(jobs: ScriptedJobs, job: Job) -> None:
    """Do what the first video's name says: ``fine``, ``nothing``, ``broken`` or ``endless``."""
    request = LearnRequest.model_validate(job.request)
    if "nothing" in request.videos[0]:
        jobs.fail(job.id, NOTHING)
    elif "broken" in request.videos[0]:
        jobs.fail(job.id, BROKEN)
    elif "endless" not in request.videos[0]:
        jobs.finish(job.id, learned_result(job.id, created=request.into is None))


def carry_out(jobs: ScriptedJobs, job: Job) -> None:
    """Do what the parameter ``how`` says: ``fine`` (or nothing), ``unclear``, ``failed``, ``broken`` or ``endless``."""
    how = RunRequest.model_validate(job.request).params.get("how", "fine")
    jobs.tell(job.id, Stage.REPLAY_STARTED, subtask_total=1)
    jobs.tell(job.id, Stage.SUBTASK_STARTED, subtask_idx=0, subtask_total=1, subtask_text="Save it.")
    if how == "broken":
        jobs.fail(job.id, BROKEN)
    elif how != "endless":
        jobs.finish(job.id, run_result(_ENDS.get(how, RunOutcome.SUCCEEDED)))


class Providers(Checks):
    """The cheap checks, with the providers that the test wants."""

    def __init__(self, lacks: Mapping[str, str | None]) -> None:
        self._lacks = lacks

    @property
    def providers(self) -> Mapping[str, str | None]:
        return self._lacks


class ScriptedDaemon:
    """A running HTTP surface; ``jobs`` is looked at from the test's thread, and changed in the server's."""

    def __init__(self, jobs: ScriptedJobs, server: DaemonServer, port: int) -> None:
        self.jobs = jobs
        self.server = server
        self.port = port

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What was asked, in this order."""
        return [job.request for job in self.jobs.jobs.values()]


@contextlib.contextmanager
def scripted_daemon(data_dir: Path, lacks: Mapping[str, str | None] | None = None) -> Generator[ScriptedDaemon]:
    """Run it in a thread."""
    settings = load_settings(environment={"VAIDER_DATA_DIR": str(data_dir), "VAIDER_SETTINGS": str(data_dir / "none")})
    jobs = ScriptedJobs(act)
    closing = contextlib.ExitStack()
    services = Services(
        settings=settings,
        analysis=Providers(lacks or {"local": None}),
        jobs=jobs,
        uploads=Uploads(data_dir / "uploads", max_bytes=settings.max_video_bytes),
        replay=Admission(),
        approvals=Approvals(seconds=1),
        tasks=tasks_of(settings),
        learning=LearningAdmission(),
        schedules=memory_schedules(settings),
        keys=Keys({}, folder=data_dir),
        memory=Memory(settings),
        reload=kept_reload(settings, closing),
        stopping=asyncio.Event(),
    )
    listener = socket.create_server(("127.0.0.1", 0))
    hosts, credentials = allowed_hosts("127.0.0.1", ()), Credentials("of-a-test")
    app = create_app(services, hosts=hosts, credentials=credentials, access=Access.OPEN)
    server = DaemonServer(app, stopping=services.stopping, asks_for_peers=False)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        until(lambda: server.started)
        yield ScriptedDaemon(jobs, server, listener.getsockname()[1])
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        closing.close()
