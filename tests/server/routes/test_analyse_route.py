import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from core.analysis import FindingsSoFar
from core.errors import InvalidVideo, QuotaExhausted, StorageFailed
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon, form


@pytest.mark.parametrize("path", ["/analyse", "/v1/analyse"])
def test_an_uploaded_video_is_answered_and_then_forgotten(start: Callable[..., Daemon], path: str) -> None:
    daemon = start(upload_keep_days=0.0)

    answer = daemon.http.post(path, **form(b"x" * 3_000_000, {"expectations": ['"Saved" is shown'], "build": 7}))

    assert answer.status_code == 200
    assert answer.json()["description"] == '[00:01.2] "Saved" appeared.'
    assert daemon.work.seen == [("clip.mp4", 3_000_000)]
    request = daemon.jobs.jobs["job-1"].request
    assert request["expectations"] == ['"Saved" is shown']
    assert (request["uploaded"], request["metadata"]) == (True, {"build": 7})
    until(lambda: daemon.uploads == [])


@pytest.mark.parametrize("key", ["video_path", "videoPath"])
def test_a_path_is_answered_in_either_spelling(daemon: Daemon, tmp_path: Path, key: str) -> None:
    video = tmp_path / "a.mp4"
    video.write_bytes(b"123")

    answer = daemon.http.post("/analyse", json={key: str(video), "no_cache": True})

    assert answer.status_code == 200
    assert answer.json()["video"]["path"] == str(video)
    assert daemon.jobs.jobs["job-1"].request["use_cache"] is False
    assert video.exists()


def test_who_prefers_not_to_wait_gets_a_job(daemon: Daemon) -> None:
    answer = daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **form())

    assert answer.status_code == 202
    reported = {name: answer.headers[name] for name in ("location", "retry-after", "preference-applied")}
    assert reported == {"location": "/jobs/job-1", "retry-after": "2", "preference-applied": "respond-async"}
    until(lambda: daemon.http.get("/jobs/job-1").json()["state"] == "done")
    assert daemon.http.get("/jobs/job-1").json()["result"]["job_id"] == "job-1"


@pytest.mark.parametrize(
    ("prefer", "applied"),
    [
        ("wait=1", "wait=1"),
        pytest.param("respond-async, wait=1", "respond-async, wait=1", marks=pytest.mark.nightly),
        ('handling=strict; x, WAIT="1"; why', "wait=1"),
        pytest.param("wait=1, wait=3600", "wait=1", marks=pytest.mark.nightly),
    ],
)
def test_a_wait_that_was_not_long_enough_ends_in_a_job_that_goes_on(daemon: Daemon, prefer: str, applied: str) -> None:
    answer = daemon.http.post("/analyse", headers={"Prefer": prefer}, **form(metadata={"endless": True}))

    assert (answer.status_code, answer.headers["preference-applied"]) == (202, applied)
    assert daemon.http.get(answer.headers["location"]).json()["state"] == "running"


def test_a_call_that_waits_no_longer_is_answered_how_far_it_is_and_what_is_found_by_then(daemon: Daemon) -> None:
    asked = form(metadata={"endless": True, "question": "q"})
    daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **asked)
    until(lambda: daemon.http.get("/jobs/job-1").json()["progress"]["stage"] == "decoding")
    found = FindingsSoFar(done=2000, total=9000, first_screen=("Checkout",))
    daemon.jobs.jobs["job-1"] = daemon.jobs.jobs["job-1"].model_copy(update={"so_far": found})

    answer = daemon.http.post("/analyse", headers={"Prefer": "wait=1"}, **asked)

    assert (answer.status_code, answer.json()["job_id"]) == (202, "job-1")
    assert answer.json()["so_far"] == found.model_dump(mode="json")
    assert answer.json()["progress"]["data"] == {"done": 1, "total": 2}
    assert daemon.http.get("/jobs/job-1").json()["so_far"]["first_screen"] == ["Checkout"]


