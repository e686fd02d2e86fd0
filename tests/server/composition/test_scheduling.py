"""Schedules with the real job engine and the real daemon: what is due becomes one job, whoever dies when."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adapters.jobs.engine import DbosJobs
from config.settings import Settings, load_settings
from core.errors import StorageFailed
from core.schedules.book import ScheduleBook, ScheduleWish
from core.schedules.ports import Outcome
from core.schedules.schedule import Missed
from core.tasks.heartbeat import Heartbeat
from server.composition.scheduling import Scheduler, scheduling
from server.identity import installation
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.schedules import SqlSchedules
from storage.tasks.tasks import TaskFolders
from tests.clock import until
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.desktops.x_user import x_display
from tests.fakes.jobs.job_work import Count, Gate, Works
from tests.fakes.schedules.schedule_work import OWNER, RUNS
from tests.fakes.schedules.scheduled_runs import Clock

if TYPE_CHECKING:
    from collections.abc import Generator

    from adapters.jobs.runner import Work

REPOSITORY = Path(__file__).parents[3]
DUE = "2026-11-23T09:00:00+00:00"


def _scheduled(folder: Path, words: str, missed: Missed, display: str = "") -> None:
    tasks = TaskFolders(folder / "tasks")
    task = tasks.add(Heartbeat.new("Report"), by="test", why="made")
    with _kept(folder) as kept:
        clock = Clock("2026-11-23T08:59:30+00:00")
        book = ScheduleBook(tasks=tasks, schedules=kept, zone=lambda: "UTC", now=clock)
        book.put(task.id, ScheduleWish(words=words, missed=missed, display=display or None), by="test")


@contextlib.contextmanager
def _kept(folder: Path) -> Generator[SqlSchedules]:
    with contextlib.closing(Database(f"sqlite:///{folder / 'vaider.db'}")) as database:
        database.open()
        yield SqlSchedules(database, OWNER)


def _turn(folder: Path, now: str, fate: str = "lives") -> int:
    command = [sys.executable, "-m", "tests.fakes.schedules.schedule_work", str(folder), now, fate]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode


@pytest.mark.parametrize(
    ("missed", "fate"),
    [
        pytest.param(Missed.SKIP, "dies running", marks=pytest.mark.nightly),
        pytest.param(Missed.ALL, "dies waiting", marks=pytest.mark.nightly),
    ],
)
def test_a_daemon_that_is_killed_between_submitting_and_noting_runs_the_task_exactly_once(
    tmp_path: Path, missed: Missed, fate: str
) -> None:
    _scheduled(tmp_path, "every hour", missed)

    assert _turn(tmp_path, DUE, fate) == -signal.SIGKILL
    assert _turn(tmp_path, "2026-11-23T09:30:00+00:00") == 0
    assert _turn(tmp_path, "2026-11-23T09:31:00+00:00") == 0
    with _kept(tmp_path) as kept:
        (entry,) = kept.log("report", 10)
    assert entry.outcome is Outcome.FIRED
    assert (tmp_path / RUNS).read_text(encoding="utf-8").split() == [entry.job_id]


class ScriptedTurns:
    """A scheduling whose turns do what the test says."""

    def __init__(self, *turns: datetime | Exception | None) -> None:
        self.taken = 0
        self.done = asyncio.Event()
        self._turns = turns

    async def turn(self) -> datetime | None:
        self.taken += 1
        if self.taken >= len(self._turns):
            self.done.set()
        turn = self._turns[min(self.taken, len(self._turns)) - 1]
        if isinstance(turn, Exception):
            raise turn
        return turn


async def _run(turns: ScriptedTurns, *, longest: float, wake: bool = False) -> None:
    scheduler = Scheduler(turns.turn, now=lambda: datetime.now(UTC), longest_seconds=longest)
    work = asyncio.create_task(scheduler.run())
    while wake and not turns.done.is_set():
        scheduler.wake()
        await asyncio.sleep(0)
    await asyncio.wait_for(turns.done.wait(), 10)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


def test_the_scheduler_looks_again_when_something_is_due_and_otherwise_after_a_while() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=0.2)
    asyncio.run(_run(ScriptedTurns(soon, None), longest=60))
    asyncio.run(_run(ScriptedTurns(datetime.now(UTC) + timedelta(days=1), None), longest=0.2))
    asyncio.run(_run(ScriptedTurns(None, None), longest=0.2))


def test_the_scheduler_looks_at_once_when_it_is_woken_and_survives_a_turn_that_fails() -> None:
    asyncio.run(
        _run(ScriptedTurns(StorageFailed("The disk is full."), ValueError("a fault"), None), longest=60, wake=True)
    )


@pytest.mark.screen
def test_a_run_on_a_users_display_begins_at_once_or_is_told_as_missed_but_never_waits_in_line(tmp_path: Path) -> None:
    clock = Clock("2026-11-23T08:59:50+00:00")
    gate = Gate()

    async def hours(settings: Settings, database: Database, display: str) -> None:
        work: dict[str, Work] = {"replay": lambda _request, _context: Count(), "hold": Works(gate).hold}
        store = SqlJobStore(database, "here")
        async with (
            DbosJobs(store=store, url=database.url, work=work, max_parallel=1) as jobs,
            scheduling(settings, database, jobs, lambda asked: asked, clock, idle_seconds=0) as schedules,
        ):
            await jobs.submit("hold", Count())
            await gate.reached()
            # The schedule was kept for another installation, of which this one knows nothing: it begins anew.
            await asyncio.to_thread(until, SqlSchedules(database, installation(tmp_path)).task_ids)
            for hour in (9, 10):
                clock.set(f"2026-11-23T{hour:02}:00:00+00:00")
                schedules.wake()
                await asyncio.to_thread(until, functools.partial(_decided, schedules.book, hour - 8))
                gate.open()
                await asyncio.gather(*(jobs.wait(job.id, 20) for job in await jobs.list()))
            missed, fired = schedules.book.show("report").log[::-1]
            assert (missed.outcome, fired.outcome) == (Outcome.MISSED, Outcome.FIRED)
            assert missed.reason.startswith("Other jobs were running")
            assert (await jobs.get(fired.job_id or "")).request["display"] == display

    with (
        x_display(640, 480) as display,
        contextlib.closing(Database(f"sqlite:///{tmp_path / 'vaider.db'}")) as database,
    ):
        database.open()
        _scheduled(tmp_path, "every hour", Missed.ONCE, display)
        flags = {"data_dir": str(tmp_path), "max_parallel_analyses": 1}
        settings = load_settings(environment={}, flags=flags, user_file=tmp_path / "none.toml")
        asyncio.run(hours(settings, database, display))


@pytest.mark.nightly
@pytest.mark.screen
def test_in_a_real_daemon_a_task_fires_once_and_one_that_has_no_display_is_told_as_missed(tmp_path: Path) -> None:
    tasks = TaskFolders(tmp_path / "tasks")
    task, other = (tasks.add(Heartbeat.new(title), by="test", why="made").id for title in ("Report", "Elsewhere"))
    daemon = Process(tmp_path, environment={"DISPLAY": ""})
    try:
        daemon.started()
        reported, moment = _scheduled_soon(daemon, task)
        assert (reported["daemon"], reported["next"]) == (True, [moment.isoformat()])
        # Noticed up to a minute later, it counts from when it was written.
        soon = _in_seconds(2)
        with (tasks.root / other / "HEARTBEAT.md").open("a", encoding="utf-8") as file:
            file.write(f"\n## Schedule\nat {soon:%Y-%m-%d %H:%M:%S} (UTC), display: current\n")

        (fired,) = _log(daemon, task)
        (missed,) = _log(daemon, other)
        assert (fired["outcome"], fired["moment"]) == ("fired", f"{moment:%Y-%m-%dT%H:%M:%SZ}")
        assert (missed["outcome"], missed["moment"]) == ("missed", f"{soon:%Y-%m-%dT%H:%M:%SZ}")
        assert missed["job_id"] is None
        assert "There is no display here" in missed["reason"]
        until(lambda: daemon.http.get(f"/jobs/{fired['job_id']}").json()["state"] in {"done", "failed"}, seconds=60)
        # The scheduler looks at once, and finds that all is decided.
        daemon.http.put(f"/tasks/{task}/schedule", json={"schedule": "every year on 1 March at 9:00"})
        (job,) = daemon.http.get("/jobs").json()["jobs"]
        request = job["request"]
        asked = (job["kind"], request["task"], request["by"], request["display"])
        assert asked == ("replay", task, "schedule", "private")
        lines = [json.loads(line) for line in (tmp_path / "daemon.log").read_text(encoding="utf-8").splitlines()]
        assert sorted(line["event"] for line in lines if line["logger"] == "vaider.schedules") == [
            "schedule.fired",
            "schedule.missed",
        ]
    finally:
        daemon.close()


def _in_seconds(seconds: int) -> datetime:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).replace(microsecond=0)


def _scheduled_soon(daemon: Process, task: str) -> tuple[dict[str, Any], datetime]:
    """Schedule a task by the command, for the nearest moment that is still to come when the command reads it."""
    environment = {"VAIDER_DATA_DIR": str(daemon.data), "VAIDER_PORT": str(daemon.port)}
    for seconds in (4, 15, 45):
        moment = _in_seconds(seconds)
        command = ("tasks", "schedule", task, f"at {moment:%Y-%m-%d %H:%M:%S}", "--tz", "UTC", "--json")
        reported = json.loads(vaider(*command, cwd=daemon.data, environment=environment).stdout)
        if "is past" not in reported.get("error", ""):
            return reported, moment
    raise AssertionError("the command took longer than 45 s")


def _decided(book: ScheduleBook, count: int) -> bool:
    return len(book.show("report").log) == count


def _log(daemon: Process, task: str) -> list[dict[str, Any]]:
    """What was decided about a task, once something was."""

    def log() -> list[dict[str, Any]]:
        return daemon.http.get(f"/tasks/{task}/schedule").json()["log"]

    until(log, seconds=90)
    return log()
