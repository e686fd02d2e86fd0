"""The analyser that waits for the next video, and a copy of which watches each."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from adapters.video.local import LocalAnalyser
from adapters.video.process.child import keep_child
from adapters.video.video_files import VideoFile
from core.errors import Cancelled, InvalidPath, InvalidVideo
from core.jobs import Stage
from tests.adapters.video.decoding.conftest import REPOSITORY
from tests.canary import CANARY
from tests.clock import until, within
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.videos.local_analysis import MAX_BYTES, MAX_PIXELS, MAX_SECONDS, Pictures
from tests.fakes.videos.odd_clips import write_screen
from tests.processes import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from adapters.video.process.child import KeptChild
    from core.analysis import Findings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process waits")

SERVER = "adapters.video.process.fork_server"
WORDS = ("Harbour", "Violin", "Glacier", "Paprika", "Lantern", "Meadow")


def servers() -> list[int]:
    """Without their copies."""
    return [pid for pid in running(SERVER) if psutil.Process(pid).ppid() == os.getpid()]


class Analyses:
    """Looks at and watches videos as the daemon does."""

    def __init__(self, folder: Path, kept: KeptChild | None) -> None:
        limits: dict[str, Any] = {"max_bytes": MAX_BYTES, "max_seconds": MAX_SECONDS, "max_pixels": MAX_PIXELS}
        self.kept = kept
        self._inspector = VideoFile(**limits, kept=kept)
        self._analyser = LocalAnalyser(**limits, kept=kept)
        self._folder = folder

    def watch(self, clip: Path, context: FakeContext | None = None) -> Findings:
        return self._analyser.analyse(
            self._inspector.inspect(clip), (), Pictures(self._folder), context or FakeContext()
        )


@pytest.fixture
def analyses(tmp_path: Path) -> Iterator[Analyses]:
    with closing(keep_child()) as kept:
        yield Analyses(tmp_path, kept)
    assert not running(SERVER)


class Meddling(FakeContext):
    """Does something to the copy that watches, once it has begun to."""

    def __init__(self, meddle: Callable[[psutil.Process], None]) -> None:
        super().__init__()
        self._meddle = meddle
        self.seen: int | None = None

    def report(self, stage: Stage, **data: int | str | None) -> None:
        if data["done"] and self.seen is None:
            copies = [pid for pid in running(SERVER) if pid not in servers()]
            if copies:
                (self.seen,) = copies
                self._meddle(psutil.Process(self.seen))
        super().report(stage, **data)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Enough to read that it is still being watched when somebody meddles."""
    lines = [(1000 * number, word) for number, word in enumerate(WORDS[:4])]
    return write_screen(tmp_path / "other.mp4", lines=lines, until_ms=6000)


def test_nothing_of_one_video_reaches_the_next(analyses: Analyses, tmp_path: Path, screen: Path, other: Path) -> None:
    first = analyses.watch(screen)
    server = servers()
    second = analyses.watch(other)
    again = analyses.watch(screen)

    assert first == again == Analyses(tmp_path, None).watch(screen)
    assert second == Analyses(tmp_path, None).watch(other)
    assert [event.text for event in second.timeline] == list(WORDS[1:4])
    assert servers() == server


@pytest.mark.nightly
def test_it_waits_no_longer_than_its_time(tmp_path: Path, screen: Path) -> None:
    with closing(keep_child(0.5)) as kept:
        analyses = Analyses(tmp_path, kept)
        analyses.watch(screen)
        until(lambda: not running(SERVER))
        assert analyses.watch(screen).first_screen == ("Checkout",)


@pytest.mark.nightly
def test_one_that_was_killed_while_it_waited_fails_no_video(analyses: Analyses, screen: Path) -> None:
    analyses.watch(screen)
    (server,) = servers()
    os.kill(server, signal.SIGKILL)

    assert analyses.watch(screen).first_screen == ("Checkout",)
    assert server not in running(SERVER)


def test_a_decoder_that_crashes_fails_its_own_video_alone(analyses: Analyses, screen: Path, other: Path) -> None:
    analyses.watch(screen)
    crashing = Meddling(lambda copy: copy.send_signal(signal.SIGSEGV))

    with pytest.raises(InvalidVideo, match="SIGSEGV"):
        analyses.watch(other, crashing)

    assert not running(SERVER)
    assert analyses.watch(screen).first_screen == ("Checkout",)


@pytest.mark.nightly
def test_a_refused_file_is_refused_as_ever(analyses: Analyses, screen: Path, tmp_path: Path) -> None:
    analyses.watch(screen)
    with pytest.raises(InvalidPath):
        analyses.watch(tmp_path / "none.mp4")
    assert analyses.watch(screen).first_screen == ("Checkout",)


def test_a_copy_is_bounded_nice_and_knows_no_key_and_goes_with_its_job(
    analyses: Analyses, screen: Path, other: Path
) -> None:
    seen: dict[str, Any] = {}
    analyses.watch(screen)

    def look(copy: psutil.Process) -> None:
        seen["environment"] = copy.environ()
        seen["nice"] = copy.nice()
        seen["memory"] = copy.rlimit(resource.RLIMIT_DATA)[0]
        seen["cpu"] = copy.rlimit(resource.RLIMIT_CPU)[0]
        seen["core"] = copy.rlimit(resource.RLIMIT_CORE)[0]
        seen["directory"] = copy.cwd()
        seen["began"] = time.monotonic()
        context.stop.set()

    context = Meddling(look)
    with pytest.raises(Cancelled):
        analyses.watch(other, context)

    within(1, time.monotonic() - seen["began"])
    assert CANARY not in str(seen["environment"])
    assert not [name for name in seen["environment"] if "KEY" in name or "VAIDER" in name]
    assert (seen["memory"], seen["cpu"], seen["core"], seen["directory"]) == (4 << 30, 900 + 30 * 6, 0, "/")
    assert seen["nice"] >= 5
    assert not running(SERVER)


@pytest.mark.nightly
def test_a_server_and_its_copy_die_with_the_process_that_started_them(tmp_path: Path, other: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.videos.local_analysis", other, tmp_path, "kept"]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as starter:
        both: list[int] = []

        def is_watched() -> bool:
            both[:] = running(SERVER, starter.pid)
            return len(both) == 2

        until(is_watched)
        starter.send_signal(signal.SIGKILL)
        starter.communicate()

    until(lambda: not any(map(psutil.pid_exists, both)))


@pytest.mark.nightly
def test_what_is_found_is_told_part_by_part_before_the_answer(analyses: Analyses, other: Path) -> None:
    context = FakeContext()
    found = analyses.watch(other, context)
    parts = [data for stage, data in context.reported if stage is Stage.FOUND]

    assert parts[0]["first_screen"] == list(found.first_screen) == [WORDS[0]]
    assert all(part["provisional"] for part in parts)
    told = [event["text"] for part in parts for event in part.get("timeline", ())]
    assert told == list(WORDS[1 : 1 + len(told)])
