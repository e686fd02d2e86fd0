"""``POST /tasks``: a recording of a demonstration in, the job that learns a task from it out; or a task in words."""

import asyncio
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final, Self
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, StrictStr, ValidationError, model_validator

from core.tasks.heartbeat import Heartbeat
from core.tasks.ports import LearnRequest, StoredTask
from server.http.bodies import JsonBody, read_json
from server.http.errors import documented, invalid
from server.routes.jobs import Started, started
from server.routes.tasks import BY, TaskAnswer, to_task_response
from server.services import Services, ServicesOf

router = APIRouter(tags=["tasks"])


class Lesson(JsonBody):
    """What to make of a recording."""

    into: Annotated[StrictStr, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="A task's id or title, to merge the recording into; a new task is made without it."
    )
    provider: StrictStr | None = Field(default=None, description="auto, local or gemini; else the setting `provider`.")


class PathLesson(Lesson):
    """The JSON body: recordings on this machine by their paths, or a memory."""

    video_paths: list[StrictStr] = Field(
        default_factory=list[StrictStr],
        max_length=20,
        description="Absolute paths; each further one is merged into what came before.",
    )
    memory: Annotated[StrictStr, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="A memory's id, as `memory_recall` tells it, instead of paths."
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if bool(self.video_paths) is (self.memory is not None):
            raise ValueError("name video_paths or a memory, one of them")
        return self


class WrittenTask(JsonBody):
    """The JSON body: a task that nobody showed, by its title or whole."""

    title: Annotated[StrictStr, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="What it is called; the rest is written into it afterwards."
    )
    text: Annotated[StrictStr, Field(min_length=1)] | None = Field(
        default=None, description="Or the whole HEARTBEAT.md."
    )

    @model_validator(mode="after")
    def _says_one(self) -> Self:
        if (self.title is None) is (self.text is None):
            raise ValueError("give a title or a text, one of them")
        return self


_FORM: Final = {
    "type": "object",
    "required": ["video"],
    "additionalProperties": False,
    "properties": {
        "video": {"type": "string", "format": "binary", "description": "The recording, at most 2 GB and 5 minutes."},
        "metadata": {"type": "string", "description": "JSON: `into`, `provider`.", "example": '{"into": "send-it"}'},
    },
}
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": _FORM},
            "application/json": {
                "schema": {"anyOf": [PathLesson.model_json_schema(), WrittenTask.model_json_schema()]}
            },
        },
    }
}


@router.post(
    "/tasks",
    status_code=202,
    summary="Learn a task from a recording, or from a memory; or write one",
    description="Answers at once with the job; its result has the task's id and its questions. A recording that shows "
    "no task fails the job with the code `no_task`, and touches nothing. A title or a text is a task at once: 201.",
    response_model=Started,
    responses={
        201: {"model": TaskAnswer, "description": "The task that was written"},
        **documented(404, 409, 413, 415, 507),
    },
    openapi_extra=_BODY,
)
async def learn(request: Request, services: ServicesOf) -> Response:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        body = await read_json(request)
        if not body.keys().isdisjoint(WrittenTask.model_fields):
            return await _written(services, _validated(WrittenTask, body, "the body"))
        lesson = _validated(PathLesson, body, "the body")
        return await _started(services, lesson, lesson.video_paths, None, memory=lesson.memory)
    upload = await services.uploads.receive(request)
    with services.uploads.discarded_if_refused(upload.path):
        lesson = _validated(Lesson, upload.metadata, "metadata")
        return await _started(services, lesson, [str(upload.path)], upload.path)


async def _started(
    services: Services, lesson: Lesson, videos: list[str], upload: Path | None, *, memory: str | None = None
) -> Response:
    provider = lesson.provider or services.settings.learning_provider
    asked = LearnRequest(
        videos=tuple(videos), memory=memory, into=lesson.into, provider=provider, uploaded=upload is not None
    )
    job = await services.jobs.submit("learning", await asyncio.to_thread(services.learning.admit, asked))
    if upload is not None:
        services.later(services.settle_upload(job.id, upload))
    return started(job)


async def _written(services: Services, wanted: WrittenTask) -> Response:
    def add() -> StoredTask:
        if wanted.text is not None:
            return services.tasks.add(Heartbeat(wanted.text), by=BY, why="written")
        return services.tasks.add(Heartbeat.new(wanted.title or ""), by=BY, why="added by title")

    task = await to_task_response(services, await asyncio.to_thread(add))
    return JSONResponse(task.model_dump(mode="json"), HTTPStatus.CREATED, {"Location": f"/tasks/{quote(task.id)}"})


def _validated(kind: type[BaseModel], body: dict[str, Any], where: str) -> Any:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise invalid(error, where) from None
