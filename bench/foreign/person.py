"""A person in front of a private X display: finds things by eye, clicks and types by xdotool, and takes their time."""

import os
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bench.foreign.named import Act
from bench.record.screen import Screen, virtual_screen
from tests.fakes.desktops.accessible_session import accessible_session
from tests.fakes.desktops.x_user import running

SIZE: Final = (1280, 720)
_PLACES: Final = Path(__file__).parent / "places.py"
_PACE_MS: Final = 70
_AFTER: Final = 0.5
_AIMS: Final = 0.35
_PATIENCE: Final = 60.0


class Person:
    """Uses the programs of one display."""

    def __init__(self, screen: Screen, home: Path) -> None:
        self.screen = screen
        self.home = home
        self.begun = 0.0
        """When the recording began."""
        self.acts: list[Act] = []
        self.typed: list[tuple[float, str]] = []
        """What was typed, and when, in seconds of the recording."""

    @property
    def environment(self) -> dict[str, str]:
        """What programs see."""
        return {**self.screen.environment, "HOME": str(self.home)}

    def see(self, thing: str) -> tuple[int, int]:
        """Where ``role: name`` is, once it is there."""
        role, _, name = thing.partition(": ")
        command = ["/usr/bin/python3", str(_PLACES), role, name]
        said = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if said.returncode:
            raise RuntimeError(f"{said.stderr.strip()[-300:]}")
        x, y = said.stdout.split()
        return int(x), int(y)

    def click(self, thing: str, times: int = 1) -> None:
        """Click it; ``x,y`` is a place."""
        is_place = thing[0].isdigit()
        x, y = map(int, thing.split(",")) if is_place else self.see(thing)
        if not is_place:
            self.acts.append(Act("click", thing.partition(": ")[2]))
        self.screen.glide(x, y)
        # A hand rests before it clicks, and holds the button down for a moment.
        self.wait(_AIMS)
        for _ in range(times):
            held = ["xdotool", "mousedown", "1", "sleep", "0.08", "mouseup", "1"]
            subprocess.run(held, env=self.environment, check=True, timeout=_PATIENCE)
        self.wait(_AFTER)

    def type(self, text: str) -> None:
        """Type where the focus is."""
        self.acts.append(Act("type", text))
        self.typed.append((time.monotonic() - self.begun, text))
        self.screen.type(text, _PACE_MS)
        self.wait(_AFTER)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.acts.append(Act("press", key))
            self.screen.press(key)
            self.wait(_AFTER)

    def save_as(self, name: str) -> None:
        """Save under a name for the first time, by the keys that most programs have."""
        self.press("ctrl+s")
        self.await_window("Save")
        self.press("ctrl+a")
        self.type(name)
        self.press("Return")

    def wait(self, seconds: float) -> None:
        """Take time."""
        time.sleep(seconds)

    def await_window(self, title: str) -> None:
        """Wait until a window has the focus whose title has these words."""
        ends = time.monotonic() + _PATIENCE
        while not (focused := self._focused()) or title not in focused:
            if time.monotonic() > ends:
                raise RuntimeError(f"No window {title!r} came; there is {focused!r}.")
            time.sleep(0.1)
        self.wait(_AFTER)

    def _focused(self) -> str:
        command = ["xdotool", "getactivewindow", "getwindowname"]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False).stdout.strip()


@contextmanager
def person(home: Path) -> Generator[Person]:
    """A display with a window manager, on which programs tell of their elements."""
    with ExitStack() as stack:
        screen = stack.enter_context(virtual_screen(*SIZE))
        folder = home.parent / "bus"
        folder.mkdir()
        screen.session = stack.enter_context(accessible_session(screen.display, folder))
        # A desktop's session has it running before any program is started.
        ask = [
            "dbus-send",
            "--session",
            "--print-reply",
            "--dest=org.a11y.Bus",
            "/org/a11y/bus",
            "org.a11y.Bus.GetAddress",
        ]
        _await_answer(ask, screen.environment)
        yield Person(screen, home)


def _await_answer(command: list[str], environment: Mapping[str, str]) -> None:
    ends = time.monotonic() + _PATIENCE
    while subprocess.run(command, env=environment, check=False, capture_output=True, timeout=_PATIENCE).returncode:
        if time.monotonic() > ends:
            raise RuntimeError("The accessibility bus did not come up.")
        time.sleep(0.2)


@contextmanager
def opened(user: Person, command: str) -> Generator[None]:
    """A program that a person has open."""
    environment = {**user.environment, "PATH": f"{user.home}/bin:{os.environ['PATH']}"}
    with (
        (user.home.parent / "program.log").open("ab") as log,
        running(["sh", "-c", f"exec {command}"], env=environment, cwd=user.home, stdout=log, stderr=log),
    ):
        yield
