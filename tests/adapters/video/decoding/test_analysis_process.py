from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from adapters.video.local import LocalAnalyser
from adapters.video.process.child import ChildProcess, Progress
from core.errors import Cancelled, Internal, InvalidVideo, TooLarge, VaiderError
from tests.adapters.video.decoding.conftest import REPOSITORY
from tests.canary import CANARY
from tests.clock import until, within
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.videos.local_analysis import MAX_BYTES, MAX_PIXELS, MAX_SECONDS, Pictures
from tests.processes import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from adapters.video.video_files import VideoFile
    from core.jobs import Stage

PREAMBLE = """
import json, os, signal, sys, time
request = json.loads(sys.stdin.readline())
def say(**message): print(json.dumps(message), flush=True)
say(progress={"stage": "decoding", "data": {"done": os.getpid(), "total": 10**9}})
"""
BOUND_SECONDS = 10


def acting(script: str) -> ChildProcess:
    """A child that tells its process id as progress, and then does what the script says."""
    return ChildProcess(command=(sys.executable, "-c", PREAMBLE + script))


class Talk:
    """A talk with a child, from another thread, so that a test can watch and interrupt it."""

    def __init__(self, child: ChildProcess) -> None:
        self.result: dict[str, Any] | None = None
        self.error: BaseException | None = None
        self.pids: list[int] = []
        self.stop = threading.Event()
        self._reported = threading.Event()
        self._child = child
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def pid(self) -> int:
        assert self._reported.wait(BOUND_SECONDS)
        return self.pids[0]

    def end(self) -> Talk:
        self._thread.join(BOUND_SECONDS)
        assert not self._thread.is_alive()
        return self

    def _run(self) -> None:
        try:
            self.result = self._child.ask({"video": "x"}, raise_if_cancelled=self._raise_if_cancelled, hear=self._hear)
        except VaiderError as error:
            self.error = error

    def _raise_if_cancelled(self) -> None:
        if self.stop.is_set():
            raise Cancelled("The job was cancelled.")

    def _hear(self, progress: Progress) -> None:
        done = progress.data["done"]
        assert isinstance(done, int)
        self.pids.append(done)
        self._reported.set()


def is_gone(pid: int) -> bool:
    """Not even a zombie is left."""
    return not psutil.pid_exists(pid)


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", Internal, "memory ran out"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", InvalidVideo, "SIGSEGV"),
        ("os.abort()", InvalidVideo, "SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGXCPU)", InvalidVideo, "too much computing"),
        ("sys.exit(3)", Internal, "exit code 3"),
        ("1 / 0", Internal, "exit code 1"),
        ("print('no JSON', flush=True); time.sleep(60)", Internal, "cannot be understood"),
        ("print('{\"stage\": 1}', flush=True); time.sleep(60)", Internal, "cannot be understood"),
        ("os.close(1); os.close(2); time.sleep(60)", Internal, "without an answer"),
        ("say(error={'kind': 'TooLarge', 'message': 'Big.', 'details': {'limit': 3}})", TooLarge, "Big."),
        ("say(error={'kind': 'SystemExit', 'message': 'Odd.', 'details': {}})", Internal, "Odd."),
    ],
)
def test_a_child_that_fails_becomes_one_helpful_error_and_leaves_no_process(
    script: str, error: type[VaiderError], words: str
) -> None:
    talk = Talk(acting(script)).end()

    assert type(talk.error) is error
    assert words in str(talk.error)
    assert "Traceback" not in str(talk.error)
    assert is_gone(talk.pid())


def test_an_answer_is_taken_however_long_the_child_lingers() -> None:
    talk = Talk(acting("say(result={'answer': 42}); time.sleep(60)")).end()

    assert talk.result == {"answer": 42}
    assert is_gone(talk.pid())


@pytest.mark.parametrize(
    "script",
    [
        "time.sleep(60)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
        "sys.stdout.close(); sys.stderr.close(); time.sleep(60)",
        "while True: say(progress={'stage': 'reading', 'data': {'done': 1, 'total': 2}})",
    ],
)
def test_a_cancelled_child_is_gone_within_a_second_even_when_it_hangs(script: str) -> None:
    talk = Talk(acting(script))
    pid = talk.pid()

    began = time.monotonic()
    talk.stop.set()
    talk.end()

    assert isinstance(talk.error, Cancelled | Internal)
    within(1, time.monotonic() - began)
    assert is_gone(pid)


def analyser(process: ChildProcess | None = None) -> LocalAnalyser:
    return LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS, process=process)


class Watching(FakeContext):
    """Looks at the analysis process once it has told how far it is, and then stops it."""

    def __init__(self, look: Callable[[psutil.Process], None]) -> None:
        super().__init__()
        self._look = look
        self.seen: int | None = None

    def report(self, stage: Stage, **data: int | str | None) -> None:
        if data["done"] and self.seen is None:
            (self.seen,) = running("adapters.video.process.worker")
            self._look(psutil.Process(self.seen))
            self.stop.set()
        super().report(stage, **data)


