import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from server.media.playable import MARK
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon, form

MP4 = b"\0\0\0\x18ftypisom" + bytes(range(256)) * 4


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A file that looks like a video, and its picture."""
    path = tmp_path / "clip.mp4"
    path.write_bytes(MP4)
    frames = tmp_path / "clip.mp4.VaiderInteractions" / "frames"
    frames.mkdir(parents=True)
    Image.new("RGB", (640, 360), "#3366cc").save(frames / "01_0001000.jpg")
    return path


@pytest.fixture
def analysed(daemon: Daemon, clip: Path) -> Path:
    """The clip, analysed as `job-1`."""
    assert daemon.http.post("/analyse", json={"video_path": str(clip)}).status_code == 200
    read_reports(daemon, "job-1", size_bytes=len(MP4))
    return clip


def read_reports(daemon: Daemon, job_id: str, *, timeline: tuple[dict[str, Any], ...] = (), **video: Any) -> None:
    """Let the answer say something else of the video."""
    job = daemon.jobs.jobs[job_id]
    assert job.result is not None
    result = {**job.result, "video": {**job.result["video"], **video}, "timeline": timeline}
    daemon.jobs.jobs[job_id] = job.model_copy(update={"result": result})


def uploaded(daemon: Daemon, metadata: dict[str, Any] | None = None) -> str:
    """Upload a clip and have it analysed; its job's id."""
    answer = daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **form(MP4, metadata)).json()["job_id"]
    until(lambda: daemon.jobs.jobs[answer].state.is_final)
    if daemon.jobs.jobs[answer].result:
        read_reports(daemon, answer, size_bytes=len(MP4))
    return answer


@pytest.mark.usefixtures("analysed")
def test_the_analysed_video_is_sent_whole(daemon: Daemon) -> None:
    answer = daemon.http.get("/jobs/job-1/video")

    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, "video/mp4", MP4)
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.usefixtures("analysed")
def test_any_part_of_it_is_sent(daemon: Daemon) -> None:
    for asked, first, last in (("bytes=10-19", 10, 19), ("bytes=1000-", 1000, 1035), ("bytes=-5", 1031, 1035)):
        answer = daemon.http.get("/jobs/job-1/video", headers={"Range": asked})

        assert (answer.status_code, answer.content) == (206, MP4[first : last + 1]), asked
        assert answer.headers["content-range"] == f"bytes {first}-{last}/{len(MP4)}"


@pytest.mark.usefixtures("analysed")
def test_a_part_that_it_does_not_have_is_refused(daemon: Daemon) -> None:
    for asked in ("bytes=9999-", "bytes=-0"):
        answer = daemon.http.get("/jobs/job-1/video", headers={"Range": asked})

        assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{len(MP4)}"), asked
        assert answer.json()["code"] == "invalid_request"


@pytest.mark.usefixtures("analysed")
def test_what_is_no_range_is_passed_over(daemon: Daemon) -> None:
    for asked in ("pages=1-2", "bytes=5-3", "bytes=", "bytes=1-2,4-5", "nonsense"):
        answer = daemon.http.get("/jobs/job-1/video", headers={"Range": asked})

        assert (answer.status_code, answer.content) == (200, MP4), asked


def test_a_video_that_has_changed_is_not_sent_as_the_one_that_was_analysed(daemon: Daemon, analysed: Path) -> None:
    analysed.write_bytes(MP4 + b"more")

    answer = daemon.http.get("/jobs/job-1/video")

    assert answer.status_code == 404
    assert "has changed" in answer.json()["error"]
    assert daemon.http.post("/jobs/job-1/again", json={}).status_code == 404


def test_nothing_but_a_video_is_sent(daemon: Daemon, analysed: Path) -> None:
    analysed.write_bytes(b"<script>".ljust(len(MP4)))
    text = daemon.http.get("/jobs/job-1/video")
    analysed.unlink()
    gone = daemon.http.get("/jobs/job-1/video")
    analysed.mkdir()
    folder = daemon.http.get("/jobs/job-1/video")
    analysed.rmdir()
    os.mkfifo(analysed)
    pipe = daemon.http.get("/jobs/job-1/video")

    for answer in (text, gone, folder, pipe):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_what_analysed_no_video_has_none(daemon: Daemon) -> None:
    run = daemon.http.post("/replay", json={"workflow": "w"}).json()["job_id"]

    for path in ("video", "timeline.md", "contact-sheet.jpg"):
        assert daemon.http.get(f"/jobs/{run}/{path}").status_code == 404
        assert daemon.http.get(f"/jobs/none/{path}").status_code == 404
    assert daemon.http.delete(f"/jobs/{run}/video").status_code == 404
    assert daemon.http.post(f"/jobs/{run}/again", json={}).status_code == 404


def test_an_upload_can_be_watched_after_its_analysis(daemon: Daemon) -> None:
    job = uploaded(daemon)

    assert daemon.http.get(f"/jobs/{job}/video").content == MP4
    until(lambda: any(path.name == MARK for path in daemon.uploads))


def test_an_upload_whose_analysis_failed_or_was_cancelled_is_removed(daemon: Daemon) -> None:
    endless = daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **form(MP4, {"endless": True}))
    daemon.http.delete(endless.json()["job_url"])

    until(lambda: daemon.uploads == [])
    answer = daemon.http.get(f"{endless.json()['job_url']}/video")
    assert answer.status_code == 404
    assert "upload_keep_days" in answer.json()["error"]


