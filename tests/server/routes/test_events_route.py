import json
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon, form

STAGES = ["queued", "decoding", "done"]


def analysed(daemon: Daemon, **metadata: Any) -> str:
    answer = daemon.http.post("/analyse", headers={"Prefer": "respond-async"}, **form(metadata=metadata))
    return answer.json()["job_id"]


@contextmanager
def stream(daemon: Daemon, query: str = "", **headers: str) -> Generator[Iterator[dict[str, str]]]:
    """The events of a stream as dictionaries of their fields; begins when the server has answered."""
    with daemon.http.stream("GET", f"/events{query}", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "retry: 2000"
        assert next(lines) == ""
        yield events_of(lines)


def events_of(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    event: dict[str, str] = {}
    for line in lines:
        if not line:
            yield event
            event = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = value


def test_a_jobs_stream_tells_its_whole_life_and_ends(daemon: Daemon) -> None:
    job = analysed(daemon)

    with stream(daemon, f"?job={job}") as events:
        reported = list(events)

    assert [event["event"] for event in reported] == STAGES
    assert [int(event["id"]) for event in reported] == [1, 2, 3]
    assert json.loads(reported[1]["data"]) == {"job_id": job, "t": "2026-11-20T12:00:00+00:00", "done": 1, "total": 2}


def test_without_a_place_the_stream_is_live_from_now_on(daemon: Daemon) -> None:
    analysed(daemon)
    until(lambda: len(daemon.jobs.stored) == 3)

    with stream(daemon) as events:
        second = analysed(daemon)
        reported = [next(events) for _ in STAGES]

    assert {json.loads(event["data"])["job_id"] for event in reported} == {second}


@pytest.mark.parametrize(
    ("query", "headers"), [("?after=1", {}), ("", {"Last-Event-ID": "1"}), ("?after=0", {"Last-Event-ID": "1"})]
)
def test_a_viewer_resumes_after_its_last_event_without_gap_or_repeat(
    daemon: Daemon, query: str, headers: dict[str, str]
) -> None:
    analysed(daemon)
    until(lambda: len(daemon.jobs.stored) == 3)

    with stream(daemon, query, **headers) as events:
        reported = [next(events), next(events)]

    assert [event["id"] for event in reported] == ["2", "3"]


def test_who_has_seen_a_jobs_end_is_told_not_to_come_back(daemon: Daemon) -> None:
    job = analysed(daemon)
    until(lambda: len(daemon.jobs.stored) == 3)

    assert daemon.http.get(f"/events?job={job}", headers={"Last-Event-ID": "3"}).status_code == 204


def test_an_id_that_was_never_given_counts_as_the_newest(daemon: Daemon) -> None:
    with stream(daemon, **{"Last-Event-ID": "999999"}) as events:
        analysed(daemon)

        assert next(events)["event"] == "queued"


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "٣", "9" * 30])
def test_a_last_event_id_that_is_none_is_refused(daemon: Daemon, last: str) -> None:
    answer = daemon.http.get("/events", headers={"Last-Event-ID": last.encode()})  # type: ignore[dict-item]

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


def test_an_unknown_job_has_no_stream(daemon: Daemon) -> None:
    answer = daemon.http.get("/events?job=nobody")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_viewers_hear_that_the_daemon_stops_and_it_stops_at_once(start: Callable[..., Daemon]) -> None:
    daemon = start()
    reported: list[dict[str, str]] = []
    connected = threading.Event()

    def view() -> None:
        with stream(daemon) as events:
            connected.set()
            reported.extend(events)

    viewer = threading.Thread(target=view)
    viewer.start()
    assert connected.wait(10)

    daemon.server.stop()
    viewer.join(2)

    assert not viewer.is_alive()
    assert reported[-1]["event"] == "shutdown"


def test_a_viewer_who_leaves_leaves_nothing_behind(daemon: Daemon) -> None:
    with stream(daemon) as events:
        analysed(daemon)
        assert next(events)

    until(lambda: daemon.jobs.viewers == 0)


def test_a_viewer_who_takes_nothing_is_dropped_and_can_resume(daemon: Daemon) -> None:
    with socket.socket() as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.connect(daemon.address)
        stuck.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: daemon.jobs.viewers == 1)
        for _ in range(300):
            daemon.work.chatter.append("x" * 20_000)

        job = analysed(daemon)

        until(lambda: daemon.jobs.viewers == 0)
    with stream(daemon, f"?job={job}", **{"Last-Event-ID": "2"}) as events:
        assert [int(event["id"]) for event in events] == list(range(3, 304))
