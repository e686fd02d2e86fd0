"""A desktop of plain memory: its screen is a list of lines, its hands change them as a test says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from core.actions import Action
from core.errors import TakenOver
from core.screens import Box, Picture, Point, TextLine, Window

React = Callable[["DrawnDesktop", Action], None]

_ROW = 20


def _nothing(_desktop: DrawnDesktop, _action: Action) -> None:
    """The screen stays as it is."""


class DrawnDesktop:
    """Implements ``core.runs.ports.Desktop``; each picture's bytes are the words on it."""

    name = ":memory"
    session_bus = ""
    viewer = None
    size = (800, 600)

    def __init__(self, lines: Sequence[str] = (), react: React = _nothing) -> None:
        self.lines = list(lines)
        self.acted: list[Action] = []
        self.announced: list[str] = []
        self.rested: list[bool] = []
        self.shown: list[Window] = []
        self.taken_over = False
        self.released = 0
        self._react = react
        self._clock = itertools.count()

    def look(self) -> Picture:
        self.raise_if_cancelled()
        return Picture(self.size[0], self.size[1], "\n".join(self.lines).encode(), float(next(self._clock)))

    def peek(self) -> Picture:
        return Picture(self.size[0], self.size[1], "\n".join(self.lines).encode(), -1.0)

    def act(self, action: Action, raise_if_cancelled: Callable[[], None]) -> None:
        raise_if_cancelled()
        self.acted.append(action)
        self._react(self, action)
        self.raise_if_cancelled()

    def read_field(
        self, at: Point, raise_if_cancelled: Callable[[], None], *, several_lines: bool, deletes: bool
    ) -> None:
        del at, several_lines, deletes
        raise_if_cancelled()

    def settle(
        self, before: Picture, raise_if_cancelled: Callable[[], None], *, seconds: float, rest: bool = True
    ) -> Picture:
        del before, seconds
        self.rested.append(rest)
        raise_if_cancelled()
        return self.look()

    def windows(self) -> Sequence[Window]:
        return self.shown

    def announce(self, text: str) -> None:
        self.announced.append(text)

    def raise_if_cancelled(self) -> None:
        if self.taken_over:
            raise TakenOver("The user moved the mouse.")

    def await_user(self, raise_if_cancelled: Callable[[], None], *, quiet_seconds: float) -> None:
        del quiet_seconds
        raise_if_cancelled()
        self.taken_over = False

    def release(self) -> None:
        self.released += 1


class DrawnDesktops:
    """Implements ``core.runs.ports.Desktops`` with the one desktop."""

    def __init__(self, desktop: DrawnDesktop) -> None:
        self.desktop = desktop
        self.open_now = 0

    def unavailable(self, display: str) -> str | None:
        return "it is switched off." if display == ":9" else None

    @contextmanager
    def open(
        self, display: str, *, run: str, size: tuple[int, int] | None, raise_if_cancelled: Callable[[], None]
    ) -> Generator[DrawnDesktop]:
        del display, run, size
        raise_if_cancelled()
        self.open_now += 1
        try:
            yield self.desktop
        finally:
            self.open_now -= 1


class DrawnEyes:
    """Implements ``core.runs.ports.Eyes`` for pictures of a ``DrawnDesktop``: line n stands in row n."""

    def read(self, picture: Picture) -> Sequence[TextLine]:
        words = picture.bgra.decode().splitlines()
        return [
            TextLine(text=text, box=Box(x=10, y=n * _ROW, width=9 * len(text), height=16), score=1.0)
            for n, text in enumerate(words)
        ]

    def read_exactly(self, picture: Picture, windows: Sequence[Window]) -> Sequence[TextLine]:
        del windows
        return self.read(picture)

    def changes(self, before: Picture, after: Picture) -> Sequence[Box]:
        rows = itertools.zip_longest(before.bgra.splitlines(), after.bgra.splitlines())
        return [
            Box(x=0, y=n * _ROW, width=before.width, height=_ROW) for n, (old, new) in enumerate(rows) if old != new
        ]

    def png(self, picture: Picture) -> bytes:
        return picture.bgra
