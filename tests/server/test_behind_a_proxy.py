"""A daemon that others reach through a proxy, and what a proxy asks it."""

from collections.abc import Callable
from typing import Any

import pytest

from config.settings import Settings, SettingsError, load_settings
from server.client.address import address
from server.security import needs_token
from tests.fakes.daemons.memory_daemon import Daemon

PUBLIC = "https://vaider.example"


@pytest.fixture
def proxied(start: Callable[..., Daemon]) -> Daemon:
    return start(public_url=PUBLIC)


def _headers(daemon: Daemon, **further: str) -> dict[str, str]:
    return {"Host": "vaider.example", "Authorization": f"Bearer {daemon.credentials.secret}", **further}


def test_the_proxys_host_is_served_with_a_token_and_pages_of_it_are_ours(proxied: Daemon) -> None:
    assert proxied.http.get("/jobs", headers=_headers(proxied)).status_code == 200
    assert proxied.http.get("/jobs", headers=_headers(proxied, Origin=PUBLIC)).status_code == 200
    assert proxied.http.get("/jobs", headers=_headers(proxied, Host="other.example")).status_code == 421
    assert proxied.http.get("/jobs", headers=_headers(proxied, Origin="https://other.example")).status_code == 403


def test_whoever_comes_through_the_proxy_needs_a_token_though_the_proxy_is_of_the_own_account(proxied: Daemon) -> None:
    for host in ("vaider.example", "127.0.0.1"):
        assert proxied.http.get("/jobs", headers={"Host": host}).status_code == 401


def test_the_commands_of_this_machine_send_their_token_then(settings: Settings) -> None:
    behind = settings.model_copy(update={"public_url": PUBLIC})
    assert needs_token(behind)
    assert address(behind, {"VAIDER_TOKEN": "given"}).token == "given"


@pytest.mark.parametrize(("public_url", "secure"), [(PUBLIC, True), ("http://vaider.example", False), ("", False)])
def test_a_browsers_cookie_stays_within_tls_where_there_is_tls(
    start: Callable[..., Daemon], public_url: str, *, secure: bool
) -> None:
    daemon = start(public_url=public_url)
    answer = daemon.http.post("/session", json={"token": daemon.credentials.secret})
    assert answer.status_code == 204
    assert ("; Secure" in answer.headers["set-cookie"]) is secure


@pytest.mark.parametrize("value", ["vaider.example", "https://vaider.example/path", "ftp://vaider.example"])
def test_an_address_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="public_url"):
        load_settings(environment={"VAIDER_PUBLIC_URL": value})


def test_a_probe_hears_that_it_lives_without_a_token_and_nothing_else(proxied: Daemon) -> None:
    answer: Any = proxied.http.get("/health/live")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert proxied.http.get("/health/ready").status_code == 401


def test_it_is_not_ready_while_the_database_does_not_answer_and_lives_all_the_same(daemon: Daemon) -> None:
    assert daemon.http.get("/health/ready").json() == {"status": "ok"}
    daemon.jobs.broken = OSError("gone")
    answer = daemon.http.get("/health/ready")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert daemon.http.get("/health/live").status_code == 200


def test_it_is_not_ready_once_it_stops(daemon: Daemon) -> None:
    daemon.services.stopping.set()
    assert daemon.http.get("/health/ready").status_code == 503
