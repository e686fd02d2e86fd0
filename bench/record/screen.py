"""A virtual display with a window manager, the real pointer and the real keyboard."""

import os
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

GLIDE_STEPS = 12


@dataclass
class Screen:
    """One virtual display; what is started on it inherits ``environment``."""

    display: str
    width: int
    height: int
    pointer: tuple[int, int] = (0, 0)
    session: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its programs see besides: how they tell of their elements."""

    @property
    def environment(self) -> dict[str, str]:
        """The process environment with this display in it."""
        return {**os.environ, "DISPLAY": self.display, **self.session}

    def glide(self, x: int, y: int, steps: int = GLIDE_STEPS) -> None:
        """Move the pointer in a straight line, as a hand does, in about a quarter of a second."""
        x0, y0 = self.pointer
        moves: list[str] = []
        for step in range(1, steps + 1):
            part = step / steps
            moves += ["mousemove", str(round(x0 + (x - x0) * part)), str(round(y0 + (y - y0) * part)), "sleep", "0.02"]
        self._xdotool(moves)
        self.pointer = (x, y)

    def click(self, x: int, y: int, times: int = 1) -> None:
        """Glide there and press the left button, twice for a double click."""
        self.glide(x, y)
        self._xdotool(["click", "--repeat", str(times), "--delay", "80", "1"])

    def wheel(self, notches: int) -> None:
        """Turn the wheel down (up when negative), a notch every 60 ms."""
        self._xdotool(["click", "--repeat", str(abs(notches)), "--delay", "60", "5" if notches > 0 else "4"])

    def type(self, text: str, delay_ms: int) -> None:
        """Type letter by letter; xdotool spends half of its delay on a press and a release each."""
        self._xdotool(["type", "--delay", str(delay_ms * 2), text])

    def press(self, key: str) -> None:
        """Press and release one key by its X name."""
        self._xdotool(["key", key])

    def _xdotool(self, arguments: Sequence[str]) -> None:
        subprocess.run(["xdotool", *arguments], check=True, env=self.environment, timeout=60)


@contextmanager
def virtual_screen(width: int, height: int) -> Generator[Screen]:
    """Start Xvfb on a free display number and openbox on it; both end with the block."""
    reader, writer = os.pipe()
    size = f"{width}x{height}x24"
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start; is it installed?")
        screen = Screen(f":{number}", width, height)
        quiet = subprocess.DEVNULL
        manager = subprocess.Popen(["openbox"], env=screen.environment, stdout=quiet, stderr=quiet)
        try:
            yield screen
        finally:
            manager.terminate()
            manager.wait(10)
    finally:
        server.terminate()
        server.wait(10)
