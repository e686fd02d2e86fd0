"""What is seen in a terminal and in a pipe of a demonstration that is recorded, and what its signals do."""

import io
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from core.recording.recordings import Recording, RecordingState
from server.cli_output.recording import RecordingLine
from tests.fakes.desktops.x_user import running, x_display
from tests.fakes.recordings.demonstrations import border_gone, bordered
from tests.fakes.recordings.films import frames

REPOSITORY = Path(__file__).parents[3]
RECORD = """
import os, sys
from pathlib import Path
from config.settings import load_settings
from server.cli_output.recording import record_demonstration

settings = load_settings(environment=os.environ)
made = record_demonstration(settings, display=None, microphone="none", out=Path(sys.argv[1]))
print(made.stopped_by, flush=True)
"""


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(640, 480, manager=False) as name:
        yield name


def environment(display: str) -> dict[str, str]:
    return {**os.environ, "DISPLAY": display, "PYTHONPATH": str(REPOSITORY)}


@pytest.mark.screen
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGINT, marks=pytest.mark.nightly),
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.nightly),
    ],
)
def test_a_signal_stops_it_in_order(display: str, tmp_path: Path, number: int) -> None:
    out = tmp_path / "demo.mp4"
    command = [sys.executable, "-c", RECORD, str(out)]
    pipe = subprocess.PIPE
    with running(command, env=environment(display), stdout=pipe, stderr=pipe) as program:
        assert program.stderr is not None
        assert program.stdout is not None
        first = program.stderr.readline().decode()
        assert bordered(display)
        program.send_signal(number)
        said = program.stderr.read().decode()
        assert program.stdout.read() == b"interrupt\n"
        assert program.wait(20) == 0
        program.stderr.close()
    assert first == f"recording {display}, 640x480, no sound; Esc or Ctrl-C stops, at the latest 05:00\n"
    assert re.fullmatch(rf"recorded \d+\.\d s, 0\.\d MB \(stopped by Ctrl-C\): {re.escape(str(out))}\n", said)
    assert border_gone(display)
    assert frames(out)


@pytest.mark.nightly
@pytest.mark.screen
def test_a_terminal_shows_a_red_dot_the_time_and_how_to_stop(display: str, tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    shown = b""
    settings = {**environment(display), "TERM": "xterm", "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, "-c", RECORD, str(tmp_path / "demo.mp4")]
    with running(command, env=settings, stdout=subprocess.PIPE, stderr=follower) as program:
        os.close(follower)
        while b"00:01 of 05:00" not in shown:
            shown += os.read(leader, 4096)
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 0
        while b"recorded" not in shown:
            shown += os.read(leader, 4096)
    os.close(leader)
    text = shown.decode()
    assert "\x1b[1;31m●\x1b[0m" in text
    assert f"recording {display}, 640x480, no sound" in text
    assert "0.0 MB  Esc or Ctrl-C stops" in text


def test_each_warning_is_shown_once_and_commands_no_terminal(tmp_path: Path) -> None:
    stream = io.StringIO()
    state = RecordingState(
        display=":0", elapsed_ms=0, size_bytes=0, width=8, height=6, escape_stops=False, microphone="default"
    )
    with RecordingLine(stream, 90) as line:
        line.show_state(state)
        line.show_state(state.model_copy(update={"warnings": ("no\x1b[2J sound",)}))
        line.show_state(state.model_copy(update={"warnings": ("no\x1b[2J sound",)}))
        line.ended(
            Recording(
                path=tmp_path / "a.mp4",
                log=None,
                duration_ms=90_000,
                size_bytes=2_400_000,
                width=8,
                height=6,
                fps=10,
                microphone=None,
                stopped_by="limit",
                warnings=("no\x1b[2J sound", "it is over"),
            )
        )
    assert stream.getvalue().splitlines() == [
        "recording :0, 8x6, with sound; Ctrl-C stops, at the latest 01:30",
        "warning: no�[2J sound",
        "warning: it is over",
        f"recorded 90.0 s, 2.4 MB (the limit is reached): {tmp_path}/a.mp4",
    ]


def test_a_display_for_runs_alone_is_not_what_is_recorded(tmp_path: Path) -> None:
    out = tmp_path / "demo.mp4"
    settings = {**environment(""), "VAIDER_DISPLAY": "private"}
    done = subprocess.run(
        [sys.executable, "-c", RECORD, str(out)], env=settings, capture_output=True, text=True, check=False
    )
    assert "There is no display here (DISPLAY is not set)" in done.stderr
    assert not out.exists()
