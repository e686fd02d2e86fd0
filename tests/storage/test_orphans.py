"""What stays in a farm's store, and what goes: a real PostgreSQL, and a folder as the store."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from core.farm import FARM
from core.jobs import JobState, NewJob
from storage.database import Database
from storage.farm_jobs import FarmJobStore
from storage.objects import Objects
from storage.orphans import Orphans

pytestmark = pytest.mark.programs
DAY = timedelta(days=1)


@pytest.fixture
def database(postgres: Callable[[str], str], tmp_path: Path) -> Iterator[Database]:
    with closing(Database(postgres(tmp_path.name))) as database:
        database.open()
        yield database


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(f"file://{tmp_path}/store")


def _put(objects: Objects, tmp_path: Path, key: str, *, days: float = 2) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"something")
    objects.put_file(key, source)
    path = tmp_path / "store" / key
    old = path.stat().st_mtime - days * DAY.total_seconds()
    os.utime(path, (old, old))


def _job(store: FarmJobStore, job_id: str, upload: str, *, state: JobState | None, attempts: int = 1) -> None:
    store.create(NewJob(job_id, "analysis", {"video_path": upload, "metadata": {"note": "\0"}}), {})
    for _ in range(attempts):
        store.begin(job_id)
    if state is not None:
        store.finish(job_id, state, result={} if state is JobState.DONE else None)


def _sweep(database: Database, objects: Objects) -> list[str]:
    Orphans(database, FARM, objects).sweep(DAY)
    return sorted([*objects.keys("uploads"), *objects.keys("jobs")])


def _grown_old(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE jobs SET created_at = '2020-01-01T00:00:00.000+00:00'")


def test_what_no_job_names_goes_after_a_day_and_ended_jobs_keep_theirs(
    database: Database, objects: Objects, tmp_path: Path
) -> None:
    store = FarmJobStore(database, FARM)
    _job(store, "done", "uploads/a/clip.mp4", state=JobState.DONE, attempts=2)
    _job(store, "failed", "uploads/b/clip.mp4", state=JobState.FAILED)
    _job(store, "running", "uploads/c/clip.mp4", state=None)
    _grown_old(database)
    kept = [
        *("jobs/done/2/frames/01_a.png", "jobs/failed/1/server.log", "jobs/running/1/frames/01_a.png"),
        *("uploads/a/clip.mp4", "uploads/b/clip.mp4", "uploads/c/clip.mp4"),
    ]
    for key in [*kept, "uploads/d/clip.mp4", "jobs/done/1/frames/01_a.png", "jobs/unknown/1/server.log"]:
        _put(objects, tmp_path, key)
    _put(objects, tmp_path, "uploads/new/clip.mp4", days=0.5)
    assert _sweep(database, objects) == sorted([*kept, "uploads/new/clip.mp4"])


def test_a_database_younger_than_the_store_empties_it_not(database: Database, objects: Objects, tmp_path: Path) -> None:
    _job(FarmJobStore(database, FARM), "new", "uploads/a/clip.mp4", state=JobState.DONE)
    _put(objects, tmp_path, "uploads/of-another-database/clip.mp4")
    assert _sweep(database, objects) == ["uploads/of-another-database/clip.mp4"]
