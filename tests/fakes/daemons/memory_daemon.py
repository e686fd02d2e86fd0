"""A real daemon's HTTP surface on a free port, with the ports behind it played by small parts of memory."""

import asyncio
import contextlib
import functools
import json
import os
import secrets
import socket
import ssl
import tempfile
import threading
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import httpx2

from adapters.keys import Keys
from config.settings import Settings
from core.analysis import AnalysisRequest
from core.errors import InvalidPath, InvalidRequest, VaiderError
from core.files import make_private
from core.jobs import Stage
from core.runs.live import Approvals
from core.video_analysis import Admitted
from server.app import create_app
from server.composition.memory import Memory
from server.http.uploads import Uploads
from server.identity import Credentials
from server.listening import DaemonServer
from server.presenters import tasks_of
from server.security import Access, access_of, allowed_hosts
from server.services import Services
from storage.database import Database
from storage.job_figures import JobFigures
from storage.retention import Retention
from storage.submissions import Submissions
from storage.tokens import Tokens
from tests.clock import until
from tests.fakes.jobs.admission import Admission, LearningAdmission
from tests.fakes.jobs.memory_jobs import MemoryJobs, Report, WorkingJobs
from tests.fakes.reload.kept import kept_reload
from tests.fakes.schedules.memory_schedules import memory_schedules

PATIENCE = 30.0
_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""To load the machine's takes 50 ms, once a test."""


class Checks:
    """The cheap checks of the use case, as far as front ends notice them."""

    @property
    def providers(self) -> Mapping[str, str | None]:
        return {"local": None, "gemini": "there is no key; set GOOGLE_API_KEY"}

    def admit(self, request: AnalysisRequest, job_id: str) -> Admitted:
        del job_id
        if any(len(text) > 2000 for text in request.expectations):
            raise InvalidRequest("An expectation is over 2000 characters; say it shorter.")
        return Admitted(request, request.metadata.get("question"), None)


class Work:
    """What the jobs do: answers about any file, waits when the metadata say so, and remembers what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []
        self.failure: VaiderError | None = None
        self.line: threading.Event | None = None
        """Not set: the jobs wait before they report anything."""
        self.chatter: list[str] = []
        """Reported one by one."""

    async def __call__(self, job_id: str, request: dict[str, Any], report: Report) -> dict[str, Any]:
        if self.line is not None:
            await asyncio.to_thread(self.line.wait, PATIENCE)
        report(Stage.DECODING, done=1, total=2)
        for words in self.chatter:
            report(Stage.READING, words=words)
        if "workflow" in request:
            report(Stage.REPLAY_STARTED)
            return {"outcome": "succeeded"}
        if "videos" in request:
            self.seen += [(Path(video).name, _size(Path(video)) or 0) for video in request["videos"]]
            return {"task": "learned"}
        if request.get("metadata", {}).get("endless"):
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        path = Path(request["video_path"])
        size = _size(path)
        if size is None:
            raise InvalidPath(f"There is no file {path}.")
        self.seen.append((path.name, size))
        return answer(job_id, path)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return None


def answer(job_id: str, path: Path) -> dict[str, Any]:
    video = {"path": str(path), "duration_ms": 4000, "width": 640, "height": 360, "fps": 25.0, "codec": "h264"}
    return {
        "description": '[00:01.2] "Saved" appeared.',
        "duration_ms": 12,
        "video": {**video, "size_bytes": 9, "sha256": "a" * 64},
        "first_screen": ["Profile"],
        "timeline": [],
        "verdicts": [],
        "provider": "local",
        "provider_reason": "asked for",
        "model": "m-1",
        "cached": False,
        "interactions_dir": f"{path}.VaiderInteractions",
        "job_id": job_id,
        "usage": {},
        "warnings": [],
    }


class Daemon:
    """A running server and the parts behind it."""

    def __init__(
        self, services: Services, work: Work, jobs: WorkingJobs, *, server: DaemonServer, url: str, secret: Credentials
    ) -> None:
        self.services = services
        self.work = work
        self.jobs = jobs
        self.server = server
        self.url = url
        self.credentials = secret
        self.http = httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False, verify=_NO_CERTIFICATES)

    @property
    def uploads(self) -> list[Path]:
        root = self.services.settings.data_path / "uploads"
        # A walk, for folders vanish while one looks.
        return [Path(folder) / name for folder, _, names in os.walk(root) for name in names]

    @property
    def address(self) -> tuple[str, int]:
        url = httpx2.URL(self.url)
        return url.host, url.port or 0


@contextlib.contextmanager
def running(settings: Settings, token: str | None) -> Generator[Daemon]:
    work = Work()
    jobs = WorkingJobs(work)
    credentials = Credentials(token or secrets.token_urlsafe(32))
    access = Access.CLOSED if token else None
    with serving(settings, jobs, Checks(), credentials, access=access) as (services, server, port):
        url = f"http://127.0.0.1:{port}"
        daemon = Daemon(services, work, jobs, server=server, url=url, secret=credentials)
        try:
            yield daemon
        finally:
            daemon.http.close()


@functools.cache
def _empty_tables() -> bytes:
    """A database's file without a row: to make its tables takes 30 ms, once a test."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/team.db")
        database.open()
        database.close()
        return (Path(folder) / "team.db").read_bytes()


@contextlib.contextmanager
def serving(
    settings: Settings, jobs: MemoryJobs, checks: Checks, credentials: Credentials, *, access: Access | None
) -> Generator[tuple[Services, DaemonServer, int]]:
    """Serve in a thread, on a free port, until the block ends; without ``access`` as the daemon decides it."""
    with contextlib.ExitStack() as closing:
        file = make_private(settings.data_path) / "team.db"
        if not file.exists():
            file.write_bytes(_empty_tables())
        database = closing.enter_context(contextlib.closing(Database(f"sqlite:///{file}")))
        database.open()
        services = Services(
            settings=settings,
            analysis=checks,
            jobs=jobs,
            uploads=Uploads(settings.data_path / "uploads", max_bytes=settings.max_video_bytes),
            replay=Admission(),
            approvals=Approvals(seconds=30),
            tasks=tasks_of(settings),
            learning=LearningAdmission(),
            schedules=memory_schedules(settings),
            keys=Keys({}, folder=settings.data_path),
            memory=closing.enter_context(contextlib.closing(Memory(settings))),
            reload=kept_reload(settings, closing),
            tokens=Tokens(database, "here"),
            submissions=Submissions(database, "here"),
            figures=JobFigures(database, "here"),
            retention=Retention(database, "here", settings.data_path / "interactions", keep_days=0, keep_bytes=0),
            viewer_patience_seconds=1,
        )
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        access = access or access_of(settings, listener)
        hosts = allowed_hosts("127.0.0.1", settings.known_hosts)
        app = create_app(services, hosts=hosts, credentials=credentials, access=access)
        server = DaemonServer(app, stopping=services.stopping, asks_for_peers=access is Access.OWN_ACCOUNT)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            until(lambda: server.started)
            yield services, server, port
        finally:
            server.stop()
            thread.join(PATIENCE)
            assert not thread.is_alive()


def form(video: bytes = b"\0" * 1000, metadata: Any = None, *, name: str = "clip.mp4") -> dict[str, Any]:
    """The keyword arguments of a request that uploads."""
    files: dict[str, Any] = {"video": (name, video, "video/mp4")}
    if metadata is not None:
        text = metadata if isinstance(metadata, str) else json.dumps(metadata)
        files["metadata"] = (None, text, "application/json")
    return {"files": files}
