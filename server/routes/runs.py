"""What runs have left: screenshots and reports, by their jobs or from the history of tasks and workflows."""

import asyncio
from pathlib import Path as FilePath
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel

from core.errors import NotFound
from core.jobs import JobEvent
from core.runs.run import Run
from server.answers.workflows import WorkflowShelf
from server.http.errors import documented
from server.media.live_screens import shrunk
from server.routes.jobs import JobId
from server.routes.live_runs import Width
from server.routes.run_folders import folder_of_job, folder_of_task, folder_of_workflow
from server.services import ServicesOf
from storage.run_files import RUN_ID, SCREENSHOT, report, screenshot, screenshots
from storage.runs import runs_of

router = APIRouter()

_MAX_ID: Final = 2**63 - 1
_POLICY: Final = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""A report shows its own styles and pictures, and can do nothing else, nor be anything of ours."""
TaskId = Annotated[str, Path(min_length=1, max_length=100, description="A task's id or title.")]
Name = Annotated[str, Path(min_length=1, max_length=100, description="A workflow's name.")]
RunId = Annotated[str, Path(pattern=RUN_ID, description="A run's id, as its history tells it.")]
_PAGE: Final[dict[int | str, dict[str, Any]]] = {200: {"description": "The report.", "content": {"text/html": {}}}}


class EventList(BaseModel):
    """What a job has told, the oldest first."""

    events: list[JobEvent]


class Screenshots(BaseModel):
    """The names of a run's screenshots, the oldest first: `subtask_NN_iter_NNN.png`."""

    job_id: str
    names: list[str]


class WorkflowRuns(BaseModel):
    """What became of a workflow each time."""

    workflow: str
    runs: list[Run]


@router.get(
    "/jobs/{job_id}/events",
    tags=["jobs"],
    summary="What a job has told so far",
    description="As `/events?job=` streams it. Fewer than `limit` are all there are; `after` takes the last one's id.",
    responses=documented(404),
)
async def list_events(
    job_id: JobId,
    services: ServicesOf,
    after: Annotated[int, Query(ge=0, le=_MAX_ID, description="Only later events.")] = 0,
    limit: Annotated[int, Query(ge=1, le=5000, description="At most so many.")] = 1000,
) -> EventList:
    """List them."""
    return EventList(events=list(await services.jobs.history(job_id, after=after, limit=limit)))


@router.get(
    "/jobs/{job_id}/screenshots",
    tags=["jobs"],
    summary="The screenshots of a run",
    description="What its decider looked at, step by step. Those of a task's success are not kept by default.",
    responses=documented(404),
)
async def list_screenshots(job_id: JobId, services: ServicesOf) -> Screenshots:
    """List them."""
    folder = await folder_of_job(services, job_id)
    return Screenshots(job_id=job_id, names=list(await asyncio.to_thread(screenshots, folder)))


@router.get(
    "/jobs/{job_id}/screenshots/{name}",
    tags=["jobs"],
    summary="A screenshot of a run",
    description="As PNG; with `width` as JPEG, no wider than that.",
    response_class=Response,
    responses={
        200: {"description": "The picture.", "content": {"image/png": {}, "image/jpeg": {}}},
        **documented(404),
    },
)
async def get_screenshot(
    job_id: JobId,
    name: Annotated[str, Path(pattern=SCREENSHOT, description="As `screenshots` lists it.")],
    services: ServicesOf,
    width: Width = None,
) -> Response:
    """Send it."""
    folder = await folder_of_job(services, job_id)

    def read() -> Response:
        png = screenshot(folder, name)
        if png is None:
            raise NotFound(f"Job {job_id} has no screenshot {name!r}.")
        if width is None:
            return Response(png, media_type="image/png")
        return Response(shrunk(png, width).jpeg, media_type="image/jpeg")

    return await asyncio.to_thread(read)


@router.get(
    "/jobs/{job_id}/report",
    tags=["jobs"],
    summary="The report of a run that is over",
    response_class=Response,
    responses={**_PAGE, **documented(404)},
)
async def job_report(job_id: JobId, services: ServicesOf) -> Response:
    """Send it."""
    return await _report(await folder_of_job(services, job_id))


@router.get(
    "/tasks/{task_id}/runs/{run_id}/report",
    tags=["tasks"],
    summary="The report of a run in a task's history",
    response_class=Response,
    responses={**_PAGE, **documented(404, 409, 413, 507)},
)
async def task_report(task_id: TaskId, run_id: RunId, services: ServicesOf) -> Response:
    """Send it."""
    return await _report(await asyncio.to_thread(folder_of_task, services, task_id, run_id))


@router.get(
    "/workflows/{name}/runs",
    tags=["workflows"],
    summary="The runs of a workflow",
    description="Those that have come to their end, the newest first, at most 50.",
    responses=documented(404),
)
async def workflow_runs(name: Name, services: ServicesOf) -> WorkflowRuns:
    """List them."""

    def read() -> WorkflowRuns:
        found = WorkflowShelf.of(services.settings).named(name)
        return WorkflowRuns(workflow=found.name, runs=list(runs_of(found.folder, services.settings.data_path)))

    return await asyncio.to_thread(read)


@router.get(
    "/workflows/{name}/runs/{run_id}/report",
    tags=["workflows"],
    summary="The report of a run in a workflow's history",
    response_class=Response,
    responses={**_PAGE, **documented(404)},
)
async def workflow_report(name: Name, run_id: RunId, services: ServicesOf) -> Response:
    """Send it."""

    def find() -> FilePath:
        found = WorkflowShelf.of(services.settings).named(name)
        return folder_of_workflow(found.folder, services.settings.data_path, run_id)

    return await _report(await asyncio.to_thread(find))


async def _report(directory: FilePath) -> Response:
    page = await asyncio.to_thread(report, directory)
    if page is None:
        raise NotFound("There is no report of this run: it goes on, or its folder is gone.")
    return Response(page, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})
