"""Several installations, and several processes of one, on one PostgreSQL."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.jobs.engine import DbosJobs
from core.analysis import AnalysisRequest
from core.errors import Conflict
from core.jobs import JobState, NewJob, Stage
from storage.answers import AnswerIndex
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.migrations.run import known_revisions, upgrade
from storage.schema import JOBS
from tests.fakes.jobs.analyses import VIDEO, analysis
from tests.fakes.jobs.job_work import LIMIT, Count, Works

pytestmark = [pytest.mark.anyio, pytest.mark.programs]


@pytest.fixture
def url(postgres: Callable[[str], str], tmp_path: Path) -> str:
    return postgres(tmp_path.name)


@pytest.fixture
def database(url: str) -> Generator[Database]:
    database = Database(url)
    database.open()
    yield database
    database.close()


def test_of_eight_processes_that_start_on_an_empty_database_all_come_up(url: str) -> None:
    databases = [Database(url) for _ in range(8)]
    with ThreadPoolExecutor(len(databases)) as starts:
        list(starts.map(Database.open, databases))
    for database in databases:
        assert SqlJobStore(database, "here").last_event_id() == 0
        database.close()


_OLDER = known_revisions()[1:]


@pytest.mark.parametrize(
    "revision", [pytest.param(each, marks=[] if each == _OLDER[-1] else [pytest.mark.nightly]) for each in _OLDER]
)
def test_an_older_database_is_brought_up_to_date_with_its_jobs(url: str, revision: str) -> None:
    engine = sa.create_engine(url.replace("://", "+psycopg://"))
    with engine.begin() as connection:
        upgrade(connection, revision)
        connection.execute(
            sa.text(
                "INSERT INTO jobs (id, kind, owner, state, begun, request, result, created_at)"
                " VALUES ('old', 'analysis', 'here', 'done', 1, '{}', '{\"interactions_dir\": \"/a\"}', '2026-01-01')"
            )
        )
    engine.dispose()
    database = Database(url)
    database.open()
    assert [job.id for job in SqlJobStore(database, "here").list()] == ["old"]
    with database.read() as connection:
        assert connection.execute(sa.select(JOBS.c.folder)).scalar() == "/a"
    database.close()


def test_an_installation_sees_and_prunes_its_own_jobs_alone(database: Database) -> None:
    ours, theirs = SqlJobStore(database, "ours"), SqlJobStore(database, "theirs")
    for store, job in ((ours, "a"), (theirs, "b")):
        store.create(NewJob(job, "count", {}), {})
        store.finish(job, JobState.DONE, result={})
    waiting = NewJob("c", "count", {})
    theirs.create(waiting, {})

    assert ours.get("b") is None
    assert [job.id for job in ours.list()] == [brief.id for brief in ours.briefs()] == ["a"]
    assert {event.job_id for event in ours.events(after=0)} == {"a"}
    assert ours.counts() == {JobState.DONE: 1}
    assert theirs.counts() == {JobState.DONE: 1, JobState.QUEUED: 1}
    assert ours.prune(days=-1) == 2
    assert {event.job_id for event in theirs.events(after=0)} == {"b", "c"}


def test_answers_of_another_installation_do_not_hide_ones_own(database: Database, tmp_path: Path) -> None:
    request, ours, answer = AnalysisRequest(video_path=VIDEO.path), AnswerIndex(database, "ours"), analysis()
    ours.remember(request, answer, tmp_path / "own.json", b"")
    for number in range(20):
        AnswerIndex(database, "theirs").remember(request, answer, Path(f"/theirs/{number}.json"), b"")
    found = ours.candidates(VIDEO, request, answer.provider, answer.model)
    assert [path for path, _ in found] == [tmp_path / "own.json"]


def _break(database: Database) -> None:
    """End every other session, as a restart of the server does."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with database.write() as connection:
        connection.execute(sa.text(f"{others} AND pid <> pg_backend_pid()"))


