"""``/tasks/{task_id}/schedule``: when a task is carried out by itself."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr

from core.schedules.book import ScheduleAnswer, ScheduleWish
from core.schedules.schedule import Missed
from server.http.bodies import JsonRoute
from server.http.errors import documented
from server.services import ServicesOf

router = APIRouter(prefix="/tasks", tags=["tasks"], route_class=JsonRoute)

BY = "http"
TaskId = Annotated[str, Path(min_length=1, max_length=100, description="A task's id.")]


class Wanted(BaseModel):
    """When, in plain English or as cron expressions, and what else is to hold."""

    model_config = ConfigDict(extra="forbid")

    schedule: StrictStr = Field(
        min_length=1, max_length=2000, description="Such as `every weekday at 9:00`, or `0 9 * * 1-5`."
    )
    zone: Annotated[StrictStr, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="An IANA name; else this machine's zone."
    )
    missed: Missed | None = Field(default=None, description="What becomes of missed times; else `once`.")
    display: Annotated[StrictStr, Field(pattern=r"^(current|private|:\d+(\.\d+)?)$", max_length=20)] | None = Field(
        default=None, description="current, private or :N; else private where that is possible."
    )
    dry_run: StrictBool = Field(default=False, description="Only repeat back what was understood.")


@router.get(
    "/{task_id}/schedule",
    summary="A task's schedule, its next five times and what was decided of late",
    description="What stands in the file and is not understood is told as `fault`; then nothing fires.",
    responses=documented(404, 409, 413, 507),
)
async def get_schedule(task_id: TaskId, services: ServicesOf) -> ScheduleAnswer:
    """Look it up."""
    return await asyncio.to_thread(services.schedules.book.show, task_id)


@router.put(
    "/{task_id}/schedule",
    summary="Schedule a task",
    description="Repeats back what was understood, and writes it into the task's HEARTBEAT.md.",
    responses=documented(404, 409, 413, 415, 507),
)
async def put_schedule(task_id: TaskId, wanted: Wanted, services: ServicesOf) -> ScheduleAnswer:
    """Understand and keep it."""
    wish = ScheduleWish(words=wanted.schedule, zone=wanted.zone, missed=wanted.missed, display=wanted.display)
    done = await asyncio.to_thread(services.schedules.book.put, task_id, wish, by=BY, dry_run=wanted.dry_run)
    services.schedules.wake()
    return done


@router.delete(
    "/{task_id}/schedule",
    summary="Take a task's schedule away",
    description="Also one that is not understood. What was decided stays in the log.",
    responses=documented(404, 409, 413, 507),
)
async def delete_schedule(task_id: TaskId, services: ServicesOf) -> ScheduleAnswer:
    """Take it out of the file."""
    done = await asyncio.to_thread(services.schedules.book.remove, task_id, by=BY)
    services.schedules.wake()
    return done
