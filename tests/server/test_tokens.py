"""Tokens of a team: every route with every scope, and what a token's bearer gets to see."""

import asyncio
import contextlib
import json
import re
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.routing import Route

from core.tokens import Bearer, Scope
from server import app
from server.scopes import FIGURES, READS, SUBMITS, ScopeRules, allows, is_private
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.memory_daemon import Daemon, form

_ROUTES: Final = [
    (method, route.path)
    for module in app.ROUTES
    for route in module.router.routes
    if isinstance(route, Route)
    for method in sorted(route.methods or ())
]
_WORDS: Final = {"job_id": "job-1", "name:path": "base.css", "rest:path": "nothing"}


@pytest.fixture
def guarded(start: Callable[..., Daemon]) -> Daemon:
    """A daemon that asks everybody for a token."""
    return start(token="the-text-of-data-dir-token")


def _token(daemon: Daemon, scope: Scope | str, name: str = "ci", *, days: int | None = None) -> dict[str, str]:
    until = None if days is None else datetime.now(UTC) + timedelta(days=days)
    return {"Authorization": f"Bearer {daemon.services.tokens.add(name, Scope(scope), until)}"}


def _path(template: str) -> str:
    return re.sub(r"\{([^}]*)\}", lambda found: _WORDS.get(found[1], "1"), template)


def _submit(daemon: Daemon, headers: dict[str, str], metadata: dict[str, Any] | None = None) -> str:
    given: dict[str, Any] = {**form(metadata=metadata), "headers": {**headers, "Prefer": "respond-async"}}
    answer = daemon.http.post("/analyse", **given)
    assert answer.status_code in {200, 202}, answer.text
    return answer.json()["job_id"]


def test_each_route_says_whose_it_is() -> None:
    open_ones = {*SUBMITS, *(("GET", path) for path in (*READS, *FIGURES))}
    assert [route for route in _ROUTES if route not in open_ones and not is_private(route[1])] == []
    assert open_ones <= set(_ROUTES), "no rule is left of a route that is gone"


@pytest.mark.parametrize(
    "scope", [pytest.param(each, marks=[pytest.mark.nightly] if each is Scope.ADMIN else []) for each in Scope]
)
def test_each_scope_gets_at_its_routes_and_at_no_other(guarded: Daemon, scope: Scope) -> None:
    headers = _token(guarded, scope)
    wrong: list[tuple[str, str, int]] = []
    for method, template in _ROUTES:
        with guarded.http.stream(method, _path(template), headers=headers) as answer:
            status = answer.status_code
            refused = status == 403
            if template == "/events":
                refused = refused and "one job at a time" not in answer.read().decode()
        if refused == allows(scope, method, template) or status == 401:
            wrong.append((method, template, status))
    assert wrong == []


@pytest.mark.parametrize("scope", [Scope.SUBMIT, Scope.READ])
def test_agents_tools_are_an_administrators(scope: Scope) -> None:
    async def sees(*_: object) -> bool:
        return True

    class Tools:
        async def __call__(self, *_: object) -> None: ...

    rules = ScopeRules([Route("/mcp", Tools())], sees)
    request: dict[str, Any] = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": []}
    answer = asyncio.run(rules.refuse(Bearer(name="ci", scope=scope), request))
    assert answer is not None
    assert answer.status_code == 403


