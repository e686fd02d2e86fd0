"""The recorder in a real daemon: by HTTP, by the command, and when either of its processes is killed."""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config.settings import load_settings
from core.errors import Conflict, InvalidRequest
from core.memory import Procedure
from core.recording.history import Journal, excluded_in
from core.recording.recorder import RecorderPhase
from core.recording.recordings import Segment
from server.composition.from_settings import retention_of
from server.composition.recorder import JOURNAL, Recorder
from server.times import stretch
from storage.recorder_journal import JournalFile
from storage.segments import SegmentFolder
from tests import processes
from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.desktops.x_user import x_display
from tests.fakes.recordings.continuous import patch, pixels_of, ticking
from tests.fakes.recordings.demonstrations import border_gone, bordered

pytestmark = pytest.mark.screen

SECRET, OPEN = 0x00E060, 0xE08000


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name, ticking(name):
        yield name


class Viewer:
    """Notes what it is told of segments."""

    def __init__(self) -> None:
        self.reported: list[tuple[str, str]] = []

    def opened(self, segment: Segment) -> None:
        self.reported.append(("opened", segment.id))

    def changed(self, segment_id: str) -> None:
        self.reported.append(("changed", segment_id))

    def closed(self, segment: Segment) -> None:
        self.reported.append(("closed", segment.id))

    def removed(self, segment_ids: Sequence[str]) -> None:
        self.reported += [("removed", one) for one in segment_ids]

    def count(self, what: str) -> int:
        return sum(text == what for text, _ in self.reported)


class Memories:
    """Notes what it has to forget."""

    def __init__(self) -> None:
        self.forgotten: list[tuple[datetime, datetime]] = []
        self.read_anew: list[str] = []

    def forget(self, since: datetime, until: datetime) -> int:
        self.forgotten.append((since, until))
        return 2

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        assert not procedures
        self.read_anew.append(video)


def recorder(display: str, data: Path, viewer: Viewer, memories: Memories, **settings: Any) -> Recorder:
    flags = {"data_dir": str(data), "record_fps": 8.0, **settings}
    environment = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
    return Recorder(
        load_settings(environment={}, flags=flags, user_file=data / "none.toml"),
        memories=lambda: memories,
        viewer=viewer,
        environment={**environment, "DISPLAY": display},
    )


def journal(data: Path) -> Journal:
    return JournalFile(data / JOURNAL).read()


def vaider(data: Path, port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "VAIDER_DATA_DIR": str(data), "VAIDER_PORT": str(port)}
    command = [str(Path(sys.executable).with_name("vaider")), "record", *arguments]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_process_that_dies_is_started_again_and_its_segments_stay(display: str, tmp_path: Path) -> None:
    viewer = Viewer()
    with closing(recorder(display, tmp_path, viewer, Memories())) as made:
        made.act("start")
        until(lambda: viewer.count("opened") == 1, 20)
        (pid,) = processes.running("continuous.worker")
        os.kill(pid, signal.SIGKILL)
        until(lambda: made.status().restarts == 1)
        assert "started again" in str(made.status().reason)
        until(lambda: viewer.count("opened") == 2, 20)

        assert made.status().phase is RecorderPhase.RECORDING
        assert made.status().segments == 2
        assert made.act("pause").phase is RecorderPhase.PAUSED
    assert made.status().phase is RecorderPhase.OFF
    reported = [phase for phase, _ in itertools.groupby(state.phase for state in journal(tmp_path).states)]
    assert reported[:5] == ["starting", "recording", "failed", "starting", "recording"]
    assert reported[-2:] == ["paused", "off"]


def test_what_is_forgotten_is_gone_from_the_films_the_logs_and_the_memories(display: str, tmp_path: Path) -> None:
    viewer, memories = Viewer(), Memories()
    with patch(display, OPEN, "the regret") as window, closing(recorder(display, tmp_path, viewer, memories)) as made:
        made.act("start")
        until(lambda: viewer.count("changed") >= 8, 20)
        since = datetime.now(UTC)
        window.report("show")
        until(lambda: max(pixels_of(tmp_path / "recordings", OPEN), default=0) > 0, 20)
        assert "the regret" in _texts(tmp_path)
        window.report("hide")
        gone = made.forget(since, datetime.now(UTC))
        until(lambda: viewer.count("opened") == 2, 20)

    assert gone.memories == 2
    assert gone.segments == 1
    assert memories.forgotten == [(gone.since, gone.until)]
    found = pixels_of(tmp_path / "recordings", OPEN)
    assert len(found) > 6
    assert max(found) == 0
    assert "the regret" not in _texts(tmp_path)
    assert [(one.since, one.until) for one in journal(tmp_path).forgotten] == [(gone.since, gone.until)]
    first = viewer.reported[0][1]
    assert memories.read_anew == [first]
    assert [shown for shown in viewer.reported if shown[1] == first][-3:] == [
        ("closed", first),
        ("removed", first),
        ("closed", first),
    ]


