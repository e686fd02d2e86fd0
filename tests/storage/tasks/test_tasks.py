"""Tasks in folders: made once, never written over, every state of them kept."""

import os
import time
from pathlib import Path

import pytest

from core.errors import Conflict, InvalidPath, InvalidRequest, InvalidVideo, NotFound, TooLarge
from core.tasks.heartbeat import Heartbeat
from core.tasks.ports import Tasks
from storage.tasks.tasks import TaskFolders, task_name

TEXT = "# Task\r\nSend it\r\n\r\n## Questions\r\n- [required] To whom?\r\n- When?"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data" / "tasks"


@pytest.fixture
def tasks(root: Path) -> Tasks:
    return TaskFolders(root)


@pytest.fixture
def sent(tasks: Tasks) -> str:
    """The id of a task with two questions."""
    return tasks.add(Heartbeat(TEXT), by="test", why="learned").id


def file_of(root: Path, task_id: str) -> Path:
    return root / task_id / "HEARTBEAT.md"


def test_a_task_is_made_once(tasks: Tasks, root: Path) -> None:
    made = tasks.create("Send the Weekly Report!")
    assert made.id == "send-the-weekly-report"
    assert file_of(root, made.id).read_bytes() == b"# Task\nSend the Weekly Report!\n\n## Questions\n"
    assert sorted(path.name for path in made.folder.iterdir()) == [".versions", "HEARTBEAT.md", "recordings", "runs"]
    answered = tasks.change(made.id, lambda it: it.with_questions(["q"]), by="test", why="asked")
    assert tasks.create("send the weekly report").heartbeat == answered.heartbeat
    assert [each.id for each in tasks.list()] == [made.id]
    assert tasks.list()[0].open_questions == 1
    assert {oct(path.stat().st_mode & 0o077) for path in root.rglob("*")} == {"0o0"}


def test_a_second_task_of_one_title_gets_an_id_of_its_own(tasks: Tasks, sent: str) -> None:
    other = tasks.add(Heartbeat("# Task\nSend it\n"), by="test", why="learned")
    assert (sent, other.id) == ("send-it", "send-it-2")
    assert tasks.load(sent).heartbeat.text == TEXT


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("/abs\\olute: *?", "abs-olute"),
        (".hidden --", "hidden"),
        ("报告 à Ann", "报告-à-ann"),
        ("???", "task"),
        ("CON", "task-con"),
        ("word " * 40, "-".join(["word"] * 12)),
    ],
)
def test_an_id_is_a_tame_name_below_the_folder(tasks: Tasks, root: Path, title: str, expected: str) -> None:
    assert task_name(title) == expected
    made = tasks.create(title.strip()[:190])
    assert made.folder == root / expected
    assert sorted(path.name for path in root.iterdir()) == [expected]


@pytest.mark.parametrize("name", ["../tasks", "..", ".versions", "a/b", "", "/etc", "x" * 300, "a\0", "sendit"])
def test_what_is_no_task_is_not_found(tasks: Tasks, sent: str, root: Path, name: str) -> None:
    for call in (tasks.load, tasks.history, tasks.remove):
        with pytest.raises(NotFound, match=r"There is no task .*send-it" if name == "sendit" else "There is no task"):
            call(name)
    assert [path.name for path in root.iterdir()] == [sent]


def test_a_link_in_the_place_of_what_is_a_tasks_is_refused(tasks: Tasks, sent: str, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "HEARTBEAT.md").write_text("# Task\nmine\n")
    (root / "linked").symlink_to(outside)
    assert [each.id for each in tasks.list()] == [sent]
    for name in ("HEARTBEAT.md", ".versions", None):
        task_id = "linked" if name is None else sent
        if name is not None:
            place = root / sent / name
            place.rename(tmp_path / "away")
            place.symlink_to(outside / "HEARTBEAT.md" if name == "HEARTBEAT.md" else outside)
        with pytest.raises(InvalidPath):
            tasks.change(task_id, lambda it: it.with_questions(["q"]), by="test", why="asked")
        if name is not None:
            (root / sent / name).unlink()
            (tmp_path / "away").rename(root / sent / name)
    with pytest.raises(InvalidPath):
        tasks.create("linked")
    assert [path.name for path in outside.iterdir()] == ["HEARTBEAT.md"]
    assert (outside / "HEARTBEAT.md").read_text() == "# Task\nmine\n"


