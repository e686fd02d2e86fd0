"""``vaider analyse`` with a running daemon, as its own process."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.clock import until
from tests.fakes.daemons.commands import VAIDER, vaider
from tests.fakes.daemons.scripted_daemon import BROKEN, ScriptedDaemon, scripted_daemon

EXPECT = ("--expect", '"Order 1 confirmed" is shown')


def analyse(daemon: ScriptedDaemon, cwd: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return vaider("analyse", *arguments, "--port", str(daemon.port), cwd=cwd, **options)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("fine.mp4",), 0),
        (("fine.mp4", *EXPECT), 0),
        (("wrong.mp4", *EXPECT), 1),
        (("missing.mp4",), 2),
        (("broken.mp4",), 3),
        (("fine.mp4", "wrong.mp4", *EXPECT), 1),
        (("broken.mp4", "fine.mp4"), 3),
        (("endless.mp4", "--timeout", "1"), 3),
        (("fine.mp4", "--expect", "x" * 2001), 2),
        (("--no-such-flag",), 2),
        ((), 2),
    ],
)
def test_the_exit_code_tells_what_became_of_it(
    daemon: ScriptedDaemon, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    done = analyse(daemon, tmp_path, *arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_the_timeline_and_the_verdicts_with_their_evidence_are_printed_plainly(
    daemon: ScriptedDaemon, tmp_path: Path
) -> None:
    done = analyse(daemon, tmp_path, "wrong.mp4", *EXPECT)
    assert '[00:00.4] "Order 1 confirmed" appeared.' in done.stdout.splitlines()
    row = next(line for line in done.stdout.splitlines() if line.strip().startswith("pass"))
    assert '"Order 1 confirmed" is shown' in row
    assert "(00:00.4): It stood there from 00:00.4." in row
    assert "It was never shown." in done.stdout
    assert "checkout.mp4.VaiderInteractions" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr, "no colours and no bar in a pipe"


def test_json_is_exactly_the_answer_of_http(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    done = analyse(daemon, tmp_path, "fine.mp4", "--json", *EXPECT)
    job_id = json.loads(done.stdout)["job_id"]
    answered = httpx2.get(f"http://127.0.0.1:{daemon.port}/jobs/{job_id}").json()["result"]
    assert json.loads(done.stdout) == answered
    assert done.stderr == ""


def test_several_videos_are_json_lines_in_their_order_and_a_failure_is_one_of_them(
    daemon: ScriptedDaemon, tmp_path: Path
) -> None:
    done = analyse(daemon, tmp_path, "broken.mp4", "fine.mp4", "--json")
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first == {**BROKEN, "video_path": str(tmp_path / "broken.mp4")}
    assert second["provider"] == "local"


def test_a_wrong_flag_is_the_error_shape_where_json_was_asked_for(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    done = analyse(daemon, tmp_path, "fine.mp4", "--json", "--set", "prot=1")
    assert json.loads(done.stdout) == {
        "error": "There is no setting 'prot' (in the command line). Did you mean 'port'?",
        "code": "invalid_setting",
    }


def test_the_request_carries_what_was_said(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    analyse(daemon, tmp_path, "fine.mp4")
    analyse(daemon, tmp_path, "fine.mp4", *EXPECT, "--provider", "local", "--no-cache")
    plainly, said = daemon.requests
    assert plainly["video_path"] == str(tmp_path / "fine.mp4")
    assert (plainly["expectations"], plainly["use_cache"]) == ([], True)
    assert (said["expectations"], said["provider"], said["use_cache"]) == ([EXPECT[1]], "local", False)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)])
def test_an_interrupted_command_cancels_its_job_and_says_so(
    daemon: ScriptedDaemon, tmp_path: Path, number: signal.Signals
) -> None:
    command = [VAIDER, "analyse", "endless.mp4", "--port", str(daemon.port)]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until(lambda: daemon.jobs.jobs and daemon.requests)
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.strip() == "Error: Cancelled; nothing is left running."
    assert [job.state for job in daemon.jobs.jobs.values()] == ["cancelled"]


@pytest.mark.nightly
def test_on_a_terminal_a_bar_is_drawn_and_no_color_is_obeyed(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    seen = {no_color: on_a_terminal(daemon, tmp_path, no_color) for no_color in ("", "1")}
    assert "\x1b[1;31m" in seen[""] or "\x1b[36m" in seen[""]
    assert "\x1b[32m" not in seen["1"]
    assert all("fine.mp4" in text for text in seen.values())


def on_a_terminal(daemon: ScriptedDaemon, cwd: Path, no_color: str) -> str:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": no_color, "COLUMNS": "120"}
    command = [VAIDER, "analyse", "fine.mp4", *EXPECT, "--port", str(daemon.port)]
    process = subprocess.Popen(command, cwd=cwd, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = bytearray()
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(20) == 0
    return seen.decode()


def test_what_a_video_says_cannot_command_the_terminal(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    done = analyse(daemon, tmp_path, "missing\x1b[2J.mp4")
    assert "\x1b" not in done.stderr
    assert done.returncode == 2


def test_a_reader_that_has_enough_is_no_fault(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    command = f"'{VAIDER}' analyse fine.mp4 --port {daemon.port} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout.strip() == "141"
    assert done.stderr == ""


@pytest.mark.parametrize("flags", ["", pytest.param("--json", marks=pytest.mark.nightly)])
def test_output_that_finds_no_room_is_told_and_is_no_mismatch(
    daemon: ScriptedDaemon, tmp_path: Path, flags: str
) -> None:
    command = f"'{VAIDER}' analyse fine.mp4 {flags} --port {daemon.port} > /dev/full"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 3
    assert done.stderr == "Error: There is no room left to write the output: free some space and try again.\n"


def test_the_timeline_is_written_as_one_picture(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.jpg"

    assert analyse(daemon, tmp_path, "fine.mp4", "--contact-sheet", str(sheet)).returncode == 0
    assert sheet.read_bytes().startswith(b"\xff\xd8\xff")
    assert analyse(daemon, tmp_path, "fine.mp4", "--contact-sheet", "none/sheet.jpg").returncode == 3
    assert analyse(daemon, tmp_path, "fine.mp4", "wrong.mp4", "--contact-sheet", "s.jpg").returncode == 0
    assert (tmp_path / "s-1.jpg").is_file()
    assert (tmp_path / "s-2.jpg").is_file()


def rules(folder: Path, **changes: Any) -> None:
    content = {"video_trigger_pattern": "out/**/*.mp4", "max_retries": 2, **changes}
    (folder / "VaiderRules.json").write_text(json.dumps(content))


def test_without_a_video_the_rules_say_which_newest_first(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    rules(tmp_path)
    (tmp_path / "out" / "deep").mkdir(parents=True)
    for age, name in enumerate(("out/deep/fine_new.mp4", "out/fine_old.mp4")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "fine_elsewhere.mp4").touch()
    done = analyse(daemon, tmp_path, "--json")
    assert done.returncode == 0
    asked = [request["video_path"] for request in daemon.requests]
    assert asked == [str(tmp_path / "out/deep/fine_new.mp4"), str(tmp_path / "out/fine_old.mp4")]


def test_rules_that_are_switched_off_or_wrong_say_so(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    rules(tmp_path, enabled=False)
    off = analyse(daemon, tmp_path)
    assert off.returncode == 0
    assert '"enabled": false' in off.stderr
    rules(tmp_path, max_retries=-1)
    wrong = analyse(daemon, tmp_path)
    assert wrong.returncode == 2
    assert "line 1" in wrong.stderr
    assert "max_retries" in wrong.stderr
    rules(tmp_path)
    nothing = analyse(daemon, tmp_path)
    assert nothing.returncode == 2
    assert "out/**/*.mp4" in nothing.stderr
    assert not daemon.requests


def test_a_mismatch_is_not_put_again_to_who_can_only_repeat_itself(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    rules(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "wrong.mp4").touch()
    done = analyse(daemon, tmp_path, *EXPECT)
    assert done.returncode == 1
    assert len(daemon.requests) == 1
    assert "the same answer again" in done.stderr
    assert "/videos/checkout.mp4.VaiderInteractions" in done.stderr


def test_a_mismatch_is_put_to_the_other_providers_but_to_none_behind_the_callers_back(tmp_path: Path) -> None:
    rules(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "wrong.mp4").touch()
    with scripted_daemon(tmp_path / "data", {"local": None, "gemini": None}) as daemon:
        tried = analyse(daemon, tmp_path, *EXPECT, "--provider", "auto")
        assert tried.returncode == 1
        assert [request["provider"] for request in daemon.requests] == ["auto", "gemini", "gemini"]
        assert [request["use_cache"] for request in daemon.requests] == [True, True, False]
        assert "3 times" in tried.stderr
        analyse(daemon, tmp_path, *EXPECT, "--provider", "local")
        assert [request["provider"] for request in daemon.requests[3:]] == ["local"]


def test_a_key_that_the_running_daemon_lacks_is_told_of_and_not_shown(tmp_path: Path) -> None:
    with scripted_daemon(tmp_path / "data", {"local": None, "gemini": "There is no Gemini key."}) as daemon:
        key = {"GOOGLE_API_KEY": "only-this-shell-has-it"}
        done = analyse(daemon, tmp_path, "fine.mp4", "--provider", "auto", environment=key)
        assert f"GOOGLE_API_KEY of this shell is not used: the daemon at http://127.0.0.1:{daemon.port}" in done.stderr
        assert "only-this-shell-has-it" not in done.stdout + done.stderr
        assert "not used" not in analyse(daemon, tmp_path, "fine.mp4", "--provider", "local", environment=key).stderr


def test_one_html_file_is_written_to_hand_on(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    done = analyse(daemon, tmp_path, "wrong.mp4", "--html", "report.html", *EXPECT)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert done.returncode == 1
    assert "&#34;Order 1 confirmed&#34; appeared." in page
    assert "<script" not in page

    refused = analyse(daemon, tmp_path, "fine.mp4", "--html", "no/such/folder.html")
    assert (refused.returncode, "cannot be written" in refused.stderr) == (3, True)
