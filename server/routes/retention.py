"""``GET /retention``: what goes when; ``POST /jobs/{id}/pin``: what stays."""

import asyncio
from typing import Final

from fastapi import APIRouter
from pydantic import BaseModel, Field

from core.errors import Conflict
from core.jobs import Job
from core.retention import Leaving
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.routes.jobs import JobId
from server.services import Services, ServicesOf
from storage.retention import Retention

router = APIRouter(tags=["jobs"], route_class=JsonRoute)

_ELSEWHERE: Final = "Nothing is removed here by age or size; what the store keeps, its own rules say."


class Kept(BaseModel):
    """How long analyses of uploads are kept, and which go next."""

    keep_days: float = Field(description="The setting `analysis_keep_days`; 0 for ever.")
    keep_bytes: int = Field(description="The setting `analysis_keep_bytes`; 0 for any number.")
    leaving: list[Leaving] = Field(description="What goes and when, the next first; at most 500.")


class Pin(JsonBody):
    """Whether it stays."""

    pinned: bool = Field(description="Whether it is kept whatever the settings say.")


@router.get(
    "/retention",
    summary="What is kept how long, and what goes when",
    description="Each analysis is told here a day before it goes. Open to tokens of scope `read`.",
    responses=documented(409),
)
async def retention(services: ServicesOf) -> Kept:
    kept = _retention(services)
    settings = services.settings
    leaving = await asyncio.to_thread(kept.leaving)
    return Kept(keep_days=settings.analysis_keep_days, keep_bytes=settings.analysis_keep_bytes, leaving=list(leaving))


@router.post(
    "/jobs/{job_id}/pin",
    summary="Keep an analysis, whatever its age",
    description="Or with `false` let it go again as the settings say.",
    responses=documented(404, 409, 413, 415),
)
async def pin(job_id: JobId, pin: Pin, services: ServicesOf) -> Job:
    kept = _retention(services)
    await services.jobs.get(job_id)
    await asyncio.to_thread(kept.pin, job_id, pinned=pin.pinned)
    return await services.jobs.get(job_id)


def _retention(services: Services) -> Retention:
    if services.retention is None:
        raise Conflict(_ELSEWHERE)
    return services.retention
