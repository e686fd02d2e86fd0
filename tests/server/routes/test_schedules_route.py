"""``/tasks/{id}/schedule``: what is understood is repeated back and written into the task's file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from core.tasks.heartbeat import Heartbeat
from storage.tasks.tasks import TaskFolders
from tests.fakes.daemons.memory_daemon import Daemon

PLACE = "/tasks/send-the-report/schedule"


@pytest.fixture
def file(settings: Settings) -> Path:
    made = TaskFolders(settings.data_path / "tasks").add(Heartbeat.new("Send the report"), by="test", why="made")
    return made.folder / "HEARTBEAT.md"


def _put(daemon: Daemon, status: int = 200, **body: Any) -> dict[str, Any]:
    answer = daemon.http.put(PLACE, json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_schedule_is_repeated_back_with_its_next_five_times_and_written_into_the_file(
    daemon: Daemon, file: Path
) -> None:
    reported = _put(daemon, schedule="every weekday at 9am", zone="europe/berlin", missed="all", display="current")

    assert reported["schedule"] == "every weekday at 09:00"
    assert reported["understood"].startswith("Every weekday at 09:00, Europe/Berlin time; each time that is missed")
    assert (reported["crons"], reported["at"], reported["zone"], reported["missed"]) == (
        ["0 9 * * 1-5"],
        None,
        "Europe/Berlin",
        "all",
    )
    times = [datetime.fromisoformat(each) for each in reported["next"]]
    assert len(times) == 5
    assert times == sorted(times)
    assert all(each.hour == 9 and each.weekday() < 5 and each > datetime.now(UTC) for each in times)
    line = "every weekday at 09:00 (Europe/Berlin), missed: all, display: current"
    assert file.read_text(encoding="utf-8").endswith(f"\n## Schedule\n{line}\n")
    assert daemon.http.get(PLACE).json() == {**reported, "line": line}


def test_a_dry_run_writes_nothing(daemon: Daemon, file: Path) -> None:
    before = file.read_bytes()

    assert _put(daemon, schedule="every hour", dry_run=True)["schedule"] == "every hour"
    assert file.read_bytes() == before


def test_what_was_scheduled_is_taken_away_and_the_rest_of_the_file_stays(daemon: Daemon, file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    _put(daemon, schedule="every hour")
    reported = daemon.http.delete(PLACE).json()

    assert (reported["schedule"], reported["next"], reported["fault"]) == ("", [], "")
    assert file.read_text(encoding="utf-8").rstrip() == before.rstrip()


def test_a_line_by_hand_that_is_not_understood_is_told_replaced_and_removed(daemon: Daemon, file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    file.write_text(f"{before}\n## Schedule\n<!-- mine -->\nnow and then\n", encoding="utf-8")
    reported = daemon.http.get(PLACE).json()
    assert reported["fault"].startswith("The schedule is not understood, and nothing fires: ")
    assert "now and then" in reported["line"]
    assert reported["next"] == []
    _put(daemon, schedule="every hour")
    assert "<!-- mine -->\nevery hour (UTC), missed: once\n" in file.read_text(encoding="utf-8")
    daemon.http.delete(PLACE)

    assert file.read_text(encoding="utf-8").endswith("## Schedule\n<!-- mine -->\n")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"schedule": "every second"}, "second"),
    ({"schedule": "now and then"}, "is not understood"),
    ({"schedule": "every day at 9:00", "zone": "Europe/Berln"}, "did you mean Europe/Berlin"),
    ({"schedule": "at 2001-01-01 9:00"}, "is past"),
    ({"schedule": "every day at 9:00 (Asia/Tokyo)", "zone": "UTC"}, "another zone"),
    ({"schedule": "every day at 9:00", "display": "left"}, "'display'"),
    ({"schedule": "every day at 9:00", "missed": "never"}, "'missed'"),
    ({"schedule": ""}, "'schedule'"),
    ({}, "'schedule'"),
    ({"schedule": "every day at 9:00", "extra": 1}, "'extra'"),
]


def test_what_is_wrong_is_refused_with_what_to_do_and_nothing_is_written(daemon: Daemon, file: Path) -> None:
    before = file.read_bytes()

    assert [complaint in _put(daemon, 400, **body)["error"] for body, complaint in REFUSED] == [True] * len(REFUSED)
    assert file.read_bytes() == before


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_task_that_does_not_exist_is_not_found_with_the_nearest_one(daemon: Daemon, file: Path, method: str) -> None:
    assert file.exists()
    answer = daemon.http.request(method, "/tasks/send-the-reprot/schedule")

    assert answer.status_code == 404
    assert "'send-the-report'" in answer.json()["error"]
