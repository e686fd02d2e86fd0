"""The HTTP surface under schemathesis: whatever its OpenAPI allows, and much that it forbids."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi

from config.settings import load_settings
from tests.clock import until
from tests.fakes.daemons.memory_daemon import PATIENCE, Daemon, form, running

OPERATIONS = [
    ("POST", "/analyse"),
    ("POST", "/compare"),
    ("GET", "/jobs/{job_id}/comparison"),
    ("GET", "/jobs/{job_id}/comparison/{side}"),
    ("POST", "/settings/restart"),
    ("POST", "/replay"),
    ("POST", "/jobs/{job_id}/approvals/{approval_id}"),
    ("GET", "/workflows"),
    ("GET", "/workflows/{name}"),
    ("GET", "/workflows/{name}/export"),
    ("POST", "/workflows/import"),
    ("POST", "/tasks"),
    ("GET", "/tasks"),
    ("GET", "/tasks/{task_id}"),
    ("PUT", "/tasks/{task_id}"),
    ("PUT", "/tasks/{task_id}/plan"),
    ("GET", "/tasks/{task_id}/recordings/{name}"),
    ("DELETE", "/tasks/{task_id}"),
    ("POST", "/tasks/{task_id}/restore"),
    ("POST", "/tasks/{task_id}/try"),
    ("POST", "/tasks/{task_id}/workflow"),
    ("GET", "/tasks/{task_id}/runs"),
    ("GET", "/tasks/{task_id}/versions"),
    ("GET", "/tasks/{task_id}/versions/{number}"),
    ("PUT", "/tasks/{task_id}/questions/{question_id}"),
    ("GET", "/tasks/{task_id}/schedule"),
    ("PUT", "/tasks/{task_id}/schedule"),
    ("DELETE", "/tasks/{task_id}/schedule"),
    ("GET", "/memory"),
    ("GET", "/memory/procedures"),
    ("GET", "/memory/sent"),
    ("GET", "/memory/{memory_id}"),
    ("GET", "/memory/{memory_id}/clip.mp4"),
    ("POST", "/memory/{memory_id}/refine"),
    ("DELETE", "/memory/{memory_id}"),
    ("GET", "/recorder"),
    ("POST", "/recorder"),
    ("POST", "/recorder/forget"),
    ("GET", "/recorder/day"),
    ("GET", "/recorder/days"),
    ("GET", "/recorder/segments/{segment_id}.mp4"),
    ("POST", "/recorder/preview"),
    ("POST", "/reload/options"),
    ("POST", "/reload"),
    ("GET", "/reload"),
    ("DELETE", "/reload"),
    ("GET", "/reload/stats"),
    ("GET", "/reload/export"),
    ("POST", "/reload/import"),
    ("GET", "/reload/{entry_id}"),
    ("DELETE", "/reload/{entry_id}"),
    ("POST", "/reload/{entry_id}/report"),
    ("GET", "/jobs"),
    ("GET", "/jobs/{job_id}"),
    ("DELETE", "/jobs/{job_id}"),
    ("POST", "/jobs/{job_id}/hold"),
    ("POST", "/jobs/{job_id}/resume"),
    ("POST", "/jobs/{job_id}/input"),
    ("GET", "/jobs/{job_id}/screen.jpg"),
    ("GET", "/jobs/{job_id}/screenshots"),
    ("GET", "/jobs/{job_id}/screenshots/{name}"),
    ("GET", "/jobs/{job_id}/report"),
    ("GET", "/jobs/{job_id}/events"),
    ("GET", "/tasks/{task_id}/runs/{run_id}/report"),
    ("GET", "/workflows/{name}/runs"),
    ("GET", "/workflows/{name}/runs/{run_id}/report"),
    ("GET", "/jobs/{job_id}/frames/{name}"),
    ("GET", "/jobs/{job_id}/video"),
    ("DELETE", "/jobs/{job_id}/video"),
    ("GET", "/jobs/{job_id}/timeline.md"),
    ("GET", "/jobs/{job_id}/contact-sheet.jpg"),
    ("GET", "/jobs/{job_id}/share"),
    ("GET", "/jobs/{job_id}/look"),
    ("POST", "/jobs/{job_id}/verdicts"),
    ("POST", "/jobs/{job_id}/again"),
    ("GET", "/keys"),
    ("PUT", "/keys/{name}"),
    ("DELETE", "/keys/{name}"),
    ("GET", "/settings"),
    ("PATCH", "/settings"),
    ("GET", "/samples"),
    ("GET", "/samples/{name}"),
    ("GET", "/session"),
    ("POST", "/session"),
    ("GET", "/clients"),
    ("GET", "/doctor"),
    ("GET", "/events"),
    ("GET", "/health"),
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", "/metrics"),
    ("GET", "/retention"),
    ("POST", "/jobs/{job_id}/pin"),
]
NO_INPUT = {
    ("GET", path)
    for path in (
        "/health",
        "/health/live",
        "/health/ready",
        "/metrics",
        "/retention",
        "/doctor",
        "/settings",
        "/clients",
        "/samples",
        "/session",
        "/keys",
        "/workflows",
        "/tasks",
        "/recorder",
    )
} | {
    ("DELETE", "/reload"),
    ("POST", "/settings/restart"),
    ("GET", "/reload/stats"),
    ("GET", "/reload/export"),
}
CHECKS: list[Any] = [
    checks.not_a_server_error,
    openapi.status_code_conformance,
    openapi.content_type_conformance,
    openapi.response_schema_conformance,
    openapi.response_headers_conformance,
]
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Any]]:
    """A daemon that all of it is tried on, one after the other, and the schema of its API."""
    given = {"data_dir": str(tmp_path_factory.mktemp("fuzzed"))}
    options = load_settings(environment={}, flags=given, user_file=Path(given["data_dir"], "none.toml"))
    with running(options, None) as daemon:
        daemon.http.post("/analyse", **form())
        until(lambda: len(daemon.jobs.stored) == 3)
        yield daemon, schemathesis.openapi.from_dict(daemon.http.get("/openapi.json").json())


def test_every_documented_operation_is_tried(served: tuple[Daemon, Any]) -> None:
    paths = served[0].http.get("/openapi.json").json()["paths"]

    assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == set(OPERATIONS)


def _is_late(method: str, mode: GenerationMode) -> bool:
    """What asks wrongly and changes nothing is tried by night."""
    return method == "GET" and mode is GenerationMode.NEGATIVE


@pytest.mark.parametrize("examples", [5, pytest.param(60, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        pytest.param(method, path, mode, marks=[pytest.mark.nightly] if _is_late(method, mode) else [])
        for (method, path), mode in itertools.product(OPERATIONS, GenerationMode)
        if (method, path) not in NO_INPUT or mode is GenerationMode.POSITIVE  # nothing in them could be wrong
    ],
)
def test_no_request_breaks_the_daemon_or_its_word(
    served: tuple[Daemon, Any], method: str, path: str, mode: GenerationMode, examples: int
) -> None:
    daemon, schema = served
    operation = schema[path][method]

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=UNHURRIED)
    @given(case=operation.as_strategy(mode))
    def every(case: Any) -> None:
        if path == "/events":
            case.query = {**(case.query or {}), "job": "job-1"}  # a stream that ends
        response = case.call(base_url=daemon.url, timeout=PATIENCE)
        case.validate_response(response, checks=CHECKS)
        if response.status_code >= 400:
            assert {"error", "code"} <= response.json().keys()

    every()
