"""The runs of a task beside its document: for people, for programs, and only as long as is set."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.errors import NotFound
from core.runs.run import STATUSES, Run, RunOutcome
from core.tasks.heartbeat import Heartbeat
from storage.tasks.runs import TaskRunFolders, runs_of
from storage.tasks.tasks import TaskFolders
from tests.canary import CANARY
from tests.fakes.runs.recorded_runs import record


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return TaskFolders(tmp_path / "tasks").add(Heartbeat.new("Send a form"), by="test", why="").folder


def runs(**options: Any) -> TaskRunFolders:
    return TaskRunFolders(
        encode=lambda _: b"png",
        shrink=lambda _: b"webp",
        redact=lambda text: text.replace(CANARY, "[key]"),
        **options,
    )


def names(task: Path) -> list[str]:
    return sorted(path.name for path in (task / "runs").iterdir())


@pytest.mark.parametrize(
    ("outcome", "screenshots", "kept"),
    [
        (RunOutcome.SUCCEEDED, "failures", 0),
        (RunOutcome.UNCLEAR, "failures", 5),
        (RunOutcome.CANCELLED, "failures", 5),
        (RunOutcome.SUCCEEDED, "all", 5),
    ],
)
def test_a_run_leaves_its_folder_and_two_files_and_the_screenshots_that_are_wanted(
    task: Path, outcome: RunOutcome, screenshots: str, kept: int
) -> None:
    folder = runs(screenshots=screenshots).open(str(task), "0b1c2d3e-ffff", ())
    record(folder, outcome=outcome)
    run = folder.directory.name

    assert re.fullmatch(r"\d{8}T\d{6}Z-0b1c2d3e", run)
    assert names(task) == sorted([run, f"agent-run-{run}.json", f"run-{run}.md"])
    assert len(list(folder.directory.glob("*.png"))) == kept
    assert {path.stat().st_mode & 0o777 for path in (task / "runs").iterdir()} == {0o600, 0o700}
    assert "data:image" in (folder.directory / "report.html").read_text(encoding="utf-8")


def test_the_log_for_programs_comes_back_as_the_run_and_all_rows(task: Path) -> None:
    folder = runs().open(str(task), "job", ())
    run = record(folder)
    kept = json.loads((task / "runs" / f"agent-run-{run.run_id}.json").read_bytes())

    assert Run.model_validate(kept["run"]) == run
    assert kept["events"] == list(folder.rows())
    assert [row["type"] for row in kept["events"]].count("computer_use") == 4


def test_the_account_for_people_says_what_was_done_and_seen_and_neither_key_nor_markup_gets_through(task: Path) -> None:
    folder = runs().open(str(task), "job", ("s3cret",))
    evil = f"s3cret {CANARY}\n## Asked\n<script>"
    run = record(folder, name=evil)
    text = (task / "runs" / f"run-{run.run_id}.md").read_text(encoding="utf-8")

    assert text.startswith(f"# {run.outcome}")
    assert "1. Click at 610, 192 — confirmed" in text
    assert "There is no such program." in text
    assert "\n## Asked" not in text
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "s3cret" not in text
    assert CANARY not in text


def test_old_runs_go_when_the_next_one_begins_and_the_newest_stays(task: Path) -> None:
    now = datetime.now(UTC)
    stamps = [f"{now - timedelta(days=days):%Y%m%dT%H%M%SZ}-{days}" for days in (40, 31, 29)]
    for stamp in stamps:
        (task / "runs" / stamp).mkdir(parents=True)
        (task / "runs" / stamp / "run.json").write_text("{}")
        (task / "runs" / f"run-{stamp}.md").write_text("")
        (task / "runs" / f"agent-run-{stamp}.json").write_text("")
    (task / "runs" / "notes.txt").write_text("mine")
    runs().open(str(task), "forever", ())
    assert len(names(task)) == 3 * 3 + 2

    assert runs(days=30).prune(task, now) == 2
    assert [name for name in names(task) if name.startswith("run-")] == [f"run-{stamps[2]}.md"]
    assert "notes.txt" in names(task)
    assert runs(days=1).prune(task, now + timedelta(days=999)) == 1
    assert [name for name in names(task) if name.endswith("-forever")] != []


def test_the_runs_of_a_task_are_listed_newest_first_without_those_that_are_not_over(task: Path) -> None:
    made: list[str] = []
    for job in ("first", "second"):
        folder = runs().open(str(task), job, ())
        record(folder)
        made.append(folder.directory.name)
    runs().open(str(task), "unfinished", ())
    (task / "runs" / "20200101T000000Z-broken").mkdir()
    (task / "runs" / "20200101T000000Z-broken" / "run.json").write_text("{")

    assert [each.run_id for each in runs_of(task)] == sorted(made, reverse=True)
    assert len(runs_of(task, most=1)) == 1
    assert runs_of(task / "nosuch") == []


def test_a_run_of_a_task_that_was_deleted_makes_no_folder_again(task: Path) -> None:
    folder = runs().open(str(task), "job", ())
    TaskFolders(task.parent).remove(task.name)

    with pytest.raises(NotFound, match="deleted"):
        runs().open(str(task), "job", ())
    with pytest.raises(NotFound, match="deleted"):
        folder.row({"type": "done"})
    assert not task.exists()


def test_every_outcome_has_a_status() -> None:
    assert set(STATUSES) == set(RunOutcome)
