"""``vaider watch``: what tests record is watched once it is whole, and told in a line."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from tests.clock import until
from tests.fakes.daemons.commands import PATIENCE, VAIDER, vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon
from tests.fakes.videos.traces import TRACES


@dataclass
class Watch:
    """A running command."""

    process: subprocess.Popen[str]
    out: Path
    err: Path

    @property
    def lines(self) -> list[str]:
        return self.out.read_text().splitlines()

    def told(self, count: int) -> list[str]:
        until(lambda: len(self.lines) >= count, PATIENCE)
        assert len(self.lines) == count, self.lines
        return self.lines

    def end(self, by: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(by)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def watching(project: Path, *options: str, port: int = 1) -> Generator[Watch]:
    out, err = project.parent / "out.txt", project.parent / "err.txt"
    command = [VAIDER, "watch", *options, "--port", str(port), "--data-dir", str(project.parent / "data")]
    with out.open("w") as stdout, err.open("w") as stderr:
        process = subprocess.Popen(command, cwd=project, stdout=stdout, stderr=stderr, text=True)
    try:
        until(lambda: "Watching what appears" in err.read_text(), PATIENCE)
        yield Watch(process, out, err)
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Its tests have run before."""
    put(tmp_path / "project" / "test-results" / "old" / "video.webm")
    return tmp_path / "project"


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(path.as_posix().encode())


def asked_of(daemon: ScriptedDaemon, project: Path) -> list[str]:
    return [Path(each["video_path"]).relative_to(project.resolve()).as_posix() for each in daemon.requests]


def opened(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True)
    file = path.open("wb")
    file.write(b"the first part")
    file.flush()
    return file


def test_what_appears_is_told_with_its_page_and_what_was_there_is_left_alone(
    daemon: ScriptedDaemon, project: Path
) -> None:
    with watching(project, "--expect", '"Done" is shown', port=daemon.port) as watch:
        put(project / "test-results" / "fine-chromium" / "video.webm")
        (first,) = watch.told(1)
        put(project / "cypress" / "videos" / "wrong.mp4")
        second = watch.told(2)[1]
        jobs = list(daemon.jobs.jobs)
        assert watch.end() == 1
        assert "2 watched, 1 not as expected." in watch.err.read_text()
    assert first.startswith("✓ fine (chromium): As expected")
    assert first.endswith(f"http://127.0.0.1:{daemon.port}/ui/videos/{jobs[0]}")
    assert second.startswith("✗ wrong.mp4: ")
    assert second.endswith(jobs[1])


@pytest.mark.nightly
def test_a_run_that_begins_anew_in_the_same_folder_is_watched_again(daemon: ScriptedDaemon, project: Path) -> None:
    results = project / "test-results"
    with watching(project, "test-results", "--json", port=daemon.port) as watch:
        shutil.rmtree(results)
        put(results / "old" / "video.webm")
        (line,) = watch.told(1)
        assert watch.end(signal.SIGTERM) == 0
    seen: dict[str, Any] = json.loads(line)
    assert (seen["title"], seen["attempt"], seen["why"]) == ("old", 1, None)
    assert seen["page"].endswith(seen["job_id"])


@pytest.mark.nightly
def test_a_file_that_is_still_written_is_waited_for(daemon: ScriptedDaemon, project: Path) -> None:
    results = project / "test-results"
    with watching(project, port=daemon.port) as watch:
        with opened(results / "slow" / "video.webm"):
            put(results / "quick" / "video.webm")
            watch.told(1)
            assert asked_of(daemon, project) == ["test-results/quick/video.webm"]
        until(lambda: len(daemon.requests) == 2)
        assert asked_of(daemon, project)[1] == "test-results/slow/video.webm"
        assert watch.end() == 0


@pytest.mark.nightly
def test_a_video_waits_for_its_trace_and_of_attempts_the_last_is_watched(daemon: ScriptedDaemon, project: Path) -> None:
    results = project / "test-results"
    made = results / ".playwright-artifacts-0"
    for name in ("order-chromium", "order-chromium-retry1", "order-firefox"):
        put(made / name / "video.webm")
    with watching(project, port=daemon.port) as watch:
        with opened(results / "login" / "trace.zip"):
            put(results / "login" / "video.webm")
            for each in made.iterdir():
                each.rename(results / each.name)
            until(lambda: len(daemon.requests) == 2, PATIENCE)
        until(lambda: len(watch.lines) == 3, PATIENCE)
        assert "Earlier attempts of the same tests are not watched (1)." in watch.err.read_text()
    assert asked_of(daemon, project) == [
        "test-results/order-chromium-retry1/video.webm",
        "test-results/order-firefox/video.webm",
        "test-results/login/video.webm",
    ]


@pytest.mark.nightly
def test_without_a_daemon_a_failed_test_says_why_and_half_a_file_is_waited_for_a_while(project: Path) -> None:
    results = project / "test-results"
    whole = (TRACES / "failed-10" / "trace.zip").read_bytes()
    with watching(project) as watch:
        half = results / "half" / "trace.zip"
        half.parent.mkdir()
        half.write_bytes(whole[: len(whole) // 2])
        os.utime(half, (4e9, 4e9))  # however busy the machine is, it was changed a moment ago
        given_up = results / "broken" / "trace.zip"
        put(given_up)
        os.utime(given_up, (1e9, 1e9))
        (line,) = watch.told(1)
        assert line.startswith("✗ broken: not watched: ")
        half.write_bytes(whole)
        line = watch.told(2)[1]
        assert line.startswith("✗ half: Test failed: order.spec.ts:22 click")
        assert line.endswith("/half/trace.zip.VaiderInteractions/timeline.md")
        assert os.sched_getscheduler(watch.process.pid) == os.SCHED_IDLE
        assert watch.end() == 2


def test_a_folder_that_cannot_come_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "clip.webm")
    for given, said in {"clip.webm": "is no folder", "a/b": "There is no folder"}.items():
        done = vaider("watch", given, cwd=tmp_path)
        assert done.returncode == 2
        assert said in done.stderr
