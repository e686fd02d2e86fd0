"""``/jobs/{id}/frames/{name}``: the pictures that an analysis points at."""

import asyncio
from http import HTTPStatus
from pathlib import Path as FilePath
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse

from adapters.video.stills import small_still
from core.errors import NotFound
from core.jobs import Job
from server.http.errors import documented
from server.routes.jobs import JobId
from server.services import Services, ServicesOf

router = APIRouter(prefix="/jobs", tags=["jobs"])

_TYPES: Final = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
_FOR_EVER: Final = {"Cache-Control": "private, max-age=31536000, immutable"}
"""A job's id names one analysis for ever, and its pictures are never written again."""
_MOST_FOLDERS: Final = 256
_SHRINKING: Final = asyncio.Semaphore(2)
"""Whoever scrolls asks for many at once; the others' work goes on beside it."""
FrameName = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*$", max_length=200, description="The last part of an event's `frame`."),
]


@router.get(
    "/{job_id}/frames/{name}",
    summary="A picture of something that happened",
    description="What an event or an evidence names as `frame`, `frames/…` left out. With `width`, a small copy as "
    "JPEG, no wider than that.",
    response_class=FileResponse,
    responses={
        200: {"description": "The picture.", "content": {kind: {} for kind in _TYPES.values()}},
        **documented(404),
    },
)
async def frame(
    job_id: JobId,
    name: FrameName,
    services: ServicesOf,
    width: Annotated[int | None, Query(ge=16, le=1920, description="Pixels.")] = None,
) -> Response:
    """Send it."""
    folder = await _folder(job_id, services)
    path = await asyncio.to_thread(_picture, folder, name) if folder else None
    if path is None:
        raise NotFound(f"Job {job_id} has no picture {name!r}.")
    if width is None:
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=_FOR_EVER)
    try:
        async with _SHRINKING:
            small = await asyncio.to_thread(small_still, path, width)
    except OSError:
        raise NotFound(f"The picture {name!r} of job {job_id} cannot be read; ask for the analysis again.") from None
    return Response(small, HTTPStatus.OK, _FOR_EVER, "image/jpeg")


async def _folder(job_id: str, services: Services) -> str | None:
    """The interaction folder of a job's answer; known from the first picture on, for an answer may be megabytes."""
    known = services.interaction_folders
    if job_id not in known:
        job = await services.jobs.get(job_id)
        folder = _named_by(job)
        if folder is None:
            return None
        if len(known) >= _MOST_FOLDERS:
            known.clear()
        known[job_id] = folder
    return known[job_id]


def _named_by(job: Job) -> str | None:
    folder = (job.result or {}).get("interactions_dir")
    return folder if isinstance(folder, str) and folder else None


def _picture(folder: str, name: str) -> FilePath | None:
    """The file, if it is a picture of this job's own answer that really lies in its interaction folder."""
    if FilePath(name).suffix not in _TYPES:
        return None
    path = FilePath(folder, "frames", name)
    # A link could lead anywhere, on the last step or on the way.
    return path if path.is_file() and path.resolve() == FilePath(folder).resolve() / "frames" / name else None
