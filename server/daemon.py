"""The composition root: the one place that builds Vaider's parts, and stops them in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import resource
import signal
import sys
import tempfile
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from adapters.jobs.engine import DbosJobs
from adapters.keys import Keys
from core.analysis import AnalysisRequest
from core.errors import StorageFailed, VaiderError
from core.jobs import JobState
from core.memories.remembering import Rememberer
from core.reload.offers import ReloadRequest
from core.runs.run import RunRequest
from core.tasks.lessons import LearnRequest
from server.app import create_app
from server.dashboard.credentials import Credentials
from server.http.uploads import Uploads
from server.identity import installation, load_token
from server.listening import DaemonServer, only_daemon, take_address
from server.logs import set_up_logging
from server.mcp_route import McpRoute
from server.media.kept_uploads import MARK
from server.parts.memory import Memory
from server.parts.memory_meaning import build_meaning
from server.parts.memory_reading import RecordingReader
from server.parts.memory_refining import Refinery
from server.parts.recorder import Recorder
from server.parts.replaying import Replaying, build_replaying
from server.parts.scheduling import scheduling
from server.parts.watching import build_analysis, build_learning
from server.security import allowed_hosts, is_loopback
from server.services import Services
from storage.database import Database
from storage.interactions import InteractionFolders
from storage.job_events import SqlJobStore

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncGenerator, Mapping
    from types import FrameType

    from mcp.server import MCPServer

    from config.settings import Settings
    from core.jobs import Job
    from core.ports import JobContext
    from core.tasks.learning import TaskLearning
    from core.video_analysis import VideoAnalysis

log = logging.getLogger("vaider.daemon")

EXIT_OK: Final = 0
EXIT_FAILED: Final = 3
_ALL: Final = 1_000_000
_PRUNED_EVERY_SECONDS: Final = 6 * 3600
_FILES: Final = 8192
"""Open files: a thousand viewers and the work beside them."""


@dataclass(frozen=True)
class Vaider:
    """The product without a front end."""

    settings: Settings
    keys: Keys
    analysis: VideoAnalysis
    learning: TaskLearning
    jobs: DbosJobs
    replaying: Replaying
    database: Database
    memory: Memory
    recorder: Recorder
    reader: RecordingReader
    refinery: Refinery


def serve(settings: Settings) -> int:
    """Run the daemon until it is told to stop (SIGTERM, Ctrl+C); returns the exit code.

    Says on stderr, in one sentence, why it cannot start.
    """
    for signum in (signal.SIGTERM, signal.SIGINT):
        # uvicorn stops on these in good order, and then sends them once more to whoever waited before it.
        signal.signal(signum, _stay)
    _allow_many_files()
    try:
        asyncio.run(_serve(settings, os.environ))
    except VaiderError as error:
        sys.stderr.write(f"{error.message}\n")
        return EXIT_FAILED
    finally:
        # Looking for garbage among all that was imported would hold up the end by a third of a second.
        gc.freeze()
    return EXIT_OK


def _stay(_signal: int, _frame: FrameType | None) -> None:
    """Live on: the way down is under way."""


@asynccontextmanager
async def open_vaider(settings: Settings, environment: Mapping[str, str] = os.environ) -> AsyncGenerator[Vaider]:
    """Vaider inside this process, for one command: its jobs end with it, its answers are kept as ever.

    Raises:
        StorageFailed: the data directory or the database cannot be used.

    """
    with tempfile.TemporaryDirectory(prefix="vaider-") as folder:
        # Jobs of its own: several commands may run at once, and beside a daemon.
        async with _opened(settings, environment, jobs_url=f"sqlite:///{folder}/jobs.db") as vaider:
            yield vaider


async def _serve(settings: Settings, environment: Mapping[str, str]) -> None:
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(contextlib.closing(take_address(settings.host, settings.port)))
        stack.enter_context(only_daemon(settings.data_path))
        vaider = await stack.enter_async_context(_opened(settings, environment, settings.resolved_database_url))
        set_up_logging(settings.data_path, settings.log_level, vaider.keys.redact)
        uploads = Uploads(settings.data_path / "uploads", max_bytes=settings.max_video_bytes)
        schedules = await stack.enter_async_context(
            scheduling(settings, vaider.database, vaider.jobs, vaider.replaying.replay.admit)
        )
        services = Services(
            settings=settings,
            analysis=vaider.analysis,
            jobs=vaider.jobs,
            uploads=uploads,
            replay=vaider.replaying.replay,
            approvals=vaider.replaying.approvals,
            tasks=vaider.replaying.tasks,
            learning=vaider.learning,
            schedules=schedules,
            keys=vaider.keys,
            memory=vaider.memory,
            reload=vaider.replaying.reload,
            live=vaider.replaying.live,
            recorder=vaider.recorder,
            refinery=vaider.refinery,
        )
        await asyncio.to_thread(vaider.refinery.start)
        await asyncio.to_thread(vaider.reader.start)
        vaider.recorder.begin()
        await _take_up_uploads(services)
        services.later(_forget_what_is_old(services))
        await _listen(services, listener, environment)


async def _listen(services: Services, listener: socket.socket, environment: Mapping[str, str]) -> None:
    settings = services.settings

    async def approve(job_id: str, approval_id: str, agree: bool) -> None:
        services.approvals.answer(job_id, approval_id, agree=agree)

    def build_mcp() -> MCPServer[Any]:
        from mcp_tools import surface  # noqa: PLC0415 - see server/mcp_route.py
        from server.client.reloading import LocalReloading  # noqa: PLC0415 - same
        from server.parts.reload_tools import reload_parts  # noqa: PLC0415 - same
        from server.parts.task_tools import task_parts  # noqa: PLC0415 - same

        return surface.build(
            jobs=services.jobs,
            check=services.analysis.check,
            tasks=task_parts(settings, admit=services.replay.admit, admit_learning=services.learning.admit),
            recall=services.memory.recall,
            reload=reload_parts(settings, LocalReloading(lambda: services.reload.reloads, services.replay.admit)),
            approve=approve,
            version=services.version,
            provider=settings.provider,
        )

    hosts = allowed_hosts(settings.host, settings.allowed_hosts)
    host, port = listener.getsockname()[:2]
    credentials = Credentials(load_token(settings.data_path, environment.get("VAIDER_TOKEN")))
    token = None if is_loopback(settings.host) else credentials.secret
    app = create_app(services, hosts=hosts, credentials=credentials, token=token, mcp=McpRoute(build_mcp))
    log.info("daemon.listening", extra={"host": host, "port": port, "pid": os.getpid(), "version": services.version})
    # From here on there is garbage to be looked for, but not among what the start has made.
    gc.freeze()
    gc.enable()
    await DaemonServer(app, stopping=services.stopping).serve(sockets=[listener])
    log.info("daemon.stopping")


@asynccontextmanager
async def _opened(settings: Settings, environment: Mapping[str, str], jobs_url: str) -> AsyncGenerator[Vaider]:
    keys = Keys(environment, vision_base_url=settings.vision_base_url, folder=settings.data_path)
    with contextlib.ExitStack() as stack:
        # Also for what libraries and child processes write, such as pictures: readable by this user alone.
        stack.callback(os.umask, os.umask(0o077))
        database = _opened_database(stack, settings.resolved_database_url)
        jobs_database = database if jobs_url == settings.resolved_database_url else _opened_database(stack, jobs_url)
        logs = InteractionFolders(data_dir=settings.data_path, database=database, redact=keys.redact)
        memory = stack.enter_context(contextlib.closing(Memory(settings)))
        remember = Rememberer(lambda: memory.memories)
        analysis = build_analysis(settings, keys, logs, remember.analysis)

        def analyse(request: dict[str, Any], context: JobContext) -> Any:
            return analysis.run(AnalysisRequest.model_validate(request), context)

        store = SqlJobStore(jobs_database)
        replaying = build_replaying(settings, keys, remember.run, database, lambda job_id: _is_alive(store, job_id))
        stack.callback(replaying.close)

        refinery = Refinery(settings, keys, memory)
        stack.callback(refinery.stop)
        if refinery.helps_recall:
            memory.ranking = refinery
        memory.meaning = lambda memories: build_meaning(settings, keys, memories)
        reader = RecordingReader(settings, memory, refinery)
        stack.callback(reader.stop)
        recorder = stack.enter_context(
            contextlib.closing(Recorder(settings, memories=lambda: refinery, viewer=reader, reading=reader.status))
        )

        def replay(request: dict[str, Any], context: JobContext) -> Any:
            with recorder.during_run():
                return replaying.replay.run(RunRequest.model_validate(request), context)

        def reload(request: dict[str, Any], context: JobContext) -> Any:
            return replaying.reload.emit(ReloadRequest.model_validate(request), context)

        learning = build_learning(settings, keys, replaying.tasks, memory)

        def learn(request: dict[str, Any], context: JobContext) -> Any:
            return learning.run(LearnRequest.model_validate(request), context)

        async with DbosJobs(
            store=store,
            url=jobs_database.url,
            owner=installation(settings.data_path),
            work={"analysis": analyse, "replay": replay, "learning": learn, "reload": reload},
            # What they touched is not as they left it.
            once=("replay", "reload"),
            max_parallel=settings.max_parallel_analyses,
            job_timeout_seconds=settings.job_timeout_seconds,
        ) as jobs:
            yield Vaider(
                settings, keys, analysis, learning, jobs, replaying, database, memory, recorder, reader, refinery
            )


def _is_alive(store: SqlJobStore, job_id: str) -> bool:
    job = store.get(job_id) if job_id else None
    return job is not None and not job.state.is_final


def _opened_database(stack: contextlib.ExitStack, url: str) -> Database:
    database = Database(url)
    database.open()
    stack.callback(database.close)
    return database


async def _forget_what_is_old(services: Services) -> None:
    """Remove memories and uploads that are older than the settings say, now and every few hours."""
    while True:
        await asyncio.to_thread(services.kept_uploads.trim)
        await asyncio.to_thread(services.playable.sweep)
        try:
            await asyncio.to_thread(services.memory.prune)
        except StorageFailed as error:
            log.warning("memory.prune_failed", extra={"why": error.message})
        await asyncio.sleep(_PRUNED_EVERY_SECONDS)


async def _take_up_uploads(services: Services) -> None:
    """Forget the uploads that no job needs any more and none was analysed well; see to the others' jobs."""
    waiting = [
        job
        for state in (JobState.RUNNING, JobState.QUEUED)
        for job in await services.jobs.list(state=state, limit=_ALL)
    ]
    needed = {job.id: path for job in waiting if (path := _upload_of(job)) is not None}
    kept = await asyncio.to_thread(services.kept_uploads.folders)
    await asyncio.to_thread(services.uploads.sweep, {*needed.values(), *(folder / MARK for folder in kept)})
    await asyncio.to_thread(services.memory.sweep)
    for job_id, path in needed.items():
        services.later(services.settle_upload(job_id, path))


def _upload_of(job: Job) -> Path | None:
    """The upload that a job works on, if it does on any."""
    if not job.request.get("uploaded"):
        return None
    return Path(job.request["video_path"] if job.kind == "analysis" else job.request["videos"][0])


def _allow_many_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
