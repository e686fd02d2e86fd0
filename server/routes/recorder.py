"""``/recorder``: how the continuous recorder is, what it shall do, and what is to be forgotten."""

import asyncio
from datetime import datetime
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import Conflict, InvalidRequest
from core.recording.recorder import RecorderStatus
from server.bodies import read_json
from server.errors import documented
from server.parts.recorder import Forgotten, Recorder, stretch
from server.services import Services, ServicesOf

router = APIRouter(prefix="/recorder", tags=["recorder"])


class RecorderAction(BaseModel):
    """What it shall do."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["start", "pause", "resume", "stop"]


class ForgetRequest(BaseModel):
    """Which stretch: `last`, or `since` and, unless it is now, `until`."""

    model_config = ConfigDict(extra="forbid")

    last: str | None = Field(default=None, max_length=40, description="A number and s, m, h or d, such as `10m`.")
    since: datetime | None = Field(default=None, description="With a time zone.")
    until: datetime | None = Field(default=None, description="With a time zone; now if left out.")


def _body(model: type[BaseModel]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}


@router.get("", summary="How the continuous recorder is", responses=documented(409, 507))
async def recorder_status(services: ServicesOf) -> RecorderStatus:
    """Tell it."""
    return await asyncio.to_thread(_recorder(services).status)


@router.post(
    "",
    summary="Start, pause, resume or stop the continuous recorder",
    responses=documented(409, 413, 507),
    openapi_extra=_body(RecorderAction),
)
async def recorder_action(request: Request, services: ServicesOf) -> RecorderStatus:
    """Do it."""
    try:
        asked = RecorderAction.model_validate(await read_json(request))
    except ValidationError:
        raise InvalidRequest('Send {"action": "start"}, "pause", "resume" or "stop".') from None
    return await asyncio.to_thread(_recorder(services).act, asked.action)


@router.post(
    "/forget",
    summary="Forget a stretch of the recording: pictures, logs and memories",
    description="Answers when it is gone. What is left of a segment that is partly in it is encoded anew.",
    responses=documented(409, 413, 507),
    openapi_extra=_body(ForgetRequest),
)
async def recorder_forget(request: Request, services: ServicesOf) -> Forgotten:
    """Remove it."""
    try:
        asked = ForgetRequest.model_validate(await read_json(request))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise InvalidRequest(
            f'{".".join(map(str, first["loc"])) or "The body"}: {first["msg"]}. Send {{"last": "10m"}}, or "since" and '
            '"until".'
        ) from None
    since, until = stretch(last=asked.last, since=asked.since, until=asked.until)
    return await asyncio.to_thread(_recorder(services).forget, since, until)


def _recorder(services: Services) -> Recorder:
    if services.recorder is None:
        raise Conflict("This daemon has no recorder.")
    return services.recorder
