import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from adapters.desktop.desktop_observer import LocalDesktopObserver, ProcessPrograms
from adapters.desktop.settling import pixels
from core.screens import Box, Window
from tests.clock import until, within
from tests.fakes.desktops.x_user import connected, running, server_process, started, x_display

pytestmark = pytest.mark.screen


def _sockets() -> int:
    """How many this process has open."""
    found = 0
    for file in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found += str(file.readlink()).startswith("socket:")
    return found


def test_the_desktop_is_seen_with_its_windows_and_the_programs_behind_them() -> None:
    with x_display() as display, started(display, "xterm", "-T", "Notes", "-geometry", "40x10+50+60", "-e", "cat"):
        desktop_observer = LocalDesktopObserver(environment={"DISPLAY": display})
        until(lambda: any(window.title == "Notes" for window in desktop_observer.look().windows))
        found = desktop_observer.look()
        assert found.size == (1280, 720)
        assert found.picture is not None
        assert len(np.unique(pixels(found.picture))) > 1
        window = next(window for window in found.windows if window.title == "Notes")
        assert ProcessPrograms().program(window) == "xterm"
        desktop_observer.close()


def test_a_window_that_claims_to_be_another_program_is_told_apart() -> None:
    claim = (
        "import tkinter, os; root = tkinter.Tk(className='XTerm'); root.title('Notes'); root.geometry('300x200');"
        "root.update(); root.mainloop()"
    )
    with (
        x_display() as display,
        started(display, "xterm", "-T", "Notes", "-e", "cat"),
        running([sys.executable, "-c", claim], env={**os.environ, "DISPLAY": display}),
    ):
        desktop_observer = LocalDesktopObserver(environment={"DISPLAY": display})

        def programs() -> set[str]:
            windows = [window for window in desktop_observer.look().windows if window.title == "Notes"]
            return {ProcessPrograms().program(window) for window in windows}

        until(lambda: len(programs()) == 2)
        assert programs() == {"xterm", Path(sys.executable).resolve().name}
        desktop_observer.close()


def test_nothing_is_seen_without_a_display() -> None:
    wayland = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}
    for environment in ({}, {"DISPLAY": ":64999"}, {"DISPLAY": "elsewhere:0"}, wayland):
        found = LocalDesktopObserver(environment=environment).look()
        assert (found.picture, found.windows, found.size) == (None, (), None)


def test_a_display_that_dies_is_empty_and_one_that_comes_is_seen() -> None:
    environment: dict[str, str] = {}
    desktop_observer = LocalDesktopObserver(environment=environment)
    with x_display(640, 480, manager=False) as display:
        environment["DISPLAY"] = display
        assert desktop_observer.look().size == (640, 480)
        with connected(display) as x:
            os.kill(server_process(x), signal.SIGKILL)
        until(lambda: desktop_observer.look().size is None)
    with x_display(800, 600, manager=False) as display:
        environment["DISPLAY"] = display
        assert desktop_observer.look().size == (800, 600)
    desktop_observer.close()


def test_a_connection_is_kept_while_it_is_used_and_closed_after() -> None:
    with x_display(640, 480, manager=False) as display:
        before = _sockets()
        desktop_observer = LocalDesktopObserver(environment={"DISPLAY": display}, seconds=0.2)
        desktop_observer.look()
        assert _sockets() > before
        until(lambda: _sockets() == before)
        assert desktop_observer.look().size == (640, 480)
        desktop_observer.close()
        assert _sockets() == before


def test_threads_may_look_at_the_same_time() -> None:
    with x_display(640, 480, manager=False) as display:
        desktop_observer = LocalDesktopObserver(environment={"DISPLAY": display}, seconds=0.001)
        sizes: list[object] = []
        threads = [
            threading.Thread(target=lambda: sizes.extend(desktop_observer.look().size for _ in range(20)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert sizes == [(640, 480)] * 80
        desktop_observer.close()


def test_a_warm_look_is_fast() -> None:
    with x_display(manager=False) as display:
        desktop_observer = LocalDesktopObserver(environment={"DISPLAY": display})
        desktop_observer.look()
        best = min(_seconds(desktop_observer) for _ in range(10))
        desktop_observer.close()
        within(0.03, best)


def _seconds(desktop_observer: LocalDesktopObserver) -> float:
    began = time.perf_counter()
    desktop_observer.look()
    return time.perf_counter() - began


def _window(pid: int | None) -> Window:
    return Window(id=1, title="", application="", pid=pid, box=Box(x=0, y=0, width=9, height=9), focused=False)


@pytest.mark.parametrize("pid", [None, 0, -1, 2**31 - 1])
def test_a_program_that_is_not_known_has_no_name(pid: int | None) -> None:
    assert not ProcessPrograms().program(_window(pid))


def test_a_program_that_was_replaced_while_it_runs_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "exe").symlink_to("/usr/bin/pad (deleted)")
    assert ProcessPrograms(tmp_path).program(_window(7)) == "pad"
