"""What an API process of a farm answers otherwise: videos and pictures from the store, and how the farm is."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from adapters.video.contact_sheet import contact_sheet, small_still
from core.errors import NotFound, StorageFailed
from server.http.bodies import JsonRoute
from server.http.errors import documented
from server.http.ranges import ranged
from server.media.frames import TYPES
from server.media.playable import media_type
from server.routes.jobs import JobId, Started, started
from server.routes.video import (
    FOR_EVER,
    NO_VIDEO,
    FrameName,
    NextQuestion,
    analysis_job,
    answer_of,
    next_request,
    timeline,
)
from server.scopes import bearer_of
from server.services import Services, ServicesOf  # noqa: TC001 - FastAPI reads the annotations

if TYPE_CHECKING:
    from server.farm.api import FarmServices
    from server.farm.uploads import StoredUploads

router = APIRouter(route_class=JsonRoute)
_MOST_PICTURE_BYTES = 64 * 1024 * 1024
_DRAWING = asyncio.Semaphore(1)


def _farm(services: Services) -> FarmServices:
    return cast("FarmServices", services)


@router.get("/", include_in_schema=False)
async def first_page() -> RedirectResponse:
    """Lead to the videos."""
    return RedirectResponse("/ui/videos")


@router.get("/health", tags=["health"], summary="How the farm is, as this process sees it", response_model=None)
async def health(services: ServicesOf) -> dict[str, Any]:
    """Ask the database."""
    farm = _farm(services)
    try:
        counts = await services.jobs.counts()
        alive = len(await asyncio.to_thread(farm.workers.alive))
    except StorageFailed as error:
        return {"status": "degraded", "name": "vaider", "role": "api", "problems": [error.message]}
    problems = [] if alive else ["No worker is alive: jobs are taken, and wait."]
    return {
        "status": "degraded" if problems else "ok",
        "name": "vaider",
        "role": "api",
        "version": services.version,
        "problems": problems,
        "workers": alive,
        "jobs": {state.value: count for state, count in counts.items()},
    }


class UploadName(BaseModel):
    """A file that its sender puts into the store."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=1000)] = "video"


class UploadPlace(BaseModel):
    """Where to put it, and by what name to ask about it."""

    upload: str
    url: str
    expires_at: datetime


@router.post("/uploads", tags=["analysis"], status_code=201, summary="A place in the store for a large video")
async def offer(request: Request, asked: UploadName, services: ServicesOf) -> UploadPlace:
    """Sign an address that takes one file for an hour; `POST /analyse` then takes `{"upload": …}`."""
    uploads = cast("StoredUploads", services.uploads)
    place = uploads.offer(asked.name, bearer_of(request).name)
    return UploadPlace(upload=place.ticket, url=place.url, expires_at=datetime.fromtimestamp(place.until, UTC))


@router.get("/jobs/{job_id}/video", tags=["analysis"], summary="The video that was analysed", response_model=None)
async def video(job_id: JobId, request: Request, services: ServicesOf) -> Response:
    """Send it from the store, by byte ranges."""
    key = str(analysis_job(await services.jobs.get(job_id)).request["video_path"])
    objects = _farm(services).objects
    size = await asyncio.to_thread(objects.size, key)
    file = await asyncio.to_thread(objects.open, key)
    kind = await asyncio.to_thread(media_type, file)
    if kind is None:
        raise NotFound(NO_VIDEO)
    beyond = f"The video has {size} bytes; ask for some of those."
    return ranged(file, size, request.headers.get("range"), kind, beyond)


@router.get("/jobs/{job_id}/frames/{name}", tags=["jobs"], summary="A picture of something", response_model=None)
async def frame(
    job_id: JobId, name: FrameName, services: ServicesOf, width: Annotated[int | None, Query(ge=16, le=1920)] = None
) -> Response:
    """Send it from the store; with `width` a small copy."""
    folder = (await services.jobs.get(job_id)).result or {}
    if Path(name).suffix not in TYPES or not folder.get("interactions_dir"):
        raise NotFound(f"Job {job_id} has no picture {name!r}.")
    key = f"{folder['interactions_dir']}/frames/{name}"
    picture = await asyncio.to_thread(_farm(services).objects.get, key, _MOST_PICTURE_BYTES)
    if width is None:
        return Response(picture, HTTPStatus.OK, FOR_EVER, TYPES[Path(name).suffix])
    return Response(await asyncio.to_thread(_small, picture, name, width), HTTPStatus.OK, FOR_EVER, "image/jpeg")


@router.get("/jobs/{job_id}/contact-sheet.jpg", tags=["analysis"], summary="As one picture", response_model=None)
async def sheet(job_id: JobId, services: ServicesOf) -> Response:
    """Draw it of the stored pictures."""
    analysis = answer_of(await services.jobs.get(job_id))
    objects = _farm(services).objects

    def drawn() -> bytes:
        with tempfile.TemporaryDirectory(prefix="vaider-") as folder:
            Path(folder, "frames").mkdir()
            for key in objects.keys(f"{analysis.interactions_dir}/frames"):
                objects.get_file(key, Path(folder, "frames", Path(key).name))
            return contact_sheet(analysis, Path(folder))

    async with _DRAWING:
        return Response(await asyncio.to_thread(drawn), media_type="image/jpeg")


@router.post("/jobs/{job_id}/again", tags=["analysis"], status_code=202, response_model=Started)
async def again(job_id: JobId, question: NextQuestion, services: ServicesOf) -> Response:
    """Ask something else about the same video."""
    asked = next_request(await services.jobs.get(job_id), question, services.settings.provider)
    await asyncio.to_thread(_farm(services).objects.size, asked.video_path)
    return started(await services.analyses.submit(asked))


router.add_api_route(
    "/jobs/{job_id}/timeline.md", timeline, tags=["analysis"], response_class=Response, responses=documented(404)
)


def _small(picture: bytes, name: str, width: int) -> bytes:
    with tempfile.TemporaryDirectory(prefix="vaider-") as folder:
        path = Path(folder, name)
        path.write_bytes(picture)
        try:
            return small_still(path, width)
        except OSError:
            raise NotFound(f"The picture {name!r} cannot be read; ask for the analysis again.") from None
