"""Runs over HTTP: looked at, held and driven while they go on; afterwards their screenshots and reports."""

import asyncio
from concurrent.futures import Future
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Header, Query, Response
from fastapi import Path as PathParameter
from pydantic import BaseModel, Field

from core.errors import ActionFailed, NotFound, TakenOver, TimedOut
from core.jobs import Job, JobEvent, Stage
from core.runs.input_control import Hold, Input, action_of
from server.http.bodies import JsonRoute, Nothing
from server.http.errors import documented
from server.media.live_screens import Shot, shrunk
from server.presenters import ListedRun, WorkflowShelf
from server.routes.jobs import JobId, current
from server.services import Services, ServicesOf
from storage.runs import RUN_ID, SCREENSHOT, places, report, run_directory, runs_of, screenshot, screenshots
from storage.tasks.runs import RUNS

_FIRST_EVENTS = 500


async def folder_of_job(services: Services, job_id: str) -> Path:
    """The folder of a job's run, also while it goes on. Raises ``NotFound``: no such job, no run, not begun."""
    job = await services.jobs.get(job_id)
    directory = _describe_progress(job) or await _begun(services, job_id)
    if not directory:
        raise NotFound(f"Job {job_id} has no folder of a run.")
    return Path(directory)


def folder_of_task(services: Services, task_id: str, run_id: str) -> Path:
    """The folder of a task's run. Raises ``NotFound``."""
    return _existing((services.tasks.load(task_id).folder / RUNS,), run_id)


def folder_of_workflow(folder: str, data_dir: Path, run_id: str) -> Path:
    """The folder of a workflow's run. Raises ``NotFound``."""
    return _existing(tuple(places(folder, data_dir)), run_id)


def _existing(where: tuple[Path, ...], run_id: str) -> Path:
    found = run_directory(where, run_id)
    if found is None:
        raise NotFound(f"There is no run {run_id!r}; its history lists those there are.")
    return found


def _describe_progress(job: Job) -> str:
    directory = (job.result or {}).get("directory")
    return directory if isinstance(directory, str) else ""


async def _begun(services: Services, job_id: str) -> str:
    """The folder that an unfinished or cancelled run has reported."""
    events = await services.jobs.history(job_id, limit=_FIRST_EVENTS)
    begun = next((event for event in events if event.stage is Stage.REPLAY_STARTED), None)
    directory = begun.data.get("directory") if begun is not None else None
    return directory if isinstance(directory, str) else ""


router = APIRouter(route_class=JsonRoute)

_LET_GO_SECONDS: Final = 1.0
_INPUT_SECONDS: Final = 60.0

Width = Annotated[int | None, Query(ge=64, le=3840, description="No wider than so many pixels.")]


class InputResult(BaseModel):
    """What became of an input."""

    done: bool
    reason: str = Field(description="Why it was not done; empty if it was.")


@router.post(
    "/jobs/{job_id}/hold",
    tags=["jobs"],
    summary="Hold a run",
    description="It lets go of mouse and keyboard within 200 ms, tells `taken_over` on `/events`, and waits until it "
    "is resumed or cancelled; then it looks afresh. Its budget's minutes stand still. `live.held` tells whether it has "
    "let go.",
    responses=documented(404, 409, 413, 415),
)
async def hold(job_id: JobId, _: Nothing, services: ServicesOf) -> Job:
    held = await _hold(job_id, services)
    await asyncio.to_thread(held.hold, _LET_GO_SECONDS)
    return current(services, await services.jobs.get(job_id))


@router.post(
    "/jobs/{job_id}/resume",
    tags=["jobs"],
    summary="Let a run go on that is held",
    responses=documented(404, 409, 413, 415),
)
async def resume(job_id: JobId, _: Nothing, services: ServicesOf) -> Job:
    """Give it back."""
    (await _hold(job_id, services)).resume()
    return current(services, await services.jobs.get(job_id))


@router.post(
    "/jobs/{job_id}/input",
    tags=["jobs"],
    summary="Act on the display of a run that is held",
    description="One action of the vocabulary, in pixels of the desktop. It is neither kept nor told to anybody.",
    responses=documented(404, 408, 409, 413, 415),
)
async def put_input(job_id: JobId, wanted: Annotated[Input, Body()], services: ServicesOf) -> InputResult:
    await services.jobs.get(job_id)
    return await _carried(services.live.hold(job_id).put(action_of(wanted)))


