"""Drives programs that are no browser: a terminal with a shell, and a small desktop program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from bench.record.ledger import Ledger
    from bench.record.screen import Screen

NOTES = Path(__file__).parents[2] / "tests" / "apps" / "notes.py"
PATIENCE_S = 15.0
SHELL = """
PS1='harbour$ '
stamp() { printf '%s %s\\n' "$(date +%s%3N)" "$*" >> "$REPORT"; }
say() { echo "$*"; stamp "$*"; }
forecast() {
  say "Asking the weather station"; sleep 1
  say "Wind: 14 knots from the west"; sleep 1.4
  say "High tide at 17:42"
}
count() { say "61 boats are moored"; }
stamp ready
"""


@dataclass
class Terminal:
    """An xterm with a shell whose commands note when they print."""

    screen: Screen
    ledger: Ledger
    report: Path
    typed: int = 0

    def type(self, command: str) -> None:
        """Type a command without sending it; stamped by the first and the last letter."""
        key = f"command-{self.typed}"
        self.typed += 1
        for text in (command[0], command):
            rest = text if len(text) == 1 else text[1:]
            self.screen.type(rest)
            self.ledger.take({"op": "typed", "key": key, "t": time.time() * 1000, "text": text, "lines": [text]})

    def enter(self) -> None:
        """Send it."""
        self.screen.press("Return")

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def finish(self) -> None:
        """Take what the shell noted."""
        for number, line in enumerate(self.report.read_text().splitlines()):
            stamp, text = line.split(" ", 1)
            report = {"op": "begin", "key": f"line-{number}", "t": float(stamp), "kind": "appeared", "text": text}
            if text != "ready":
                self.ledger.take({**report, "lines": [text, "harbour$", "Terminal"]})


@dataclass
class Program:
    """A desktop program that speaks as ``truth.js`` does, into a file."""

    screen: Screen
    ledger: Ledger
    report: Path
    places: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def click(self, name: str) -> None:
        """Click a widget by the name that the program gave it, once it has told where that is."""
        wait_until(lambda: name in self._places())
        self.screen.click(*self._places()[name])

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def calm(self) -> None:
        """Note every word that stands on the screen now."""
        lines: list[str] = self._told()[-1]["lines"]
        self.ledger.take({"op": "calm", "t": time.time() * 1000, "lines": lines})

    def finish(self) -> None:
        """Take what the program told."""
        for report in self._told():
            self.ledger.take(report)

    def _told(self) -> list[dict[str, Any]]:
        text = self.report.read_text(encoding="utf-8") if self.report.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def _places(self) -> dict[str, tuple[int, int]]:
        for report in self._told():
            self.places.update(report.get("places", {}))
        return self.places


@contextmanager
def terminal(screen: Screen, ledger: Ledger) -> Generator[Terminal]:
    """Open an xterm in the middle of the screen."""
    with tempfile.TemporaryDirectory(prefix="vaider-shell-") as folder:
        report, start = Path(folder, "report"), Path(folder, "start")
        start.write_text(SHELL)
        shell = ["bash", "--noprofile", "--rcfile", str(start), "-i"]
        look = ["-fa", "DejaVu Sans Mono", "-fs", "13", "-geometry", "96x26+120+80", "-title", "Terminal"]
        environment = {**screen.environment, "REPORT": str(report), "HOME": folder}
        with _started(["xterm", *look, "-e", *shell], environment):
            wait_until(report.exists)
            screen.click(600, 400)
            screen.glide(1180, 640)
            stage = Terminal(screen, ledger, report)
            yield stage
            stage.finish()


@contextmanager
def notes(screen: Screen, ledger: Ledger) -> Generator[Program]:
    """Start the note program of ``tests/apps``."""
    with tempfile.TemporaryDirectory(prefix="vaider-notes-") as folder:
        report = Path(folder, "report")
        with _started([sys.executable, str(NOTES), str(report)], screen.environment):
            stage = Program(screen, ledger, report)
            wait_until(lambda: report.exists() and report.stat().st_size > 0)
            yield stage
            stage.finish()


@contextmanager
def _started(command: Sequence[str], environment: dict[str, str]) -> Generator[None]:
    process = subprocess.Popen(command, env={**os.environ, **environment})
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, a few seconds at most."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("The program did not come up.")
        time.sleep(0.02)
