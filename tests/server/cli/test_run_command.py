"""``vaider run`` with a running daemon, as its own process."""

import subprocess
from pathlib import Path

import pytest

from core.tasks.heartbeat import Heartbeat
from storage.tasks.tasks import TaskFolders
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon

TASK = """# Task
Title: Save a note
SuccessCriteria:
- "Saved" is shown.
SuggestedPlan:
1. Type "fine" into the "How" field.

## Questions
- [ ] Is it always this note?
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    TaskFolders(tmp_path / "data" / "tasks").add(Heartbeat(TASK), by="test", why="")
    return tmp_path


def run(daemon: ScriptedDaemon, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return vaider("run", *arguments, "--port", str(daemon.port), "--data-dir", str(folder / "data"), cwd=folder)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("save-a-note",), 0),
        (("Save a note", "--display", "private"), 0),
        (("save-a-nte",), 2),
        (("save-a-note", "nosuch=1"), 2),
    ],
)
def test_the_exit_code_tells_what_became_of_the_run(
    daemon: ScriptedDaemon, folder: Path, arguments: tuple[str, ...], code: int
) -> None:
    done = run(daemon, folder, *arguments)

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_open_questions_are_told_and_do_not_hold_it_up(daemon: ScriptedDaemon, folder: Path) -> None:
    done = run(daemon, folder, "save-a-note", "how=other")

    assert "open question Is it always this note?" in done.stderr
    assert daemon.requests[0]["task"] == "save-a-note"
    assert daemon.requests[0]["params"] == {"How": "other"}
    assert daemon.requests[0]["workflow"] == ""


def test_a_task_is_tried_on_a_private_display_with_the_values_that_were_shown(
    daemon: ScriptedDaemon, folder: Path
) -> None:
    tried = vaider(
        "tasks", "try", "save-a-note", "--port", str(daemon.port), "--data-dir", str(folder / "data"), cwd=folder
    )

    assert tried.returncode == 0, tried.stderr
    assert (daemon.requests[0]["display"], daemon.requests[0]["params"]) == ("private", {})
    assert "It can be carried out: vaider run save-a-note" in tried.stdout
