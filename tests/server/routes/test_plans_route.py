"""``/tasks/{id}/plan`` and ``recordings``: the plan as a list, and the film beside it."""

from pathlib import Path

import pytest

from core.tasks.heartbeat import Heartbeat
from core.tasks.ports import StoredTask
from tests.fakes.daemons.memory_daemon import Daemon

SAMPLE = Path(__file__).parents[3] / "samples" / "checkout.mp4"
TASK = """\
# Task
Title: Greet
SuggestedPlan:
1. Type "Ada" into the "Name" field. (inferred)
2. Press Enter.
Evidence:
- [00:04-00:06] Step 1 (inferred): Type "Ada" into the "Name" field.

## Questions
- [ ] Is the title meant too?
"""


@pytest.fixture
def task(daemon: Daemon) -> StoredTask:
    return daemon.services.tasks.add(Heartbeat(TASK), by="test", why="for a test")


def test_a_task_tells_its_plan_with_the_moments_of_its_film(daemon: Daemon, task: StoredTask) -> None:
    before = daemon.http.get(f"/tasks/{task.id}").json()
    daemon.services.tasks.add_recording(task.id, SAMPLE)
    whole = daemon.http.get(f"/tasks/{task.id}").json()

    assert (before["film"], whole["film"].endswith("-checkout.mp4")) == ("", True)
    assert whole["plan"][0] == {
        "number": 1,
        "text": 'Type "Ada" into the "Name" field.',
        "inferred": True,
        "t_ms": 4000,
        "until_ms": 6000,
    }
    assert whole["questions"][0]["proposed"] == ["Yes.", "No."]


def test_the_plan_is_written_over_the_version_that_was_read_alone(daemon: Daemon, task: StoredTask) -> None:
    path = f"/tasks/{task.id}/plan"
    done = daemon.http.put(path, json={"steps": ["Press Tab.", 'Type "Ada" into the "Name" field.'], "version": 1})
    late = daemon.http.put(path, json={"steps": ["Press Tab."], "version": 1})
    none = daemon.http.put(path, json={"steps": [" "], "version": 2})

    assert [each["t_ms"] for each in done.json()["plan"]] == [0, 4000]
    assert '1. Press Tab.\n2. Type "Ada" into the "Name" field. (inferred)\nEvidence:' in done.json()["text"]
    assert (late.status_code, none.status_code) == (409, 400)
    assert "each says what is to be done" in none.json()["error"]


def test_a_film_is_sent_in_part_and_nothing_else_of_the_folder_is(daemon: Daemon, task: StoredTask) -> None:
    name = daemon.services.tasks.add_recording(task.id, SAMPLE).name
    folder = task.folder / "recordings"
    (folder / "notes.mp4").write_text("no film")
    (folder / "link.mp4").symlink_to(SAMPLE)
    part = daemon.http.get(f"/tasks/{task.id}/recordings/{name}", headers={"Range": "bytes=0-99"})

    assert (part.status_code, part.headers["content-type"]) == (206, "video/mp4")
    assert part.content == SAMPLE.read_bytes()[:100]
    for other in ("notes.mp4", "link.mp4", "HEARTBEAT.md", "..%2FHEARTBEAT.md", "nosuch.mp4"):
        assert daemon.http.get(f"/tasks/{task.id}/recordings/{other}").status_code == 404, other
