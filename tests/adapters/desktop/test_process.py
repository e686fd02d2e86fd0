import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.desktop.displays import X_SOCKETS, LocalDesktops
from core.actions import ACTION, Click, Drag, HoldKey, Key, Move, OpenApp, Press, Type, Wait
from core.errors import ActionFailed, Cancelled, DesktopLost, DesktopUnavailable, InvalidSetting, TakenOver
from core.runs.ports import Desktop
from core.screens import Picture, Point
from tests import processes
from tests.canary import CANARY
from tests.clock import until, within
from tests.fakes.desktops import acting_daemon
from tests.fakes.desktops.acting_desktops import is_taken_over, nothing, opened
from tests.fakes.desktops.x_user import Program, User, connected, running, x_display

pytestmark = pytest.mark.screen
LONG_DRAG = Drag(path=tuple(Point(x=100 + step % 500, y=100 + step % 300) for step in range(1000)))


@pytest.fixture
def display() -> Iterator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def desktop(display: str, tmp_path: Path) -> Iterator[Desktop]:
    with opened(display, tmp_path) as desktop:
        yield desktop


def held(display: str) -> bool:
    """Whether any button or key is down."""
    with connected(display) as x:
        buttons = x.core.QueryPointer(x.setup.roots[0].root).reply().mask & 0x1F00
        return bool(buttons) or any(x.core.QueryKeymap().reply().keys)


def workers(parent: int | None = None) -> list[int]:
    return processes.running("adapters.desktop.process.worker", parent)


def alive(pid: int) -> bool:
    """Whether it runs: a process that nobody has waited for yet is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def meanwhile(act: Callable[[], None]) -> tuple[threading.Thread, list[BaseException]]:
    """Do it on another thread, and keep what it raises."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - the test looks at whatever it is
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, raised


class Stop:
    """Raises once it is told to, and keeps when it was asked."""

    def __init__(self) -> None:
        self.stopped = False
        self.asked: list[float] = []

    def __call__(self) -> None:
        self.asked.append(time.monotonic())
        if self.stopped:
            raise Cancelled("Enough.")


@pytest.mark.nightly
def test_a_program_is_opened_used_seen_and_listed(desktop: Desktop, tmp_path: Path) -> None:
    before = desktop.look()
    desktop.act(OpenApp(name="xterm", arguments=("-title", "mine", "-e", "sh")), nothing)
    opened = desktop.settle(before, nothing, seconds=5)
    desktop.act(Type(text=f"echo seen > {tmp_path}/typed; exit\n"), nothing)
    until(lambda: (tmp_path / "typed").exists() and (tmp_path / "typed").read_text() == "seen\n")

    assert (before.width, before.height) == desktop.size == (1280, 720)
    assert len(opened.bgra) == 4 * 1280 * 720
    assert opened.bgra != before.bgra
    until(lambda: not desktop.windows())


def test_settling_compares_with_the_picture_that_it_is_given(desktop: Desktop) -> None:
    desktop.look()
    black = Picture(1280, 720, bytes(4 * 1280 * 720), time.monotonic())
    seen = desktop.settle(black, nothing, seconds=2)

    assert desktop.settle(seen, nothing, seconds=2).bgra == seen.bgra


def test_what_cannot_be_done_is_told_and_the_next_thing_is_done(desktop: Desktop) -> None:
    with pytest.raises(ActionFailed, match="outside the screen"):
        desktop.act(Click(action="left_click", at=Point(x=5000, y=5)), nothing)
    with pytest.raises(ActionFailed, match="no program"):
        desktop.act(OpenApp(name="no-such-program"), nothing)
    desktop.act(Move(at=Point(x=7, y=9)), nothing)

    with connected(desktop.name) as x:
        pointer = x.core.QueryPointer(x.setup.roots[0].root).reply()
    assert (pointer.root_x, pointer.root_y) == (7, 9)