def test_nothing_is_written_over_an_edit_that_was_not_read(tasks: Tasks, sent: str, root: Path) -> None:
    read = tasks.load(sent)
    by_hand = TEXT.replace("Send it", "Send it all").encode()
    file_of(root, sent).write_bytes(by_hand)
    with pytest.raises(Conflict, match="changed by hand since it was read") as conflict:
        tasks.save(sent, read.heartbeat.with_questions(["q"]), read=read.version, by="test", why="asked")
    assert file_of(root, sent).read_bytes() == by_hand
    again = tasks.load(sent)
    assert again.version.number == conflict.value.details["version"] == 2
    saved = tasks.save(sent, again.heartbeat.with_questions(["q"]), read=again.version, by="test", why="asked")
    assert file_of(root, sent).read_bytes() == saved.heartbeat.to_bytes() == by_hand + b"\r\n- [ ] q"
    assert [(each.number, each.by, each.why) for each in tasks.history(sent)] == [
        (1, "test", "learned"),
        (2, "hand", "edited by hand"),
        (3, "test", "asked"),
    ]


def test_an_edit_by_hand_while_a_change_is_made_is_kept_and_changed_too(tasks: Tasks, sent: str, root: Path) -> None:
    looks: list[str] = []

    def answer(heartbeat: Heartbeat) -> Heartbeat:
        looks.append(heartbeat.text)
        if len(looks) == 1:
            file_of(root, sent).write_text(heartbeat.text.replace("Send it", "By hand"), newline="")
        return heartbeat.with_answer(heartbeat.questions[0].id, "Ann")

    changed = tasks.change(sent, answer, by="test", why="answered")
    assert len(looks) == 2
    assert changed.heartbeat.title == "By hand"
    assert changed.heartbeat.questions[0].answer == "Ann"
    assert [each.by for each in tasks.history(sent)] == ["test", "hand", "test"]


def test_versions_are_told_apart_and_restored_as_new_ones(tasks: Tasks, sent: str, root: Path) -> None:
    question = tasks.load(sent).heartbeat.questions[0].id
    tasks.change(sent, lambda it: it.with_answer(question, "Ann"), by="cli", why="answered")
    tasks.change(sent, lambda it: it.with_answer(question, "Ann"), by="cli", why="answered again")
    assert [each.number for each in tasks.history(sent)] == [1, 2]
    assert tasks.diff(sent, 1, 2).splitlines()[3:] == [
        " Send it␍",
        " ␍",
        " ## Questions␍",
        "-- [required] To whom?␍",
        "+- [x] To whom?␍",
        "+  Answer: Ann␍",
        " - When?␃",
    ]
    assert tasks.diff(sent, 2, 2) == ""
    file_of(root, sent).write_bytes(b"\xff\0")
    with pytest.raises(InvalidRequest, match="restore an earlier version"):
        tasks.load(sent)
    assert "no UTF-8" in tasks.list()[0].fault
    restored = tasks.restore(sent, 1, by="cli")
    assert file_of(root, sent).read_bytes() == TEXT.encode()
    assert (restored.version.number, restored.version.why) == (4, "restored version 1")
    assert tasks.content(sent, 3) == b"\xff\0"
    with pytest.raises(NotFound, match="there are 1 to 4"):
        tasks.restore(sent, 5, by="cli")
    file_of(root, sent).unlink()
    assert tasks.list() == []
    with pytest.raises(NotFound):
        tasks.load(sent)
    assert tasks.restore(sent, 2, by="cli").heartbeat.questions[0].answer == "Ann"


