"""The continuous recorder on a real display: what it writes, when it begins anew, and what it survives."""

import os
import resource
import signal
import time
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from xcffib import randr, xproto

from core.recording.input_log import Clicked, Focused
from core.recording.recorder import RecorderPhase
from storage.recording_files import read_input_log
from storage.segments import SegmentFolder
from tests.clock import until, within
from tests.fakes.desktops.x_user import Program, connected, server_process, set_monitors, x_display
from tests.fakes.recordings.continuous import continuous, patch, pixels_of, ticking
from tests.fakes.recordings.demonstrations import border_gone, bordered, click, continuous_motion
from tests.fakes.recordings.films import frames

pytestmark = pytest.mark.screen

FPS = 8.0
OPEN = 0xE08000


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name, ticking(name):
        yield name


@pytest.mark.nightly
def test_segments_follow_one_another_and_their_files_say_all_of_them(display: str, tmp_path: Path) -> None:
    with continuous(display, tmp_path / "r", fps=FPS, segment_seconds=1) as recorded:
        growing = SegmentFolder(recorded.folder).list()[-1]
        recorded.await_segments(3)

    listed = SegmentFolder(recorded.folder).list()
    assert not growing.complete
    assert [segment.id for segment in listed] == [segment.id for segment in recorded.closed]
    assert all(segment.complete for segment in listed)
    for before, after in pairwise(listed):
        assert after.started_at >= before.ended_at
        within(0.6, (after.started_at - before.ended_at).total_seconds())
    for segment, reported in zip(listed, recorded.closed, strict=True):
        times = [t_ms for t_ms, _ in frames(segment.path)]
        assert abs(segment.duration_ms - reported.duration_ms) <= 1
        assert times[0] == 0
        assert times[-1] <= segment.duration_ms <= times[-1] + 150
        assert (segment.width, segment.height) == (1280, 720)
        assert segment.path.stat().st_mode & 0o077 == 0
        assert segment.log is not None
        assert segment.log.stat().st_mode & 0o077 == 0


def test_a_recorder_that_is_killed_leaves_a_film_that_plays_to_its_last_second(display: str, tmp_path: Path) -> None:
    with continuous(display, tmp_path / "r", fps=FPS) as recorded:
        recorded.await_pictures(10)
        killed_at = time.time()
        assert recorded.process.pid is not None
        os.kill(recorded.process.pid, signal.SIGKILL)
        until(lambda: recorded.exit_code == -signal.SIGKILL)
        until(lambda: border_gone(display))

    (left,) = SegmentFolder(recorded.folder).list()
    assert left.complete
    assert killed_at - left.ended_at.timestamp() < 1.0
    assert len(frames(left.path)) >= 10
    with continuous(display, recorded.folder, fps=FPS):
        mended, _ = SegmentFolder(recorded.folder).list()
        assert b"mvex" not in mended.path.read_bytes()
        assert (mended.id, mended.complete) == (left.id, True)
        assert len(frames(mended.path)) == len(frames(left.path))


def test_nothing_is_recorded_and_no_border_is_shown_while_it_is_paused(display: str, tmp_path: Path) -> None:
    with patch(display, OPEN, "notes") as window, continuous(display, tmp_path / "r", fps=FPS) as recorded:
        assert bordered(display)
        recorded.process.send_command("pause")
        recorded.await_phase(RecorderPhase.PAUSED)
        until(lambda: border_gone(display))
        window.report("flash 300")
        recorded.process.send_command("resume")
        recorded.await_segments(2)
        until(lambda: bordered(display))
        recorded.await_pictures(1)

    assert max(pixels_of(recorded.folder, OPEN)) == 0


@pytest.mark.nightly
def test_a_screen_saver_pauses_it_until_somebody_is_back(display: str, tmp_path: Path) -> None:
    with continuous(display, tmp_path / "r", fps=FPS) as recorded, connected(display) as x:
        x.core.ForceScreenSaver(xproto.ScreenSaver.Active)
        x.core.GetInputFocus().reply()
        recorded.await_phase(RecorderPhase.LOCKED)
        assert recorded.status.reason == "The screen saver is on. It goes on by itself."
        x.core.ForceScreenSaver(xproto.ScreenSaver.Reset)
        x.core.GetInputFocus().reply()
        recorded.await_phase(RecorderPhase.RECORDING)


def test_a_lockers_window_over_the_whole_screen_pauses_it(display: str, tmp_path: Path) -> None:
    with continuous(display, tmp_path / "r", fps=FPS) as recorded, connected(display) as x:
        screen, window = x.setup.roots[0], x.generate_id()
        x.core.CreateWindow(
            *(screen.root_depth, window, screen.root, 0, 0, 1280, 720, 0, 1, screen.root_visual),
            *(xproto.CW.BackPixel | xproto.CW.OverrideRedirect, [OPEN, 1]),
        )
        name = b"i3lock\0i3lock\0"
        x.core.ChangeProperty(0, window, xproto.Atom.WM_CLASS, xproto.Atom.STRING, 8, len(name), name)
        x.core.MapWindow(window)
        x.core.GetInputFocus().reply()
        recorded.await_phase(RecorderPhase.LOCKED)
        x.core.DestroyWindow(window)
        x.core.GetInputFocus().reply()
        recorded.await_phase(RecorderPhase.RECORDING)