@pytest.mark.parametrize("kind", ["none", "unknown", "revoked", "expired"])
def test_without_a_token_in_force_no_route_answers(guarded: Daemon, kind: str) -> None:
    headers = {} if kind == "none" else {"Authorization": "Bearer vdr_00000000_never-given"}
    if kind in {"revoked", "expired"}:
        headers = _token(guarded, Scope.ADMIN, days=-1 if kind == "expired" else None)
    if kind == "revoked":
        assert guarded.http.get("/jobs", headers=headers).status_code == 200
        guarded.services.tokens.revoke("ci")
    public: set[tuple[str, str]] = (
        {("POST", "/session"), ("GET", "/ui/assets/{made}/{name:path}"), ("GET", "/health/live")}
        if kind == "none"
        else set()
    )
    for method, template in [*_ROUTES, ("POST", "/mcp")]:
        if (method, template) not in public:
            answer = guarded.http.request(method, _path(template), headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (401, "forbidden"), template


def test_the_token_file_is_still_an_administrators(guarded: Daemon) -> None:
    headers = {"Authorization": f"Bearer {guarded.credentials.secret}"}
    assert guarded.http.get("/keys", headers=headers).status_code == 200


def test_a_revoked_token_is_refused_on_the_machine_itself_too(daemon: Daemon) -> None:
    headers = _token(daemon, Scope.ADMIN)
    assert daemon.http.get("/keys", headers=headers).status_code == 200
    daemon.services.tokens.revoke("ci")
    assert daemon.http.get("/keys", headers=headers).status_code == 401
    assert daemon.http.get("/keys").status_code == 200, "without one, the account itself goes on"


def test_who_submits_sees_its_own_analyses_alone_and_who_reads_sees_all(guarded: Daemon) -> None:
    ours, theirs = _token(guarded, "submit", "ours"), _token(guarded, "submit", "theirs")
    reader = _token(guarded, "read", "reader")
    own, foreign = _submit(guarded, ours), _submit(guarded, theirs)

    def listed(headers: dict[str, str], **query: str) -> list[str]:
        return [job["id"] for job in guarded.http.get("/jobs", headers=headers, params=query).json()["jobs"]]

    assert listed(ours) == listed(ours, brief="true") == listed(ours, submitter="theirs") == [own]
    assert listed(reader) == [foreign, own]
    assert listed(reader, submitter="theirs") == [foreign]
    for path in ("", "/events", "/timeline.md", "/video", "/frames/1.png", "/look", "/share"):
        assert guarded.http.get(f"/jobs/{foreign}{path}", headers=ours).json()["error"].startswith("There is no job")
    assert guarded.http.get("/events", params={"job": foreign}, headers=ours).status_code == 404
    assert guarded.http.get("/events", params={"job": own}, headers=ours).status_code == 200
    assert guarded.http.get("/jobs", params={"before": foreign}, headers=ours).status_code == 404
    assert guarded.http.delete(f"/jobs/{foreign}", headers=ours).status_code == 404
    assert guarded.http.delete(f"/jobs/{own}", headers=reader).status_code == 403


def test_runs_are_seen_by_administrators_alone(guarded: Daemon) -> None:
    admin, reader = _token(guarded, "admin", "boss"), _token(guarded, "read", "reader")
    run = guarded.http.post("/replay", json={"workflow": "w", "params": {}}, headers=admin).json()["job_id"]
    assert guarded.http.get(f"/jobs/{run}", headers=admin).status_code == 200
    assert guarded.http.get(f"/jobs/{run}", headers=reader).status_code == 404
    assert guarded.http.get("/jobs", headers=reader).json() == {"jobs": []}
    assert guarded.http.get("/jobs", params={"kind": "replay"}, headers=reader).json() == {"jobs": []}


def test_who_joins_a_job_of_another_sees_it_and_cannot_end_it_for_the_other(guarded: Daemon) -> None:
    ours, theirs = _token(guarded, "submit", "ours"), _token(guarded, "submit", "theirs")
    asked = {"question": "the same", "endless": True}
    job = _submit(guarded, ours, asked)
    assert _submit(guarded, theirs, asked) == job
    left = guarded.http.delete(f"/jobs/{job}", params={"all": "true"}, headers=theirs)
    assert (left.status_code, left.json()["state"], left.json()["asked_by"]) == (200, "running", 1)
    assert guarded.http.delete(f"/jobs/{job}", headers=ours).status_code == 200


def test_jobs_are_found_by_their_label_and_by_who_submitted_them(guarded: Daemon, tmp_path: Path) -> None:
    headers = _token(guarded, "submit")
    labelled, _ = _submit(guarded, headers, {"label": "pr-123"}), _submit(guarded, headers)
    found = guarded.http.get("/jobs", params={"label": "pr-123"}, headers=headers).json()["jobs"]
    assert [job["id"] for job in found] == [labelled]
    environment = {
        "VAIDER_PORT": str(guarded.address[1]),
        "VAIDER_REQUIRE_TOKEN": "true",
        "VAIDER_TOKEN": headers["Authorization"].removeprefix("Bearer "),
    }
    for filters, count in ((["--label", "pr-123"], 1), (["--submitter", "ci"], 2), (["--label", "pr-9"], 0)):
        listed = vaider("jobs", "list", "--json", *filters, cwd=tmp_path, environment=environment)
        assert len(json.loads(listed.stdout)["jobs"]) == count
    given: dict[str, Any] = form(metadata={"label": "x" * 65})
    assert guarded.http.post("/analyse", headers=headers, **given).json()["code"] == "invalid_request"


@pytest.mark.parametrize("elsewhere", [{"X-Forwarded-For": "192.0.2.7"}, {"Forwarded": "for=192.0.2.7"}, {}])
def test_a_path_of_the_server_is_refused_from_elsewhere(guarded: Daemon, elsewhere: dict[str, str]) -> None:
    headers = {**_token(guarded, "admin" if elsewhere else "submit"), **elsewhere}
    answer = guarded.http.post("/analyse", json={"video_path": "/etc/passwd"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert "send the video itself" in answer.json()["error"]


def test_health_tells_a_team_nothing_of_the_recorder(guarded: Daemon) -> None:
    found = guarded.http.get("/health", headers=_token(guarded, "read")).json()
    assert (found["recorder"], found["last_analysis"]) == (None, None)


def test_the_command_shows_a_token_once_keeps_its_hash_and_revokes_it(tmp_path: Path) -> None:
    def tokens(*arguments: str) -> subprocess.CompletedProcess[str]:
        return vaider("tokens", *arguments, cwd=tmp_path, environment={"VAIDER_DATA_DIR": str(tmp_path / "data")})

    made = tokens("add", "ci-main", "--scope", "submit", "--expires", "30d")
    token = made.stdout.strip()
    assert re.fullmatch(r"vdr_[0-9a-f]{8}_[\w-]{43}", token)
    assert token not in made.stderr
    assert tokens("add", "ci-main", "--scope", "read").returncode == 2
    assert tokens("add", "other", "--scope", "read", "--expires", "soon").returncode == 2
    listed = tokens("list").stdout
    assert "ci-main" in listed
    assert token not in listed
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert any(b"ci-main" in content for content in kept)
    assert not any(token[-43:].encode() in content for content in kept)
    assert tokens("revoke", "ci-main").returncode == 0
    assert tokens("revoke", "ci-main").returncode == 2
    assert "ci-main" not in tokens("list").stdout


def test_a_database_that_is_away_is_the_stores_failure(guarded: Daemon) -> None:
    headers = _token(guarded, Scope.READ)
    with contextlib.closing(sqlite3.connect(guarded.services.settings.data_path / "team.db")) as database:
        database.execute("DROP TABLE tokens")

    answer = guarded.http.get("/jobs", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (507, "storage_failed")
