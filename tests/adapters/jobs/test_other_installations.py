"""What a stranger's jobs on the same PostgreSQL must not do to a daemon, and what a daemon takes of the server."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.jobs.engine import DbosJobs
from core.errors import NotFound
from core.jobs import JobState, NewJob
from server.composition.scheduling import JobRuns
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.migrations.run import upgrade
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.jobs.job_work import LIMIT, Count, Works

pytestmark = [pytest.mark.anyio, pytest.mark.programs]

_MOST_CONNECTIONS = 15
"""Of PostgreSQL's 100: the pool's 8, the claim's 1, and DBOS's 5 with one that it opens for a moment."""


@pytest.fixture
def shared(postgres: Callable[[str], str], tmp_path: Path) -> str:
    return postgres(tmp_path.name)


@pytest.fixture
async def both(shared: str, works: Works) -> AsyncGenerator[SimpleNamespace]:
    """An engine of ours, and a stranger's store beside it with a task under way that is called as one of ours."""
    database, foreign = Database(shared), Database(shared)
    database.open()
    foreign.open()
    theirs = SqlJobStore(foreign, "theirs")
    theirs.create(NewJob("foreign", "replay", {"task": "report"}), {})
    theirs.begin("foreign")
    async with DbosJobs(store=SqlJobStore(database, "ours"), url=shared, work=works.table(), max_parallel=4) as jobs:
        yield SimpleNamespace(jobs=jobs, theirs=theirs, database=database)
    foreign.close()
    database.close()


async def test_a_schedule_is_not_held_back_by_a_strangers_run_of_a_task_of_the_same_name(both: SimpleNamespace) -> None:
    async def start(task_id: str, display: str, job_id: str) -> None:
        raise AssertionError((task_id, display, job_id))

    assert await JobRuns(both.jobs, "theirs", start).going_on("report") is None
    SqlJobStore(both.database, "ours").create(NewJob("own", "replay", {"task": "report"}), {})
    assert await JobRuns(both.jobs, "ours", start).going_on("report") == "own"


@pytest.mark.parametrize(
    "call",
    [
        "get",
        "cancel",
        pytest.param("leave", marks=pytest.mark.nightly),
        "wait",
        pytest.param("history", marks=pytest.mark.nightly),
    ],
)
async def test_a_strangers_job_can_be_neither_read_nor_waited_for_nor_ended(both: SimpleNamespace, call: str) -> None:
    with pytest.raises(NotFound, match="There is no job 'foreign'"):
        async with asyncio.timeout(LIMIT):
            await getattr(both.jobs, call)("foreign")
    assert both.theirs.get("foreign").state is JobState.RUNNING


async def test_a_busy_process_leaves_most_of_the_servers_connections_to_others(
    both: SimpleNamespace, works: Works
) -> None:
    counted = sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
    started = [await both.jobs.submit("steps", Count(n=3)) for _ in range(8)]
    await works.gate.reached()
    await asyncio.gather(*(both.jobs.get(job.id) for job in started * 8))
    with both.database.read() as connection:
        # One of them is the stranger's.
        assert connection.execute(counted).scalar_one() - 1 <= _MOST_CONNECTIONS
    works.gate.open()
    for job in started:
        assert (await both.jobs.wait(job.id, LIMIT)).state is JobState.DONE


@pytest.mark.parametrize("server", ["sqlite", "postgresql"])
def test_the_database_of_the_reviewed_version_is_brought_up_to_date(
    request: pytest.FixtureRequest, tmp_path: Path, server: str
) -> None:
    """Its newest revision was 0004; what it kept is read as it was."""
    url = f"sqlite:///{tmp_path / 'old.db'}" if server == "sqlite" else request.getfixturevalue("shared")
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        upgrade(connection, "0004")
        for table, row in _OLD_ROWS:
            connection.execute(sa.insert(sa.table(table, *map(sa.column, row))).values(**row))
    engine.dispose()
    database = Database(url)
    database.open()
    store = SqlJobStore(database, "here")
    (job,) = store.list()
    assert (job.id, job.state, job.result) == ("old", JobState.DONE, {"description": "Saved."})
    assert [brief.title for brief in store.briefs()] == ["clip.mp4"]
    assert [event.data for event in store.events(after=0)] == [{"seen": 1}]
    with database.read() as connection:
        assert connection.execute(sa.text("SELECT owner, model FROM analyses")).all() == [("", "m-1")]
    database.close()


_DAY = "2026-01-01"
_OLD_ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "jobs",
        {"id": "old", "kind": "analysis", "owner": "here", "state": "done", "begun": 1, "created_at": _DAY}
        | {"finished_at": _DAY, "request": '{"video_path": "clip.mp4"}', "result": '{"description": "Saved."}'},
    ),
    ("job_events", {"job_id": "old", "stored_at": _DAY, "stage": "reading", "data": '{"seen": 1}'}),
    (
        "analyses",
        {"video_sha256": "a", "question": "b", "provider": "local", "model": "m-1", "response_path": "/r.json"}
        | {"response_sha256": "c", "created_at": _DAY},
    ),
)


@pytest.mark.nightly
def test_a_daemon_on_postgresql_counts_its_own_jobs_in_its_health(shared: str, tmp_path: Path) -> None:
    foreign = Database(shared)
    foreign.open()
    SqlJobStore(foreign, "theirs").create(NewJob("foreign", "analysis", {}), {})
    daemon = Process(tmp_path / "data", database_url=shared)
    try:
        found: dict[str, Any] = daemon.started().http.get("/health").json()
        assert found["database_ok"] is True
        assert found["queue"] == {"running": 0, "waiting": 0, "max_parallel_analyses": 2}
        assert daemon.http.get("/jobs").json() == {"jobs": []}
    finally:
        daemon.close()
        foreign.close()