@pytest.mark.nightly
def test_a_session_that_is_locked_by_its_desktop_pauses_it(display: str, tmp_path: Path) -> None:
    command = tmp_path / "bin" / "loginctl"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\n[ -e {tmp_path}/locked ] && echo yes || echo no\n", encoding="utf-8")
    command.chmod(0o755)
    session = {"XDG_SESSION_ID": "1", "PATH": f"{command.parent}:{os.environ['PATH']}"}
    with continuous(display, tmp_path / "r", session=session, fps=FPS) as recorded:
        (tmp_path / "locked").touch()
        recorded.await_phase(RecorderPhase.LOCKED)
        assert recorded.status.reason == "The session is locked. It goes on by itself."
        (tmp_path / "locked").unlink()
        recorded.await_phase(RecorderPhase.RECORDING)


@pytest.mark.nightly
def test_clicks_are_where_the_smaller_film_shows_them_and_escape_ends_nothing(display: str, tmp_path: Path) -> None:
    program = Program(display)
    with (
        patch(display, OPEN, "notes") as window,
        continuous(display, tmp_path / "r", fps=FPS, size="640x480") as recorded,
    ):
        window.report("show")
        window.report("move 600 300")
        recorded.await_pictures(2)
        click(program, 700, 400)
        program.send("key_press", 9)
        program.send("key_release", 9)
        recorded.await_pictures(12)
        assert recorded.exit_code is None
    program.close()

    (segment,) = recorded.closed
    log = read_input_log(segment.path)
    assert log is not None
    assert (segment.width, segment.height) == (log.width, log.height) == (640, 360)
    assert any("small words in it cannot be read" in each for each in recorded.status.warnings)
    assert [(event.x, event.y) for event in log.events if isinstance(event, Clicked)] == [(350, 200)]
    assert "notes" in [event.title for event in log.events if isinstance(event, Focused)]
    x, y = 350, 200
    assert [int(part) for part in frames(segment.path)[-1][1][y, x]] == pytest.approx([0xE0, 0x80, 0], abs=12)


@pytest.mark.nightly
def test_a_monitor_that_changes_begins_a_segment_of_its_size(tmp_path: Path) -> None:
    with x_display() as display, ticking(display):
        set_monitors(display, (0, 0, 640, 720), (640, 0, 640, 720))
        with continuous(f"{display}@monitor 1", tmp_path / "r", fps=FPS) as recorded:
            with connected(display) as x:
                extension: Any = x(randr.key)
                for monitor in extension.GetMonitors(x.setup.roots[0].root, 0).reply().monitors:
                    extension.DeleteMonitor(x.setup.roots[0].root, monitor.name)
                x.core.GetInputFocus().reply()
            set_monitors(display, (0, 0, 640, 720), (640, 300, 640, 420))
            recorded.await_segments(2)

    assert [(segment.width, segment.height) for segment in recorded.opened] == [(640, 720), (640, 420)]


@pytest.mark.nightly
def test_a_display_that_goes_away_is_told_and_what_was_recorded_plays(tmp_path: Path) -> None:
    with x_display() as display, continuous(display, tmp_path / "r", fps=FPS) as recorded:
        with ticking(display):
            recorded.await_pictures(3)
        with connected(display) as x:
            os.kill(server_process(x), signal.SIGTERM)
        recorded.await_phase(RecorderPhase.FAILED)
        assert ":" in str(recorded.status.reason)
        assert recorded.exit_code is None

    (left,) = SegmentFolder(recorded.folder).list()
    assert len(frames(left.path)) >= 3


@pytest.mark.nightly
def test_a_full_disk_ends_it_with_a_word_and_loses_nothing_that_was_written(display: str, tmp_path: Path) -> None:
    with continuous_motion(display), continuous(display, tmp_path / "r", fps=FPS) as recorded:
        recorded.await_pictures(3)
        assert recorded.process.pid is not None
        limit = recorded.opened[0].path.stat().st_size + 60_000
        resource.prlimit(recorded.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        recorded.await_phase(RecorderPhase.FAILED)
        until(lambda: recorded.exit_code == 0)
        assert "cannot be written" in str(recorded.status.reason)

    (left,) = SegmentFolder(recorded.folder).list()
    assert left.complete
    assert len(frames(left.path)) > 3


@pytest.mark.nightly
def test_what_nobody_sees_change_takes_next_to_nothing(tmp_path: Path) -> None:
    with x_display() as display, continuous(display, tmp_path / "r") as recorded:
        until(lambda: recorded.status.frames >= 4, 20)

    (segment,) = recorded.closed
    assert segment.size_bytes < 20_000
    assert segment.duration_ms / 1000 / len(frames(segment.path)) > 0.8


@pytest.mark.nightly
def test_thousands_of_looks_leave_no_gap_and_take_no_more_memory(display: str, tmp_path: Path) -> None:
    with continuous(display, tmp_path / "r", fps=10.0, segment_seconds=10) as recorded:
        recorded.await_segments(2)
        before = recorded.status.memory_bytes
        until(lambda: recorded.status.frames >= 1500, 600)
        assert recorded.status.memory_bytes < before * 1.15
        assert recorded.status.gaps == 0
