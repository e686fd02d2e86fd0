"""``/tasks``: learned, read, edited, answered, restored and deleted over HTTP."""

from typing import Any

import pytest

from core.jobs import Job, JobState
from core.tasks.heartbeat import Heartbeat
from core.tasks.ports import StoredTask
from storage.tasks.runs import TaskRunFolders
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon, form
from tests.fakes.jobs.memory_jobs import NOW
from tests.fakes.runs.recorded_runs import record

TASK = "# Task\r\nSend it\r\n\r\n## Questions\r\n- [required] Who gets it?\r\n- [ ] When?"
PLANNED = """\
# Task
Title: Greet
Goal: The "Ada" is greeted.
SuccessCriteria:
- "Hello" is shown.
SuggestedPlan:
1. Type "Ada" into the "Name" field.
2. Type "{Password}" into the "Password" field.
3. Click the "OK" button.

## Questions
"""


@pytest.fixture
def task(daemon: Daemon) -> StoredTask:
    return daemon.services.tasks.add(Heartbeat(TASK), by="test", why="for a test")


def test_a_task_is_listed_and_read_as_it_stands(daemon: Daemon, task: StoredTask) -> None:
    (listed,) = daemon.http.get("/tasks").json()["tasks"]
    whole = daemon.http.get(f"/tasks/{task.id}").json()

    assert (listed["id"], listed["open_questions"], listed["next"]) == ("send-it", 2, None)
    assert (whole["text"], whole["version"]["number"], whole["fault"]) == (TASK, 1, "")
    assert [each["required"] for each in whole["questions"]] == [True, False]


def test_what_a_run_takes_and_what_carries_it_out_now_is_told_with_it(daemon: Daemon) -> None:
    made = daemon.http.post("/tasks", json={"text": PLANNED})
    job = Job(id="job-1", kind="replay", state=JobState.RUNNING, request={"task": "greet"}, created_at=NOW)
    other = job.model_copy(update={"id": "job-2", "request": {"task": "other"}})
    ended = job.model_copy(update={"id": "job-3", "state": JobState.DONE})
    daemon.jobs.jobs.update({each.id: each for each in (job, other, ended)})
    whole = daemon.http.get("/tasks/greet").json()
    (listed,) = daemon.http.get("/tasks").json()["tasks"]

    assert (made.status_code, made.headers["location"]) == (201, "/tasks/greet")
    name, password = whole["parameters"]
    assert (name["name"], name["example"], name["sensitive"], name["needed"]) == ("Name", "Ada", False, False)
    assert (password["name"], password["example"], password["sensitive"], password["needed"]) == (
        "Password",
        None,
        True,
        True,
    )
    assert [(each["job_id"], each["kind"]) for each in whole["jobs"]] == [(job.id, "replay")]
    assert listed["jobs"] == whole["jobs"]


def test_the_list_tells_how_each_task_ran_last(daemon: Daemon, task: StoredTask) -> None:
    runs = TaskRunFolders(encode=lambda _: b"", redact=lambda text: text)
    run = record(runs.open(str(task.folder), "job", ()))
    (listed,) = daemon.http.get("/tasks").json()["tasks"]

    assert listed["last_run"]["run_id"] == run.run_id
    assert listed["last_run"]["outcome"] == "succeeded"


def test_a_task_whose_title_no_header_can_hold_is_found_where_the_answer_says(daemon: Daemon) -> None:
    made = daemon.http.post("/tasks", json={"title": "Отчёт \U00010fec"})

    assert made.status_code == 201
    assert daemon.http.get(made.headers["location"]).json()["id"] == made.json()["id"]


def test_a_task_is_written_by_its_title_or_whole(daemon: Daemon) -> None:
    titled = daemon.http.post("/tasks", json={"title": "Send the report"})
    again = daemon.http.post("/tasks", json={"title": "Send the report"})
    whole = daemon.http.post("/tasks", json={"text": TASK})

    assert [each.status_code for each in (titled, again, whole)] == [201, 201, 201]
    assert titled.json()["id"] == "send-the-report" != again.json()["id"]
    assert (whole.json()["text"], whole.json()["version"]["by"]) == (TASK, "http")


def test_a_workflow_is_made_of_a_task_whose_plan_is_understood(daemon: Daemon) -> None:
    daemon.http.post("/tasks", json={"text": PLANNED})
    made = daemon.http.post("/tasks/greet/workflow", json={"name": "greeting"})
    again = daemon.http.post("/tasks/greet/workflow", json={"name": "greeting"})
    replaced = daemon.http.post("/tasks/greet/workflow", json={"name": "greeting", "force": True})
    whole = daemon.http.get("/workflows/greeting").json()

    assert (made.status_code, made.json()["name"], made.json()["backup"]) == (201, "greeting", None)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert replaced.json()["backup"]
    assert [(each["name"], each["needed"]) for each in whole["parameters"]] == [("Name", False), ("Password", True)]


def test_an_edit_is_kept_unless_somebody_else_was_first(daemon: Daemon, task: StoredTask) -> None:
    edited = daemon.http.put("/tasks/send-it", json={"text": TASK.replace("Send", "Post"), "version": 1})
    (task.folder / "HEARTBEAT.md").write_bytes(b"# Task\nBy hand\n\n## Questions\n")
    lost = daemon.http.put("/tasks/send-it", json={"text": "# Task\nMine", "version": 2})
    unknown = daemon.http.put("/tasks/send-it", json={"text": "# Task\nMine", "version": 99})
    broken = daemon.http.put("/tasks/send-it", json={"text": "no heading", "version": 3})

    assert (edited.status_code, edited.json()["title"], edited.json()["version"]["number"]) == (200, "Post it", 2)
    assert (lost.status_code, lost.json()["code"], lost.json()["version"]) == (409, "conflict", 3)
    assert unknown.status_code == 409
    assert broken.status_code == 400
    assert (task.folder / "HEARTBEAT.md").read_bytes() == b"# Task\nBy hand\n\n## Questions\n"


