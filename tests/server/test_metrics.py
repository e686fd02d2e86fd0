"""What Prometheus reads of a server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from core.jobs import JobState, NewJob
from core.tokens import Scope
from server.metrics import Metrics, Requests
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.job_figures import JobFigures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fakes.daemons.memory_daemon import Daemon

_SAMPLE: Final = re.compile(r'([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (-?[0-9.e+-]+|\+Inf)')


def samples(text: str) -> dict[str, float]:
    """Each sample by its name and labels; a line that is none, or stands outside of its family, is refused."""
    found: dict[str, float] = {}
    family = ""
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# "):
            family = line.split(" ")[2]
            continue
        match = _SAMPLE.fullmatch(line)
        assert match is not None, line
        assert match[1].startswith(family), line
        found[match[1] + (match[2] or "")] = float(match[3])
    return found


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    yield database
    database.close()


def test_it_tells_who_waits_since_when_and_how_long_jobs_took(database: Database) -> None:
    store = SqlJobStore(database, "here")
    store.create(NewJob("before", "analysis", {}), {})
    store.finish("before", JobState.DONE, result={})
    metrics = Metrics(JobFigures(database, "here"), Requests())
    for job_id in "abcd":
        store.create(NewJob(job_id, "analysis", {}), {})
    store.begin("a")
    store.begin("b")
    store.finish("b", JobState.FAILED, error={"error": "No.", "code": "invalid_video"})
    found = samples(metrics.text(slots=2))
    assert (found["vaider_jobs_waiting"], found["vaider_slots"], found["vaider_slots_busy"]) == (2, 2, 1)
    assert found["vaider_oldest_waiting_seconds"] >= 0
    assert [found[f'vaider_jobs{{state="{state}"}}'] for state in JobState] == [2, 1, 1, 1, 0]
    assert found['vaider_jobs_ended_total{kind="analysis",state="failed"}'] == 1, "since the start, not before"
    assert found['vaider_job_seconds_count{kind="analysis"}'] == 1
    assert found['vaider_job_seconds_bucket{kind="analysis",le="+Inf"}'] == 1
    assert found['vaider_job_wait_seconds_bucket{kind="analysis",le="1800"}'] == 1
    store.finish("a", JobState.DONE, result={})
    store.finish("c", JobState.CANCELLED, error={"error": "Cancelled.", "code": "cancelled"})
    again = samples(metrics.text(slots=2))
    assert again['vaider_jobs_ended_total{kind="analysis",state="failed"}'] == 1, "nothing is counted twice"
    assert again['vaider_jobs_ended_total{kind="analysis",state="done"}'] == 1
    assert again['vaider_job_seconds_count{kind="analysis"}'] == 2, "what never began took no time"


def test_requests_are_counted_by_route_and_what_is_nowhere_in_one_row(start: Callable[..., Daemon]) -> None:
    daemon = start(token="the-text-of-data-dir-token")
    tokens = {scope: daemon.services.tokens.add(scope.value, scope, None) for scope in Scope}
    headers = {scope: {"Authorization": f"Bearer {token}"} for scope, token in tokens.items()}
    for path in ("/jobs/a", "/jobs/b", "/no-such-thing", '/evil"}'):
        daemon.http.get(path, headers=headers[Scope.ADMIN])
    daemon.http.request("BREW", "/jobs", headers=headers[Scope.ADMIN])
    answer = daemon.http.get("/metrics", headers=headers[Scope.READ])
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = samples(answer.text)
    assert found['vaider_http_requests_total{method="GET",route="/jobs/{job_id}",status="404"}'] == 2
    assert found['vaider_http_requests_total{method="GET",route="other",status="404"}'] == 2
    assert [value for name, value in found.items() if 'method="other"' in name] == [1]
    assert daemon.http.get("/metrics", headers=headers[Scope.SUBMIT]).status_code == 403
    assert daemon.http.get("/metrics").status_code == 401
