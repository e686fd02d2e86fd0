import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.daemons.memory_daemon import Daemon

ANY = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def test_every_path_names_all_methods_that_it_takes_and_takes_no_other(daemon: Daemon) -> None:
    documented = {
        re.compile(re.sub(r"{.*?}", "[^/]+", path)): {method.upper() for method in found}
        for path, found in daemon.http.get("/openapi.json").json()["paths"].items()
    }
    for pattern in documented:
        path = pattern.pattern.replace("[^/]+", "1")
        takes = {method for each, methods in documented.items() if each.fullmatch(path) for method in methods}
        if "GET" in takes:
            takes.add("HEAD")
        for method in set(ANY) - takes:
            refused = daemon.http.request(method, path)

            assert refused.status_code == 405, (method, path)
            assert set(refused.headers["allow"].split(", ")) == takes, (method, path)


def test_what_a_path_does_not_take_is_refused_before_its_body_is_judged(daemon: Daemon) -> None:
    plain = {"Content-Type": "text/plain"}
    large = b" " * 5_000_000

    assert daemon.http.post("/health", content=b"x", headers=plain).status_code == 405
    assert daemon.http.put("/jobs", content=large, headers=plain).status_code == 405
    assert daemon.http.post("/nothing", content=b"x", headers=plain).status_code == 404
    assert daemon.http.post("/analyse", content=b"x", headers=plain).status_code == 415


def test_head_is_answered_as_get_without_the_body_and_a_stream_ends(daemon: Daemon) -> None:
    for path in ("/health", "/jobs", "/docs", "/", "/nothing", "/events"):
        with daemon.http.stream("GET", path) as got:
            status, kind = got.status_code, got.headers["content-type"]
        head = daemon.http.head(path)

        assert (head.status_code, head.headers["content-type"], head.content) == (status, kind, b""), path


def test_the_schema_tells_which_methods_and_bodies_are_refused(daemon: Daemon) -> None:
    schema = daemon.http.get("/openapi.json").json()
    operations: dict[tuple[str, str], Any] = {
        (path, method): operation for path, found in schema["paths"].items() for method, operation in found.items()
    }

    for (path, method), operation in operations.items():
        assert "405" in operation["responses"], (path, method)
        assert ("415" in operation["responses"]) is (method in {"post", "put", "patch"}), (path, method)
    allow = operations["/jobs/{job_id}", "get"]["responses"]["405"]["headers"]["Allow"]["schema"]["const"]
    assert allow == "DELETE, GET, HEAD"


@pytest.mark.parametrize(
    "host",
    [
        *(pytest.param(each, marks=pytest.mark.nightly) for each in ("localhost:{port}", "127.0.0.1:{port}")),
        "vaider.internal",
    ],
)
def test_the_documentation_names_the_address_that_it_was_asked_at(start: Callable[..., Daemon], host: str) -> None:
    daemon = start(allowed_hosts=("vaider.internal",))
    asked = {"Host": host.format(port=daemon.address[1])}

    page = daemon.http.get("/docs", headers=asked).text
    schema = daemon.http.get("/openapi.json", headers=asked).json()

    assert f"curl -N {asked['Host']}/events" in page
    assert "3456" not in page
    assert schema["servers"] == [{"url": f"http://{asked['Host']}"}]


@pytest.mark.parametrize("path", ["/ui", "/ui/"])
def test_the_folder_of_the_pages_leads_to_the_first_one(daemon: Daemon, path: str) -> None:
    page = daemon.http.get(path, follow_redirects=True)

    assert (page.status_code, page.url.path) == (200, "/")
    assert "<title>Vaider" in page.text


@pytest.mark.parametrize(
    ("query", "status", "wanted"),
    [
        ("/memory/procedures?before=0.5", 400, "ISO 8601"),
        ("/memory/procedures?before=1700000000", 400, "ISO 8601"),
        ("/memory/procedures?before=NaN", 400, "ISO 8601"),
        ("/memory/procedures?before=2026-11-22T09:00:00Z", 200, "memories"),
        ("/jobs?before=0.5", 404, "no job"),
        ("/jobs?before=0.5&brief=true", 404, "no job"),
    ],
)
def test_a_bound_that_is_no_moment_and_no_job_is_refused(daemon: Daemon, query: str, status: int, wanted: str) -> None:
    answer = daemon.http.get(query)

    assert answer.status_code == status
    assert wanted in answer.text


def test_what_is_forgotten_is_bounded_by_moments_not_by_numbers(daemon: Daemon) -> None:
    answer = daemon.http.post("/recorder/forget", json={"since": 0.5})

    assert answer.status_code == 400
    assert "ISO 8601" in answer.json()["error"]