def test_a_question_is_answered_asked_again_and_given_up(daemon: Daemon, task: StoredTask) -> None:
    path = f"/tasks/send-it/questions/{task.heartbeat.questions[0].id}"
    answered = daemon.http.put(path, json={"answer": "## Ann\n```\n- [x] no"}).json()
    reopened = daemon.http.put(path, json={"state": "open"}).json()
    stale = daemon.http.put(path, json={"state": "stale"}).json()

    assert (answered["question"]["answer"], answered["open_questions"]) == ("## Ann\n```\n- [x] no", 1)
    assert (reopened["question"]["state"], reopened["question"]["earlier_answer"]) == ("open", "## Ann\n```\n- [x] no")
    assert stale["question"]["state"] == "stale"
    assert [each["by"] for each in daemon.http.get("/tasks/send-it/versions").json()["versions"]] == [
        "test",
        "http",
        "http",
        "http",
    ]


def test_a_version_is_read_compared_and_restored(daemon: Daemon, task: StoredTask) -> None:
    daemon.http.put(f"/tasks/send-it/questions/{task.heartbeat.questions[1].id}", json={"answer": "At nine."})
    second = daemon.http.get("/tasks/send-it/versions/2").json()
    restored = daemon.http.post("/tasks/send-it/restore", json={"version": 1})

    assert "+  Answer: At nine." in second["diff"]
    assert (restored.status_code, restored.json()["text"], restored.json()["version"]["number"]) == (200, TASK, 3)


def test_a_task_is_deleted(daemon: Daemon, task: StoredTask) -> None:
    assert daemon.http.delete("/tasks/send-it").status_code == 204
    assert daemon.http.get("/tasks/send-it").status_code == 404
    assert not task.folder.exists()


@pytest.mark.parametrize(
    ("request_line", "body", "status"),
    [
        ("GET /tasks/nosuch", None, 404),
        ("GET /tasks/..%2f..%2fetc", None, 404),
        ("PUT /tasks/send-it", {"text": "# Task\nx"}, 400),
        ("PUT /tasks/send-it/questions/nosuch", {"answer": "x"}, 404),
        ("PUT /tasks/send-it/questions/which", {"answer": "x", "state": "open"}, 400),
        ("PUT /tasks/send-it/questions/which", {}, 400),
        ("GET /tasks/send-it/versions/9", None, 404),
        ("POST /tasks/send-it/restore", {"version": 9}, 404),
        ("POST /tasks/send-it/restore", {"version": "1"}, 400),
        ("DELETE /tasks/nosuch", None, 404),
        ("POST /tasks", {"video_paths": []}, 400),
        ("POST /tasks", {"video_paths": ["/a.mp4"], "into": "missing"}, 404),
        ("POST /tasks", {"video_paths": ["/a.mp4"], "title": "x"}, 400),
        ("POST /tasks", {"title": "x", "text": "# Task\nx\n\n## Questions\n"}, 400),
        ("POST /tasks", {"title": " "}, 400),
        ("POST /tasks", {"text": "no heading"}, 400),
        ("POST /tasks/send-it/workflow", {}, 400),
        ("POST /tasks/nosuch/workflow", {}, 404),
        ("POST /tasks/send-it/workflow", {"name": "../x"}, 400),
    ],
)
def test_what_is_wrong_is_refused_in_the_one_error_shape(
    daemon: Daemon, task: StoredTask, request_line: str, body: dict[str, Any] | None, status: int
) -> None:
    answer = daemon.http.request(*request_line.split(" "), json=body)

    assert answer.status_code == status
    assert {"error", "code"} <= answer.json().keys()
    assert daemon.services.tasks.load(task.id).version == task.version


def test_learning_from_files_of_this_machine_is_a_job(daemon: Daemon) -> None:
    answer = daemon.http.post("/tasks", json={"video_paths": ["/a.mp4", "/b.mp4"], "into": "send-it"})
    job = daemon.http.get(answer.json()["job_url"]).json()

    assert answer.status_code == 202
    assert (job["kind"], job["request"]["videos"], job["request"]["into"]) == (
        "learning",
        ["/a.mp4", "/b.mp4"],
        "send-it",
    )
    assert job["request"]["provider"] == "auto"


def test_an_uploaded_recording_is_learned_from_and_then_forgotten(daemon: Daemon) -> None:
    answer = daemon.http.post("/tasks", **form(b"\0" * 5000, {"provider": "local"}, name="../démo.mp4"))
    job = daemon.http.get(answer.json()["job_url"]).json()

    assert answer.status_code == 202
    assert job["request"]["uploaded"] is True
    assert job["request"]["videos"][0].endswith("/démo.mp4")
    until(lambda: not daemon.uploads)
    assert daemon.work.seen == [("démo.mp4", 5000)]


@pytest.mark.parametrize("metadata", [{"into": "missing"}, {"nosuch": 1}, "not json"])
def test_a_refused_upload_leaves_nothing(daemon: Daemon, metadata: Any) -> None:
    answer = daemon.http.post("/tasks", **form(metadata=metadata))

    assert answer.status_code in {400, 404}
    assert daemon.uploads == []
