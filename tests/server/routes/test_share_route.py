"""``/jobs/{id}/share``: one HTML file that a browser saves, and that can do nothing."""

from pathlib import Path

import pytest
from PIL import Image

from core.jobs import JobState
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon

EVENT = {"t_ms": 1000, "kind": "appeared", "confidence": 1, "description": '"Saved" appeared.'}


@pytest.fixture
def analysed(daemon: Daemon, tmp_path: Path) -> Path:
    """The folder of the pictures of `job-1`."""
    clip = tmp_path / "größe.mp4"
    clip.write_bytes(b"\0\0\0\x18ftypisom")
    frames = tmp_path / "größe.mp4.VaiderInteractions" / "frames"
    frames.mkdir(parents=True)
    Image.new("RGB", (640, 360), "#3366cc").save(frames / "01_0001000.jpg")
    assert daemon.http.post("/analyse", json={"video_path": str(clip)}).status_code == 200
    job = daemon.jobs.jobs["job-1"]
    changed = {"interactions_dir": str(frames.parent), "timeline": [{**EVENT, "frame": "frames/01_0001000.jpg"}]}
    daemon.jobs.jobs["job-1"] = job.model_copy(update={"result": {**(job.result or {}), **changed}})
    return frames


@pytest.mark.usefixtures("analysed")
def test_an_analysis_is_a_file_with_its_pictures_that_can_do_nothing(daemon: Daemon) -> None:
    answer = daemon.http.get("/jobs/job-1/share")

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"] == "attachment; filename*=utf-8''gr%C3%B6%C3%9Fe.html"
    assert {"sandbox", "default-src 'none'"} <= set(answer.headers["content-security-policy"].split("; "))
    assert "&#34;Saved&#34; appeared." in answer.text
    assert answer.text.count("data:image/webp;base64,UklGR") == 1


def test_a_picture_that_is_gone_or_a_link_is_left_out(daemon: Daemon, analysed: Path, tmp_path: Path) -> None:
    picture = analysed / "01_0001000.jpg"
    picture.rename(tmp_path / "elsewhere.jpg")
    assert "data:image" not in daemon.http.get("/jobs/job-1/share").text
    picture.symlink_to(tmp_path / "elsewhere.jpg")
    assert "data:image" not in daemon.http.get("/jobs/job-1/share").text


def test_a_job_that_has_nothing_to_show_says_so(daemon: Daemon) -> None:
    daemon.http.post("/replay", json={"workflow": "note"})
    until(lambda: daemon.jobs.jobs["job-1"].state is JobState.DONE)

    for job in ("job-1", "job-7"):
        answer = daemon.http.get(f"/jobs/{job}/share")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