@pytest.mark.parametrize("taken", [False, True])
def test_a_claim_that_broke_is_taken_again_unless_another_process_has_it(
    url: str, database: Database, *, taken: bool
) -> None:
    store, other = SqlJobStore(database, "here"), Database(url)
    store.create(NewJob("a", "count", {}), {})
    store.claim()
    other.open()
    _break(other)
    second = SqlJobStore(other, "here")
    if taken:
        second.claim()
        with pytest.raises(Conflict, match="Another Vaider process"):
            store.begin("a")
        second.release()
    else:
        assert store.begin("a") == 1
        with pytest.raises(Conflict, match="Another Vaider process"):
            second.claim()
    store.release()
    other.close()


@asynccontextmanager
async def _engine(database: Database, url: str, works: Works) -> AsyncGenerator[DbosJobs]:
    async with DbosJobs(store=SqlJobStore(database, "here"), url=url, work=works.table()) as jobs:
        yield jobs


async def test_a_job_that_another_process_took_over_is_not_ended_here(
    database: Database, url: str, works: Works
) -> None:
    taken_over = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Reports(logging.Handler):
        def emit(self, record: Any) -> None:
            if "taken over" in record.getMessage():
                loop.call_soon_threadsafe(taken_over.set)

    logging.getLogger("vaider.jobs").addHandler(reports := Reports())
    async with _engine(database, url, works) as jobs:
        job = await jobs.submit("steps", Count(n=3))
        await works.gate.reached()
        with database.write() as connection:
            # What DBOS writes when another executor resumes the workflow.
            connection.execute(sa.text("UPDATE dbos.workflow_status SET owner_xid = 'another'"))
        works.gate.open()
        async with asyncio.timeout(LIMIT):
            await taken_over.wait()
        assert (await jobs.get(job.id)).state is JobState.RUNNING
        stages = {event.stage for event in await jobs.history(job.id)}
        assert not stages & {Stage.CANCELLED, Stage.FAILED, Stage.DONE}
    logging.getLogger("vaider.jobs").removeHandler(reports)


def test_an_older_attempt_writes_nothing_more_of_a_job(url: str, database: Database) -> None:
    other = Database(url)
    other.open()
    old, new = SqlJobStore(database, "here"), SqlJobStore(other, "here")
    old.create(NewJob("a", "count", {}), {})
    assert (old.begin("a"), new.begin("a")) == (1, 2)

    assert old.append("a", Stage.READING, {}) is None
    assert old.finish("a", JobState.FAILED, error={"error": "Late.", "code": "internal"}) is None
    old.put_back("a")
    assert new.append("a", Stage.READING, {}) is not None
    assert new.finish("a", JobState.DONE, result={}) is not None
    assert [event.stage for event in new.events(after=0)] == [Stage.QUEUED, Stage.READING, Stage.DONE]
    other.close()


_SLOW = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
CREATE TRIGGER slow AFTER INSERT ON job_events FOR EACH ROW WHEN (NEW.data LIKE '%slow%') EXECUTE FUNCTION slow();
"""


def test_no_event_becomes_visible_after_one_of_a_higher_id(url: str, database: Database) -> None:
    other = Database(url)
    other.open()
    first, second = SqlJobStore(database, "here"), SqlJobStore(other, "here")
    first.create(NewJob("a", "count", {}), {})
    with database.write() as connection:
        connection.execute(sa.text(_SLOW))
    sleeps = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    with ThreadPoolExecutor(1) as writer:
        slow = writer.submit(first.append, "a", Stage.READING, {"slow": True})
        asleep = 0
        while not asleep and not slow.done():
            with other.read() as connection:
                asleep = connection.execute(sleeps).scalar_one()
        assert asleep
        quick = second.append("a", Stage.READING, {})
        seen = [event.id for event in second.events(after=0)]
        event = slow.result()
    assert event is not None
    assert quick is not None
    assert seen == [1, event.id, quick.id]
    other.close()