def test_the_analysis_process_is_bounded_nice_and_knows_no_key(
    tmp_path: Path, inspector: VideoFile, screen: Path
) -> None:
    seen: dict[str, Any] = {}

    def look(child: psutil.Process) -> None:
        seen["environment"] = child.environ()
        seen["nice"] = child.nice()
        seen["group"] = os.getpgid(child.pid)
        seen["memory"] = child.rlimit(resource.RLIMIT_DATA)[0]
        seen["cpu"] = child.rlimit(resource.RLIMIT_CPU)[0]
        seen["directory"] = child.cwd()

    context = Watching(look)
    with pytest.raises(Cancelled):
        analyser(ChildProcess(memory_bytes=3 << 30, cpu_seconds=99)).analyse(
            inspector.inspect(screen), (), Pictures(tmp_path), context
        )

    assert os.environ["GOOGLE_API_KEY"] == CANARY
    assert CANARY not in str(seen["environment"])
    assert not [name for name in seen["environment"] if "KEY" in name or "VAIDER" in name]
    assert seen["environment"]["ORT_DISABLE_TELEMETRY"] == "1"
    assert (seen["memory"], seen["cpu"], seen["directory"]) == (3 << 30, 99, "/")
    assert seen["nice"] >= 5
    assert seen["group"] == context.seen != os.getpgrp()
    assert context.seen is not None
    assert is_gone(context.seen)


def test_an_observation_that_was_finished_is_not_repeated(tmp_path: Path, inspector: VideoFile, screen: Path) -> None:
    video = inspector.inspect(screen)
    answer = {"timeline": [], "first_screen": ["Checkout"], "sightings": []}
    first = FakeContext()
    kept = analyser(acting(f"say(result={answer!r})")).analyse(video, (), Pictures(tmp_path), first)

    resumed = analyser(acting("sys.exit(1)")).analyse(video, (), Pictures(tmp_path), FakeContext(first.kept))

    assert list(first.kept) == ["observe"]
    assert resumed == kept
    assert resumed.first_screen == ("Checkout",)


def test_a_file_that_grew_since_it_was_looked_at_is_refused(tmp_path: Path, inspector: VideoFile, screen: Path) -> None:
    path = tmp_path / "recording.mp4"
    path.write_bytes(screen.read_bytes())
    video = inspector.inspect(path)
    path.write_bytes(screen.read_bytes() + b"more")

    with pytest.raises(InvalidVideo, match="has changed"):
        analyser().analyse(video, (), Pictures(tmp_path), FakeContext())


def test_an_answer_of_many_megabytes_arrives_whole() -> None:
    talk = Talk(acting("say(result={'text': 'x' * (20 << 20)})")).end()

    assert talk.result == {"text": "x" * (20 << 20)}


def test_findings_that_make_no_sense_are_refused(tmp_path: Path, inspector: VideoFile, screen: Path) -> None:
    confused = acting("say(result={'timeline': 'yes', 'secret': 1})")

    with pytest.raises(Internal, match="make no sense"):
        analyser(confused).analyse(inspector.inspect(screen), (), Pictures(tmp_path), FakeContext())


def memory_of(process: psutil.Process) -> int:
    """Resident bytes; none once it has ended."""
    try:
        return process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0


@pytest.mark.nightly
def test_the_analysis_process_dies_with_whoever_started_it(tmp_path: Path, screen: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.videos.local_analysis", screen, tmp_path]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as starter:
        watched = psutil.Process(starter.pid)
        # The one that watches has loaded its reader.
        reading = until(lambda: [child for child in watched.children() if memory_of(child) > 150 << 20], BOUND_SECONDS)
        starter.send_signal(signal.SIGKILL)
        starter.communicate()

    gone, alive = psutil.wait_procs(reading, timeout=BOUND_SECONDS)

    assert len(gone) == 1
    assert alive == []


@pytest.mark.nightly
def test_a_local_analysis_needs_no_network(tmp_path: Path, screen: Path) -> None:
    analysis = [sys.executable, "-m", "tests.fakes.videos.local_analysis", screen, tmp_path]
    namespace = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*namespace, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this machine lets no process make a user namespace")

    done = subprocess.run([*namespace, *analysis], cwd=REPOSITORY, capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)["findings"]
    assert findings["first_screen"] == ["Checkout"]
    assert ["Order 1042 confirmed" in event["description"] for event in findings["timeline"]] == [True]
    assert findings["timeline"][0]["t_ms"] == 1000
    assert (tmp_path / findings["timeline"][0]["frame"].removeprefix("frames/")).is_file()


def test_a_local_analysis_opens_no_socket(tmp_path: Path, screen: Path) -> None:
    trace = tmp_path / "trace"
    frames = tmp_path / "frames"
    frames.mkdir()
    analysis = [sys.executable, "-m", "tests.fakes.videos.local_analysis", screen, frames]

    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=%network", "-e", "signal=none", "-o", trace, *analysis],
        cwd=REPOSITORY,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["findings"]["timeline"]
    assert [line for line in trace.read_text().splitlines() if "AF_" in line and "AF_UNIX" not in line] == []


def test_the_local_analyser_is_available_and_says_which_models_and_version_it_is() -> None:
    assert analyser().unavailable() is None
    assert analyser().name == "local"
    assert re.fullmatch(r"ppocr-v6-small/vaider-\d+\.\d+\.\d+", analyser().model)
