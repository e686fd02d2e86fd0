"""``/jobs/{id}/share``: an analysis, a comparison or a run as one HTML file, to be handed on."""

import asyncio
from pathlib import PurePath
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Response

from core.comparison.comparing_videos import KIND as COMPARISON
from core.job_briefs import brief_of
from server.http.bodies import JsonRoute
from server.http.errors import documented
from server.media.sharing import shared_analysis
from server.routes.comparing import drawn
from server.routes.jobs import JobId
from server.routes.runs import POLICY, folder_of_job, send_report
from server.routes.video import answer_of
from server.services import ServicesOf

router = APIRouter(route_class=JsonRoute)

_DRAWING: Final = asyncio.Semaphore(1)


@router.get(
    "/jobs/{job_id}/share",
    tags=["jobs"],
    summary="An analysis, a comparison or a run as one HTML file",
    description="With its pictures in it, without script or anything from elsewhere, at most 5 MB: for a colleague, an "
    "issue or the artefacts of a test run.",
    response_class=Response,
    responses={200: {"description": "The page.", "content": {"text/html": {}}}, **documented(404)},
)
async def share(job_id: JobId, services: ServicesOf) -> Response:
    job = await services.jobs.get(job_id)
    if job.kind == "analysis":
        async with _DRAWING:
            page = await asyncio.to_thread(shared_analysis, answer_of(job))
        answer = Response(page, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})
    elif job.kind == COMPARISON:
        answer = await drawn(services, job)
    else:
        answer = await send_report(await folder_of_job(services, job_id))
    name = quote(f"{PurePath(brief_of(job).title).stem or job.id}.html".encode("utf-8", "replace"), safe="")
    answer.headers["Content-Disposition"] = f"attachment; filename*=utf-8''{name}"
    return answer
