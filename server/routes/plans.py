"""``/tasks/{id}/plan`` and ``recordings``: a task's plan as a list, beside the film that it was learned from."""

import asyncio
import os
from typing import IO, Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field, StrictInt, StrictStr

from core.errors import NotFound
from core.tasks.moments import MAX_STEPS, with_plan
from core.tasks.ports import StoredTask
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.http.ranges import ranged
from server.media.playable import media_type
from server.routes.tasks import BY, TaskAnswer, TaskId, to_task_response, version_read
from server.routes.video import NO_VIDEO
from server.services import ServicesOf
from storage.tasks.recordings import open_recording

router = APIRouter(prefix="/tasks", tags=["tasks"], route_class=JsonRoute)

RecordingName = Annotated[str, Path(min_length=1, max_length=255, description="As the task's `film` has it.")]


class Plan(JsonBody):
    """Another plan for a task."""

    steps: list[StrictStr] = Field(min_length=1, max_length=MAX_STEPS, description="What is to be done, in this order.")
    version: StrictInt = Field(
        ge=1, description="The number of the version that was read; another one is not overwritten."
    )


@router.put(
    "/{task_id}/plan",
    summary="Edit the plan of a task",
    description="Writes the steps in the place of those of the version that was read; 409 if it is another by now.",
    responses=documented(404, 409, 413, 415, 507),
)
async def put_plan(task_id: TaskId, wanted: Plan, services: ServicesOf) -> TaskAnswer:

    def save() -> StoredTask:
        changed = with_plan(services.tasks.load(task_id).heartbeat, wanted.steps)
        read = version_read(services, task_id, wanted.version)
        return services.tasks.save(task_id, changed, read=read, by=BY, why="plan edited")

    return await to_task_response(services, await asyncio.to_thread(save))


@router.get(
    "/{task_id}/recordings/{name}",
    summary="A recording that a task was learned from",
    description="By byte ranges.",
    response_class=Response,
    responses={
        200: {"description": "The film.", "content": {"video/*": {}, "image/gif": {}}},
        206: {"description": "The bytes that `Range` asks for.", "content": {"video/*": {}, "image/gif": {}}},
        **documented(404, 409, 413, 416, 507),
    },
)
async def get_recording(task_id: TaskId, name: RecordingName, request: Request, services: ServicesOf) -> Response:

    def opened() -> tuple[IO[bytes], int, str | None]:
        file = open_recording(services.tasks.load(task_id).folder, name)
        return file, os.fstat(file.fileno()).st_size, media_type(file)

    file, size, kind = await asyncio.to_thread(opened)
    if kind is None:
        file.close()
        raise NotFound(NO_VIDEO)
    # The same boxes; browsers refuse the name.
    shown = "video/mp4" if kind == "video/quicktime" else kind
    return ranged(file, size, request.headers.get("range"), shown, f"The film has {size} bytes; ask for some of those.")