@pytest.mark.nightly
def test_it_asks_whether_to_stop_at_least_every_50_ms(desktop: Desktop) -> None:
    stop = Stop()
    desktop.act(Wait(seconds=1), stop)
    gaps = [later - earlier for earlier, later in zip(stop.asked, stop.asked[1:], strict=False)]

    within(0.05, sorted(gaps)[len(gaps) // 2])
    assert len(gaps) > 15


def test_a_stop_lets_go_before_it_is_heard(desktop: Desktop) -> None:
    stop = Stop()
    thread, raised = meanwhile(lambda: desktop.act(HoldKey(keys=("shift",), seconds=60), stop))
    until(lambda: held(desktop.name))
    stop.stopped = True
    began = time.monotonic()
    thread.join(5)
    took = time.monotonic() - began

    assert not held(desktop.name)
    assert isinstance(raised[0], Cancelled)
    within(0.2, took)
    desktop.act(Move(at=Point(x=1, y=1)), nothing)


def test_a_process_that_does_not_let_go_in_time_is_killed_and_everything_is_released(desktop: Desktop) -> None:
    stop = Stop()
    thread, raised = meanwhile(lambda: desktop.act(HoldKey(keys=("shift",), seconds=60), stop))
    until(lambda: held(desktop.name))
    (worker,) = workers()
    os.kill(worker, signal.SIGSTOP)
    stop.stopped = True
    thread.join(10)

    assert not held(desktop.name)
    assert isinstance(raised[0], Cancelled)
    assert not alive(worker)
    with pytest.raises(DesktopLost):
        desktop.look()


def test_the_users_hand_on_the_mouse_ends_the_action_at_once(desktop: Desktop) -> None:
    user = User(desktop.name)
    thread, raised = meanwhile(lambda: desktop.act(LONG_DRAG, nothing))
    until(lambda: held(desktop.name))
    began = time.monotonic()
    user.move(5, 5)
    until(lambda: not held(desktop.name))
    took = time.monotonic() - began
    thread.join(5)

    within(0.2, took)
    assert isinstance(raised[0], TakenOver)
    for refused in (
        desktop.raise_if_cancelled,
        desktop.look,
        desktop.windows,
        lambda: desktop.act(Key(keys=("a",)), nothing),
    ):
        with pytest.raises(TakenOver, match="moved the mouse") as reported:
            refused()
        assert reported.value.details == {"source": "user"}
    user.close()


@pytest.mark.nightly
def test_what_an_earlier_action_holds_is_let_go_when_the_user_takes_over(desktop: Desktop) -> None:
    user = User(desktop.name)
    desktop.act(Press(action="left_mouse_down", at=Point(x=50, y=50)), nothing)
    assert held(desktop.name)
    began = time.monotonic()
    user.move(1, 1)
    until(lambda: not held(desktop.name))
    within(0.2, time.monotonic() - began)
    user.close()


@pytest.mark.nightly
def test_it_goes_on_when_the_user_has_left_mouse_and_keyboard_alone(desktop: Desktop) -> None:
    user = User(desktop.name)
    began = time.monotonic()
    user.move(5, 5)
    until(lambda: is_taken_over(desktop))
    desktop.release()
    desktop.announce("You have it.")
    desktop.await_user(nothing, quiet_seconds=0.3)
    took = time.monotonic() - began

    assert took > 0.2
    within(2, took)
    desktop.act(Move(at=Point(x=3, y=3)), nothing)
    user.move(5, 5)
    until(lambda: is_taken_over(desktop))
    user.close()


def test_the_stop_key_ends_also_the_wait_for_the_user(desktop: Desktop) -> None:
    user = User(desktop.name)
    user.move(5, 5)
    until(lambda: is_taken_over(desktop))
    for keycode in (37, 64, 9):  # ctrl, alt, escape
        user.key(keycode, down=True)
    for keycode in (9, 64, 37):
        user.key(keycode, down=False)
    with pytest.raises(TakenOver, match="hot key") as reported:
        desktop.await_user(nothing, quiet_seconds=600)

    assert reported.value.details == {"source": "hotkey"}
    user.close()


def test_without_a_stop_key_its_keys_are_any_others(display: str, tmp_path: Path) -> None:
    desktops = LocalDesktops(data_dir=tmp_path, stop_key="")
    with desktops.open(display, run="a test", size=None, raise_if_cancelled=nothing) as desktop:
        user = User(display)
        for keycode in (37, 64, 9):
            user.key(keycode, down=True)
        for keycode in (9, 64, 37):
            user.key(keycode, down=False)
        until(lambda: is_taken_over(desktop))
        desktop.await_user(nothing, quiet_seconds=0.05)
        user.close()


def test_a_stop_key_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="stop_key"):
        LocalDesktops(data_dir=tmp_path, stop_key="ctrl+nonsense")


def test_waiting_for_the_user_can_be_stopped(desktop: Desktop) -> None:
    user = User(desktop.name)
    user.move(5, 5)
    until(lambda: is_taken_over(desktop))
    stop = Stop()
    stop.stopped = True
    with pytest.raises(Cancelled, match="Enough"):
        desktop.await_user(stop, quiet_seconds=600)
    user.close()


def test_a_pointer_that_some_program_put_elsewhere_is_a_takeover(desktop: Desktop) -> None:
    program = Program(desktop.name)
    desktop.act(Move(at=Point(x=30, y=30)), nothing)
    program.warp(300, 300)
    with pytest.raises(TakenOver) as reported:
        desktop.act(Click(action="left_click"), nothing)

    assert reported.value.details == {"source": "pointer"}
    program.close()


def test_a_killed_process_leaves_nothing_down_and_is_told(desktop: Desktop) -> None:
    desktop.act(Press(action="left_mouse_down", at=Point(x=50, y=50)), nothing)
    (worker,) = workers()
    os.kill(worker, signal.SIGKILL)
    until(lambda: not held(desktop.name))

    with pytest.raises(DesktopLost):
        desktop.raise_if_cancelled()
    with pytest.raises(DesktopLost):
        desktop.act(Move(at=Point(x=1, y=1)), nothing)


def test_a_terminated_process_lets_go(desktop: Desktop) -> None:
    thread, raised = meanwhile(lambda: desktop.act(HoldKey(keys=("ctrl", "a"), seconds=60), nothing))
    until(lambda: held(desktop.name))
    (worker,) = workers()
    os.kill(worker, signal.SIGTERM)
    thread.join(5)
    until(lambda: not alive(worker))

    assert not held(desktop.name)
    assert isinstance(raised[0], Cancelled | DesktopLost)


def test_a_daemon_that_is_killed_during_a_drag_leaves_no_button_down(display: str, tmp_path: Path) -> None:
    with daemon(tmp_path, display, LONG_DRAG) as process:
        assert process.stdout is not None
        assert process.stdout.readline().decode().strip() == display
        until(lambda: held(display))
        (worker,) = workers(process.pid)
        process.kill()
        until(lambda: not held(display), 1.0)
        until(lambda: not alive(worker))

    until(lambda: _can_be_used(display, tmp_path))


def test_a_display_that_dies_is_told_and_its_process_ends(tmp_path: Path) -> None:
    with x_display() as name, opened(name, tmp_path) as desktop:
        (worker,) = workers()
        thread, raised = meanwhile(lambda: desktop.act(HoldKey(keys=("a",), seconds=60), nothing))
        until(lambda: held(name))
        _kill_server(name)
        thread.join(10)

        assert isinstance(raised[0], DesktopLost)
        with pytest.raises(DesktopLost):
            desktop.look()
        until(lambda: not alive(worker))


def test_the_second_run_is_told_who_has_the_display(desktop: Desktop, display: str, tmp_path: Path) -> None:
    with pytest.raises(DesktopUnavailable, match="a test"), opened(f"{display}.0", tmp_path):
        pass
    desktop.act(Move(at=Point(x=1, y=1)), nothing)


def test_the_process_knows_no_key(desktop: Desktop) -> None:
    assert CANARY in os.environ.values()
    (worker,) = workers()

    environment = Path(f"/proc/{worker}/environ").read_text()
    assert CANARY not in environment
    assert "VAIDER_" not in environment
    assert desktop.name


def test_a_display_that_lets_nobody_in_is_unavailable(tmp_path: Path) -> None:
    cookie = tmp_path / "cookie"
    subprocess.run(
        ["xauth", "-q", "-f", str(cookie), "add", ":0", ".", "ab" * 16], check=True, stderr=subprocess.DEVNULL
    )
    with x_display(640, 480, "-auth", str(cookie), manager=False) as name:
        with pytest.raises(DesktopUnavailable, match=name), opened(name, tmp_path):
            pass
        assert not workers()


@contextmanager
def daemon(data_dir: Path, display: str, *actions: Any) -> Generator[subprocess.Popen[bytes]]:
    command = [sys.executable, acting_daemon.__file__, str(data_dir), display]
    command += [ACTION.dump_json(action).decode() for action in actions]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    with running(command, stdout=subprocess.PIPE, env=environment) as process:
        try:
            yield process
        finally:
            assert process.stdout is not None
            process.stdout.close()


def _can_be_used(display: str, data_dir: Path) -> bool:
    try:
        with opened(display, data_dir) as desktop:
            desktop.act(Move(at=Point(x=1, y=1)), nothing)
    except DesktopUnavailable:
        return False
    return True


def _kill_server(display: str) -> None:
    (server,) = processes.running("Xvfb ")
    os.kill(server, signal.SIGKILL)
    (X_SOCKETS / f"X{display[1:]}").unlink()
