from __future__ import annotations

import itertools
import json
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from core.errors import InvalidSetting
from server.identity import installation, load_token
from server.security import allowed_hosts, is_loopback
from tests.fakes.memory_daemon import form

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.fakes.memory_daemon import Daemon

EVERY_ROUTE = ["/health", "/jobs", "/events", "/docs", "/openapi.json", "/analyse", "/mcp", "/nothing"]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.nip.io",
        "localhost.evil.example",
        "localhost:3456@evil.example",
        "localhost.",
        "[::2]",
    ],
)
def test_a_foreign_host_name_is_not_served_on_any_route(daemon: Daemon, host: str) -> None:
    for path in EVERY_ROUTE:
        answer = daemon.http.get(path, headers={"Host": host})

        assert answer.status_code == 421, path
        assert answer.json()["code"] == "forbidden"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9", "LocalHost:3456", "[::1]:3456", "vaider.internal"])
def test_this_machines_names_and_those_of_the_settings_are_served(start: Callable[..., Daemon], host: str) -> None:
    daemon = start(allowed_hosts=("Vaider.Internal",))

    assert daemon.http.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["null", "https://evil.example", "http://localhost.evil.example", "file://", "http://127.0.0.1@evil.example", "x["],
)
def test_a_foreign_or_null_origin_is_refused_on_any_route(daemon: Daemon, origin: str) -> None:
    for path, method in itertools.product(EVERY_ROUTE, ("GET", "POST", "DELETE", "OPTIONS")):
        answer = daemon.http.request(method, path, headers={"Origin": origin})

        assert answer.status_code == 403, (method, path)
        assert answer.json()["code"] == "forbidden"
    assert daemon.jobs.jobs == {}


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:3456", "http://[::1]:8000"])
def test_pages_of_this_machine_may_ask_but_browsers_get_no_leave_to_share(daemon: Daemon, origin: str) -> None:
    asked = daemon.http.post("/analyse", headers={"Origin": origin}, **form())
    preflight = daemon.http.request(
        "OPTIONS", "/analyse", headers={"Origin": origin, "Access-Control-Request-Method": "POST"}
    )

    assert asked.status_code == 200
    assert preflight.status_code == 405
    assert not [name for answer in (asked, preflight) for name in answer.headers if name.startswith("access-control")]


def test_a_page_elsewhere_that_embeds_us_is_refused_and_a_link_to_us_is_not(daemon: Daemon) -> None:
    embedded = daemon.http.get("/events", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})
    followed = daemon.http.get("/docs", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})

    assert (embedded.status_code, followed.status_code) == (403, 200)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json"])
def test_a_write_that_a_foreign_form_could_send_is_refused(daemon: Daemon, kind: str) -> None:
    answer = daemon.http.post("/analyse", content=b'{"video_path": "/a.mp4"}', headers={"Content-Type": kind})

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_large_body_is_refused_unread_where_no_upload_is_expected(daemon: Daemon) -> None:
    answer = daemon.http.post("/mcp", content=b" " * 5_000_000, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_beyond_loopback_every_route_wants_the_token(start: Callable[..., Daemon]) -> None:
    daemon = start(token="a-token-of-length")

    for path in EVERY_ROUTE:
        for given in ({}, {"Authorization": "Bearer a-token-of-lengtH"}, {"Authorization": "Basic a-token-of-length"}):
            refused = daemon.http.get(path, headers=given)
            assert (refused.status_code, refused.json()["code"]) == (401, "forbidden"), path
        with daemon.http.stream("GET", path, headers={"Authorization": "bearer a-token-of-length"}) as admitted:
            assert admitted.status_code in {200, 404, 405}, path


def test_every_answer_carries_the_security_headers(daemon: Daemon) -> None:
    for answer in (daemon.http.get("/health"), daemon.http.get("/nothing"), daemon.http.get("/docs")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert "server" not in answer.headers


def test_the_docs_page_needs_nothing_from_elsewhere(daemon: Daemon) -> None:
    page = daemon.http.get("/docs").text

    for path in daemon.http.get("/openapi.json").json()["paths"]:
        assert path in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
        b"POST /analyse HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n",
        b"EHLO evil.example\r\n",
    ],
)
def test_what_is_no_proper_http_is_refused_in_the_one_shape(daemon: Daemon, head: bytes) -> None:
    with socket.create_connection(daemon.address) as raw:
        raw.settimeout(10)
        raw.sendall(head + b"\r\n")
        said = b"".join(iter(lambda: raw.recv(4096), b""))

    status, _, body = said.partition(b"\r\n")
    assert status == b"HTTP/1.1 400 Bad Request"
    assert json.loads(body.partition(b"\r\n\r\n")[2])["code"] == "invalid_request"


def test_the_token_file_is_private_and_stays_the_same(tmp_path: Path) -> None:
    first = load_token(tmp_path / "data")

    assert load_token(tmp_path / "data") == first
    assert len(first) >= 32
    assert stat.S_IMODE((tmp_path / "data" / "token").stat().st_mode) == 0o600
    assert installation(tmp_path / "data") == installation(tmp_path / "data")


def test_a_token_that_guards_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("\n")

    with pytest.raises(InvalidSetting):
        load_token(tmp_path)
    with pytest.raises(InvalidSetting, match="VAIDER_TOKEN"):
        load_token(tmp_path, "short")


@pytest.mark.parametrize(
    ("address", "own"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("h", False)],  # noqa: S104 - judged, not bound
)
def test_only_addresses_of_this_machine_alone_need_no_token(address: str, own: bool) -> None:
    assert is_loopback(address) is own


def test_an_ipv6_address_may_be_named_as_host() -> None:
    assert "[fd00::1]" in allowed_hosts("fd00::1", ())
