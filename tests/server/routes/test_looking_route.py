"""Pictures over HTTP, and the verdict of who looked at them."""

import base64
import io
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from adapters.video.video_files import VideoFile
from core.analysis import Verdict, VerdictResult
from tests.fakes.daemons.memory_daemon import Daemon

CLIP = Path(__file__).parents[2] / "clips" / "toasts.mp4"
UNCLEAR = "the toast is green"


@pytest.fixture
def analysed(daemon: Daemon, tmp_path: Path) -> Path:
    """The clip, analysed as `job-1`, with an expectation that was left unclear."""
    path = Path(shutil.copy(CLIP, tmp_path / "toasts.mp4"))
    assert daemon.http.post("/analyse", json={"video_path": str(path)}).status_code == 200
    video = VideoFile(max_bytes=1 << 30, max_seconds=60, max_pixels=1 << 24).inspect(path)
    folder = tmp_path / "toasts.mp4.VaiderInteractions"
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    verdict = Verdict(expectation=UNCLEAR, verdict=VerdictResult.UNCLEAR, reason="No colour is read.")
    job = daemon.jobs.jobs["job-1"]
    result = {
        **(job.result or {}),
        "video": video.model_dump(mode="json"),
        "verdicts": [verdict.model_dump(mode="json")],
        "interactions_dir": str(folder),
    }
    daemon.jobs.jobs["job-1"] = job.model_copy(update={"result": result})
    return folder


@pytest.mark.usefixtures("analysed")
def test_pictures_of_a_moment_come_with_what_they_cost(daemon: Daemon) -> None:
    answer = daemon.http.get("/jobs/job-1/look", params={"from": "0", "to": "00:04.0", "region": "800,400,480,320"})
    told = answer.json()
    assert answer.status_code == 200, told
    assert [one["t_ms"] for one in told["pictures"]] == sorted(one["t_ms"] for one in told["pictures"])
    assert len(told["pictures"]) == 4
    assert told["tokens"] <= 1200
    for one in told["pictures"]:
        picture = Image.open(io.BytesIO(base64.b64decode(one["data"])))
        assert (picture.width, picture.height) == (one["width"], one["height"])
        assert one["region"] == [800, 400, 480, 320]


@pytest.mark.usefixtures("analysed")
@pytest.mark.parametrize(
    ("job", "asked", "status", "sentence"),
    [
        ("job-1", {"at": "99000"}, 400, "is no moment of it"),
        ("job-1", {"region": "all"}, 400, "region is x,y,width,height"),
        ("job-1", {"compare_with": "job-9"}, 404, "job-9"),
        ("job-9", {}, 404, "job-9"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    daemon: Daemon, job: str, asked: dict[str, Any], status: int, sentence: str
) -> None:
    answer = daemon.http.get(f"/jobs/{job}/look", params=asked)
    assert answer.status_code == status
    assert sentence in answer.json()["error"]


def test_a_verdict_is_kept_with_its_picture_and_who_gave_it(daemon: Daemon, analysed: Path) -> None:
    given = {"expectation": UNCLEAR, "verdict": "pass", "reason": "It is green.", "at": ["00:01.7"]}
    answer = daemon.http.post("/jobs/job-1/verdicts", json=given)
    (verdict,) = daemon.http.get("/jobs/job-1").json()["result"]["verdicts"]
    assert answer.status_code == 200, answer.text
    assert (verdict["verdict"], verdict["judged_by"], verdict["reason"]) == ("pass", "agent", "It is green.")
    name = verdict["evidence"][0]["frame"].removeprefix("frames/")
    assert (analysed / "frames" / name).is_file()
    assert daemon.http.get(f"/jobs/job-1/frames/{name}").headers["content-type"] == "image/jpeg"
