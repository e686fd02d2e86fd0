"""``vaider analyse`` of what a test run left behind: a folder, or nothing named at all."""

import os
import shutil
from pathlib import Path

import pytest

from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon
from tests.fakes.videos.traces import TRACES


def asked_of(daemon: ScriptedDaemon) -> list[str]:
    """The files that the daemon was asked about."""
    return [str(each["video_path"]) for each in daemon.requests]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "test-results"
    for name, files in {
        "order-chromium": ["video.webm", "trace.zip"],
        "order-chromium-retry1": ["video.webm", "trace.zip"],
        "order-firefox": ["video.webm"],
        "login": ["trace.zip"],
        "order-firefox/video.webm.VaiderInteractions/frames": ["old.webm"],
    }.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file in files:
            (folder / name / file).write_bytes(b"x")
    return folder


def test_of_a_folder_each_tests_last_attempt_is_watched(daemon: ScriptedDaemon, results: Path) -> None:
    done = vaider("analyse", "--json", "test-results", "--port", str(daemon.port), cwd=results.parent)
    assert done.returncode == 0, done.stderr
    assert "earlier attempts of the same tests are not watched (1)" in done.stderr
    assert len(done.stdout.splitlines()) == 3
    assert sorted(Path(each).relative_to(results).as_posix() for each in asked_of(daemon)) == [
        "login/trace.zip", "order-chromium-retry1/video.webm", "order-firefox/video.webm",
    ]  # fmt: skip


def test_the_attempts_that_are_watched_are_named_by_test_and_browser_and_stand_together(
    daemon: ScriptedDaemon, results: Path
) -> None:
    (results / "order-chromium").rename(results / "order-Mobile-Chrome-repeat2")
    done = vaider("analyse", "test-results", "--port", str(daemon.port), cwd=results.parent)
    titles = [line for line in done.stdout.splitlines() if line.startswith(("order", "login"))]
    assert titles == [
        "login:", "order (Mobile-Chrome, repeat 2):", "order (chromium, attempt 2):", "order (firefox):",
    ]  # fmt: skip


def test_nothing_named_means_what_was_left_last(daemon: ScriptedDaemon, results: Path) -> None:
    os.utime(results / "order-firefox" / "video.webm", (2e9, 2e9))
    done = vaider("analyse", "--port", str(daemon.port), cwd=results.parent)
    assert done.returncode == 0, done.stderr
    assert asked_of(daemon) == [str(results / "order-firefox" / "video.webm")]


def test_a_folder_without_videos_says_what_to_record(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = vaider("analyse", "empty", cwd=tmp_path)
    assert done.returncode == 2
    assert "There is no video and no trace.zip in empty" in done.stderr


@pytest.mark.nightly
def test_a_folder_of_a_failed_test_says_why(tmp_path: Path) -> None:
    shutil.copytree(TRACES / "refused", tmp_path / "test-results" / "refused")
    done = vaider("analyse", "test-results", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '✗ Test failed: refused.spec.ts:31 click "Place order"' in done.stdout
