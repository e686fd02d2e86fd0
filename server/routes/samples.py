"""``/samples``: the recordings that came with Vaider."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from core.errors import NotFound
from server.http.errors import documented

_SERVER: Final = Path(__file__).parent.parent
_PLACES: Final = (_SERVER / "samples", _SERVER.parent / "samples")
"""In an installation, in a clone."""
_EXPECTED: Final = ".expect.txt"


class Sample(BaseModel):
    """One recording."""

    name: str
    size_bytes: int
    expectations: list[str] = Field(description="What may be asked about it.")


def samples() -> Iterator[Sample]:
    """All that there are; none where they were not installed."""
    for path in _videos():
        beside = path.with_name(path.name + _EXPECTED)
        lines = beside.read_text(encoding="utf-8").splitlines() if beside.is_file() else []
        yield Sample(
            name=path.name, size_bytes=path.stat().st_size, expectations=[line for line in lines if line.strip()]
        )


def sample_file(name: str) -> Path | None:
    """The file of that name, which is compared and never joined to a path."""
    return next((path for path in _videos() if path.name == name), None)


def _videos() -> list[Path]:
    place = next((place for place in _PLACES if place.is_dir()), None)
    return sorted(place.glob("*.mp4")) if place else []


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
async def sample(name: Annotated[str, PathParameter(max_length=100)]) -> FileResponse:
    """Send it."""
    path = await asyncio.to_thread(sample_file, name)
    if path is None:
        raise NotFound("There is no sample of that name; GET /samples lists them.")
    return FileResponse(path, media_type="video/mp4")