@router.get(
    "/jobs/{job_id}/screen.jpg",
    tags=["jobs"],
    summary="How a run's display looks",
    description="Now, while it goes on; afterwards its last screenshot. `If-None-Match` is answered 304 while nothing "
    "changes.",
    response_class=Response,
    responses={
        200: {"description": "The picture.", "content": {"image/jpeg": {}}},
        304: {"description": "It looks as before."},
        **documented(404),
    },
)
async def screen(
    job_id: JobId,
    services: ServicesOf,
    width: Width = None,
    if_none_match: Annotated[str | None, Header(max_length=1000)] = None,
) -> Response:
    try:
        shot = await asyncio.to_thread(services.screens.look, job_id, width)
    except NotFound:
        shot = await _last(services, job_id, width)
    headers = {"ETag": shot.etag, "Cache-Control": "no-store"}
    if if_none_match is not None and shot.etag in if_none_match:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(shot.jpeg, media_type="image/jpeg", headers=headers)


async def _hold(job_id: str, services: Services) -> Hold:
    await services.jobs.get(job_id)
    return services.live.hold(job_id)


async def _carried(done: Future[None]) -> InputResult:
    try:
        await asyncio.wait_for(asyncio.wrap_future(done), _INPUT_SECONDS)
    except TimeoutError:
        raise TimedOut("The display does not take it; look at it, and try again.") from None
    except (ActionFailed, TakenOver) as failure:
        return InputResult(done=False, reason=failure.message)
    return InputResult(done=True, reason="")


async def _last(services: Services, job_id: str, width: int | None) -> Shot:
    folder = await folder_of_job(services, job_id)

    def read() -> Shot:
        names = screenshots(folder)
        png = screenshot(folder, names[-1]) if names else None
        if png is None:
            raise NotFound(f"No screenshot is kept of job {job_id}.")
        return shrunk(png, width)

    return await asyncio.to_thread(read)


_MAX_ID: Final = 2**63 - 1
POLICY: Final = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""A report shows its own styles and pictures, and can do nothing else, nor be anything of ours."""
TaskId = Annotated[str, PathParameter(min_length=1, max_length=100, description="A task's id or title.")]
Name = Annotated[str, PathParameter(min_length=1, max_length=100, description="A workflow's name.")]
RunId = Annotated[str, PathParameter(pattern=RUN_ID, description="A run's id, as its history tells it.")]
_PAGE: Final[dict[int | str, dict[str, Any]]] = {200: {"description": "The report.", "content": {"text/html": {}}}}


class EventList(BaseModel):
    """What a job has reported, the oldest first."""

    events: list[JobEvent]


class Screenshots(BaseModel):
    """The names of a run's screenshots, the oldest first: `subtask_NN_iter_NNN.png`."""

    job_id: str
    names: list[str]


class WorkflowRuns(BaseModel):
    """What became of a workflow each time."""

    workflow: str
    runs: list[ListedRun]


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
    return EventList(events=list(await services.jobs.history(job_id, after=after, limit=limit)))


@router.get(
    "/jobs/{job_id}/screenshots",
    tags=["jobs"],
    summary="The screenshots of a run",
    description="What its decider looked at, step by step. Those of a task's success are not kept by default.",
    responses=documented(404),
)
async def list_screenshots(job_id: JobId, services: ServicesOf) -> Screenshots:
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
    name: Annotated[str, PathParameter(pattern=SCREENSHOT, description="As `screenshots` lists it.")],
    services: ServicesOf,
    width: Width = None,
) -> Response:
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
    return await send_report(await folder_of_job(services, job_id))


@router.get(
    "/tasks/{task_id}/runs/{run_id}/report",
    tags=["tasks"],
    summary="The report of a run in a task's history",
    response_class=Response,
    responses={**_PAGE, **documented(404, 409, 413, 507)},
)
async def task_report(task_id: TaskId, run_id: RunId, services: ServicesOf) -> Response:
    """Send it."""
    return await send_report(await asyncio.to_thread(folder_of_task, services, task_id, run_id))


@router.get(
    "/workflows/{name}/runs",
    tags=["workflows"],
    summary="The runs of a workflow",
    description="Those that have come to their end, the newest first, at most 50.",
    responses=documented(404),
)
async def workflow_runs(name: Name, services: ServicesOf) -> WorkflowRuns:

    def read() -> WorkflowRuns:
        found = WorkflowShelf.of(services.settings).named(name)
        runs = runs_of(found.folder, services.settings.data_path)
        return WorkflowRuns(workflow=found.name, runs=[ListedRun.of(each) for each in runs])

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

    def find() -> Path:
        found = WorkflowShelf.of(services.settings).named(name)
        return folder_of_workflow(found.folder, services.settings.data_path, run_id)

    return await send_report(await asyncio.to_thread(find))


async def send_report(directory: Path) -> Response:
    """The report in a run's folder. Raises ``NotFound``."""
    page = await asyncio.to_thread(report, directory)
    if page is None:
        raise NotFound("There is no report of this run: it goes on, or its folder is gone.")
    return Response(page, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})
