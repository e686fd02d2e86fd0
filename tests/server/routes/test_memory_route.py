from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import av
import pytest

from config.settings import Settings
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.recordings.remembered import STEP, procedure, record, remember

QUESTION = {"q": "how did I add an ssh key"}


@pytest.fixture
def data(settings: Settings) -> Path:
    record(settings.data_path)
    remember(settings.data_path, procedure())
    return settings.data_path


def _json(daemon: Daemon, path: str, code: int = 200, **options: Any) -> Any:
    answer = daemon.http.request(options.pop("method", "GET"), path, **options)
    assert answer.status_code == code, answer.text
    return answer.json()


def test_a_question_is_answered_with_steps_and_a_clip(data: Path, daemon: Daemon) -> None:
    del data
    found = _json(daemon, "/memory", params=QUESTION)
    (first,) = found["results"]
    assert found["message"] is None
    assert first["timestamp"] == "2026-11-21T09:00:10Z"
    assert first["steps"][1] == 'Clicked "New SSH key"'
    assert (first["video_start_ms"], first["video_end_ms"], first["duration_seconds"]) == (10_000, 20_000, 10.0)
    assert 0 < first["confidence"] <= 1
    assert first["video_url"].endswith("/memory/mem-1/clip.mp4")


def test_the_clip_shows_just_the_stretch_and_leaves_nothing_behind(data: Path, daemon: Daemon, tmp_path: Path) -> None:
    answer = daemon.http.get("/memory/mem-1/clip.mp4")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "video/mp4")
    (tmp_path / "clip.mp4").write_bytes(answer.content)
    with av.open(str(tmp_path / "clip.mp4")) as clip:
        halves = [round(float(frame.to_ndarray(format="gray").mean()) / STEP) for frame in clip.decode(video=0)]
    assert (halves[0], halves[-1]) == (20, 40)
    until(lambda: not list((data / "clips").iterdir()))


def test_a_memory_whose_recording_is_gone_keeps_its_steps(data: Path, daemon: Daemon) -> None:
    (data / "recordings" / "20261121T090000.000Z.mp4").unlink()
    assert _json(daemon, "/memory", params=QUESTION)["results"][0]["video_url"] is None
    assert "recordings give way" in _json(daemon, "/memory/mem-1/clip.mp4", 404)["error"]
    assert len(_json(daemon, "/memory/mem-1")["steps"]) == 3


def test_memories_are_listed_and_forgotten(data: Path, daemon: Daemon) -> None:
    remember(data, procedure(2, 'Typed "turmeric" into the "Spice" field'))
    listed = _json(daemon, "/memory/procedures")
    assert ([each["id"] for each in listed["memories"]], listed["count"]) == (["mem-2", "mem-1"], 2)
    older = _json(daemon, "/memory/procedures", params={"before": "2026-11-21T09:00:15"})
    assert [each["id"] for each in older["memories"]] == ["mem-1"]
    assert _json(daemon, "/memory/mem-2", method="DELETE") == {"forgotten": "mem-2"}
    assert "no memory" in _json(daemon, "/memory/mem-2", 404)["error"]
    assert "no memory" in _json(daemon, "/memory/mem-2", 404, method="DELETE")["error"]
    assert not [file for file in data.glob("memory.db*") if b"turmeric" in file.read_bytes().lower()]


@pytest.mark.parametrize("name", ["../../etc/passwd", "x" * 200, "%00"])
def test_an_id_is_never_a_path(data: Path, daemon: Daemon, name: str) -> None:
    del data
    assert daemon.http.get(f"/memory/{name}/clip.mp4").status_code in {404, 422, 400}


def test_a_clip_that_was_left_by_a_killed_daemon_is_removed(settings: Settings, daemon: Daemon) -> None:
    left = settings.data_path / "clips" / "0123.mp4"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"pixels")
    daemon.services.memory.sweep()
    assert not left.exists()


def test_what_is_older_than_the_setting_says_is_forgotten_by_itself(data: Path, start: Callable[..., Daemon]) -> None:
    old = procedure(3, 'Clicked "Samovar"').model_copy(update={"started_at": datetime(2020, 1, 1, tzinfo=UTC)})
    remember(data, old)
    daemon = start(memory_keep_days=365.0)

    assert daemon.services.memory.prune() == 1
    assert [each["id"] for each in _json(daemon, "/memory/procedures")["memories"]] == ["mem-1"]
    assert start(memory_keep_days=0.0).services.memory.prune() == 0