def test_a_file_over_the_limit_is_neither_read_nor_overwritten(tasks: Tasks, sent: str, root: Path) -> None:
    read = tasks.load(sent)
    with file_of(root, sent).open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(TooLarge, match="8 MiB"):
        tasks.load(sent)
    with pytest.raises(TooLarge, match="8 MiB"):
        tasks.restore(sent, 1, by="cli")
    with pytest.raises(Conflict):
        tasks.save(sent, read.heartbeat.with_questions(["q"]), read=read.version, by="test", why="asked")
    assert file_of(root, sent).stat().st_size == 50_000_000
    assert len(tasks.history(sent)) == 1


def test_what_is_no_task_is_not_saved(tasks: Tasks, sent: str) -> None:
    read = tasks.load(sent)
    with pytest.raises(InvalidRequest, match="# Task"):
        tasks.save(sent, Heartbeat("## Questions\n"), read=read.version, by="test", why="?")
    with pytest.raises(InvalidRequest, match="# Task"):
        tasks.add(Heartbeat("no task"), by="test", why="?")
    assert tasks.load(sent) == read


def test_a_task_is_removed_with_all_it_has(tasks: Tasks, sent: str, root: Path) -> None:
    (root / sent / "runs" / "run-1.md").write_text("x")
    read = tasks.load(sent)
    tasks.remove(sent)
    assert list(root.iterdir()) == []
    for call in (tasks.load, tasks.remove, tasks.history):
        with pytest.raises(NotFound):
            call(sent)
    with pytest.raises(NotFound):
        tasks.save(sent, read.heartbeat, read=read.version, by="test", why="too late")


def test_recordings_are_copied_under_names_of_their_own(tasks: Tasks, sent: str, root: Path, tmp_path: Path) -> None:
    video = tmp_path / "My démo (1)!.MP4"
    video.write_bytes(b"video")
    began = int(time.time())
    first, second = tasks.add_recording(sent, video), tasks.add_recording(sent, video)
    assert first != second
    assert sorted(path.name for path in (root / sent / "recordings").iterdir()) == sorted([first.name, second.name])
    assert first.name.partition("-")[2] == "My-démo-1.mp4"
    assert began <= int(first.name.partition("-")[0]) <= time.time()
    assert second.read_bytes() == video.read_bytes() == b"video"
    (root / sent / "recordings" / ".0123456789abcdef.part").write_bytes(b"left")
    os.utime(root / sent / "recordings" / ".0123456789abcdef.part", (1, 1))
    tasks.add_recording(sent, video)
    assert not list((root / sent / "recordings").glob(".*"))


def test_what_is_no_recording_is_refused(tasks: Tasks, sent: str, root: Path, tmp_path: Path) -> None:
    empty, text, large, folder = (tmp_path / name for name in ("e.mp4", "notes.txt", "l.mov", "d.mp4"))
    empty.touch()
    text.write_text("x")
    folder.mkdir()
    with large.open("wb") as file:
        file.truncate(2 * 1024**3 + 1)
    for path, error, sentence in (
        (empty, InvalidVideo, "is empty"),
        (text, InvalidVideo, r"must end in one of .*\.mp4"),
        (large, TooLarge, "larger than 2 GB"),
        (folder, InvalidPath, "is no file"),
        (tmp_path / "none.mp4", InvalidPath, "No such file"),
    ):
        with pytest.raises(error, match=sentence):
            tasks.add_recording(sent, path)
    assert list((root / sent / "recordings").iterdir()) == []
    (root / sent / "recordings").rmdir()
    (root / sent / "recordings").symlink_to(tmp_path)
    text.rename(tmp_path / "v.mp4")
    with pytest.raises(InvalidPath, match="symbolic link"):
        tasks.add_recording(sent, tmp_path / "v.mp4")
