"""``vaider tasks schedule``: repeats back what it understood, refuses what it does not, and says when nothing fires."""

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.schedules.ports import Entry, Outcome, State
from core.tasks.heartbeat import Heartbeat
from server.identity import installation
from storage.database import Database
from storage.schedules import SqlSchedules
from storage.tasks.tasks import TaskFolders
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon

TASK = "send-the-report"
NOBODY = 9
"""The discard port: no daemon is there."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = TaskFolders(tmp_path / "tasks").add(Heartbeat.new("Send the report"), by="test", why="made")
    return made.folder / "HEARTBEAT.md"


def _ask(folder: Path, *arguments: str, code: int = 0, port: int = NOBODY) -> subprocess.CompletedProcess[str]:
    environment = {"VAIDER_DATA_DIR": str(folder), "VAIDER_PORT": str(port), "TZ": "Europe/Helsinki"}
    done = vaider("tasks", *arguments, cwd=folder, environment=environment)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def _schedule(folder: Path, *arguments: str, code: int = 0, port: int = NOBODY) -> dict[str, Any]:
    return json.loads(_ask(folder, "schedule", TASK, *arguments, "--json", code=code, port=port).stdout)


def _doctor(folder: Path) -> dict[str, Any]:
    environment = {"VAIDER_DATA_DIR": str(folder), "VAIDER_PORT": str(NOBODY)}
    checks = json.loads(vaider("doctor", "--json", cwd=folder, environment=environment).stdout)["checks"]
    (found,) = [check for check in checks if check["name"] == "schedules"]
    return found


def test_a_schedule_is_repeated_back_with_five_times_and_the_zone_and_says_that_nothing_fires_without_a_daemon(
    file: Path, tmp_path: Path
) -> None:
    text = _ask(tmp_path, "schedule", TASK, "every weekday at 9:00", "--tz", "Europe/Berlin", "--missed", "all").stdout

    assert "Every weekday at 09:00, Europe/Berlin time; each time that is missed is made up for." in text
    assert sum(line.endswith((" 09:00 +01:00", " 09:00 +02:00")) for line in text.splitlines()) == 5
    assert "no daemon runs" in text
    assert "every weekday at 09:00 (Europe/Berlin), missed: all\n" in file.read_text(encoding="utf-8")
    assert [version.by for version in TaskFolders(tmp_path / "tasks").history(TASK)] == ["test", "cli"]


def test_a_schedule_that_is_made_while_a_daemon_runs_needs_no_warning(
    file: Path, tmp_path: Path, daemon: ScriptedDaemon
) -> None:
    assert file.exists()
    assert _schedule(tmp_path, "every hour", port=daemon.port)["daemon"] is True
    assert _schedule(tmp_path)["daemon"] is False


def test_the_zone_is_the_machines_unless_it_is_said_and_options_change_what_there_is(
    file: Path, tmp_path: Path
) -> None:
    assert _schedule(tmp_path, "every day at 9:00")["zone"] == "Europe/Helsinki"
    changed = _schedule(tmp_path, "--missed", "skip", "--display", "private")

    assert changed["line"] == "every day at 09:00 (Europe/Helsinki), missed: skip, display: private"
    assert changed["line"] in file.read_text(encoding="utf-8")


def test_words_that_count_from_now_become_a_moment(file: Path, tmp_path: Path) -> None:
    before = datetime.now(UTC)
    reported = _schedule(tmp_path, "in 90 minutes")

    moment = datetime.fromisoformat(reported["at"])
    assert 5390 < (moment - before).total_seconds() < 5460
    assert reported["next"] == [reported["at"]]
    assert f"at {moment:%Y-%m-%d %H:%M}" in file.read_text(encoding="utf-8")


def test_a_dry_run_writes_nothing_and_removing_leaves_the_rest(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    assert "Nothing was written." in _ask(tmp_path, "schedule", TASK, "every hour", "--dry-run").stdout
    assert file.read_bytes() == before
    _ask(tmp_path, "schedule", TASK, "every hour")
    assert "is not scheduled any more" in _ask(tmp_path, "schedule", TASK, "--remove").stdout
    assert file.read_bytes().rstrip() == before.rstrip()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["when I like", "--tz", "Europe/Berlin"], 'write for example "every weekday at 9:00"'),
        (["every day at 9:00", "--remove"], "either when, or --remove"),
        (["--missed", "all"], "there is no schedule to change yet"),
        (["--dry-run"], "say when"),
    ],
)
def test_what_is_not_understood_is_refused_with_a_hint_and_nothing_is_written(
    file: Path, tmp_path: Path, arguments: list[str], hint: str
) -> None:
    before = file.read_bytes()

    assert hint in _schedule(tmp_path, *arguments, code=2)["error"]
    assert file.read_bytes() == before


def test_lists_tell_the_next_time_and_what_is_not_understood_and_so_does_the_doctor(file: Path, tmp_path: Path) -> None:
    _ask(tmp_path, "schedule", TASK, "every day at 9:00", "--tz", "UTC")
    assert " 09:00 +00:00" in _ask(tmp_path, "list").stdout
    reported = json.loads(_ask(tmp_path, "list", "--json").stdout)["tasks"][0]
    assert reported["schedule"] == "every day at 09:00"
    assert datetime.fromisoformat(reported["next"]) > datetime.now(UTC)
    file.write_text("# Task\nSend the report\n\n## Schedule\nnow and then\n", encoding="utf-8")

    assert "schedule not understood" in " ".join(_ask(tmp_path, "list").stdout.split())
    assert "The schedule is not understood, and nothing fires" in _ask(tmp_path, "show", TASK).stdout
    assert "nothing fires" in json.loads(_ask(tmp_path, "show", TASK, "--json").stdout)["schedule"]["fault"]
    found = _doctor(tmp_path)
    assert found["state"] == "bad"
    assert found["detail"] == "0 tasks are scheduled; schedule not understood: send-the-report"


@pytest.mark.nightly
def test_what_was_decided_is_told_with_the_reason(file: Path, tmp_path: Path) -> None:
    assert file.exists()
    _schedule(tmp_path, "every day at 9:00", "--tz", "Europe/Berlin")
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    kept = SqlSchedules(database, installation(tmp_path))
    state = kept.begin(TASK, "every day at 09:00 (Europe/Berlin), missed: once", datetime.now(UTC))
    why = "Somebody was at the display :0 2 s before; it must be idle for 60 s."
    entry = Entry(moment="2027-01-04T08:00:00Z", outcome=Outcome.MISSED, reason=why, decided_at="2027-01-04T08:00:01Z")
    assert kept.note(TASK, State(key=state.key, handled=datetime(2027, 1, 4, 8, tzinfo=UTC)), [entry])
    database.close()

    text = " ".join(_ask(tmp_path, "schedule", TASK, "--log").stdout.split())
    assert "Mon 2027-01-04 09:00 +01:00 missed Somebody was at the display :0" in text
    assert _schedule(tmp_path)["log"] == [entry.model_dump(mode="json")]
    found = _doctor(tmp_path)
    assert found["state"] == "note"
    assert found["detail"].startswith("1 task is scheduled; missed: send-the-report at ")
    assert why in found["detail"]
