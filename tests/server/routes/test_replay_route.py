"""``POST /replay`` and the answers to what runs ask, over HTTP."""

import threading
from typing import Any

import pytest

from core.jobs import Stage
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.jobs.contexts import FakeContext


def test_a_run_is_accepted_with_the_handle_of_its_job(daemon: Daemon) -> None:
    answer = daemon.http.post("/replay", json={"workflow": "note", "params": {"name": "Ada"}})

    assert answer.status_code == 202
    job_id = answer.json()["job_id"]
    assert answer.json()["events_url"] == f"/events?job={job_id}"
    asked = daemon.http.get(f"/jobs/{job_id}").json()["request"]
    assert (asked["workflow"], asked["params"]) == ("/workflows/note", {"name": "Ada"})
    assert (asked["provider"], asked["display"], asked["size"]) == ("local", "current", "1280x720")


def test_a_task_is_tried_on_a_private_display(daemon: Daemon) -> None:
    daemon.http.post("/tasks", json={"title": "Save a note"})
    answer = daemon.http.post("/tasks/save-a-note/try", json={})

    assert answer.status_code == 202
    asked = daemon.http.get(f"/jobs/{answer.json()['job_id']}").json()["request"]
    assert (asked["task"], asked["display"], asked["trial"]) == ("save-a-note", "private", True)
    assert daemon.http.post("/tasks/save-a-note/try", json={"display": "current"}).status_code == 400


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "invalid_request"),
        ({"workflow": "note", "task": "note"}, 400, "invalid_request"),
        ({"workflow": "missing"}, 404, "not_found"),
        ({"workflow": "note", "display": "host:0; rm"}, 400, "invalid_request"),
        ({"workflow": "note", "size": "big"}, 400, "invalid_request"),
        ({"workflow": "note", "params": {"a": 1}}, 400, "invalid_request"),
        ({"workflow": "note", "on_takeover": "ignore"}, 400, "invalid_request"),
        ({"workflow": "note", "held": "ticket"}, 400, "invalid_request"),
    ],
)
def test_what_is_wrong_is_refused_in_the_one_error_shape(
    daemon: Daemon, body: dict[str, Any], status: int, code: str
) -> None:
    answer = daemon.http.post("/replay", json=body)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not daemon.http.get("/jobs").json()["jobs"]


def test_what_a_run_asks_is_answered_once(daemon: Daemon) -> None:
    job_id = daemon.http.post("/replay", json={"workflow": "note"}).json()["job_id"]
    context, answers = FakeContext(job_id=job_id), list[bool]()
    asked = threading.Event()
    context.on_event(Stage.APPROVAL_ASKED, lambda _: asked.set())
    question = threading.Thread(
        target=lambda: answers.append(
            daemon.services.approvals.ask(context, 'Click "Pay"?', context.raise_if_cancelled)
        )
    )
    question.start()
    assert asked.wait(5)
    approval_id = context.reported[0][1]["approval_id"]

    first = daemon.http.post(f"/jobs/{job_id}/approvals/{approval_id}", json={"agree": True})
    question.join()
    second = daemon.http.post(f"/jobs/{job_id}/approvals/{approval_id}", json={"agree": False})

    assert (first.status_code, answers) == (200, [True])
    assert (second.status_code, second.json()["code"]) == (404, "not_found")
