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
    from bench.record.session import Stage

ROOT = Path(__file__).parents[2]
SHELLS = Path(__file__).parent / "shells"
PATIENCE_S = 15.0


@dataclass
class Terminal:
    """An xterm with a shell whose commands note when they print."""

    screen: Screen
    ledger: Ledger
    report: Path
    printed: Sequence[str]
    """What stands on the screen without being noted, such as the prompt."""
    typed: int = 0

    def write(self, command: str, pace_ms: int) -> None:
        """Type a command without sending it; stamped by the first and the last letter."""
        key = f"command-{self.typed}"
        self.typed += 1
        report = {"op": "typed", "key": key, "text": command, "lines": [command]}
        self.ledger.take({**report, "t": time.time() * 1000})
        self.screen.type(command, pace_ms)
        # A letter stands on the screen as soon as its key is pressed; the pause comes after it.
        self.ledger.take({**report, "t": time.time() * 1000 - pace_ms})

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def finish(self) -> None:
        """Take what the shell noted."""
        for line in self.report.read_text(encoding="utf-8").splitlines():
            report: dict[str, Any] = json.loads(line)
            self.ledger.take({**report, "lines": [report["text"]] if report["text"] else []})
        self.ledger.take({"op": "seen", "t": 0.0, "lines": self.printed})


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

    def write(self, text: str, pace_ms: int) -> None:
        """Type where the focus is; the program itself tells of it."""
        self.screen.type(text, pace_ms)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def calm(self) -> None:
        """Note every word that stands on the screen now."""
        lines: list[str] = self._read_reports()[-1]["lines"]
        self.ledger.take({"op": "calm", "t": time.time() * 1000, "lines": lines})

    def finish(self) -> None:
        """Take what the program told."""
        for report in self._read_reports():
            self.ledger.take(report)

    def _read_reports(self) -> list[dict[str, Any]]:
        text = self.report.read_text(encoding="utf-8") if self.report.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def _places(self) -> dict[str, tuple[int, int]]:
        for report in self._read_reports():
            self.places.update(report.get("places", {}))
        return self.places


def terminal(shell: str, look: Sequence[str], printed: Sequence[str]) -> Stage:
    """A stage: an xterm that looks as its options say, with one of ``shells/`` in it."""

    @contextmanager
    def stage(screen: Screen, ledger: Ledger) -> Generator[Terminal]:
        with tempfile.TemporaryDirectory(prefix="vaider-shell-") as folder:
            report, start = Path(folder, "report"), Path(folder, "start")
            start.write_text((SHELLS / "note.sh").read_text() + (SHELLS / shell).read_text() + ': > "$REPORT"\n')
            command = ["xterm", *look, "-e", "bash", "--noprofile", "--rcfile", str(start), "-i"]
            with _started(command, {**screen.environment, "REPORT": str(report), "HOME": folder}):
                wait_until(report.exists)
                screen.click(500, 300)
                screen.glide(1180, 640)
                hands = Terminal(screen, ledger, report, printed)
                yield hands
                hands.finish()

    return stage


def program(name: str) -> Stage:
    """A stage: one of the programs of ``tests/apps``."""

    @contextmanager
    def stage(screen: Screen, ledger: Ledger) -> Generator[Program]:
        with tempfile.TemporaryDirectory(prefix="vaider-program-") as folder:
            report = Path(folder, "report")
            command = [sys.executable, "-m", f"tests.apps.{name}", str(report)]
            with _started(command, {**screen.environment, "PYTHONPATH": str(ROOT)}):
                hands = Program(screen, ledger, report)
                wait_until(lambda: report.exists() and report.stat().st_size > 0)
                yield hands
                hands.finish()

    return stage


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
