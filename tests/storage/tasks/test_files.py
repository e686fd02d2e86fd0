"""The file of a task under several writers, kills and a full disk: the old or the new, and no answer lost."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.tasks.heartbeat import Heartbeat
from core.tasks.ports import Tasks
from storage.tasks.tasks import TaskFolders

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
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


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


ANSWERER = """
import sys
from pathlib import Path
from storage.tasks.tasks import TaskFolders

tasks, task_id, own, way = TaskFolders(Path(sys.argv[1])), sys.argv[2], sys.argv[3], sys.argv[4]
from core.errors import Conflict
for at in range(15):
    def edit(heartbeat):
        asked = heartbeat.with_questions([f"Is {own} {at} right?"])
        return asked.with_answer(asked.questions[-1].id, f"{own} says {at}")
    while True:
        try:
            if way == "change":
                tasks.change(task_id, edit, by=own, why="asked")
            else:
                stored = tasks.load(task_id)
                tasks.save(task_id, edit(stored.heartbeat), read=stored.version, by=own, why="asked")
            break
        except Conflict:
            assert way == "save"
"""


def test_of_processes_that_write_at_once_none_loses_an_answer(tasks: Tasks, sent: str, root: Path) -> None:
    writers = [
        python(ANSWERER, str(root), sent, name, way) for name, way in (("a", "change"), ("b", "change"), ("c", "save"))
    ]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    answers = {each.text: each.answer for each in tasks.load(sent).heartbeat.questions}
    assert len(answers) == 2 + 45
    assert {f"Is {own} {at} right?": f"{own} says {at}" for own in "abc" for at in range(15)}.items() <= answers.items()
    history = tasks.history(sent)
    assert [each.number for each in history] == list(range(1, 47))
    assert {each.by for each in history} == {"test", "a", "b", "c"}


KILLED = """
import os, signal, sys
from pathlib import Path
from core.tasks.heartbeat import Heartbeat
from storage.tasks.tasks import TaskFolders

tasks = TaskFolders(Path(sys.argv[1]))

def die_at(left):
    def count(event, arguments):
        # Whatever changes the disk is announced here before it is done.
        nonlocal left
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in {"os.rename", "os.link", "os.remove", "os.mkdir"}:
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    tasks.change(task_id, lambda it: it.with_answer(it.questions[0].id, "Ann"), by="killed", why="answered")
    os._exit(0)

for left in range(100):
    task_id = tasks.add(Heartbeat(sys.argv[2]), by="test", why="learned").id
    child = os.fork()
    if not child:
        die_at(left)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(task_id, status)
    if not status:
        break
"""


def test_a_process_killed_between_any_two_writes_leaves_the_old_or_the_new(tasks: Tasks, root: Path) -> None:
    text = python(KILLED, str(root), TEXT).communicate(timeout=60)[0]
    killed = [line.split() for line in text.splitlines()]
    assert [int(status) for _, status in killed] == [-signal.SIGKILL] * (len(killed) - 1) + [0]
    new = Heartbeat(TEXT).with_answer(Heartbeat(TEXT).questions[0].id, "Ann").to_bytes()
    seen: list[list[str]] = []
    for task_id, _ in killed:
        written = file_of(root, task_id).read_bytes()
        assert written in {TEXT.encode(), new}
        assert tasks.load(task_id).heartbeat.to_bytes() == written
        history = tasks.history(task_id)
        seen.append([each.by for each in history])
        assert seen[-1] == (["test", "killed"] if written == new else ["test"])
        assert tasks.content(task_id, history[-1].number) == written
        names = [path.name for path in (root / task_id).rglob("*")]
        assert [name for name in names if name.endswith(".tmp") or name == "pending.json"] == []
    assert len(seen) > 8
    assert [seen.index(["test"]), seen[-1]] == [0, ["test", "killed"]]
    # Killed after the file was replaced, but before its version was kept.
    assert seen[-2] == ["test", "killed"]


FULL = """
import resource, sys
from pathlib import Path
from core.errors import StorageFailed
from storage.tasks.tasks import TaskFolders

tasks = TaskFolders(Path(sys.argv[1]))
for limit in (0, 100, 300, 1000):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        tasks.change(sys.argv[2], lambda it: it.with_answer(it.questions[0].id, "x" * 2000), by="full", why="answered")
    except StorageFailed as failure:
        print(failure.message)
    try:
        tasks.add_recording(sys.argv[2], Path(sys.argv[3]))
    except StorageFailed as failure:
        print(failure.message)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
"""


def test_a_full_disk_leaves_the_old_file_and_no_half_recording(
    tasks: Tasks, sent: str, root: Path, tmp_path: Path
) -> None:
    video = tmp_path / "demo.mp4"
    video.write_bytes(b"v" * 5000)
    process = python(FULL, str(root), sent, str(video))
    reported = process.communicate(timeout=30)[0].splitlines()
    assert process.returncode == 0
    assert [line.startswith("There is no room left to write") for line in reported] == [True] * 8
    assert file_of(root, sent).read_bytes() == TEXT.encode()
    assert list((root / sent / "recordings").iterdir()) == []
    assert [each.number for each in tasks.history(sent)] == [1]
    assert tasks.create("Another").id == "another"


HOLDER = """
import sys
from pathlib import Path
from storage.tasks.tasks import TaskFolders

def edit(heartbeat):
    print("held", flush=True)
    sys.stdin.readline()
    return heartbeat.with_questions(["held?"])

TaskFolders(Path(sys.argv[1])).change(sys.argv[2], edit, by="holder", why="slow")
"""


def test_a_task_that_another_process_changes_is_waited_for(tasks: Tasks, sent: str, root: Path) -> None:
    read: list[str] = []
    with python(HOLDER, str(root), sent) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        reader = threading.Thread(target=lambda: read.append(tasks.load(sent).heartbeat.questions[-1].text))
        reader.start()
        reader.join(0.2)
        assert read == []
        holder.communicate("go\n", timeout=10)
        reader.join(10)
    assert read == ["held?"]