def test_an_answer_within_the_wait_is_the_answer(daemon: Daemon) -> None:
    answer = daemon.http.post("/analyse", headers={"Prefer": "respond-async, wait=10"}, **form())

    assert (answer.status_code, answer.json()["job_id"]) == (200, "job-1")
    assert answer.headers["preference-applied"] == "wait=10"


@pytest.mark.parametrize("prefer", ["wait=-1", "wait=soon", "wait", "wait=٣", "return=minimal"])
def test_a_preference_that_says_nothing_here_is_ignored(daemon: Daemon, prefer: str) -> None:
    answer = daemon.http.post("/analyse", headers={b"Prefer": prefer.encode()}, **form())

    assert answer.status_code == 200
    assert "preference-applied" not in answer.headers


def test_a_call_without_a_limit_that_waits_in_vain_gets_the_job_which_goes_on(start: Callable[..., Daemon]) -> None:
    daemon = start(analysis_timeout_seconds=0.2)

    answer = daemon.http.post("/analyse", **form(metadata={"endless": True}))

    assert answer.status_code == 202
    assert "preference-applied" not in answer.headers
    assert daemon.http.get(answer.json()["job_url"]).json()["state"] == "running"


@pytest.mark.parametrize(
    ("path", "metadata"),
    [
        pytest.param("/analyse", {"timeoutSec": 1}, marks=pytest.mark.nightly),
        ("/v1/analyse", {}),
        pytest.param("/v1/analyse", {"timeoutSec": 1}, marks=pytest.mark.nightly),
    ],
)
def test_an_analysis_over_its_callers_limit_is_answered_408_and_stopped(
    start: Callable[..., Daemon], path: str, metadata: dict[str, Any]
) -> None:
    daemon = start(analysis_timeout_seconds=1.0)

    answer = daemon.http.post(path, **form(metadata={"endless": True, **metadata}))

    assert answer.status_code == 408
    assert answer.json()["code"] == "timeout"
    assert answer.json()["duration_ms"] >= 1000
    assert "was stopped" in answer.json()["error"]
    until(lambda: daemon.http.get("/jobs/job-1").json()["state"] == "cancelled")
    until(lambda: daemon.uploads == [])


def test_time_in_line_does_not_count_as_time_of_analysis(daemon: Daemon) -> None:
    waiting = threading.Event()
    daemon.work.line = waiting
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(daemon.http.post, "/analyse", timeout=30, **form(metadata={"timeoutSec": 1}))
        with pytest.raises(TimeoutError):
            call.result(2)
        waiting.set()
        assert call.result(10).status_code == 200


def test_of_two_who_ask_the_same_both_get_one_job_and_one_who_leaves_stops_it_for_nobody(daemon: Daemon) -> None:
    asked = form(metadata={"endless": True, "question": "q"})
    first = daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **asked)
    until(lambda: daemon.jobs.jobs["job-1"].progress is not None)

    second = daemon.http.post("/analyse", **form(metadata={"endless": True, "question": "q", "timeoutSec": 1}))

    assert (first.json()["job_id"], second.json()["job_id"]) == ("job-1", "job-1")
    assert (second.status_code, "goes on for others" in second.json()["error"]) == (408, True)
    job = daemon.http.get("/jobs/job-1").json()
    assert (job["state"], job["asked_by"]) == ("running", 1)
    assert len(daemon.uploads) == 1
    daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **asked)
    assert daemon.http.delete("/jobs/job-1").json()["asked_by"] == 1
    assert daemon.http.get("/jobs/job-1").json()["state"] == "running"
    daemon.http.delete("/jobs/job-1", params={"all": True})
    until(lambda: daemon.http.get("/jobs/job-1").json()["state"] == "cancelled")


