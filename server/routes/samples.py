"""``/samples``: the recordings that came with Vaider."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel

from core.errors import NotFound
from server.http.errors import documented
from server.media.samples import Sample, sample_file, samples

router = APIRouter(prefix="/samples", tags=["analysis"])


class Samples(BaseModel):
    """All of them."""

    samples: list[Sample]


@router.get("", summary="The recordings that came with Vaider", responses=documented())
async def list_samples() -> Samples:
    """Tell it."""
    return Samples(samples=await asyncio.to_thread(lambda: list(samples())))


@router.get(
    "/{name}",
    summary="One of them",
    response_class=FileResponse,
    responses={200: {"description": "The video.", "content": {"video/mp4": {}}}, **documented(404)},
)
async def sample(name: Annotated[str, Path(max_length=100)]) -> FileResponse:
    """Send it."""
    path = await asyncio.to_thread(sample_file, name)
    if path is None:
        raise NotFound("There is no sample of that name; GET /samples lists them.")
    return FileResponse(path, media_type="video/mp4")
