"""The daemon: Vaider, which ``server/vaider.py`` builds, behind its address until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import resource
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from adapters.video.process.child import keep_child
from core.errors import StorageFailed, VaiderError
from core.jobs import Job, JobState
from server.app import create_app
from server.composition.scheduling import scheduling
from server.http.uploads import Uploads
from server.identity import Credentials, installation, load_token
from server.listening import DaemonServer, only_daemon, take_address
from server.logs import set_up_logging
from server.mcp_route import McpRoute, project_of
from server.media.playable import MARK
from server.restart import Restart, begin_anew
from server.security import Access, access_of, allowed_hosts
from server.services import Services
from server.vaider import built
from storage.job_figures import JobFigures
from storage.retention import Retention
from storage.submissions import Submissions
from storage.tokens import Tokens

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from types import FrameType

    from mcp.server import MCPServer

    from config.settings import Settings
    from storage.database import Database

log = logging.getLogger("vaider.daemon")

EXIT_OK: Final = 0
EXIT_FAILED: Final = 3
_ALL: Final = 1_000_000
_PRUNED_EVERY_SECONDS: Final = 6 * 3600
_FILES: Final = 8192
"""Open files: a thousand viewers and the work beside them."""
_M_ARENA_MAX: Final = -8
"""As ``malloc.h`` of glibc has it."""
_HEAPS: Final = 2


def serve(settings: Settings) -> int:
    """Run the daemon until it is stopped (SIGTERM, Ctrl+C); returns the exit code.

    Says on stderr, in one sentence, why it cannot start.
    """
    for signum in (signal.SIGTERM, signal.SIGINT):
        # uvicorn shuts down on these signals, and then sends them once more to the earlier handlers.
        signal.signal(signum, _stay)
    _allow_many_files()
    _share_heaps()
    restart = Restart()
    try:
        asyncio.run(_serve(settings, os.environ, restart))
    except VaiderError as error:
        sys.stderr.write(f"{error.message}\n")
        return EXIT_FAILED
    finally:
        # Looking for garbage among all that was imported would hold up the end by a third of a second.
        gc.freeze()
    if restart.asked:
        begin_anew()
    return EXIT_OK


def _stay(_signal: int, _frame: FrameType | None) -> None:
    """Live on: the way down is under way."""


async def _serve(settings: Settings, environment: Mapping[str, str], restart: Restart) -> None:
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(contextlib.closing(take_address(settings.host, settings.port)))
        stack.enter_context(only_daemon(settings.data_path))
        kept = stack.enter_context(contextlib.closing(keep_child()))
        vaider = await stack.enter_async_context(built(settings, environment, settings.resolved_database_url, kept))
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
            tokens=Tokens(vaider.database, installation(settings.data_path)),
            submissions=Submissions(
                vaider.database, installation(settings.data_path), slots=settings.max_parallel_analyses
            ),
            figures=JobFigures(vaider.database, installation(settings.data_path)),
            retention=retention_of(settings, vaider.database),
            live=vaider.replaying.live,
            recorder=vaider.recorder,
            refinement_worker=vaider.refinement_worker,
            restart=restart,
        )
        await asyncio.to_thread(vaider.refinement_worker.start)
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
        from mcp_tools.looking import LookParts  # noqa: PLC0415 - same
        from server.composition.task_tools import reload_parts, task_parts  # noqa: PLC0415 - same
        from server.media.frames import read_frame  # noqa: PLC0415 - same

        return surface.build(
            jobs=services.jobs,
            analyse=services.analyses.submit,
            tasks=task_parts(settings, admit=services.replay.admit, admit_learning=services.learning.admit),
            recall=services.memory.recall,
            reload=reload_parts(settings, lambda: services.reload.reloads, services.replay.admit),
            look=LookParts(looking=services.looking, judge=services.agent_verdicts.judge, read_frame=read_frame),
            compare=services.comparisons.submit,
            approve=approve,
            version=services.version,
            project=project_of,
            provider=settings.provider,
        )

    hosts = allowed_hosts(settings.host, settings.known_hosts)
    host, port = listener.getsockname()[:2]
    credentials = Credentials(load_token(settings.data_path, environment.get("VAIDER_TOKEN")))
    access = access_of(settings, listener)
    if access is Access.OPEN:
        log.warning("daemon.open_to_other_accounts", extra={"advice": "set require_token = true"})
    app = create_app(services, hosts=hosts, credentials=credentials, access=access, mcp=McpRoute(build_mcp))
    log.info("daemon.listening", extra={"host": host, "port": port, "pid": os.getpid(), "version": services.version})
    # From here on there is garbage to be looked for, but not among what the start has made.
    gc.freeze()
    gc.enable()
    asks = access is Access.OWN_ACCOUNT
    server = DaemonServer(app, stopping=services.stopping, asks_for_peers=asks)
    services.restart.stop = server.stop
    await server.serve(sockets=[listener])
    log.info("daemon.stopping")


async def _forget_what_is_old(services: Services) -> None:
    """Remove memories and uploads that are older than the settings say, now and every few hours."""
    while True:
        await asyncio.to_thread(services.kept_uploads.trim)
        await asyncio.to_thread(services.playable.sweep)
        await asyncio.to_thread(_sweep, services)
        try:
            await asyncio.to_thread(services.memory.prune)
        except StorageFailed as error:
            log.warning("memory.prune_failed", extra={"why": error.message})
        await asyncio.sleep(_PRUNED_EVERY_SECONDS)


def retention_of(settings: Settings, database: Database) -> Retention:
    """What goes when, as the settings say."""
    return Retention(
        database,
        installation(settings.data_path),
        settings.data_path / "interactions",
        keep_days=settings.analysis_keep_days,
        keep_bytes=settings.analysis_keep_bytes,
    )


def _sweep(services: Services) -> None:
    """Remove the analyses whose time has come, and tell which go next."""
    if services.retention is None:
        return
    try:
        announced, gone = services.retention.sweep()
    except StorageFailed as error:
        log.warning("retention.failed", extra={"why": error.message})
        return
    for each in announced:
        log.info("retention.leaving", extra=each.model_dump())
    for job_id in gone:
        log.info("retention.gone", extra={"job_id": job_id})


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


def _share_heaps() -> None:
    """Have threads share two heaps where the C library is glibc: of one for each, most is held and not used."""
    limit = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if limit is not None:
        limit(_M_ARENA_MAX, _HEAPS)
