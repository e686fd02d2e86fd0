"""``vaider learn`` as its own process: with a running daemon, without one, and with a recording made on the spot."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clock import until
from tests.fakes.daemons.commands import VAIDER, vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon
from tests.fakes.desktops.x_user import x_display

CLIPS = Path(__file__).parents[2] / "clips"
ALONE = {"VAIDER_PORT": "1", "VAIDER_PROVIDER": "local"}
"""No daemon listens, and no key is used."""


def learn(daemon: ScriptedDaemon, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return vaider("learn", *arguments, "--port", str(daemon.port), cwd=cwd)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("fine.mp4",), 0),
        (("nothing.mp4",), 2),
        (("broken.mp4",), 3),
        (("endless.mp4", "--timeout", "1"), 3),
        (("fine.mp4", "--into", "missing"), 2),
        (("fine.mp4", "--record"), 2),
    ],
)
def test_the_exit_code_tells_what_became_of_it(
    daemon: ScriptedDaemon, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    done = learn(daemon, tmp_path, *arguments)

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_the_task_its_questions_and_what_to_do_next_are_printed(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    done = learn(daemon, tmp_path, "fine.mp4", "and.webm")

    assert done.stdout.startswith("learned Send it  send-it\n")
    assert "needs to know Who gets it?  who-gets-it-0a1b2c" in done.stdout
    assert "note: A frame was dark." in done.stdout
    assert 'vaider tasks answer send-it who-gets-it-0a1b2c "…"' in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert daemon.requests[0]["videos"] == [str(tmp_path / "fine.mp4"), str(tmp_path / "and.webm")]


def test_json_is_what_was_learned_and_nothing_else(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    done = learn(daemon, tmp_path, "fine.mp4", "--into", "send-it", "--provider", "local", "--json")

    assert json.loads(done.stdout)["created"] is False
    assert done.stderr == ""
    assert (daemon.requests[0]["into"], daemon.requests[0]["provider"]) == ("send-it", "local")


@pytest.mark.nightly
def test_ctrl_c_stops_learning(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    command = [VAIDER, "learn", "endless.mp4", "--port", str(daemon.port)]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    until(lambda: daemon.requests)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert daemon.jobs.cancelled


def _alone(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return vaider(*arguments, cwd=folder, environment={**ALONE, "VAIDER_DATA_DIR": str(folder)})


@pytest.mark.nightly
def test_without_a_daemon_a_real_clip_becomes_a_task_that_a_person_can_read(tmp_path: Path) -> None:
    done = _alone(tmp_path, "learn", str(CLIPS / "checkout.mp4"), "--json")
    learned: dict[str, Any] = json.loads(done.stdout)
    folder = Path(learned["folder"])
    document = (folder / "HEARTBEAT.md").read_text(encoding="utf-8")

    assert done.returncode == 0
    assert 'Type "Ada Byron" into the "Full name" field.' in document
    assert '- "Order 1042 confirmed" is shown.' in document
    assert "TaskDetected" not in document
    assert learned["questions"]
    assert (folder / "recordings" / learned["recordings"][0]).read_bytes() == (CLIPS / "checkout.mp4").read_bytes()


@pytest.mark.nightly
def test_a_recording_of_nothing_touches_nothing_and_says_why(tmp_path: Path) -> None:
    done = _alone(tmp_path, "learn", str(CLIPS / "idle.mp4"), "--json")

    assert done.returncode == 2
    assert json.loads(done.stdout)["code"] == "no_task"
    assert not list((tmp_path / "tasks").glob("*"))


@pytest.mark.nightly
def test_on_a_terminal_the_questions_are_asked_once_and_a_blank_answer_leaves_one_open(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [VAIDER, "learn", str(CLIPS / "checkout.mp4")],
        cwd=tmp_path,
        env={**os.environ, **ALONE, "VAIDER_DATA_DIR": str(tmp_path), "COLUMNS": "200"},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    said = _read(leader, "Answer now")
    os.write(leader, b'Open "https://harbour.example/" in the browser.\n' + b"\n" * 20)
    said += _read(leader, None)
    process.wait(30)
    (folder,) = (tmp_path / "tasks").glob("*/HEARTBEAT.md")

    assert process.returncode == 0, said
    assert 'Answer: Open "https://harbour.example/" in the browser.' in folder.read_text(encoding="utf-8")
    assert "1 of " in said


@pytest.mark.nightly
@pytest.mark.screen
def test_a_demonstration_of_nothing_is_kept_and_it_is_said_where(tmp_path: Path) -> None:
    with x_display(640, 480) as display:
        done = vaider(
            "learn",
            "--record",
            "--seconds",
            "1",
            "--microphone",
            "none",
            cwd=tmp_path,
            environment={**ALONE, "VAIDER_DATA_DIR": str(tmp_path), "DISPLAY": display},
        )
    (video,) = (tmp_path / "captures").glob("capture-*.mp4")

    assert done.returncode == 2, done.stderr
    assert "Nothing was learned" in done.stderr
    assert f"vaider learn {video}" in done.stderr
    assert video.stat().st_mode & 0o777 == 0o600
    assert not list((tmp_path / "tasks").glob("*"))


def _read(leader: int, until_said: str | None) -> str:
    """What is said until some words, or to the end."""
    said = b""
    while until_said is None or until_said.encode() not in said:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    return said.decode(errors="replace")
