"""A continuous recording of a test's display, and windows of one colour that must not be in it."""

import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from xcffib import xproto

from adapters.recording.continuous.process import RecorderNews, RecorderProcess
from core.recording.recorder import RecorderOptions, RecorderPhase, RecorderStatus
from core.recording.recordings import Segment
from tests.clock import until
from tests.fakes.desktops.x_user import connected, running
from tests.fakes.recordings.films import frames

_PATCH = Path(__file__).parents[2] / "apps" / "patch.py"
_NEAR = 40


class Recorded:
    """One that is going on; ``options`` are the recorder's, ``session`` is of its environment."""

    def __init__(self, display: str, folder: Path, *, session: Mapping[str, str] | None = None, **options: Any) -> None:
        self.news: list[RecorderNews] = []
        self.status = RecorderStatus()
        self.exit_code: int | None = None
        self.folder = folder
        folder.mkdir(exist_ok=True)
        environment = {**os.environ, "DISPLAY": display, **(session or {})}
        environment.pop("WAYLAND_DISPLAY", None)
        self.process = RecorderProcess(
            RecorderOptions(display=display, **options),
            folder,
            hear=self._hear,
            ended=self._ended,
            environment=environment,
        )

    def _hear(self, news: RecorderNews) -> None:
        self.news.append(news)
        if news.status is not None:
            self.status = news.status

    def _ended(self, code: int) -> None:
        self.exit_code = code

    @property
    def opened(self) -> list[Segment]:
        """The segments that have begun."""
        return [news.opened for news in self.news if news.opened is not None]

    @property
    def closed(self) -> list[Segment]:
        """Those that have ended."""
        return [news.closed for news in self.news if news.closed is not None]

    def await_phase(self, phase: RecorderPhase) -> None:
        """Wait until it is so."""
        until(lambda: self.status.phase is phase, 20)

    def await_segments(self, count: int) -> None:
        """Wait until so many have begun."""
        until(lambda: len(self.opened) >= count, 20)

    def await_pictures(self, count: int) -> None:
        """Wait until so many more pictures that show something new are in the film."""
        wanted = self._changes() + count
        until(lambda: self._changes() >= wanted, 20)

    def _changes(self) -> int:
        return sum(news.changed is not None for news in self.news)

    def stop(self) -> None:
        """End it."""
        self.process.close(10)


@contextmanager
def continuous(display: str, folder: Path, **options: Any) -> Generator[Recorded]:
    """One that has begun, and has ended when the block has."""
    recorded = Recorded(display, folder, **options)
    try:
        recorded.await_segments(1)
        yield recorded
    finally:
        recorded.stop()


@contextmanager
def ticking(display: str) -> Generator[None]:
    """A small window at the lower right that is never the same for long: each look shows something new."""
    ending = threading.Event()

    def tick() -> None:
        with connected(display) as x:
            screen, window, shade = x.setup.roots[0], x.generate_id(), 0
            x.core.CreateWindow(
                *(screen.root_depth, window, screen.root, 1240, 690, 30, 20, 0, 1, screen.root_visual),
                *(xproto.CW.BackPixel | xproto.CW.OverrideRedirect, [0, 1]),
            )
            x.core.MapWindow(window)
            while not ending.wait(0.05):
                shade = (shade + 77) % 256
                x.core.ChangeWindowAttributes(window, xproto.CW.BackPixel, [shade << 16 | shade << 8 | shade])
                x.core.ClearArea(0, window, 0, 0, 0, 0)
                x.core.GetInputFocus().reply()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


class Patch:
    """The program of ``tests/apps/patch.py``."""

    def __init__(self, program: subprocess.Popen[bytes]) -> None:
        self._program = program
        self._answer()

    def report(self, line: str) -> None:
        """Have it do something; it is done when this returns."""
        assert self._program.stdin is not None
        self._program.stdin.write(line.encode() + b"\n")
        self._program.stdin.flush()
        self._answer()

    def _answer(self) -> None:
        assert self._program.stdout is not None
        assert self._program.stdout.readline() == b"ok\n"


@contextmanager
def patch(display: str, colour: int, title: str, application: str = "Patch") -> Generator[Patch]:
    """A window of that colour, not shown yet."""
    command = [sys.executable, str(_PATCH), f"{colour:06x}", title, application]
    pipe = subprocess.PIPE
    with running(command, stdin=pipe, stdout=pipe, env={**os.environ, "DISPLAY": display}) as program:
        yield Patch(program)


def pixels_of(folder: Path, colour: int) -> list[int]:
    """How many pixels of about that colour each picture of each film in the folder has."""
    wanted = np.array([colour >> 16, colour >> 8 & 255, colour & 255], np.int16)
    return [
        int((np.abs(picture.astype(np.int16) - wanted).max(axis=2) < _NEAR).sum())
        for film in sorted(folder.glob("*.mp4"))
        for _, picture in frames(film)
    ]
