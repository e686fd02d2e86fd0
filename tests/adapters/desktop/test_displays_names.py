import socket
import sys
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from adapters.desktop.display_names import displays, resolve
from core.errors import DesktopUnavailable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
FREE = ":54321"


@pytest.fixture
def number() -> Generator[int]:
    """The number of a display that listens on an abstract socket, as X servers on Linux do beside their file."""
    with socket.socket(socket.AF_UNIX) as server:
        for number in range(40000, 40100):
            try:
                server.bind(f"\0/tmp/.X11-unix/X{number}")
            except OSError:
                continue
            server.listen()
            yield number
            return


def refusal(display: str, environment: Mapping[str, str] | None = None) -> str:
    with pytest.raises(DesktopUnavailable) as refused:
        resolve(display, environment or {})
    assert len(refused.value.message) < 400
    return refused.value.message


@pytest.mark.parametrize("written", [":{}", ":{}.0"])
def test_a_display_of_this_machine_has_one_name_however_it_is_written(number: int, written: str) -> None:
    assert resolve(written.format(number), {}) == f":{number}"


def test_a_screen_of_a_display_is_kept_in_its_name(number: int) -> None:
    assert resolve(f":{number}.1", {}) == f":{number}.1"


@pytest.mark.parametrize("written", [":{}", "unix:{}", ":{}.0", "/unix:{}"])
def test_current_is_the_display_of_the_users_session(number: int, written: str) -> None:
    assert resolve("current", {"DISPLAY": written.format(number)}) == f":{number}"


def test_private_needs_no_session() -> None:
    assert resolve("private", {}) == "private"
    assert resolve("private", {"WAYLAND_DISPLAY": "wayland-0"}) == "private"


@pytest.mark.parametrize(
    "display",
    ["", ":", "99", ":-1", ":1x", ":1.", ":999999", " :1", ":1\n", ":1;reboot", "../X1", "Private", ":" + "9" * 5000],
)
def test_nonsense_is_refused_with_what_may_be_said(display: str) -> None:
    assert "Use private, current, or :N" in refusal(display)


@pytest.mark.parametrize("display", ["host:0", "localhost:10.0", "192.168.0.1:0", "tcp/host:0", "[::1]:0"])
def test_a_display_of_another_machine_is_refused(display: str) -> None:
    assert "only local ones" in refusal(display)
    assert "only local ones" in refusal("current", {"DISPLAY": display})


def test_a_display_that_does_not_answer_is_told_so() -> None:
    assert f"no display {FREE}" in refusal(FREE)
    assert f"no display {FREE}" in refusal("current", {"DISPLAY": FREE})


def test_without_a_display_the_private_one_is_recommended() -> None:
    assert "--display private" in refusal("current")


@pytest.mark.parametrize("session", [{"WAYLAND_DISPLAY": "wayland-0"}, {"XDG_SESSION_TYPE": "wayland"}])
def test_a_wayland_session_is_refused_with_both_remedies(number: int, session: dict[str, str]) -> None:
    text = refusal("current", session)

    assert "X11 session" in text
    assert "--display private" in text
    # Its X11 windows are on a display of their own: hands there would reach some programs and not others.
    assert refusal("current", {**session, "DISPLAY": f":{number}"}) == text
    assert refusal(f":{number}", {**session, "DISPLAY": f":{number}"}) == text


def test_another_display_than_the_waylands_own_can_be_used(number: int) -> None:
    session = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": FREE}

    assert resolve(f":{number}", session) == f":{number}"


def test_the_displays_that_answer_are_found_by_their_sockets(tmp_path: Path, number: int) -> None:
    for name in (f"X{number}", "X54321", "Xorg", "X1-lock"):
        (tmp_path / name).touch()

    assert displays(tmp_path) == [f":{number}"]
    assert displays(tmp_path / "none") == []