def test_a_caller_who_hangs_up_while_waiting_stops_the_work(daemon: Daemon) -> None:
    with pytest.raises(httpx2.ReadTimeout):
        daemon.http.post("/analyse", timeout=0.5, **form(metadata={"endless": True}))

    until(lambda: daemon.http.get("/jobs/job-1").json()["state"] == "cancelled")


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (InvalidVideo("No video can be decoded from it."), 400),
        (QuotaExhausted("The quota is used up."), 500),
        (StorageFailed("The disk is full."), 507),
    ],
)
def test_a_failed_job_is_answered_with_its_own_error(daemon: Daemon, failure: Any, status: int) -> None:
    daemon.work.failure = failure

    answer = daemon.http.post("/analyse", **form())

    assert answer.status_code == status
    assert answer.json() == {**failure.to_json(), "job_id": "job-1"}


def _nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ("no json", "not JSON"),
        ("[1]", "must be a JSON object"),
        ('{"expectations": 5}', "expectations"),
        ('{"expectations": [1]}', "expectations.0"),
        ('{"expectation": ["\\"Saved\\" is shown"]}', "the key is 'expectations'"),
        ('{"use_cache": "yes"}', "use_cache"),
        ('{"timeout_seconds": NaN}', "number"),
        ('{"a": "\\ud800"}', "UTF-8"),
        (_nested(40), "nested"),
        (_nested(40_000), "nested"),
        ("[" * 1_000_000, "bytes"),
        (json.dumps({"expectations": ["x" * 100_000]}), "2000 characters"),
    ],
)
def test_metadata_that_cannot_be_meant_are_refused_and_nothing_is_kept(
    daemon: Daemon, metadata: str, names: str
) -> None:
    answer = daemon.http.post("/analyse", **form(metadata=metadata))

    assert answer.status_code == 400
    assert names in answer.json()["error"]
    assert answer.json()["code"] == "invalid_request"
    assert daemon.jobs.jobs == {}
    assert daemon.uploads == []


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ({"video_path": "clip.mp4"}, "invalid_path", "absolute"),
        ({"video_path": "/no/such.mp4"}, "invalid_path", "no file"),
        ({"video_path": "/a\0b"}, "invalid_path", ""),
        ({"video_path": 7}, "invalid_request", "video_path"),
        ({}, "invalid_request", "video_path"),
        ({"video_path": "/a", "expectation": []}, "invalid_request", "'expectations'"),
    ],
)
def test_a_bad_question_about_a_path_is_refused_by_name(daemon: Daemon, body: Any, code: str, says: str) -> None:
    answer = daemon.http.post("/analyse", json=body)

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert says in answer.json()["error"]


def test_a_json_body_over_a_megabyte_is_refused(daemon: Daemon) -> None:
    answer = daemon.http.post("/analyse", json={"video_path": "/" + "x" * 1_100_000})

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_a_call_that_waits_is_told_when_the_daemon_stops(start: Callable[..., Daemon]) -> None:
    daemon = start()
    answers: list[Any] = []
    caller = threading.Thread(
        target=lambda: answers.append(daemon.http.post("/analyse", **form(metadata={"endless": True})))
    )
    caller.start()
    until(lambda: daemon.jobs.jobs)

    daemon.server.stop()
    caller.join(5)

    assert answers[0].status_code == 503
    assert "job-1 goes on" in answers[0].json()["error"]


@pytest.mark.parametrize("path", ["/analyse", "/v1/analyse"])
def test_one_expectation_may_be_given_as_a_string(daemon: Daemon, path: str, tmp_path: Path) -> None:
    video = tmp_path / "a.mp4"
    video.write_bytes(b"x")
    claim = '"Saved" is shown'

    daemon.http.post(path, json={"video_path": str(video), "expectations": claim})
    daemon.http.post(path, **form(metadata={"expectations": claim}))
    wrong = daemon.http.post(path, json={"video_path": str(video), "expectations": 5})

    assert [job.request["expectations"] for job in daemon.jobs.jobs.values()] == [[claim], [claim]]
    assert wrong.status_code == 400


def test_a_file_of_another_machine_is_refused(daemon: Daemon) -> None:
    answer = daemon.http.post("/analyse", json={"video_path": "file://host/videos/a.mp4"})

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_path")
