"""``/jobs/{id}/hold``, ``/input``, ``/screen.jpg``: a run while it goes on, to be looked at, held and driven."""

import asyncio
from concurrent.futures import Future
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Body, Header, Query, Response
from pydantic import BaseModel, Field

from core.errors import ActionFailed, NotFound, TakenOver, TimedOut
from core.jobs import Job
from core.runs.holding import Hold, Input, action_of
from server.http.bodies import JsonRoute, Nothing
from server.http.errors import documented
from server.media.live_screens import Shot, shrunk
from server.routes.jobs import JobId, current
from server.routes.run_folders import folder_of_job
from server.services import Services, ServicesOf
from storage.run_files import screenshot, screenshots

router = APIRouter(prefix="/jobs", tags=["jobs"], route_class=JsonRoute)

_LET_GO_SECONDS: Final = 1.0
_INPUT_SECONDS: Final = 60.0

Width = Annotated[int | None, Query(ge=64, le=3840, description="No wider than so many pixels.")]


class Carried(BaseModel):
    """What became of an input."""

    done: bool
    reason: str = Field(description="Why it was not done; empty if it was.")


@router.post(
    "/{job_id}/hold",
    summary="Hold a run",
    description="It lets go of mouse and keyboard within 200 ms, tells `taken_over` on `/events`, and waits until it "
    "is resumed or cancelled; then it looks afresh. Its budget's minutes stand still. `live.held` tells whether it has "
    "let go.",
    responses=documented(404, 409, 413, 415),
)
async def hold(job_id: JobId, _: Nothing, services: ServicesOf) -> Job:
    """Have it let go; answers when it has, or after a second."""
    held = await _hold(job_id, services)
    await asyncio.to_thread(held.hold, _LET_GO_SECONDS)
    return current(services, await services.jobs.get(job_id))


@router.post(
    "/{job_id}/resume",
    summary="Let a run go on that is held",
    responses=documented(404, 409, 413, 415),
)
async def resume(job_id: JobId, _: Nothing, services: ServicesOf) -> Job:
    """Give it back."""
    (await _hold(job_id, services)).resume()
    return current(services, await services.jobs.get(job_id))


@router.post(
    "/{job_id}/input",
    summary="Act on the display of a run that is held",
    description="One action of the vocabulary, in pixels of the desktop. It is neither kept nor told to anybody.",
    responses=documented(404, 408, 409, 413, 415),
)
async def put_input(job_id: JobId, wanted: Annotated[Input, Body()], services: ServicesOf) -> Carried:
    """Have the run's own thread do it."""
    await services.jobs.get(job_id)
    return await _carried(services.live.hold(job_id).put(action_of(wanted)))


@router.get(
    "/{job_id}/screen.jpg",
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
    """Send it."""
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


async def _carried(done: Future[None]) -> Carried:
    try:
        await asyncio.wait_for(asyncio.wrap_future(done), _INPUT_SECONDS)
    except TimeoutError:
        raise TimedOut("The display does not take it; look at it, and try again.") from None
    except (ActionFailed, TakenOver) as failure:
        return Carried(done=False, reason=failure.message)
    return Carried(done=True, reason="")


async def _last(services: Services, job_id: str, width: int | None) -> Shot:
    folder = await folder_of_job(services, job_id)

    def read() -> Shot:
        names = screenshots(folder)
        png = screenshot(folder, names[-1]) if names else None
        if png is None:
            raise NotFound(f"No screenshot is kept of job {job_id}.")
        return shrunk(png, width)

    return await asyncio.to_thread(read)
