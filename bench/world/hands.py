"""Does the steps of a session by the real pointer and keyboard, and notes each."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from bench.record.screen import Screen
from bench.world.ledger import Ledger
from bench.world.session import SILENT, VERBS, Session, Step
from bench.world.truth import OUT, Action

Button = Literal["left", "right"]
PACE_MS: Final = 90
PATIENCE_S: Final = 60


class Hands:
    """Those of a person in front of the screen; what a thing is and where it stands is for the kinds to say."""

    def __init__(self, screen: Screen, ledger: Ledger) -> None:
        self.screen = screen
        self.ledger = ledger

    def find(self, name: str) -> tuple[str, tuple[int, int]]:
        """The words of a thing and its middle on the screen."""
        x, y = name.split(",")
        return "", (int(x), int(y))

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def visit(self, words: str) -> None:
        """Open another place."""
        raise NotImplementedError(words)

    def script(self, words: str) -> None:
        """Do something that is no input."""
        raise NotImplementedError(words)

    def finish(self) -> None:
        """Take what was not taken yet."""

    def do(self, steps: Sequence[Step]) -> None:
        """Do some steps."""
        for step in steps:
            if not step.verb:
                self.wait(step.seconds)
            elif step.verb in SILENT:
                self._silently(step)
            else:
                self._do(step)
                self.wait(0.05)

    def _silently(self, step: Step) -> None:
        if step.verb == "script":
            self.script(step.words)
        else:
            self.screen.glide(*self.find(step.words)[1])

    def _do(self, step: Step) -> None:
        target, point, began = "", None, time.time()
        value = step.words
        match step.verb:
            case "click" | "double" | "choose" | "right":
                target, point = self.find(step.words)
                self.approach(point)
                began, value = time.time(), ""
                self.click(step.words, "right" if step.verb == "right" else "left", 2 if step.verb == "double" else 1)
            case "type" | "run":
                self.write(step.words)
                if step.verb == "run":
                    self.wait(0.4)
                    self._note(VERBS["type"], began, value=step.words)
                    began, value = time.time(), "Return"
                    self.press("Return")
                    self._note("press", began, value=value)
                    return
            case "press":
                for key in step.words.split():
                    self.press(key)
            case "scroll":
                self.scroll(int(step.words))
            case _:
                self.visit(step.words)
        self._note(VERBS[step.verb], began, target=target, value=value, point=point)

    def approach(self, point: tuple[int, int]) -> None:
        """Go to a place on the screen."""
        self.screen.glide(*point)

    def click(self, name: str, button: Button, times: int) -> None:
        """Click a thing, at whose place the pointer stands."""
        del name  # The pointer knows no more than its place.
        number = "3" if button == "right" else "1"
        command = ["xdotool", "click", "--repeat", str(times), "--delay", "80", number]
        subprocess.run(command, check=True, env=self.screen.environment, timeout=60)

    def write(self, text: str) -> None:
        """Type where the focus is."""
        self.screen.type(text, PACE_MS)

    def press(self, key: str) -> None:
        """Press a key, by its X name."""
        self.screen.press(key)

    def scroll(self, notches: int) -> None:
        """Turn the wheel down, up when negative."""
        self.screen.wheel(notches)

    def _note(
        self, kind: str, began: float, target: str = "", value: str = "", point: tuple[int, int] | None = None
    ) -> None:
        times = {"t_ms": round(began * 1000), "until_ms": round(time.time() * 1000)}
        self.ledger.act(
            Action.model_validate({"kind": kind, **times, "target": target, "value": value, "point": point})
        )


def is_place(name: str) -> bool:
    """Whether it is a place ``x,y``."""
    return re.fullmatch(r"\d+,\d+", name) is not None


@contextlib.contextmanager
def started(session: Session, environment: Mapping[str, str], port: int | None = None) -> Generator[tuple[Path, int]]:
    """The application as its table says, in a folder of its own; yields the folder and the port, a free one if none."""
    if not (OUT / "venv" / "bin").exists():
        raise RuntimeError("Run bench/world/install first: its applications are missing.")
    # Titles show it, and no clip may show where this clone lies.
    folder = Path(tempfile.gettempdir(), "world", session.name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    port = port or free_port()
    names = {
        "{port}": str(port),
        "{bin}": str(OUT / "venv" / "bin"),
        "{npm}": str(OUT / "npm" / "node_modules"),
    }
    known = {
        **os.environ,
        **environment,
        "HOME": str(folder),
        "PATH": f"{OUT}/venv/bin:{OUT}/npm/node_modules/.bin:{os.environ['PATH']}",
    }
    known.pop("PYTHONPATH", None)

    def filled(text: str) -> str:
        if "{data}" in text:
            data = next((OUT / "venv").glob("lib/python3*/site-packages/vega_datasets/_data"))
            text = text.replace("{data}", str(data))
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    if session.prepare:
        script = "set -e\n" + filled(session.prepare)
        subprocess.run(
            ["bash", "-c", script], check=True, cwd=folder, env=known, stdout=subprocess.DEVNULL, timeout=600
        )
    if not session.start:
        yield folder, port
        return
    with (OUT / f"{session.name}.log").open("wb") as log:
        command = ["bash", "-c", "exec " + filled(session.start)]
        # In our session, it is given the processor's time with the recorder.
        process = subprocess.Popen(command, cwd=folder, env=known, stdout=log, stderr=log, process_group=0)
    try:
        yield folder, port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def free_port() -> int:
    """A port that nothing listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
