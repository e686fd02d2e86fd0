"""``/jobs/{id}/frames/{name}``: the pictures that an analysis points at."""

from pathlib import Path as FilePath
from typing import Annotated, Final

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse

from core.errors import NotFound
from core.jobs import Job
from server.errors import documented
from server.routes.jobs import JobId
from server.services import ServicesOf

router = APIRouter(prefix="/jobs", tags=["jobs"])

_TYPES: Final = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
FrameName = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*$", max_length=200, description="The last part of an event's `frame`."),
]


@router.get(
    "/{job_id}/frames/{name}",
    summary="A picture of something that happened",
    description="What an event or an evidence names as `frame`, `frames/…` left out.",
    response_class=FileResponse,
    responses={
        200: {"description": "The picture.", "content": {kind: {} for kind in _TYPES.values()}},
        **documented(404),
    },
)
async def frame(job_id: JobId, name: FrameName, services: ServicesOf) -> FileResponse:
    """Send it."""
    path = _picture(await services.jobs.get(job_id), name)
    if path is None:
        raise NotFound(f"Job {job_id} has no picture {name!r}.")
    return FileResponse(path, media_type=_TYPES[path.suffix])


def _picture(job: Job, name: str) -> FilePath | None:
    """The file, if it is a picture of this job's own answer that really lies in its interaction folder."""
    folder = (job.result or {}).get("interactions_dir")
    if not folder or FilePath(name).suffix not in _TYPES:
        return None
    path = FilePath(folder, "frames", name)
    # A link could lead anywhere, on the last step or on the way.
    return path if path.is_file() and path.resolve() == FilePath(folder).resolve() / "frames" / name else None
