"""Schedules in the daemon: the clock that they go by, and how their runs become jobs. Part of the composition root."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.desktop.display_names import CURRENT, PRIVATE
from adapters.desktop.displays import LocalDesktops
from adapters.desktop.idle import obstacle
from core.errors import Conflict, NotFound, VaiderError
from core.jobs import JobState
from core.runs.run import RunRequest
from core.schedules.book import ScheduleBook, utc_now
from core.schedules.scheduling import Scheduling
from server.identity import installation
from server.times import machine_zone
from storage.schedules import SqlSchedules
from storage.tasks.tasks import TaskFolders

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from datetime import datetime

    from adapters.jobs.engine import DbosJobs
    from config.settings import Settings
    from storage.database import Database

    Start = Callable[[str, str, str], Awaitable[None]]
    """Start a task's run: the task, the display, the job's id."""
    Admit = Callable[[RunRequest], RunRequest]

log = logging.getLogger("vaider.schedules")

LONGEST_SECONDS: Final = 5.0
"""Longest seconds between two checks, because the clock may be set, the machine may sleep, and files are edited."""
SHORTEST_SECONDS: Final = 1.0
"""Seconds between two checks while an overdue run waits."""
IDLE_SECONDS: Final = 60.0
"""Seconds without user input that a display which is not private must have had."""
REPLAY: Final = "replay"
BY: Final = "schedule"
_ALL: Final = 1_000_000


@dataclass(frozen=True)
class TaskSchedules:
    """The schedules, for front ends; ``wake`` makes the scheduler check at once."""

    book: ScheduleBook
    wake: Callable[[], None]


class JobRuns:
    """Implements ``core.schedules.ports.ScheduledRuns`` by the job engine.

    Args:
        jobs: the engine.
        owner: this installation: others that share the database have tasks of the same name.
        start: starts a task's run on a display under a job id.

    """

    def __init__(self, jobs: DbosJobs, owner: str, start: Start) -> None:
        self._jobs = jobs
        self._owner = owner
        self._start = start

    def key(self, task_id: str, moment: str) -> str:
        """The id of the job that runs the task for that moment."""
        named = f"{self._owner}\0{task_id}\0{moment}"
        return f"job-{hashlib.sha256(named.encode()).hexdigest()[:16]}"

    async def exists(self, job_id: str) -> bool:
        """Whether that job was ever started."""
        try:
            await self._jobs.get(job_id)
        except NotFound:
            return False
        return True

    async def going_on(self, task_id: str) -> str | None:
        """The id of a job that runs the task and is not over, if there is one."""
        for state in (JobState.RUNNING, JobState.QUEUED):
            for job in await self._jobs.list(state=state, limit=_ALL):
                if job.request.get("task") == task_id:
                    return job.id
        return None

    async def start(self, task_id: str, display: str, job_id: str) -> None:
        """Start a run under that id, once."""
        await self._start(task_id, display, job_id)


class Scheduler:
    """Takes one turn after the other.

    Args:
        turn: starts the due runs; returns the next due moment.
        now: what the clock shows.
        longest_seconds: between two turns.

    """

    def __init__(
        self,
        turn: Callable[[], Awaitable[datetime | None]],
        *,
        now: Callable[[], datetime],
        longest_seconds: float = LONGEST_SECONDS,
    ) -> None:
        self._turn = turn
        self._now = now
        self._longest = longest_seconds
        self._news = asyncio.Event()

    def wake(self) -> None:
        """Check at once, because a schedule was changed."""
        self._news.set()

    async def run(self) -> None:
        """Never ends by itself; a turn that fails is tried again."""
        while True:
            self._news.clear()
            upcoming = None
            try:
                upcoming = await self._turn()
            except VaiderError as error:
                log.warning("schedules.failed", extra={"reason": error.message})
            except Exception:
                log.exception("schedules.failed")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), self._pause(upcoming))

    def _pause(self, upcoming: datetime | None) -> float:
        if upcoming is None:
            return self._longest
        ahead = (upcoming - self._now()).total_seconds()
        return min(self._longest, ahead if ahead > 0 else SHORTEST_SECONDS)


@asynccontextmanager
async def scheduling(
    settings: Settings,
    database: Database,
    jobs: DbosJobs,
    admit: Admit,
    now: Callable[[], datetime] = utc_now,
    *,
    idle_seconds: float = IDLE_SECONDS,
) -> AsyncGenerator[TaskSchedules]:
    """The scheduler, at work until the daemon stops; what is due then is decided at its next start."""

    async def start(task_id: str, display: str, job_id: str) -> None:
        if display != PRIVATE and len(await jobs.list(state=JobState.RUNNING)) >= settings.max_parallel_analyses:
            raise Conflict(f"Other jobs were running; once they are over, the user may be at the display {display}.")
        asked = RunRequest(
            task=task_id,
            provider=settings.replay_provider,
            display=display,
            size=settings.display_size,
            on_takeover=settings.replay_on_takeover,
            by=BY,
        )
        await jobs.submit_once(job_id, REPLAY, await asyncio.to_thread(admit, asked))

    owner = installation(settings.data_path)
    places = Places(settings, idle_seconds)
    scheduler = Scheduler(
        Scheduling(
            tasks=TaskFolders(settings.data_path / "tasks"),
            schedules=SqlSchedules(database, owner),
            runs=JobRuns(jobs, owner, start),
            zone=machine_zone,
            display=places.chosen,
            obstacle=places.obstacle,
            now=now,
        ).turn,
        now=now,
    )
    work = asyncio.create_task(scheduler.run())
    try:
        yield TaskSchedules(schedule_book(settings, database), scheduler.wake)
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


class Places:
    """Where scheduled runs may act.

    Args:
        settings: say where displays are kept.
        idle_seconds: for how long a display that is not private must not have been touched.

    """

    def __init__(self, settings: Settings, idle_seconds: float) -> None:
        self._idle_seconds = idle_seconds
        self._settings = settings
        self._desktops = LocalDesktops(data_dir=settings.data_path, stop_key=settings.stop_key)

    def chosen(self, said: str) -> str:
        """The display that a schedule means; where it names none, a private one, or the user's where there is none."""
        if said:
            return said
        return CURRENT if self._desktops.unavailable(PRIVATE) else PRIVATE

    def obstacle(self, display: str) -> str | None:
        """The reason why an unattended run cannot have the display, one sentence."""
        if (lack := self._desktops.unavailable(display)) is not None:
            return lack
        return obstacle(
            display,
            idle=self._idle_seconds,
            environment=os.environ,
            occupants=self._settings.data_path / "desktops",
        )


def schedule_book(settings: Settings, database: Database) -> ScheduleBook:
    """The schedules of these settings' tasks, for the front ends."""
    return ScheduleBook(
        tasks=TaskFolders(settings.data_path / "tasks"),
        schedules=SqlSchedules(database, installation(settings.data_path)),
        zone=machine_zone,
        now=utc_now,
    )
