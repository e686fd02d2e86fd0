"""``GET /health``: the truth about this daemon."""

import asyncio
import logging
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from core.errors import StorageFailed
from core.job_briefs import BriefJob
from core.jobs import JobState
from core.recording.recorder import RecorderPhase, RecorderStatus
from core.tokens import Scope
from server.http.errors import STOPPING, documented
from server.scopes import bearer_of
from server.services import Services, ServicesOf

log = logging.getLogger("vaider.http")
router = APIRouter(tags=["health"])

_DATABASE_PATIENCE_SECONDS = 2.0
_UNSEEN_SECONDS = 60.0
_LITTLE_ROOM_BYTES = 512 * 1024 * 1024


class Provider(BaseModel):
    """Whether a provider can be used now."""

    available: bool
    reason: str | None = Field(description="What it lacks and how to supply it.")


class Queue(BaseModel):
    """How busy the daemon is."""

    running: int
    waiting: int
    max_parallel_analyses: int


class LastAnalysis(BaseModel):
    """The analysis that finished last."""

    job_id: str
    state: JobState
    finished_at: str
    code: str | None = Field(description="Why it failed, else null.")


class Health(BaseModel):
    """The daemon's state; `status` is `ok` only when nothing below is amiss."""

    status: Literal["ok", "degraded"]
    problems: list[str] = Field(description="What is amiss, a sentence each.")
    name: Literal["vaider"]
    version: str
    pid: int
    timestamp: str
    uptime_seconds: float
    database_ok: bool
    disk_free_bytes: int | None
    queue: Queue
    providers: dict[str, Provider] = Field(description="Who can analyse videos.")
    deciders: dict[str, Provider] = Field(description="Who can decide in runs.")
    last_analysis: LastAnalysis | None
    recorder: RecorderStatus | None = Field(description="The continuous recorder, as `GET /recorder` tells it.")


@router.get("/v1/health", include_in_schema=False)
@router.get("/health", summary="How the daemon is", responses=documented())
async def health(request: Request, services: ServicesOf) -> Health:
    """Look everywhere, and tell."""
    sees_all = bearer_of(request).scope is Scope.ADMIN
    found = await _jobs(services)
    counts, newest = found or ({}, [])
    free = await asyncio.to_thread(_free_bytes, services)
    providers = await asyncio.to_thread(lambda: dict(services.analysis.providers))
    deciders = await asyncio.to_thread(lambda: dict(services.replay.providers))
    recorder = await asyncio.to_thread(_recorder, services) if sees_all else None
    problems = [*_problems(services, found is not None, free, providers), *_unrecorded(recorder)]
    return Health(
        status="degraded" if problems else "ok",
        problems=problems,
        name="vaider",
        version=services.version,
        pid=os.getpid(),
        timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        uptime_seconds=round(time.monotonic() - services.started, 1),
        database_ok=found is not None,
        disk_free_bytes=free,
        queue=Queue(
            running=counts.get(JobState.RUNNING, 0),
            waiting=counts.get(JobState.QUEUED, 0),
            max_parallel_analyses=services.settings.max_parallel_analyses,
        ),
        providers=_shown(providers),
        deciders=_shown(deciders),
        last_analysis=_last(newest) if sees_all else None,
        recorder=recorder,
    )


class Alive(BaseModel):
    """That it answers, and nothing more."""

    status: Literal["ok"] = "ok"


@router.get("/health/live", summary="Whether the daemon answers; for a probe that restarts it", responses=documented())
async def live() -> Alive:
    return Alive()


@router.get(
    "/health/ready",
    summary="Whether the daemon takes work; for a proxy that chooses among several",
    description="503 while the database does not answer, and once the daemon is about to stop.",
    responses=documented(503),
)
async def ready(services: ServicesOf) -> Alive:
    if services.stopping.is_set():
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, STOPPING)
    if await _jobs(services) is None:
        raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "The database does not answer; see to it, then ask again.")
    return Alive()


def _shown(lacks: dict[str, str | None]) -> dict[str, Provider]:
    return {name: Provider(available=lack is None, reason=lack) for name, lack in lacks.items()}


async def _jobs(services: Services) -> tuple[Mapping[JobState, int], Sequence[BriefJob]] | None:
    """How many there are of each state, and the newest; ``None`` when the database does not answer."""

    async def ask() -> tuple[Mapping[JobState, int], Sequence[BriefJob]]:
        # In brief: fifty long analyses are read for longer than anybody waits here.
        return await services.jobs.counts(), await services.jobs.briefs(limit=50)

    try:
        return await asyncio.wait_for(ask(), _DATABASE_PATIENCE_SECONDS)
    except Exception:
        log.exception("health.database")
        return None


def _problems(services: Services, database_ok: bool, free: int | None, providers: dict[str, str | None]) -> list[str]:
    wanted = services.settings.provider
    amiss = {
        "The database does not answer.": not database_ok,
        "The disk of the data directory is nearly full.": free is not None and free < _LITTLE_ROOM_BYTES,
        "The data directory cannot be looked at.": free is None,
        "No provider can be used.": all(providers.values()),
        f"The provider {wanted!r} of the settings cannot be used.": bool(providers.get(wanted)),
    }
    return [sentence for sentence, holds in amiss.items() if holds]


def _recorder(services: Services) -> RecorderStatus | None:
    try:
        return None if services.recorder is None else services.recorder.status()
    except StorageFailed as error:
        return RecorderStatus(phase=RecorderPhase.FAILED, reason=error.message)


def _unrecorded(recorder: RecorderStatus | None) -> list[str]:
    """Why the recorder shows nothing, when it should."""
    if recorder is None:
        return []
    if recorder.is_amiss:
        return [f"The recorder does not record: {recorder.reason}"]
    age = recorder.newest_picture_age_seconds
    if recorder.phase is RecorderPhase.RECORDING and age is not None and age > _UNSEEN_SECONDS:
        return [
            f"The recorder has shown nothing but black for {age:.0f} s: look at what is excluded, and at the screen."
        ]
    return []


def _free_bytes(services: Services) -> int | None:
    path = services.settings.data_path
    try:
        return shutil.disk_usage(next(place for place in (path, *path.parents) if place.exists())).free
    except OSError:
        return None


def _last(jobs: Sequence[BriefJob]) -> LastAnalysis | None:
    ended = [job for job in jobs if job.kind == "analysis" and job.finished_at is not None]
    if not ended:
        return None
    job = max(ended, key=lambda job: job.finished_at or "")
    return LastAnalysis(job_id=job.id, state=job.state, finished_at=job.finished_at or "", code=job.code or None)
