"""The daemon's HTTP surface over jobs that do what their video is called, for clients of it."""

import contextlib
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from config.settings import load_settings
from core.analysis import AnalysisRequest
from core.jobs import Job, Stage
from core.runs.run import RunOutcome, RunRequest
from core.tasks.ports import LearnRequest
from server.identity import Credentials
from server.listening import DaemonServer
from server.security import Access
from tests.fakes.daemons.memory_daemon import Checks, serving
from tests.fakes.jobs.analyses import result
from tests.fakes.jobs.memory_jobs import MemoryJobs
from tests.fakes.jobs.run_results import learned_result, run_result

MISSING = {"error": "There is no file; check the path.", "code": "invalid_path"}
NOTHING = {"error": "Nothing was learned from the recording.", "code": "no_task", "reason": "LOW_SIGNAL"}
BROKEN = {"error": "Gemini does not answer; try again later.", "code": "upstream_error"}
PATIENCE = 10.0
_ENDS = {"unclear": RunOutcome.UNCLEAR, "failed": RunOutcome.FAILED}


def act(jobs: MemoryJobs, job: Job) -> None:
    """Do what the video's name says: ``fine``, ``wrong`` (a verdict fails), ``missing``, ``broken`` or ``endless``."""
    if job.kind == "replay":
        carry_out(jobs, job)
        return
    jobs.report(job.id, Stage.DECODING, done=1, total=2)
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


def learn(jobs: MemoryJobs, job: Job) -> None:
    """Do what the first video's name says: ``fine``, ``nothing``, ``broken`` or ``endless``."""
    request = LearnRequest.model_validate(job.request)
    if "nothing" in request.videos[0]:
        jobs.fail(job.id, NOTHING)
    elif "broken" in request.videos[0]:
        jobs.fail(job.id, BROKEN)
    elif "endless" not in request.videos[0]:
        jobs.finish(job.id, learned_result(job.id, created=request.into is None))


def carry_out(jobs: MemoryJobs, job: Job) -> None:
    """Do what the parameter ``how`` says: ``fine`` (or nothing), ``unclear``, ``failed``, ``broken`` or ``endless``."""
    how = RunRequest.model_validate(job.request).params.get("how", "fine")
    jobs.report(job.id, Stage.REPLAY_STARTED, subtask_total=1)
    jobs.report(job.id, Stage.SUBTASK_STARTED, subtask_idx=0, subtask_total=1, subtask_text="Save it.")
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

    def __init__(self, jobs: MemoryJobs, server: DaemonServer, port: int) -> None:
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
    jobs, credentials = MemoryJobs(act), Credentials("of-a-test")
    with serving(settings, jobs, Providers(lacks or {"local": None}), credentials, access=Access.OPEN) as (
        _,
        server,
        port,
    ):
        yield ScriptedDaemon(jobs, server, port)
