"""``vaider tasks``: a task is read, answered, compared, restored and deleted, for people and for machines."""

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest

from core.tasks.heartbeat import Heartbeat
from core.tasks.questions import question_id
from storage.tasks.tasks import TaskFolders
from tests.fakes.daemons.commands import VAIDER, vaider

CALENDAR = question_id("Which calendar?")
WEEKEND = question_id("Is the weekend meant?")
TEXT = (
    "# Task\r\nSend the report\r\n\r\n## Questions\r\n- [required] Which calendar?\r\n"
    "- [ ] Is the weekend meant?\n\r\n## My own\r\n\tkept  \r\nno end"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The HEARTBEAT.md of the one task, `send-the-report`: CRLF with one LF in it, and no last line end."""
    made = TaskFolders(tmp_path / "tasks").add(Heartbeat(TEXT), by="learn", why="learned")
    return made.folder / "HEARTBEAT.md"


def _ask(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = vaider("tasks", *arguments, cwd=folder, environment={"VAIDER_DATA_DIR": str(folder)})
    assert done.returncode == code, done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def _json(folder: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    return json.loads(_ask(folder, *arguments, "--json", code=code).stdout)


def _rows(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_a_task_is_added_listed_shown_and_deleted_also_one_with_a_fault(tmp_path: Path) -> None:
    added = _json(tmp_path, "add", "Pay the bills")
    (tmp_path / "tasks" / "broken").mkdir()
    (tmp_path / "tasks" / "broken" / "HEARTBEAT.md").write_text("no \x1b[31mheading", encoding="utf-8")

    assert added["text"] == (tmp_path / "tasks" / "pay-the-bills" / "HEARTBEAT.md").read_text(encoding="utf-8")
    assert (added["id"], added["title"], added["fault"]) == ("pay-the-bills", "Pay the bills", "")
    listed = _json(tmp_path, "list")["tasks"]
    assert [(each["id"], each["title"], each["questions"]) for each in listed] == [
        ("broken", "broken", 0),
        ("pay-the-bills", "Pay the bills", 0),
    ]
    assert "no '# Task' heading" in listed[0]["fault"]
    assert "no �[31mheading" in _ask(tmp_path, "show", "broken").stdout
    assert _json(tmp_path, "rm", "broken", "--yes") == {"task": "broken", "removed": True}
    assert not (tmp_path / "tasks" / "broken").exists()


def test_an_empty_list_tells_how_to_make_one(tmp_path: Path) -> None:
    assert "vaider tasks add" in _ask(tmp_path, "list").stdout


def test_questions_tell_their_ids_and_how_one_is_answered(file: Path, tmp_path: Path) -> None:
    done = _ask(tmp_path, "questions", "send-the-report")
    reported = _json(tmp_path, "questions", "send-the-report")

    assert f"open, required {CALENDAR} Which calendar?" in _rows(done)
    assert f'vaider tasks answer send-the-report {CALENDAR} "…"' in done.stdout
    assert [(each["id"], each["state"], each["required"]) for each in reported["questions"]] == [
        (CALENDAR, "open", True),
        (WEEKEND, "open", False),
    ]
    assert (reported["task"], reported["version"]) == ("send-the-report", 1)
    assert file.read_bytes() == TEXT.encode()


def test_an_answer_leaves_everything_else_of_the_file_byte_for_byte(file: Path, tmp_path: Path) -> None:
    done = _ask(tmp_path, "answer", "send-the-report", CALENDAR, "Ann's ## one")

    assert "1 question is open" in done.stdout
    asked, answered = "- [required] Which calendar?\r\n", "- [x] Which calendar?\r\n  Answer: Ann's ## one\r\n"
    assert file.read_bytes() == TEXT.replace(asked, answered).encode()

    again = json.loads(_ask(tmp_path, "answer", "--json", "send-the-report", CALENDAR, "--", "-5").stdout)
    assert (again["question"]["state"], again["question"]["answer"]) == ("answered", "-5")
    assert file.read_bytes() == TEXT.replace(asked, answered.replace("Ann's ## one", "-5")).encode()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("answer", "send-the-report", f"{CALENDAR[:-1]}_", "Ann"), f"the nearest is '{CALENDAR}'"),
        (("show", "send-teh-report"), "Did you mean 'send-the-report'?"),
        (("rm", "send-the-report"), "confirm with --yes"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_and_changes_nothing(
    file: Path, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    assert says in _json(tmp_path, *arguments, code=2)["error"]
    assert file.read_bytes() == TEXT.encode()


def test_an_edit_by_hand_is_in_the_history_and_a_restored_version_can_be_taken_back(file: Path, tmp_path: Path) -> None:
    by_hand = TEXT.replace("no end", "with words of mine").encode()
    file.write_bytes(by_hand)

    versions = _json(tmp_path, "history", "send-the-report")["versions"]
    assert [(each["number"], each["by"]) for each in versions] == [(1, "learn"), (2, "hand")]
    compared = _ask(tmp_path, "diff", "send-the-report").stdout.splitlines()
    assert [line for line in compared if line[0] in "+-"][2:] == ["-no end␃", "+with words of mine␃"]

    restored = _ask(tmp_path, "restore", "send-the-report", "1")
    assert file.read_bytes() == TEXT.encode()
    assert "To take it back: vaider tasks restore send-the-report 2" in restored.stdout
    back = _json(tmp_path, "restore", "send-the-report", "2")
    assert (back["version"]["number"], back["version"]["by"]) == (4, "cli")
    assert file.read_bytes() == by_hand
    assert _json(tmp_path, "diff", "send-the-report", "2")["diff"] == ""
    rows = _rows(_ask(tmp_path, "history", "send-the-report"))
    assert any(row.startswith("2 ") and " hand edited by hand " in row for row in rows)


@pytest.mark.parametrize(("typed", "code", "is_left"), [(b"n\n", 130, True), (b"y\n", 0, False)])
def test_rm_asks_on_a_terminal(file: Path, tmp_path: Path, typed: bytes, code: int, *, is_left: bool) -> None:
    leader, follower = pty.openpty()
    os.write(leader, typed)
    command = [VAIDER, "tasks", "rm", "send-the-report", "--data-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, stdin=follower, capture_output=True, timeout=30, check=False)
    os.close(follower)
    os.close(leader)

    assert done.returncode == code
    assert b"Delete send-the-report for good" in done.stderr
    assert file.exists() is is_left


def test_tasks_are_completed_in_the_shell(file: Path, tmp_path: Path) -> None:
    completing = {"_VAIDER_COMPLETE": "bash_complete", "COMP_WORDS": "vaider tasks show s", "COMP_CWORD": "3"}
    done = vaider(cwd=tmp_path, environment={**completing, "VAIDER_DATA_DIR": str(tmp_path)})

    assert done.stdout.split() == [f"plain,{file.parent.name}"]
