"""Scheduled tasks on a disk, with runs and a clock of plain memory."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from core.schedules.book import ScheduleBook, ScheduleWish
from core.schedules.ports import Entry, Outcome
from core.schedules.schedule import Missed
from core.schedules.scheduling import Scheduling
from core.tasks.heartbeat import Heartbeat
from storage.database import Database
from storage.schedules import SqlSchedules
from storage.tasks.tasks import TaskFolders
from tests.fakes.schedules.scheduled_runs import Clock, MemoryRuns

BERLIN = "Europe/Berlin"


class Scene:
    """Tasks on the disk, a database, runs in memory, and a scheduler that can be started again."""

    def __init__(self, folder: Path, *, now: str = "2026-11-23T08:00:00+00:00", zone: str = "UTC") -> None:
        self.clock = Clock(now)
        self.zone = zone
        self.tasks = TaskFolders(folder / "tasks")
        self.database = Database(f"sqlite:///{folder / 'vaider.db'}")
        self.database.open()
        self.schedules = SqlSchedules(self.database, "here")
        self.runs = MemoryRuns()
        self.obstacles: dict[str, str] = {}
        self.book = ScheduleBook(tasks=self.tasks, schedules=self.schedules, zone=lambda: self.zone, now=self.clock)
        self.task = self.tasks.add(Heartbeat.new("Report"), by="test", why="made").id
        self.file = folder / "tasks" / self.task / "HEARTBEAT.md"
        self.scheduling = self.restart()

    def restart(self) -> Scheduling:
        """A new process; the disk and what was started stay."""
        self.runs.dies_after_start = False
        self.scheduling = Scheduling(
            tasks=self.tasks,
            schedules=self.schedules,
            runs=self.runs,
            zone=lambda: self.zone,
            display=lambda said: said or "private",
            obstacle=self.obstacles.get,
            now=self.clock,
        )
        return self.scheduling

    def put(self, words: str, missed: Missed = Missed.ONCE, **more: str) -> None:
        self.book.put(self.task, ScheduleWish(words=words, missed=missed, **more), by="test")

    def write(self, line: str) -> None:
        """By hand."""
        text = self.file.read_text(encoding="utf-8").partition("\n## Schedule")[0]
        self.file.write_text(f"{text}\n## Schedule\n{line}\n" if line else text, encoding="utf-8")

    def turn(self) -> datetime | None:
        return asyncio.run(self.scheduling.turn())

    def turns(self, until: str, **step: float) -> None:
        """One after another, as the clock goes on."""
        while self.clock.now <= datetime.fromisoformat(until):
            self.turn()
            self.clock.go(**step)

    @property
    def log(self) -> Sequence[Entry]:
        """The oldest first."""
        return self.schedules.log(self.task, 10_000)[::-1]

    @property
    def missed(self) -> list[tuple[str, str]]:
        return [(entry.moment[11:16], entry.reason) for entry in self.log if entry.outcome is Outcome.MISSED]

    @property
    def fired(self) -> list[str]:
        return [moment[11:16] for moment in self.runs.moments]
