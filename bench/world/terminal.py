"""A program in an xterm; what it printed is replayed in an emulator, which says what stood where at which time."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.record.screen import Screen
from bench.world.hands import PATIENCE_S, Hands, started
from bench.world.ledger import Ledger
from bench.world.session import Session
from bench.world.truth import OUT

HERE: Final = Path(__file__).parent
BORDER_PX: Final = 2
GEOMETRY: Final = re.compile(r"WIDTH=(\d+)\nHEIGHT=(\d+)\n.*?X=(\d+)\nY=(\d+)\n", re.DOTALL)


class Typing(Hands):
    """Things are places ``x,y``."""

    def __init__(self, screen: Screen, ledger: Ledger, log: Path, grid: tuple[int, int], title: str) -> None:
        super().__init__(screen, ledger)
        self._log = log
        self._grid = grid
        self._title = title
        self._window = (0, 0, 0, 0)

    def await_window(self) -> None:
        """Wait until the terminal stands."""
        end = time.monotonic() + PATIENCE_S
        # Where the window says it is, its frame counts twice; the pointer at its corner says it right.
        command = ["xdotool", "search", "--onlyvisible", "--class", "xterm", "getwindowgeometry", "--shell"]
        command += ["mousemove", "--window", "%1", "0", "0", "getmouselocation", "--shell"]
        while time.monotonic() < end:
            asked = subprocess.run(command, env=self.screen.environment, capture_output=True, text=True, check=False)
            found = GEOMETRY.search(asked.stdout)
            if found and self._log.exists() and self._log.stat().st_size:
                self.wait(1.0)
                width, height, x, y = map(int, found.groups())
                self._window = (x, y, width, height)
                self.screen.glide(*self.screen.pointer, steps=1)
                return
            self.wait(0.2)
        raise RuntimeError("The terminal did not come up.")

    def finish(self) -> None:
        """Take what the emulator says."""
        columns, rows = self._grid
        command = [
            str(OUT / "venv" / "bin" / "python"),
            str(HERE / "emulate.py"),
            str(self._log),
            str(columns),
            str(rows),
        ]
        told = subprocess.run(command, check=True, capture_output=True, text=True)
        for line in told.stdout.splitlines():
            t, screen, title = json.loads(line)
            texts = [each for number, row in enumerate(screen) for each in self._texts(number, row)]
            self.ledger.take(t, json.dumps({"texts": texts, "bars": [title or self._title]}))

    def _texts(self, number: int, row: str) -> list[tuple[str, int, int, int, int, int]]:
        """Two blanks divide texts; what frames are drawn with is none."""
        left, top, width, height = self._window
        across, down = (width - 2 * BORDER_PX) / self._grid[0], (height - 2 * BORDER_PX) / self._grid[1]
        x, y = left + BORDER_PX, top + BORDER_PX + number * down
        return [
            (found[0], round(x + found.start() * across), round(y), round(len(found[0]) * across), round(down), 0)
            for found in re.finditer(r"[^\s\u2500-\u259f]+(?: [^\s\u2500-\u259f]+)*", row)
        ]


@contextmanager
def terminal(session: Session, screen: Screen, ledger: Ledger) -> Generator[Hands]:
    """The session's program in an xterm that looks as the session's ``window`` says."""
    columns, rows = (int(number) for number in session.grid.split("x"))
    log = OUT / f"{session.name}.terminal"
    log.unlink(missing_ok=True)
    # Only with its one screen does the terminal do as the emulator does, which knows no second.
    window = ["xterm", "-xrm", "XTerm*titeInhibit: true", *shlex.split(session.window), "-tn", "screen-256color"]
    window += ["-title", session.application, "-geometry", f"{session.grid}+{session.at}", "-e"]
    window += [sys.executable, str(HERE / "relay.py"), str(log), str(columns), str(rows)]
    wrapped = session.model_copy(update={"start": f"{shlex.join(window)} {session.start}"})
    with started(wrapped, {**screen.environment, "PS1": r"\w$ ", "LANG": "C.UTF-8"}):
        hands = Typing(screen, ledger, log, (columns, rows), session.application)
        hands.await_window()
        yield hands
