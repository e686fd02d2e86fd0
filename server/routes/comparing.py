"""``POST /compare``: what is not as in a good run; ``GET /jobs/{id}/comparison``: the page of it."""

import asyncio
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from core.analysis import AnalysisRequest
from core.comparison.comparing_videos import KIND, request_of
from core.comparison.values import CompareRequest, Comparison
from core.errors import NotFound
from core.jobs import Job
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.routes.analysis import refuse_path
from server.routes.jobs import JobId, Started, started
from server.routes.runs import POLICY
from server.routes.video import FOR_EVER
from server.services import Services, ServicesOf

router = APIRouter(route_class=JsonRoute)

_DRAWING: Final = asyncio.Semaphore(1)
"""Each takes pictures out of two videos."""
_TAKING: Final = asyncio.Semaphore(2)
"""Limits concurrent requests, because a scrolling page asks for many at once."""


class TwoRuns(JsonBody):
    """Two videos, each by its absolute path or by the id of the job that analysed it."""

    good: str = Field(min_length=1, max_length=4096, description="The run that is as it should be.")
    bad: str = Field(min_length=1, max_length=4096, description="The run that is asked about.")
    varying: list[Annotated[str, Field(max_length=500)]] = Field(
        default_factory=list[str],
        max_length=50,
        description="Regular expressions of further values that differ from run to run, beside dates, times and ids.",
    )
    provider: str | None = Field(
        default=None, description="Who watches what was not watched yet: auto, local, gemini or vision."
    )


@router.post(
    "/compare",
    tags=["analysis"],
    summary="Say what is not as in a good run",
    description="A job whose result is the comparison: what is new, gone, changed, slower or in another order, and "
    "apart from it what differs from run to run and what is unclear. `GET /jobs/{job_id}/comparison` shows it.",
    status_code=202,
    response_model=Started,
    responses=documented(404, 413, 415),
)
async def compare(request: Request, wanted: TwoRuns, services: ServicesOf) -> Response:
    provider = wanted.provider or services.settings.provider
    good, bad = [await _run(request, services, each, provider) for each in (wanted.good, wanted.bad)]
    return started(await services.comparisons.submit(CompareRequest(good=good, bad=bad, varying=tuple(wanted.varying))))


@router.get(
    "/jobs/{job_id}/comparison",
    tags=["jobs"],
    summary="A comparison as a page",
    description="Both runs' pictures stand beside each other at each difference, as long as the videos are there.",
    response_class=Response,
    responses={200: {"description": "The page.", "content": {"text/html": {}}}, **documented(404)},
)
async def page(job_id: JobId, services: ServicesOf) -> Response:
    return await drawn(services, await services.jobs.get(job_id))


@router.get(
    "/jobs/{job_id}/comparison/{side}",
    tags=["jobs"],
    summary="One of two compared runs, at a difference or at its end",
    description="As long as its video is there, and is the one that was compared.",
    response_class=Response,
    responses={200: {"description": "The picture.", "content": {"image/jpeg": {}}}, **documented(404)},
)
async def picture(
    job_id: JobId,
    side: Literal["good", "bad"],
    services: ServicesOf,
    difference: Annotated[
        int | None, Query(ge=0, description="Its place in `differences`; the end without one.")
    ] = None,
) -> Response:
    from server.media.comparing import compared_picture  # noqa: PLC0415 - the daemon starts without pictures

    comparison = _comparison(await services.jobs.get(job_id))
    async with _TAKING:
        jpeg = await asyncio.to_thread(compared_picture, comparison, side, difference, services.settings)
    return Response(jpeg, HTTPStatus.OK, FOR_EVER, "image/jpeg")


async def drawn(services: Services, job: Job) -> Response:
    """The page of a job. Raises ``NotFound`` when it compared nothing, or is not done."""
    from server.media.comparing import shared_comparison  # noqa: PLC0415 - the daemon starts without pictures

    comparison = _comparison(job)
    async with _DRAWING:
        html = await asyncio.to_thread(shared_comparison, comparison, services.settings)
    return Response(html, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})


def _comparison(job: Job) -> Comparison:
    if job.kind != KIND or job.result is None:
        raise NotFound(f"Job {job.id} has no comparison: it {'is ' + job.state if job.kind == KIND else 'made none'}.")
    return Comparison.model_validate(job.result)


async def _run(request: Request, services: Services, given: str, provider: str) -> AnalysisRequest:
    if not Path(given).is_absolute():
        return request_of(await services.jobs.get(given))
    refuse_path(request)
    return AnalysisRequest(video_path=given, provider=provider)