def test_an_upload_is_removed_at_once_where_none_are_kept(start: Callable[..., Daemon]) -> None:
    daemon = start(upload_keep_days=0.0)

    job = uploaded(daemon)

    until(lambda: daemon.uploads == [])
    assert daemon.http.get(f"/jobs/{job}/video").status_code == 404


def test_the_oldest_uploads_go_when_there_are_too_many(start: Callable[..., Daemon]) -> None:
    daemon = start(upload_keep_bytes=3 * len(MP4))
    first = uploaded(daemon)
    until(lambda: any(path.name == MARK for path in daemon.uploads))
    others = [uploaded(daemon) for _ in range(3)]

    until(lambda: daemon.http.get(f"/jobs/{first}/video").status_code == 404)
    assert [daemon.http.get(f"/jobs/{job}/video").status_code for job in others] == [200, 200, 200]


def test_the_kept_copy_can_be_removed_before_its_time(daemon: Daemon, analysed: Path) -> None:
    job = uploaded(daemon)

    assert daemon.http.delete(f"/jobs/{job}/video").json() == {"removed": job}
    assert daemon.uploads == []
    assert daemon.http.delete(f"/jobs/{job}/video").status_code == 404
    assert daemon.http.delete("/jobs/job-1/video").status_code == 409
    assert analysed.exists()


def test_the_same_video_is_asked_again(daemon: Daemon) -> None:
    first = uploaded(daemon, {"expectations": ["a"]})

    answer = daemon.http.post(f"/jobs/{first}/again", json={"expectations": ['"Saved" is shown'], "provider": "local"})

    assert answer.status_code == 202
    request = daemon.jobs.jobs[answer.json()["job_id"]].request
    assert request["expectations"] == ['"Saved" is shown']
    assert (request["uploaded"], request["video_path"]) == (True, daemon.jobs.jobs[first].request["video_path"])


def test_asking_again_and_failing_leaves_the_upload_for_the_first(daemon: Daemon) -> None:
    first = uploaded(daemon, {"endless": False})
    until(lambda: any(path.name == MARK for path in daemon.uploads))
    daemon.jobs.jobs[first].request["metadata"]["endless"] = True

    again = daemon.http.post(f"/jobs/{first}/again", json={}).json()["job_id"]
    refused = daemon.http.post(f"/jobs/{again}/again", json={})
    removed = daemon.http.delete(f"/jobs/{first}/video")
    daemon.http.delete(f"/jobs/{again}")

    until(lambda: daemon.jobs.jobs[again].state.is_final)
    assert (refused.status_code, removed.status_code) == (409, 409)
    assert daemon.http.get(f"/jobs/{first}/video").status_code == 200


@pytest.mark.usefixtures("analysed")
def test_a_question_that_cannot_be_meant_is_refused(daemon: Daemon) -> None:
    bodies: list[Any] = [{"expectations": "one"}, {"surprise": 1}, {"expectations": ["x" * 3000]}, []]
    for body in bodies:
        answer = daemon.http.post("/jobs/job-1/again", json=body)

        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request"), body
    assert len(daemon.jobs.jobs) == 1


EVENT = {
    "t_ms": 1000,
    "kind": "appeared",
    "text": "Saved",
    "region": [60, 60, 120, 40],
    "confidence": 0.9,
    "frame": "frames/01_0001000.jpg",
    "description": '"Saved" <b>appeared</b>.',
}


@pytest.mark.usefixtures("analysed")
def test_the_timeline_is_told_as_markdown(daemon: Daemon) -> None:
    read_reports(daemon, "job-1", timeline=(EVENT,))

    answer = daemon.http.get("/jobs/job-1/timeline.md")

    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "clip.timeline.md" in answer.headers["content-disposition"]
    assert "**00:01.0**" in answer.text
    assert "<b>" not in answer.text
    assert daemon.http.get("/jobs/job-1/frames/01_0001000.jpg").status_code == 200


@pytest.mark.usefixtures("analysed")
def test_the_contact_sheet_is_a_picture_of_the_events(daemon: Daemon) -> None:
    read_reports(daemon, "job-1", timeline=(EVENT, {**EVENT, "frame": None}, {**EVENT, "frame": "frames/none.jpg"}))

    answer = daemon.http.get("/jobs/job-1/contact-sheet.jpg")

    assert answer.headers["content-type"] == "image/jpeg"
    with Image.open(io.BytesIO(answer.content)) as sheet:
        part: Any = sheet.convert("RGB").crop((200, 200, 300, 240))
        (_, red), _, (blue, _) = part.getextrema()
    assert red < 100 < blue, "the blue picture"


@pytest.mark.usefixtures("analysed")
def test_a_small_copy_of_a_picture_may_be_kept_by_browsers(daemon: Daemon) -> None:
    answer = daemon.http.get("/jobs/job-1/frames/01_0001000.jpg?width=320")

    assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
    with Image.open(io.BytesIO(answer.content)) as small:
        assert (small.format, small.size) == ("JPEG", (320, 180))
    assert daemon.http.get("/jobs/job-1/frames/01_0001000.jpg?width=9").status_code == 400


def test_a_picture_that_cannot_be_read_is_none(daemon: Daemon, analysed: Path) -> None:
    frames = analysed.with_name("clip.mp4.VaiderInteractions") / "frames"
    for content in (b"", b"\xff\xd8\xff\xe0 no picture", b"GIF89a" + bytes(40)):
        (frames / "bad.jpg").write_bytes(content)

        assert daemon.http.get("/jobs/job-1/frames/bad.jpg?width=100").status_code == 404
