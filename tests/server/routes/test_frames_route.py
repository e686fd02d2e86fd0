from pathlib import Path

import pytest

from tests.fakes.daemons.memory_daemon import Daemon

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def analysed(daemon: Daemon, tmp_path: Path) -> Path:
    """The frames folder of `job-1`."""
    video = tmp_path / "a.mp4"
    video.write_bytes(b"1")
    frames = tmp_path / "a.mp4.VaiderInteractions" / "frames"
    frames.mkdir(parents=True)
    assert daemon.http.post("/analyse", json={"video_path": str(video)}).status_code == 200
    return frames


def test_a_picture_of_a_jobs_answer_is_served(daemon: Daemon, analysed: Path) -> None:
    (analysed / "01_t.png").write_bytes(PNG)

    answer = daemon.http.get("/jobs/job-1/frames/01_t.png")

    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, "image/png", PNG)


def test_nothing_but_pictures_of_its_own_folder_is_served(daemon: Daemon, analysed: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    (analysed / "link.png").symlink_to(secret)
    (analysed / "server.log").write_text("x")
    (analysed / "folder.png").mkdir()

    for name in ("link.png", "server.log", "folder.png", "none.png", "..%2f..%2fsecret.png", "%2e%2e"):
        assert daemon.http.get(f"/jobs/job-1/frames/{name}").status_code in {400, 404}, name