@pytest.mark.nightly
def test_what_it_was_is_written_down_and_forgotten_with_the_pictures(display: str, tmp_path: Path) -> None:
    viewer = Viewer()
    hidden = {"record_exclude_titles": ("my vault",)}
    with (
        patch(display, SECRET, "my vault") as secret,
        closing(recorder(display, tmp_path, viewer, Memories(), **hidden)) as made,
    ):
        made.act("start")
        until(lambda: viewer.count("changed") >= 2, 20)
        assert not made.status().veiled
        since = datetime.now(UTC)
        secret.report("show")
        until(lambda: made.status().veiled, 20)
        secret.report("hide")
        made.act("pause")
        until(lambda: viewer.count("closed") == 1, 20)
        (veiled,) = excluded_in(since, datetime.now(UTC), journal(tmp_path))
        made.forget(since, datetime.now(UTC))
        assert excluded_in(since, datetime.now(UTC), journal(tmp_path)) == []
        made.act("resume")
        until(lambda: viewer.count("opened") == 2, 20)

    assert since < veiled.start < veiled.end
    reported = journal(tmp_path)
    phases = [phase for phase, _ in itertools.groupby(reported.states, lambda state: state.phase)]
    assert phases == [*("starting", "recording", "paused", "starting", "recording", "off")]
    assert reported.forgotten[0].since == since
    assert b"vault" not in (tmp_path / JOURNAL).read_bytes()


def _texts(data: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (data / "recordings").glob("*.jsonl"))


@pytest.mark.nightly
def test_too_many_segments_give_way(display: str, tmp_path: Path) -> None:
    viewer = Viewer()
    limits = {"record_keep_segments": 2, "record_segment_seconds": 1.0}
    with closing(recorder(display, tmp_path, viewer, Memories(), **limits)) as made:
        made.act("start")
        until(lambda: viewer.count("removed") >= 1, 20)

    assert next(one for text, one in viewer.reported if text == "removed") == viewer.reported[0][1]
    assert len(SegmentFolder(tmp_path / "recordings").list()) <= 3


@pytest.mark.nightly
def test_it_records_while_a_run_goes_on_when_that_is_wanted(display: str, tmp_path: Path) -> None:
    viewer = Viewer()
    with closing(recorder(display, tmp_path, viewer, Memories(), record_when="runs")) as made:
        made.begin()
        assert made.status().phase is RecorderPhase.OFF
        with made.during_run(), made.during_run():
            until(lambda: viewer.count("opened") == 1, 20)
        assert made.status().phase is RecorderPhase.OFF
        assert viewer.count("closed") == 1


@pytest.mark.nightly
def test_the_daemon_records_hides_and_forgets_and_leaves_no_process_when_it_is_killed(
    display: str, tmp_path: Path
) -> None:
    environment = {"DISPLAY": display, "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "x11"}
    settings = {"record_when": "always", "record_fps": 8.0, "record_exclude_titles": "my vault"}
    with patch(display, SECRET, "my vault") as secret:
        secret.report("show")
        daemon = Process(tmp_path, environment=environment, **settings)
        try:
            daemon.started()
            until(lambda: daemon.http.get("/recorder").json()["newest_picture_age_seconds"] is not None, 30)
            health = daemon.http.get("/health").json()
            assert health["recorder"]["phase"] == "recording"
            assert health["recorder"]["newest_picture_age_seconds"] < 15
            status = json.loads(vaider(tmp_path, daemon.port, "status", "--json").stdout)
            assert (status["phase"], status["width"], status["height"]) == ("recording", 1280, 720)
            assert status["masked"] > 0
            assert daemon.http.post("/recorder", json={"action": "dance"}).status_code == 400
            assert daemon.http.post("/recorder/forget", json={"last": "soon"}).status_code == 400
            assert daemon.http.post("/recorder", json={"action": "pause"}).json()["phase"] == "paused"
            assert vaider(tmp_path, daemon.port, "resume").returncode == 0
            until(lambda: bordered(display))
            assert max(pixels_of(tmp_path / "recordings", SECRET)) == 0
            gone = daemon.http.post("/recorder/forget", json={"last": "1h"}).json()
            assert gone["segments"] >= 1
            daemon.process.kill()
            until(lambda: border_gone(display), 20)
        finally:
            daemon.close()

    left = vaider(tmp_path, daemon.port, "status", "--json")
    assert left.returncode == 0
    assert json.loads(left.stdout)["phase"] == "off"
    assert vaider(tmp_path, daemon.port, "start").returncode == 2
    assert vaider(tmp_path, daemon.port, "forget", "last", "1d").returncode == 0
    assert [path.name for path in (tmp_path / "recordings").iterdir() if not path.name.startswith(".")] == []


@pytest.mark.parametrize("last", ["", "m", "10", "10x", "-5m", "1e3s", "9999999d", "\u0661m"])
def test_what_is_no_stretch_of_time_is_refused(last: str) -> None:
    with pytest.raises(InvalidRequest):
        stretch(last=last, since=None, until=None)


def test_a_stretch_is_the_last_one_or_one_between_two_moments() -> None:
    begin, end = stretch(last="10m", since=None, until=None)
    now = datetime.now(UTC)

    assert end - begin == timedelta(minutes=10)
    assert abs(now - end) < timedelta(seconds=5)
    assert stretch(last=None, since=begin, until=end) == (begin, end)
    for since, before in ((end, begin), (begin.replace(tzinfo=None), None)):
        with pytest.raises(InvalidRequest):
            stretch(last=None, since=since, until=before)
    with pytest.raises(InvalidRequest):
        stretch(last="1m", since=begin, until=None)


def test_the_days_of_the_settings_bound_what_is_kept(tmp_path: Path) -> None:
    flags = {"data_dir": str(tmp_path), "record_keep_days": 1.0}
    settings = load_settings(environment={}, flags=flags, user_file=tmp_path / "none.toml")

    assert retention_of(settings).hours == 24
    with pytest.raises(Conflict):
        Recorder(settings).act("resume")
