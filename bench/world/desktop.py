"""A desktop program under openbox; its accessibility tree tells which texts stand where."""

import json
import shlex
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.record.screen import Screen
from bench.world.hands import PATIENCE_S, Hands, is_place, started
from bench.world.ledger import Ledger
from bench.world.session import Session
from bench.world.truth import OUT

ROOT: Final = Path(__file__).parents[2]


class Using(Hands):
    """Things are names of the tree, ``role: name`` where names are not enough, or a place ``x,y``."""

    def __init__(self, screen: Screen, ledger: Ledger, log: Path) -> None:
        super().__init__(screen, ledger)
        self._log = log

    def find(self, name: str) -> tuple[str, tuple[int, int]]:
        """The last of that name in the tree."""
        if is_place(name):
            return super().find(name)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            role, _, rest = name.rpartition(": ")
            for called, kind, x, y, width, height in reversed(self._last().get("places", [])):
                if called == rest and role in {"", kind}:
                    return called, (x + width // 2, y + height // 2)
            self.wait(0.1)
        raise RuntimeError(f"{name} is nowhere.")

    def await_window(self) -> None:
        """Wait until something is shown."""
        end = time.monotonic() + PATIENCE_S
        while not self._last().get("texts"):
            if time.monotonic() > end:
                raise RuntimeError("The program did not come up.")
            self.wait(0.2)
        self.wait(1.5)

    def finish(self) -> None:
        """Take the samples."""
        self.wait(0.3)
        for line in _whole(self._log):
            kind, *rest = json.loads(line)
            (self.ledger.look if kind == "sample" else self.ledger.hear)(*rest)

    def _last(self) -> dict[str, Any]:
        samples = [line for line in _whole(self._log) if line.startswith('["sample"')]
        return json.loads(samples[-1])[-1] if samples else {}


def _whole(log: Path) -> list[str]:
    """Its lines, but for one that is still being written."""
    return log.read_text("utf-8").split("\n")[:-1] if log.exists() else []


@contextmanager
def desktop(session: Session, screen: Screen, ledger: Ledger) -> Generator[Hands]:
    """The session's program, on a message bus of its own."""
    log = OUT / f"{session.name}.tree"
    log.unlink(missing_ok=True)
    watch = shlex.join([sys.executable, "-m", "bench.world.accessible", str(log)])
    inner = f"(cd {shlex.quote(str(ROOT))} && exec {watch}) & exec {session.start}"
    wrapped = session.model_copy(update={"start": f"dbus-run-session -- bash -c {shlex.quote(inner)}"})
    wanted = {"GTK_MODULES": "gail:atk-bridge", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "LANG": "C.UTF-8"}
    if session.look.dark:
        wanted["GTK_THEME"] = "Adwaita:dark"
    if session.look.zoom != 1:
        wanted["GDK_DPI_SCALE"] = str(session.look.zoom)
    with started(wrapped, {**screen.environment, **wanted}):
        hands = Using(screen, ledger, log)
        hands.await_window()
        yield hands
