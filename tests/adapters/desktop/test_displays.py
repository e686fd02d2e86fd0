import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from adapters.desktop.children import marked
from adapters.desktop.displays import X_SOCKETS, LocalDesktops
from adapters.desktop.virtual import identity
from core.actions import ACTION, OpenApp, OpenUrl, Press
from core.errors import Cancelled, DesktopLost, DesktopUnavailable, StorageFailed
from core.runs.ports import Desktop
from core.screens import Point
from tests import processes
from tests.canary import CANARY
from tests.clock import until, within
from tests.fakes.desktops import acting_daemon
from tests.fakes.desktops.acting_desktops import is_taken_over, nothing
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.desktops.vnc import viewing
from tests.fakes.desktops.x_user import running, x_display

pytestmark = pytest.mark.screen
# Its child lives in a session of its own, and is nobody's child once the terminal is gone.
STUBBORN = OpenApp(
    name="xterm", arguments=("-title", "stubborn", "-e", "sh", "-c", "trap '' HUP TERM; setsid sleep 600; sleep 600")
)


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Where private displays keep their files; a short path, for the sockets below."""
    folder = Path(tempfile.mkdtemp(prefix="vt"))
    yield folder
    left = programs(folder)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    files = list(folder.iterdir())
    shutil.rmtree(folder)
    assert not left
    assert not files


@contextmanager
def private(scratch: Path, size: tuple[int, int] | None = None) -> Generator[Desktop]:
    desktops = LocalDesktops(data_dir=scratch.with_name(f"{scratch.name}-data"), scratch=scratch)
    try:
        with desktops.open("private", run="a test", size=size, raise_if_cancelled=nothing) as desktop:
            yield desktop
    finally:
        shutil.rmtree(desktops.password_file.parent.parent, ignore_errors=True)


def programs(scratch: Path) -> list[int]:
    """All that was started on a private display, server, window manager and bus too."""
    return marked(str(scratch))


def names(pids: list[int]) -> set[str]:
    found: set[str] = set()
    for pid in pids:
        with suppress(OSError):
            found.add(Path(f"/proc/{pid}/comm").read_text().strip())
    return found


def worker_of(parent: int) -> int:
    (found,) = processes.running("adapters.desktop.process.worker", parent)
    return found


def socket_of(display: str) -> tuple[int, int]:
    """Which file its socket is: another display may come by the same name."""
    try:
        return identity(X_SOCKETS / f"X{display[1:]}")
    except FileNotFoundError:
        return 0, 0


def test_a_private_display_has_the_size_that_was_asked_for(scratch: Path) -> None:
    with private(scratch, (1600, 900)) as desktop:
        picture = desktop.look()

        assert desktop.size == (picture.width, picture.height) == (1600, 900)
        assert names(programs(scratch)) >= {"Xvfb", "openbox"}


@pytest.mark.parametrize(
    "size",
    [
        (0, 0),
        pytest.param((-5, 700), marks=pytest.mark.nightly),
        pytest.param((100, 100), marks=pytest.mark.nightly),
        (1280, 99999),
    ],
)
def test_a_size_that_no_display_has_is_refused(scratch: Path, size: tuple[int, int]) -> None:
    with pytest.raises(DesktopUnavailable, match="cannot be"), private(scratch, size):
        pass


@pytest.mark.nightly
def test_several_private_displays_live_side_by_side_and_leave_nothing(scratch: Path) -> None:
    with ExitStack() as stack:
        desktops = [stack.enter_context(private(scratch, (640 + 64 * number, 480))) for number in range(3)]
        files = [(desktop.name, socket_of(desktop.name)) for desktop in desktops]
        for number, desktop in enumerate(desktops):
            desktop.act(OpenApp(name="xterm", arguments=("-title", f"of {number}", "-e", "sh")), nothing)
        shown = [[window.title for window in desktop.windows()] for desktop in desktops]

        assert len({desktop.name for desktop in desktops}) == 3
        assert shown == [["of 0"], ["of 1"], ["of 2"]]
        assert [desktop.size[0] for desktop in desktops] == [640, 704, 768]
    assert all(socket_of(name) != file for name, file in files)


@pytest.mark.nightly
def test_a_private_display_is_there_within_a_second_and_a_half(scratch: Path) -> None:
    took: list[float] = []
    bare: list[float] = []
    for _ in range(3):
        began = time.monotonic()
        with private(scratch):
            took.append(time.monotonic() - began)
        began = time.monotonic()
        with x_display():
            bare.append(time.monotonic() - began)

    # On a machine that is busy with other things, the bare server and its window manager take longer as well.
    within(max(1.5, 8 * min(bare)), min(took))


def test_a_private_display_is_watched_with_a_password_and_taken_over_through_its_viewer(scratch: Path) -> None:
    with private(scratch, (640, 480)) as desktop:
        assert desktop.viewer is not None
        password = (scratch.with_name(f"{scratch.name}-data") / "desktops" / "viewer-password").read_text().strip()
        with viewing(desktop.viewer) as stranger:
            assert stranger.ways_in == [2]
            assert not stranger.enter("guessed")
        with viewing(desktop.viewer) as person:
            assert person.enter(password)
            assert person.size == (640, 480)
            desktop.raise_if_cancelled()
            person.point(300, 200)
            until(lambda: is_taken_over(desktop))


@pytest.mark.nightly
def test_everything_on_it_ends_with_it(scratch: Path) -> None:
    require_browser_sandbox()
    with private(scratch) as desktop:
        desktop.act(STUBBORN, nothing)
        desktop.act(OpenUrl(url="about:blank"), nothing)
        until(lambda: {"sleep", "chromium", "xterm"} <= names(programs(scratch)))


@pytest.mark.nightly
def test_everything_on_it_ends_when_its_process_is_killed(scratch: Path) -> None:
    require_browser_sandbox()
    with private(scratch) as desktop:
        file = socket_of(desktop.name)
        desktop.act(STUBBORN, nothing)
        desktop.act(OpenUrl(url="about:blank"), nothing)
        until(lambda: "sleep" in names(programs(scratch)))
        os.kill(worker_of(os.getpid()), signal.SIGKILL)
        until(lambda: not programs(scratch))

        with pytest.raises(DesktopLost):
            desktop.look()
        # The loss is told before all is cleared away.
        until(lambda: socket_of(desktop.name) != file)


def test_everything_on_it_ends_when_the_daemon_is_killed(scratch: Path, tmp_path: Path) -> None:
    with pending_delete(scratch, tmp_path, STUBBORN, Press(action="left_mouse_down", at=Point(x=9, y=9))) as (
        process,
        display,
    ):
        file = socket_of(display)
        until(lambda: "sleep" in names(programs(scratch)))
        process.kill()
        until(lambda: not programs(scratch) and not list(scratch.iterdir()))
    assert socket_of(display) != file


@pytest.mark.nightly
def test_what_a_killed_daemon_and_its_killed_process_left_is_cleared_by_the_next(scratch: Path, tmp_path: Path) -> None:
    with pending_delete(scratch, tmp_path, STUBBORN) as (process, display):
        file = socket_of(display)
        until(lambda: "sleep" in names(programs(scratch)))
        worker = worker_of(process.pid)
        # Nobody is left to clear it: not even who would have noticed the first death.
        os.kill(worker, signal.SIGSTOP)
        process.kill()
        process.wait()
        os.kill(worker, signal.SIGKILL)
    until(lambda: "sleep" in names(programs(scratch)) <= {"sh", "sleep"})
    # The system takes a moment to take from a killed process what it had open.
    until(lambda: _next_is_alone(scratch))
    assert socket_of(display) != file


@pytest.mark.nightly
def test_a_display_that_dies_takes_everything_along(scratch: Path) -> None:
    with private(scratch) as desktop:
        desktop.act(STUBBORN, nothing)
        until(lambda: "sleep" in names(programs(scratch)))
        (server,) = [pid for pid in programs(scratch) if names([pid]) == {"Xvfb"}]
        os.kill(server, signal.SIGKILL)
        until(lambda: _is_lost(desktop))
        until(lambda: not programs(scratch))


def test_a_start_that_is_stopped_leaves_nothing(scratch: Path, tmp_path: Path) -> None:
    asked = 0

    def stop_soon() -> None:
        nonlocal asked
        asked += 1
        if asked > 8:
            raise Cancelled("Enough.")

    desktops = LocalDesktops(data_dir=tmp_path, scratch=scratch)
    with (
        pytest.raises(Cancelled, match="Enough"),
        desktops.open("private", run="a test", size=None, raise_if_cancelled=stop_soon) as desktop,
    ):
        desktop.act(STUBBORN, stop_soon)


def test_a_program_on_it_sees_no_key_and_nothing_of_the_users_session(scratch: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    with private(scratch) as desktop:
        command = f"env > {seen}.new; mv {seen}.new {seen}; sleep 600"
        desktop.act(OpenApp(name="xterm", arguments=("-e", "sh", "-c", command)), nothing)
        until(seen.exists)
        reported = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)

        assert reported["DISPLAY"] == desktop.name
        for name in ("XAUTHORITY", "XDG_RUNTIME_DIR", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS"):
            assert str(scratch) in reported[name]
        assert "WAYLAND_DISPLAY" not in reported
        assert CANARY not in seen.read_text()


def test_nobody_without_the_cookie_is_let_in(scratch: Path) -> None:
    with private(scratch) as desktop:
        (folder,) = scratch.iterdir()
        stranger = {**os.environ, "DISPLAY": desktop.name, "XAUTHORITY": "/nowhere"}
        refused = subprocess.run(["xdotool", "getmouselocation"], env=stranger, capture_output=True, check=False)

        assert refused.returncode != 0
        assert folder.stat().st_mode & 0o077 == 0
        assert (folder / "Xauthority").stat().st_mode & 0o077 == 0


def test_what_is_missing_is_told_with_how_to_install_it(tmp_path: Path) -> None:
    desktops = LocalDesktops(data_dir=tmp_path, environment={"PATH": str(tmp_path)})

    assert "apt-get install xvfb openbox" in str(desktops.unavailable("private"))
    (tmp_path / "Xvfb").touch(mode=0o755)
    assert "openbox" in str(desktops.unavailable("private"))
    with pytest.raises(DesktopUnavailable, match="openbox"):
        desktops.open("private", run="a test", size=None, raise_if_cancelled=nothing).__enter__()


def test_a_display_that_cannot_be_used_is_told_before_and_when_it_is_opened(tmp_path: Path) -> None:
    desktops = LocalDesktops(data_dir=tmp_path, environment={"PATH": os.environ["PATH"]})

    assert desktops.unavailable("private") is None
    assert "--display private" in str(desktops.unavailable("current"))
    with pytest.raises(DesktopUnavailable, match="--display private"):
        desktops.open("current", run="a test", size=None, raise_if_cancelled=nothing).__enter__()


def test_a_data_directory_that_cannot_be_written_is_told(scratch: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    desktops = LocalDesktops(data_dir=tmp_path / "file", scratch=scratch)

    with pytest.raises(StorageFailed, match="set another data_dir"):
        desktops.open("private", run="a test", size=None, raise_if_cancelled=nothing).__enter__()


@contextmanager
def pending_delete(scratch: Path, data_dir: Path, *actions: Any) -> Generator[tuple[subprocess.Popen[bytes], str]]:
    """A daemon that has a private display and has done that on it."""
    command = [sys.executable, acting_daemon.__file__, str(data_dir), "private"]
    command += [ACTION.dump_json(action).decode() for action in actions]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3]), "TMPDIR": str(scratch)}
    with running(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        with process.stdout:
            display = process.stdout.readline().decode().strip()
            assert process.stdout.readline() == b"done\n"
            yield process, display


def _next_is_alone(scratch: Path) -> bool:
    with private(scratch):
        return len(list(scratch.iterdir())) == 1 and "sleep" not in names(programs(scratch))


def _is_lost(desktop: Desktop) -> bool:
    try:
        desktop.raise_if_cancelled()
    except DesktopLost:
        return True
    return False
