"""``vaider serve --role api``: takes jobs and tells of them; has no desktop, memory or keys, and analyses nothing."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from adapters.jobs.farm.front import FarmJobs
from adapters.jobs.farm.queue import FarmQueue
from core.errors import InvalidRequest, NotFound, StorageFailed
from core.expectations import check_expectations
from core.farm import FARM, queue_version
from core.runs.live import Approvals
from core.video_analysis import Admitted
from server.app import create_app
from server.farm import routes
from server.farm.uploads import StoredUploads
from server.http import docs_page
from server.identity import Credentials, load_token
from server.listening import DaemonServer, take_address
from server.logs import set_up_logging
from server.routes import analysis, dashboard, health, jobs, metrics
from server.security import Access, access_of, allowed_hosts
from server.services import Services
from storage.database import Database
from storage.farm_jobs import FarmJobStore
from storage.job_figures import JobFigures
from storage.objects import Objects
from storage.orphans import Orphans
from storage.schema import HEAD
from storage.submissions import Submissions
from storage.tokens import Tokens
from storage.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from starlette.routing import BaseRoute

    from config.settings import Settings
    from core.analysis import AnalysisRequest
    from core.jobs import Job

log = logging.getLogger("vaider.daemon")
_PROVIDERS: Final = ("auto", "local", "gemini", "vision")
_FIRST_SWEEP_SECONDS: Final = 60
_DAY_SECONDS: Final = 24 * 3600
_PAGES: Final = ("/ui/videos", "/ui/sign-in", "/ui/assets", "/ui/{rest", "/session")


class Admission:
    """Refuses what is wrong without a look at the video, which a worker opens first."""

    def __init__(self, uploads: StoredUploads) -> None:
        self._uploads = uploads

    @property
    def providers(self) -> Mapping[str, str | None]:
        """Not known here: the workers have the keys."""
        return dict.fromkeys(_PROVIDERS)

    def admit(self, request: AnalysisRequest, job_id: str) -> Admitted:
        """See ``core.analysis_jobs.Admission``."""
        del job_id
        if not request.uploaded:
            raise InvalidRequest(
                "A farm has no files of yours: send the video itself, as -F video=@FILE.", field="video_path"
            )
        check_expectations(request.expectations)
        if request.provider not in _PROVIDERS:
            raise InvalidRequest(f"There is no provider {request.provider!r}; there are {', '.join(_PROVIDERS)}.")
        sha256 = self._uploads.digest_of(request.video_path)
        if sha256 is None or not request.use_cache:
            return Admitted(request, None, None)
        parts = (FARM, sha256, request.provider, *request.expectations)
        return Admitted(request, hashlib.sha256(json.dumps(parts).encode()).hexdigest(), None)


@dataclass(frozen=True)
class FarmServices(Services):
    """What the routes of an API process work with."""

    objects: Objects = None  # type: ignore[assignment] - fields before it have defaults
    workers: Workers = None  # type: ignore[assignment] - same

    async def slots(self) -> int:
        """How many jobs the workers that live can do at once."""
        return len(await asyncio.to_thread(self.workers.alive)) * self.settings.max_parallel_analyses

    def settle_soon(self, job: Job, upload: Path) -> None:
        """An upload is kept with its job; one whose job reads other bytes that are the same is removed."""
        if job.request.get("video_path") != upload.as_posix():
            self.uploads.discard(upload)


class _Elsewhere:
    """Stands for the parts that an API process does not have."""

    def __getattr__(self, name: str) -> Any:
        raise NotFound(f"An API process of a farm has no {name}; ask a daemon on one machine.")


async def _sweep(orphans: Orphans) -> None:
    """Soon after the start, then once a day."""
    pause = _FIRST_SWEEP_SECONDS
    while True:
        await asyncio.sleep(pause)
        pause = _DAY_SECONDS
        try:
            removed = await asyncio.to_thread(orphans.sweep)
        except StorageFailed as error:
            log.warning("objects.sweep.failed", extra={"reason": error.message})
        else:
            log.info("objects.swept", extra={"removed": removed})


def farm_routes() -> list[BaseRoute]:
    """Those of an API process."""
    pages = [route for route in dashboard.router.routes if getattr(route, "path", "").startswith(_PAGES)]
    probes = [route for route in health.router.routes if getattr(route, "path", "").startswith("/health/")]
    taken = [*analysis.router.routes, *jobs.router.routes, *routes.router.routes, *metrics.router.routes]
    return [*taken, *probes, *pages, *docs_page.router.routes]


async def serve_api(settings: Settings, environment: Mapping[str, str] = os.environ) -> None:
    """Listen until a signal stops it. Raises ``VaiderError``."""
    async with AsyncExitStack() as stack:
        stack.callback(os.umask, os.umask(0o077))
        listener = stack.enter_context(contextlib.closing(take_address(settings.host, settings.port)))
        set_up_logging(settings.data_path, settings.log_level, lambda text: text)
        database = Database(settings.database_url)
        await asyncio.to_thread(database.open)
        stack.callback(database.close)
        objects = Objects(settings.store_url)
        queue = await asyncio.to_thread(FarmQueue, database.url, queue_version(HEAD))
        stack.callback(queue.close)
        farm = await stack.enter_async_context(FarmJobs(FarmJobStore(database, FARM), queue))
        secret = load_token(settings.data_path, environment.get("VAIDER_TOKEN"))
        uploads = StoredUploads(objects, max_bytes=settings.max_video_bytes, secret=secret)
        absent: Any = _Elsewhere()
        services = FarmServices(
            settings=settings,
            analysis=Admission(uploads),
            jobs=farm,
            uploads=uploads,
            replay=absent,
            approvals=Approvals(),
            tasks=absent,
            learning=absent,
            schedules=absent,
            keys=absent,
            memory=absent,
            reload=absent,
            tokens=Tokens(database, FARM),
            submissions=Submissions(database, FARM, slots=settings.max_parallel_analyses),
            figures=JobFigures(database, FARM),
            objects=objects,
            workers=Workers(database, FARM),
        )
        credentials = Credentials(secret)
        hosts = allowed_hosts(settings.host, settings.allowed_hosts)
        access = access_of(settings, listener)
        app = create_app(services, hosts=hosts, credentials=credentials, access=access, routes=farm_routes())
        host, port = listener.getsockname()[:2]
        log.info("daemon.listening", extra={"host": host, "port": port, "pid": os.getpid(), "role": "api"})
        services.later(_sweep(Orphans(database, FARM, objects)))
        asks = access is Access.OWN_ACCOUNT
        await DaemonServer(app, stopping=services.stopping, asks_for_peers=asks).serve(sockets=[listener])
