"""A worker of a farm in this process, on a real PostgreSQL."""

import threading
from collections.abc import Callable, Collection
from contextlib import closing
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection

from adapters.jobs.farm.queue import FarmQueue
from adapters.jobs.farm.worker import FarmWorker
from core.farm import FARM
from core.jobs import JobState, NewJob
from core.ports import JobContext
from core.values import Value
from storage.database import Database
from storage.farm_jobs import FarmJobStore
from storage.workers import Workers
from tests.clock import until
from tests.fakes.jobs.postgres import postgres_server

pytestmark = [pytest.mark.programs, pytest.mark.nightly]


class LateWorkers(Workers):
    """As on a machine so busy that a worker's beat is old by the time it looks who lives."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, FARM)
        self.looks = threading.Semaphore(0)

    def beat(self, worker: str, also: Callable[[Connection], object] | None = None) -> Collection[str]:
        super().beat(worker, also)
        self.looks.release()
        return set()


class Answer(Value):
    attempt: int


def test_a_worker_whose_own_beat_is_late_keeps_its_jobs(caplog: pytest.LogCaptureFixture) -> None:
    with postgres_server() as url, closing(Database(url.format("postgres"))) as database:
        database.open()
        store, workers = FarmJobStore(database, FARM), LateWorkers(database)

        def work(_request: dict[str, Any], _context: JobContext, attempt: int) -> Answer:
            for _ in range(3):
                assert workers.looks.acquire(timeout=300)
            return Answer(attempt=attempt)

        with closing(FarmQueue(database.url, "1")) as queue:
            new = NewJob("job-1", "analysis", {})
            store.create(new, {}, lambda connection: queue.enqueue(connection, new.id, "somebody"))
            worker = FarmWorker(
                name="late", url=database.url, version="1", store=store, workers=workers, work=work, slots=1
            )
            worker.start()
            until(lambda: (job := store.get("job-1")) is not None and job.state is JobState.DONE, 300)
            worker.stop()
    assert "handed on" not in caplog.text


def engine_threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("queue-worker")]


def test_a_worker_that_rests_asks_nothing_of_the_queues_engine_and_comes_back_for_a_job() -> None:
    with postgres_server() as url, closing(Database(url.format("postgres"))) as database:
        database.open()
        store = FarmJobStore(database, FARM)
        worker = FarmWorker(
            name="calm",
            url=database.url,
            version="1",
            store=store,
            workers=Workers(database, FARM),
            work=lambda _request, _context, attempt: Answer(attempt=attempt),
            slots=1,
            rest_seconds=2,
        )

        def is_done(job_id: str) -> bool:
            job = store.get(job_id)
            return job is not None and job.state is JobState.DONE

        worker.start()
        with closing(FarmQueue(database.url, "1")) as queue:
            for new in (NewJob("job-1", "analysis", {}), NewJob("job-2", "analysis", {})):
                until(lambda: not engine_threads(), 60)
                store.create(new, {}, partial(queue.enqueue, job_id=new.id, submitter="somebody"))
                until(partial(is_done, new.id), 60)
        worker.stop()
    assert not engine_threads()
