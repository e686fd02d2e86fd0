"""Recordings of a test's display: on a thread, or in a process of their own; and what is in them afterwards."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from xcffib import xproto

from adapters.recording.recorder import DemonstrationRecorder
from core.recording.input_log import InputLog
from core.recording.recordings import Recording, RecordingState
from storage.recording_files import read_input_log
from tests.clock import until
from tests.fakes.desktops.x_user import Program, connected, running

_REPOSITORY = Path(__file__).parents[3]
BORDER = 0xE01B24
_SIDE = 200


class Demonstration:
    """One that is being recorded on a thread, begun when this is made; ``options`` are the recorder's."""

    def __init__(self, display: str, path: Path, **options: Any) -> None:
        self.states: list[RecordingState] = []
        self.result: Recording | Exception | None = None
        self.stopping = threading.Event()
        options.setdefault("microphone", "none")
        self._recorder = DemonstrationRecorder(display=display, **options)
        self._path = path
        self._thread = threading.Thread(target=self._record)
        self._thread.start()
        until(lambda: bool(self.states) or self.result is not None)
        if not self.states:
            self.ended()

    def go_on(self, milliseconds: int) -> None:
        """Let it record for so long."""
        then = self.states[-1].elapsed_ms + milliseconds
        until(lambda: self.states[-1].elapsed_ms >= then)

    def stop(self) -> Recording:
        """End it as Ctrl-C does."""
        self.stopping.set()
        return self.ended()

    def ended(self) -> Recording:
        """What it made, when it has ended by itself."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        if isinstance(self.result, Exception):
            raise self.result
        assert self.result is not None
        return self.result

    def _record(self) -> None:
        try:
            self.result = self._recorder.record(self._path, self.stopping, self.states.append)
        except Exception as error:  # noqa: BLE001 - told by whoever waits for it
            self.result = error


@contextmanager
def demonstration(display: str, path: Path, **options: Any) -> Generator[Demonstration]:
    """One that has ended when the block has."""
    made = Demonstration(display, path, **options)
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def recording_process(
    display: str, out: Path, *, file_bytes: int = 0, environment: Mapping[str, str] | None = None, **options: Any
) -> Generator[subprocess.Popen[bytes]]:
    """A process that records, and has begun to."""
    arguments = json.dumps({"display": display, "microphone": "none", **options})
    command = [sys.executable, "-m", "tests.fakes.recordings.recording_process", str(out), arguments, str(file_bytes)]
    with running(command, cwd=_REPOSITORY, stdout=subprocess.PIPE, env=environment) as program:
        assert program.stdout is not None
        assert b'"state"' in program.stdout.readline()
        yield program


@contextmanager
def continuous_motion(display: str) -> Generator[None]:
    """A window of noise that is never the same: every picture of it takes many bytes."""
    ending = threading.Event()
    thread = threading.Thread(target=_rustle, args=(display, ending))
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def _rustle(display: str, ending: threading.Event) -> None:
    noise = np.random.default_rng(7)
    with connected(display) as x:
        setup = x.setup.roots[0]
        window, context = x.generate_id(), x.generate_id()
        x.core.CreateWindow(
            *(setup.root_depth, window, setup.root, 300, 200, _SIDE, _SIDE, 0, 1, setup.root_visual),
            *(xproto.CW.OverrideRedirect, [1]),
        )
        x.core.CreateGC(context, window, 0, [])
        x.core.MapWindow(window)
        while not ending.wait(0.03):
            data = noise.integers(0, 256, _SIDE * _SIDE * 4, np.uint8).tobytes()
            x.core.PutImage(2, window, context, _SIDE, _SIDE, 0, 0, 0, setup.root_depth, len(data), data)
            x.core.GetInputFocus().reply()


def read_reports(program: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The last thing that it tells."""
    assert program.stdout is not None
    return json.loads(program.stdout.read().splitlines()[-1])


def length_ms(path: Path) -> int:
    """How long players take it to be, sound and all."""
    film: Any
    with av.open(str(path)) as film:
        return round(film.duration / 1000)


def heard(path: Path) -> NDArray[np.float32]:
    """The sound, one channel of 48,000 samples a second."""
    film: Any
    with av.open(str(path)) as film:
        return np.concatenate([frame.to_ndarray()[0] for frame in film.decode(audio=0)])


def screen(display: str) -> NDArray[np.uint32]:
    """What is seen on a display now: 0xRRGGBB, rows of pixels, with all that lies above windows."""
    with connected(display) as x:
        root = x.setup.roots[0].root
        size = x.core.GetGeometry(root).reply()
        width, height = size.width, size.height
        reply = x.core.GetImage(xproto.ImageFormat.ZPixmap, root, 0, 0, width, height, 0xFFFFFFFF).reply()
        pixels = np.frombuffer(bytes(reply.data.buf()), np.uint32)[: width * height]
        return pixels.reshape(height, width) & np.uint32(0xFFFFFF)


def bordered(display: str) -> bool:
    """Whether the border is seen, all around the display."""
    seen = screen(display)
    edges = (seen[:4], seen[-4:], seen[:, :4], seen[:, -4:])
    return all(bool((edge == BORDER).all()) for edge in edges)


def border_gone(display: str) -> bool:
    """Whether nothing of it is seen."""
    return not bool((screen(display) == BORDER).any())


def milliseconds_since(started_at: float) -> int:
    """On the clock of a log that began at that second of the epoch."""
    return round((time.time() - started_at) * 1000)


def click(program: Program, x: int, y: int, button: int = 1) -> None:
    """By XTEST, as scripts do."""
    program.send("motion", 0, x, y)
    program.send("button_press", button)
    program.send("button_release", button)


def logged(out: Path) -> InputLog:
    """The log beside a recording."""
    log = read_input_log(out)
    assert log is not None
    return log
