"""``vaider replay`` with a running daemon, as its own process."""

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
from tests.fakes.runs.workflow_documents import plan

SCHEMA = plan(
    {"text": "Save {how} with {pin}."},
    task_params=[{"name": "how", "example": "fine"}, {"name": "pin", "example": "0", "sensitive": True}],
    success_criteria='"Saved" is shown',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workflows" / "note"
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text(SCHEMA)
    return tmp_path


def replay(daemon: ScriptedDaemon, cwd: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return vaider("replay", *arguments, "--port", str(daemon.port), cwd=cwd, **options)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("note",), 0),
        (("note", "how=fine", "--display", "private"), 0),
        (("note", "how=unclear"), 1),
        (("note", "how=failed"), 1),
        (("note", "how=broken"), 3),
        (("note", "how=endless", "--timeout", "1"), 3),
        (("nite",), 2),
        (("note", "how"), 2),
        (("note", "--display", "localhost:0"), 2),
        (("note", "--params", "none.json"), 2),
        ((), 2),
    ],
)
def test_the_exit_code_tells_what_became_of_the_run(
    daemon: ScriptedDaemon, folder: Path, arguments: tuple[str, ...], code: int
) -> None:
    done = replay(daemon, folder, *arguments)

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_the_outcome_the_checks_and_the_report_are_printed(daemon: ScriptedDaemon, folder: Path) -> None:
    done = replay(daemon, folder, "note")

    first, second = done.stdout.splitlines()[:2]
    assert first == '✓ Done: "Saved" is shown'
    assert second.strip().startswith("succeeded  Save a note, 1.9 s, 3 actions")
    assert '"Saved" at (10, 20)' in done.stdout
    assert "report.html" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_json_is_the_runs_account_and_nothing_else(daemon: ScriptedDaemon, folder: Path) -> None:
    done = replay(daemon, folder, "note", "--json")

    assert json.loads(done.stdout)["outcome"] == "succeeded"
    assert done.stderr == ""


@pytest.mark.parametrize("text", ['{"how": "unclear", "pin": "7"}', "# a form\nhow=unclear\npin=\n"])
def test_values_come_from_a_file_and_those_of_the_command_line_win(
    daemon: ScriptedDaemon, folder: Path, text: str
) -> None:
    (folder / "values").write_text(text)

    assert replay(daemon, folder, "note", "--params", "values").returncode == 1
    assert replay(daemon, folder, "note", "how=fine", "--params", "values").returncode == 0


def test_ctrl_c_stops_the_run(daemon: ScriptedDaemon, folder: Path) -> None:
    command = [VAIDER, "replay", "note", "how=endless", "--port", str(daemon.port)]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    until(lambda: daemon.requests)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert daemon.jobs.cancelled


def test_on_a_terminal_missing_values_are_asked_for_and_a_blank_one_is_the_default(
    daemon: ScriptedDaemon, folder: Path
) -> None:
    leader, follower = pty.openpty()
    command = [VAIDER, "replay", "note", "--port", str(daemon.port)]
    process = subprocess.Popen(command, cwd=folder, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    said = _answered(leader, [("how", b"\n"), ("pin", b"5471\n")])
    process.wait(30)

    assert process.returncode == 0, said
    assert daemon.requests[0]["params"] == {"pin": "5471"}
    assert "5471" not in said


def _answered(leader: int, dialogue: list[tuple[str, bytes]]) -> str:
    """Answer each prompt when it is there; all that was said."""
    said = ""
    while True:
        try:
            chunk = os.read(leader, 4096)
        except OSError:
            return said
        if not chunk:
            return said
        said += chunk.decode(errors="replace")
        if dialogue and dialogue[0][0] in said.splitlines()[-1]:
            os.write(leader, dialogue.pop(0)[1])


@pytest.mark.parametrize("outcome", ["failed", "unclear"])
def test_jobs_say_of_a_run_how_it_ended_in_the_words_of_the_run(
    daemon: ScriptedDaemon, folder: Path, outcome: str
) -> None:
    done = replay(daemon, folder, "note", f"how={outcome}")
    (job_id,) = daemon.jobs.jobs
    port = ("--port", str(daemon.port))
    listed = vaider("jobs", "list", *port, cwd=folder)
    reported = json.loads(vaider("jobs", "list", "--json", *port, cwd=folder).stdout)["jobs"][0]

    assert (done.returncode, done.stdout.splitlines()[1].split()[0]) == (1, outcome)
    row = next(line for line in listed.stdout.splitlines() if job_id in line)
    assert outcome in row.split()
    assert "done" not in row.split()
    assert (reported["outcome"], reported["state"]) == (outcome, "failed" if outcome == "failed" else "done")


def test_a_finished_run_is_listed_and_shown_among_the_jobs(daemon: ScriptedDaemon, folder: Path) -> None:
    replay(daemon, folder, "note")
    (job_id,) = daemon.jobs.jobs

    listed = vaider("jobs", "list", "--port", str(daemon.port), cwd=folder)
    shown = vaider("jobs", "show", job_id, "--port", str(daemon.port), cwd=folder)

    assert "Save a note" in listed.stdout
    assert "succeeded  Save a note" in shown.stdout
