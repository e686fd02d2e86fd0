"""Finished analyses and runs become memories; that they cannot be kept disturbs nobody."""

import os
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.analysis import Analysis, Event, EventKind, Video
from core.errors import StorageFailed
from core.memories.remembering import MemoryWriter, began_at, remember_analysis
from core.recall.ports import Memories
from storage.memories.memories import SqlMemories
from tests.fakes.runs.finished_runs import finished_run, finished_subtask, planned_workflow

BEGAN = datetime(2026, 11, 20, 8, tzinfo=UTC)
TYPED = Event(
    t_ms=1000, until_ms=2000, kind=EventKind.TYPED, text="work laptop", confidence=0.95,
    description='"work laptop" was typed into "Title".',
)  # fmt: skip
SHOWN = Event(
    t_ms=4000, kind=EventKind.APPEARED, text="Key added", confidence=0.95, description='"Key added" appeared.'
)


def analysis(path: str = "/videos/keys.mp4", **more: Any) -> Analysis:
    video = Video(
        path=path, duration_ms=9000, width=800, height=600, fps=10.0, codec="h264", size_bytes=1, sha256="0" * 64
    )
    reported: dict[str, Any] = {
        "description": "", "duration_ms": 1, "video": video, "first_screen": ("SSH keys",), "timeline": (TYPED, SHOWN),
        "verdicts": (), "provider": "local", "provider_reason": "", "model": "m", "cached": False,
        "interactions_dir": "/videos", "job_id": "job-1", "usage": {}, "warnings": (),
    }  # fmt: skip
    return Analysis.model_validate({**reported, **more})


@pytest.fixture
def memories(tmp_path: Path) -> Generator[SqlMemories]:
    made = SqlMemories(tmp_path / "memory.db")
    yield made
    made.close()


def test_an_analysed_video_is_remembered_by_its_timeline(memories: SqlMemories) -> None:
    (procedure,) = remember_analysis(analysis(), memories, started_at=BEGAN)

    assert [step.text for step in procedure.steps] == [
        'Typed "work laptop" into the "Title" field',
        '"Key added" appeared',
    ]
    assert procedure.inferred
    assert procedure.source == "video"
    assert procedure.texts == ("work laptop", "Key added", "SSH keys")
    assert memories.get(procedure.id) == procedure


def test_analysing_it_again_replaces_what_was_remembered(memories: SqlMemories) -> None:
    (first,) = remember_analysis(analysis(), memories, started_at=BEGAN)
    (second,) = remember_analysis(analysis(timeline=(TYPED,)), memories, started_at=BEGAN)

    assert (memories.count(), second.id) == (1, first.id)


def test_a_secret_that_an_analysis_read_is_not_remembered(memories: SqlMemories) -> None:
    said = TYPED.model_copy(update={"text": "hunter2x", "description": '"hunter2x" was typed into "API token".'})
    shown = SHOWN.model_copy(update={"text": "Token hunter2x", "description": '"Token hunter2x" appeared.'})
    reported = remember_analysis(analysis(timeline=(said, shown)), memories, started_at=BEGAN)

    assert [step.text for each in reported for step in each.steps] == [
        'Typed a hidden value into the "API token" field'
    ]
    assert "hunter2x" not in "".join(each.model_dump_json() for each in reported)


def test_a_video_began_so_long_before_its_file_was_last_written(tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    film.write_bytes(b"film")
    os.utime(film, (1_700_000_009, 1_700_000_009))

    assert began_at(analysis(str(film))) == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_full_disk_takes_the_memory_and_not_the_answer() -> None:
    def full() -> Memories:
        raise StorageFailed("The disk is full; make room.")

    MemoryWriter(full).analysis(analysis())


def test_a_run_is_kept_under_the_id_of_its_job(memories: SqlMemories) -> None:
    MemoryWriter(lambda: memories).run(
        finished_run(finished_subtask("Fill it in.")), planned_workflow('Click "Place order".')
    )

    (kept,) = memories.newest(5)
    assert (kept.video, kept.source) == ("job-1", "run")
