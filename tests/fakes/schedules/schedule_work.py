"""A process with the scheduler and the job engine, to be killed: ``python -m tests.fakes.schedules.schedule_work``."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from adapters.jobs.engine import DbosJobs
from core.ports import JobContext
from core.schedules.ports import Entry, State
from core.schedules.scheduling import Scheduling
from core.values import Value
from server.composition.scheduling import JobRuns
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.schedules import SqlSchedules
from storage.tasks.tasks import TaskFolders
from tests.clock import until
from tests.fakes.schedules.scheduled_runs import Clock

OWNER = "here"
RUNS = "runs.txt"


class TaskRun(Value):
    """What a run is asked, and what it answers."""

    task: str


class Deadly(SqlSchedules):
    """The process dies before it can note anything: while the run goes on, or while it still waits in line."""

    awaited: Path | None = None

    def note(self, task_id: str, state: State, entries: Sequence[Entry]) -> bool:
        del task_id, state, entries
        if self.awaited is not None:
            until(self.awaited.exists)
        os.kill(os.getpid(), signal.SIGKILL)
        return False


async def _main(folder: Path, now: str, fate: str) -> None:
    with closing(Database(f"sqlite:///{folder / 'vaider.db'}")) as database:
        database.open()
        kept = SqlSchedules(database, OWNER) if fate == "lives" else Deadly(database, OWNER)
        if isinstance(kept, Deadly) and fate == "dies running":
            kept.awaited = folder / RUNS

        def hold(request: dict[str, Any], context: JobContext) -> Value:
            until(context.raise_if_cancelled)
            return TaskRun.model_validate(request)

        def work(request: dict[str, Any], context: JobContext) -> Value:
            with (folder / RUNS).open("a", encoding="utf-8") as runs:
                runs.write(f"{context.job_id}\n")
            return TaskRun.model_validate(request)

        async with DbosJobs(
            store=SqlJobStore(database, OWNER),
            url=database.url,
            work={"replay": work, "hold": hold},
            once=("replay", "hold"),
            max_parallel=1,
        ) as jobs:
            if fate == "dies waiting":
                await jobs.submit("hold", TaskRun(task="other"))

            async def start(task_id: str, display: str, job_id: str) -> None:
                del display
                await jobs.submit_once(job_id, "replay", TaskRun(task=task_id))

            scheduling = Scheduling(
                tasks=TaskFolders(folder / "tasks"),
                schedules=kept,
                runs=JobRuns(jobs, OWNER, start),
                zone=lambda: "UTC",
                display=lambda _: "private",
                obstacle=lambda _: None,
                now=Clock(now),
            )
            await scheduling.turn()
            for job in await jobs.list():
                await jobs.wait(job.id)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
