import itertools
import json
import re
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import InvalidSetting
from server.dashboard.pages import PAGES
from server.identity import installation, load_token
from server.security import allowed_hosts, is_loopback
from tests.fakes.daemons.memory_daemon import Daemon, form

EVERY_ROUTE = [
    *("/health", "/jobs", "/events", "/docs", "/openapi.json", "/analyse", "/mcp", "/nothing", "/replay", "/reload"),
    *("/reload/options", "/jobs/1/hold", "/jobs/1/input", "/keys/gemini", "/settings", "/tasks/send-it", "/recorder"),
]


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
    [
        "null",
        "https://evil.example",
        pytest.param("http://localhost.evil.example", marks=pytest.mark.nightly),
        pytest.param("file://", marks=pytest.mark.nightly),
        pytest.param("http://127.0.0.1@evil.example", marks=pytest.mark.nightly),
        "x[",
    ],
)
def test_a_foreign_or_null_origin_is_refused_on_any_route(daemon: Daemon, origin: str) -> None:
    for path, method in itertools.product(EVERY_ROUTE, ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")):
        answer = daemon.http.request(method, path, headers={"Origin": origin})

        assert answer.status_code == 403, (method, path)
        assert answer.json()["code"] == "forbidden"
    assert daemon.jobs.jobs == {}


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:3456", "http://[::1]:8000"])
def test_other_pages_of_this_machine_get_no_leave_to_share_and_write_nothing(daemon: Daemon, origin: str) -> None:
    asked = daemon.http.post("/analyse", headers={"Origin": origin}, **form())
    removed = daemon.http.delete("/jobs/any", headers={"Sec-Fetch-Site": "same-site"})
    read = daemon.http.get("/session", headers={"Origin": origin})
    preflight = daemon.http.request(
        "OPTIONS", "/analyse", headers={"Origin": origin, "Access-Control-Request-Method": "POST"}
    )

    assert [(answer.status_code, answer.json()["code"]) for answer in (asked, removed)] == [(403, "stale_page")] * 2
    assert preflight.status_code == 405
    # It may be sent, but no page of another origin is let see it.
    assert read.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for answer in (asked, read, preflight) for name in answer.headers if name.startswith("access-")]
    assert daemon.jobs.jobs == {}


def test_a_page_that_the_daemon_served_may_write(daemon: Daemon) -> None:
    page = daemon.http.get("/")
    token = re.search(r'<meta name="vaider-page" content="([0-9a-f]{64})">', page.text)
    assert token

    for carried, status in ((token[1], 200), (token[1][:-1] + "g", 403), ("é", 403), ("", 403)):
        headers = {b"Origin": daemon.url.encode(), b"X-Vaider-Page": carried.encode()}
        assert daemon.http.post("/analyse", headers=headers, **form()).status_code == status
    assert daemon.http.get("/session").json()["page"] == token[1]


def test_a_page_elsewhere_that_embeds_us_is_refused_and_a_link_to_us_is_not(daemon: Daemon) -> None:
    embedded = daemon.http.get("/events", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})
    followed = daemon.http.get("/docs", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})

    assert (embedded.status_code, followed.status_code) == (403, 200)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json"])
def test_a_write_that_a_foreign_form_could_send_is_refused(daemon: Daemon, kind: str) -> None:
    answer = daemon.http.post("/analyse", content=b'{"video_path": "/a.mp4"}', headers={"Content-Type": kind})

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_large_body_is_refused_unread_where_no_upload_is_expected(daemon: Daemon) -> None:
    answer = daemon.http.post("/replay", content=b" " * 5_000_000, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_beyond_loopback_every_route_wants_the_token(start: Callable[..., Daemon]) -> None:
    daemon = start(token="a-token-of-length")

    for path in EVERY_ROUTE:
        for given in ({}, {"Authorization": "Bearer a-token-of-lengtH"}, {"Authorization": "Basic a-token-of-length"}):
            refused = daemon.http.get(path, headers=given)
            assert (refused.status_code, refused.json()["code"]) == (401, "forbidden"), path
        with daemon.http.stream("GET", path, headers={"Authorization": "bearer a-token-of-length"}) as admitted:
            assert admitted.status_code in {200, 404, 405, 409}, path


def test_beyond_loopback_a_browser_signs_in_once_with_the_token(start: Callable[..., Daemon]) -> None:
    daemon = start(token="a-token-of-length")
    asks_for_page = {"Accept": "text/html,*/*"}

    stranger = daemon.http.get("/ui/tasks", headers=asks_for_page)
    wrong = daemon.http.post("/session", json={"token": "a-token-of-lengtH"})
    with_page_alone = daemon.http.get("/jobs", headers={"X-Vaider-Page": daemon.http.get("/").text})
    right = daemon.http.post("/session", json={"token": "a-token-of-length"})
    cookie = right.headers["set-cookie"]

    assert (stranger.status_code, wrong.status_code, with_page_alone.status_code) == (401, 401, 401)
    assert "Sign in to Vaider" in stranger.text
    assert right.status_code == 204
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict")), cookie
    assert "a-token-of-length" not in cookie + stranger.text
    # From here on the client's jar has it.
    assert daemon.http.get("/ui/tasks", headers=asks_for_page).status_code == 200
    assert daemon.http.get("/jobs").status_code == 200
    assert daemon.http.delete("/jobs/any", headers={"Origin": daemon.url}).json()["code"] == "stale_page"


def test_the_dashboards_pages_run_nothing_but_their_own_files(daemon: Daemon) -> None:
    assets: set[str] = set()
    for page in PAGES:
        answer = daemon.http.get(page.path.format(job_id="1", task_id="1", name="1", entry_id="1"))
        policy = answer.headers["content-security-policy"]

        assert answer.status_code == 200, page.path
        assert "script-src 'self';" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert not re.search(r"https?://|<script>|\son[a-z]+=|\sstyle=", answer.text), page.path
        assets |= set(re.findall(r'(?:src|href)="(/ui/assets/[^"]+)"', answer.text))
    for asset in assets:
        assert daemon.http.get(asset).headers["cache-control"].startswith("public"), asset


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
    assert set(re.findall("<script[^>]*>", page)) == set(
        re.findall('<script type="module" src="/ui/assets/[a-z0-9]+/(?:shared/shell|docs/docs).js">', page)
    )
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
