"""What goes of the analyses of uploads, when it is told, and what stays; by an injected clock."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from core.jobs import JobState, NewJob
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.migrations.run import upgrade
from storage.retention import Retention
from storage.schema import JOB_EVENTS
from storage.submissions import Submissions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Kept:
    """A data directory with analyses in it."""

    def __init__(self, database: Database, root: Path) -> None:
        self.database = database
        self.store = SqlJobStore(database, "here")
        self.root = root
        self.now = datetime.now(UTC)

    def retention(self, *, days: float = 0, size: int = 0) -> Retention:
        return Retention(self.database, "here", self.root, keep_days=days, keep_bytes=size, clock=lambda: self.now)

    def add(self, job_id: str, folder: str = "", *, ends: bool = True) -> Path:
        """An analysis with 1000 bytes of pictures; of an empty name in a folder of its own."""
        place = self.root / (folder or job_id)
        (place / "frames").mkdir(parents=True, exist_ok=True)
        (place / "frames" / f"{job_id}.jpg").write_bytes(b"\0" * 1000)
        (place / "01_request.json").write_text(json.dumps({"job_id": job_id}))
        self.store.create(NewJob(job_id, "analysis", {"video_path": f"/uploads/{job_id}.mp4"}), {})
        self.store.begin(job_id)
        if ends:
            self.store.finish(job_id, JobState.DONE, result={"interactions_dir": str(place)})
        return place

    @property
    def jobs(self) -> set[str]:
        return {job.id for job in self.store.list()}


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    yield Kept(database, tmp_path / "interactions")
    database.close()


def test_what_goes_by_its_age_is_told_a_day_before_and_then_goes_whole(kept: Kept) -> None:
    retention = kept.retention(days=7)
    folder = kept.add("old")
    submissions = Submissions(kept.database, "here")
    submissions.settle(submissions.enter("ci", 10), "old", "pr-1", 10)
    kept.now += timedelta(days=5.9)
    assert retention.sweep() == ([], [])
    kept.now += timedelta(hours=6)
    told, gone = retention.sweep()
    assert ([each.job_id for each in told], [each.title for each in told], gone) == (["old"], ["old.mp4"], [])
    assert told[0].leaves_at == (job := kept.store.list()[0]).leaves_at
    assert datetime.fromisoformat(told[0].leaves_at) - kept.now >= timedelta(hours=23)
    assert job.finished_at is not None
    assert datetime.fromisoformat(told[0].leaves_at) >= datetime.fromisoformat(job.finished_at) + timedelta(days=7)
    assert list(retention.leaving()) == told
    kept.now += timedelta(hours=23)
    assert retention.sweep() == ([], []), "nothing is told twice, and nothing goes before its time"
    kept.now += timedelta(hours=2)
    kept.add("young")
    assert retention.sweep()[1] == ["old"]
    assert kept.jobs == {"young"}
    assert not folder.exists()
    assert submissions.jobs(submitter="ci", label=None) == set()
    with kept.database.read() as connection:
        assert connection.execute(sa.select(JOB_EVENTS).where(JOB_EVENTS.c.job_id == "old")).first() is None


def test_of_what_is_over_the_bytes_the_oldest_go_a_day_after_it_was_told(kept: Kept) -> None:
    for job_id in ("a", "b", "c"):
        kept.add(job_id)
    retention = kept.retention(size=2500)
    told, _ = retention.sweep()
    assert [each.job_id for each in told] == ["a"]
    assert datetime.fromisoformat(told[0].leaves_at) == pytest.approx(
        kept.now + timedelta(days=1), abs=timedelta(seconds=1)
    )
    kept.now += timedelta(days=1, hours=1)
    assert retention.sweep() == ([], ["a"])
    assert retention.sweep() == ([], [])
    assert kept.jobs == {"b", "c"}


def test_nothing_of_a_running_job_goes_and_nothing_pinned(kept: Kept) -> None:
    shared = kept.add("done", "shared")
    kept.add("pinned", "other")
    kept.add("beside", "other")
    retention = kept.retention(days=1)
    retention.pin("pinned", pinned=True)
    kept.now += timedelta(days=2)
    assert [each.job_id for each in retention.sweep()[0]] == ["done"]
    kept.add("running", "shared", ends=False)
    kept.now += timedelta(days=2)
    assert retention.sweep() == ([], [])
    assert shared.exists()
    kept.store.finish("running", JobState.DONE, result={"interactions_dir": str(shared)})
    assert retention.sweep()[1] == ["done"]
    assert (shared / "frames" / "running.jpg").exists(), "another job's pictures lie there too"
    retention.pin("pinned", pinned=False)
    assert {each.job_id for each in retention.sweep()[0]} >= {"pinned", "beside"}


def test_who_pins_what_was_told_keeps_it_and_a_longer_setting_keeps_it_too(kept: Kept) -> None:
    for job_id in ("a", "b"):
        kept.add(job_id)
    retention = kept.retention(days=1)
    kept.now += timedelta(days=1)
    assert len(retention.sweep()[0]) == 2
    retention.pin("a", pinned=True)
    assert [each.job_id for each in retention.leaving()] == ["b"]
    kept.now += timedelta(days=3)
    longer = kept.retention(days=30)
    assert longer.sweep() == ([], [])
    assert list(longer.leaving()) == []
    assert kept.jobs == {"a", "b"}


def test_analyses_of_an_older_version_go_as_well(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    engine = sa.create_engine(url)
    answer = json.dumps({"interactions_dir": str(tmp_path / "interactions" / "a")})
    row = "('a', 'analysis', 'here', 'done', 1, '{}', :answer, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')"
    with engine.begin() as connection:
        upgrade(connection, "0009")
        columns = "id, kind, owner, state, begun, request, result, created_at, finished_at"
        connection.execute(sa.text(f"INSERT INTO jobs ({columns}) VALUES {row}"), {"answer": answer})  # noqa: S608
    engine.dispose()
    database = Database(url)
    database.open()
    retention = Retention(database, "here", tmp_path / "interactions", keep_days=1, keep_bytes=0)
    assert [each.job_id for each in retention.sweep()[0]] == ["a"]
    database.close()


def test_without_a_setting_nothing_goes_and_folders_elsewhere_are_never_touched(kept: Kept, tmp_path: Path) -> None:
    kept.add("here")
    beside = tmp_path / "films"
    beside.mkdir()
    for job_id, folder in (("theirs", beside), ("above", kept.root / ".." / "films"), ("itself", kept.root)):
        kept.store.create(NewJob(job_id, "analysis", {}), {})
        kept.store.finish(job_id, JobState.DONE, result={"interactions_dir": str(folder)})
    kept.now += timedelta(days=1000)
    assert kept.retention().sweep() == ([], [])
    retention = kept.retention(days=1)
    retention.sweep()
    kept.now += timedelta(days=2)
    assert retention.sweep()[1] == ["here"]
    assert kept.jobs == {"theirs", "above", "itself"}
    assert beside.is_dir()
