"""``/recorder``: how the continuous recorder is, what it shall do, and what is to be forgotten."""

import asyncio
from datetime import date
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from core.errors import Conflict, NotFound
from core.recording.history import Day
from core.recording.recorder import ExclusionPreview, RecorderStatus
from server.composition.from_settings import ExclusionWishes, preview_of
from server.composition.memory import RECORDINGS
from server.composition.recorded_days import KnownDays, RecordedDays
from server.composition.recorder import Forgotten, Recorder
from server.http.bodies import JsonBody, JsonRoute, Moment
from server.http.errors import documented
from server.http.ranges import ranged
from server.services import Services, ServicesOf
from server.times import stretch
from storage.segments import SegmentFolder

router = APIRouter(prefix="/recorder", tags=["recorder"], route_class=JsonRoute)


class RecorderAction(JsonBody):
    """What it shall do."""

    action: Literal["start", "pause", "resume", "stop"]


class ForgetRequest(JsonBody):
    """Which stretch: `last`, or `since` and, unless it is now, `until`."""

    last: str | None = Field(default=None, max_length=40, description="A number and s, m, h or d, such as `10m`.")
    since: Moment | None = Field(default=None, description="With a time zone.")
    until: Moment | None = Field(default=None, description="With a time zone; now if left out.")


SegmentId = Annotated[str, Path(max_length=40, description="A segment's id, as `GET /recorder/day` tells it.")]
Zone = Annotated[str | None, Query(max_length=64, description="Its IANA name; the machine's if left out.")]
_LOOKING: Final = asyncio.Semaphore(1)
"""Looks at the display's windows at a time: each is a connection to it."""


@router.get("", summary="How the continuous recorder is", responses=documented(409, 507))
async def recorder_status(services: ServicesOf) -> RecorderStatus:
    """Tell it."""
    return await asyncio.to_thread(_recorder(services).status)


@router.post(
    "",
    summary="Start, pause, resume or stop the continuous recorder",
    responses=documented(409, 413, 507),
)
async def recorder_action(asked: RecorderAction, services: ServicesOf) -> RecorderStatus:
    """Do it."""
    return await asyncio.to_thread(_recorder(services).act, asked.action)


@router.post(
    "/forget",
    summary="Forget a stretch of the recording: pictures, logs and memories",
    description="Answers when it is gone. What is left of a segment that is partly in it is encoded anew.",
    responses=documented(409, 413, 507),
)
async def recorder_forget(asked: ForgetRequest, services: ServicesOf) -> Forgotten:
    since, until = stretch(last=asked.last, since=asked.since, until=asked.until)
    return await asyncio.to_thread(_recorder(services).forget, since, until)


@router.get(
    "/day",
    summary="What there is of a day",
    description="Segments that can be played, gaps with their reason, stretches in which something was blacked out, "
    "and what is remembered. `expired` was recorded and has given way to newer; of `unknown` there is no record.",
    responses=documented(507),
)
async def recorder_day(
    services: ServicesOf,
    date: Annotated[date | None, Query(description="By the clock of the zone; today if left out.")] = None,
    zone: Zone = None,
) -> Day:
    return await asyncio.to_thread(RecordedDays(services.settings, services.memory).day, date, zone)


@router.get("/days", summary="The days of which there is anything", responses=documented(507))
async def recorder_days(
    services: ServicesOf,
    limit: Annotated[int, Query(ge=1, le=400, description="At most so many, the newest first.")] = 60,
    zone: Zone = None,
) -> KnownDays:
    """List them."""
    return await asyncio.to_thread(RecordedDays(services.settings, services.memory).days, limit, zone)


@router.get(
    "/segments/{segment_id}.mp4",
    summary="A segment of the recording",
    description="Also a part of it, by `Range`; of the one that is being recorded, what can be played by now. 404 once "
    "it has given way to newer, or was forgotten.",
    response_class=Response,
    responses={
        200: {"description": "The film.", "content": {"video/mp4": {}}},
        206: {"description": "The part that was asked for.", "content": {"video/mp4": {}}},
        **documented(404, 416, 507),
    },
)
async def recorder_segment(segment_id: SegmentId, request: Request, services: ServicesOf) -> Response:
    folder = SegmentFolder(services.settings.data_path / RECORDINGS)
    found = await asyncio.to_thread(folder.open, segment_id)
    if found is None:
        raise NotFound(f"There is no segment {segment_id!r} any more, or yet. GET /recorder/day lists those of a day.")
    file, size = found
    beyond = f"The film has {size} bytes by now; ask for some of them."
    return ranged(file, size, request.headers.get("range"), "video/mp4", beyond)


@router.post(
    "/preview",
    summary="Which windows would be blacked out now",
    description="The windows that are shown, where, and which of them the given patterns would black out; what is "
    "left out is as in the settings. No picture is taken. `reason` says why there is nothing: "
    "no display, or Wayland.",
    responses=documented(413),
)
async def recorder_preview(wishes: ExclusionWishes, services: ServicesOf) -> ExclusionPreview:
    async with _LOOKING:
        return await asyncio.to_thread(preview_of, services.settings, wishes)


def _recorder(services: Services) -> Recorder:
    if services.recorder is None:
        raise Conflict("This daemon has no recorder.")
    return services.recorder
