"""How soon what is done on a screen can be recalled, and what reading it takes: ``python -m bench freshness``.

A real browser on a display of its own is recorded by the real recorder; the clock runs from a click until its words
are an answer of the memory.
"""

import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import psutil

from bench.table import Table
from config.settings import load_settings
from core.memory import RecallRequest
from server.composition.memory import Memory
from server.composition.memory_reading import RecordingReader
from server.composition.recorder import Recorder
from tests.fakes.desktops.shown_screens import browser
from tests.fakes.desktops.x_user import Program, started, x_display
from tests.fakes.recordings.demonstrations import click

SIZE: Final = (1280, 720)
WORDS: Final = (
    *("Lemon", "Harbour", "Violin", "Glacier", "Paprika", "Lantern", "Meadow", "Cobalt", "Walnut", "Compass"),
    *("Saddle", "Orchid", "Pebble", "Tunnel", "Feather", "Magnet", "Barley", "Cannon", "Dolphin", "Emerald"),
)
KEYS: Final = (24, 53, 44, 55, 65)
FIELD: Final = (900, 500)
FILM: Final = (900, 640)
SECONDS: Final = 60.0
SEGMENT_SECONDS: Final = 60.0
"""A fifth of what is usual: the begin of a segment, where a process has to be started, comes five times as often."""
PATIENCE_SECONDS: Final = 90.0
_START_SECONDS: Final = 3.0
_PAGE: Final = """<!doctype html><meta charset="utf-8"><title>Warehouse</title><style>
body {{ font: 18px sans-serif; margin: 0; background: white }} button {{ font: inherit; position: absolute;
width: 180px; height: 40px }} #told {{ position: absolute; left: 480px; top: 60px }} textarea {{ position: absolute;
left: 700px; top: 440px; width: 500px; height: 140px; font: inherit }} canvas {{ position: absolute; left: 480px;
top: 60px }}</style>{buttons}<div id=told></div><textarea></textarea>
<button style="left:810px;top:620px" onclick="film()">Play</button><script>
function said(word) {{ told.innerHTML = `<h2>${{word}} shelf</h2><p>${{word}} was moved to the loading ramp</p>` }}
function film() {{ const c = document.createElement('canvas'); c.width = 640; c.height = 360; document.body.append(c);
const x = c.getContext('2d'), d = x.createImageData(640, 360);
setInterval(() => {{ for (let i = 0; i < d.data.length; i++) d.data[i] = Math.random() * 256;
x.putImageData(d, 0, 0) }}, 66) }}
</script>"""


@dataclass(frozen=True)
class Cost:
    """What reading took of one core, in the reading process and in the daemon's, and of memory."""

    reader: float
    daemon: float
    megabytes: float


class Scene:
    """A recorded display, a person at it, and the memory of it."""

    def __init__(self, stack: ExitStack, segment_seconds: float) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vaider-bench-")))
        display = stack.enter_context(x_display(*SIZE))
        stack.enter_context(started(display, *browser(folder, _page(), SIZE)))
        self._hand = stack.enter_context(closing(Program(display)))
        settings = load_settings(
            environment={},
            flags={
                "data_dir": str(folder / "data"),
                "record_display": display,
                "record_border": False,
                "record_segment_seconds": segment_seconds,
            },
        )
        self._memory = stack.enter_context(closing(Memory(settings)))
        self.reading = RecordingReader(settings, self._memory)
        stack.callback(self.reading.stop)
        environment = {**os.environ, "DISPLAY": display}
        recorder = Recorder(
            settings, memories=lambda: self._memory.memories, viewer=self.reading, environment=environment
        )
        stack.callback(recorder.close)
        _await(lambda: _is_painted(display))
        recorder.act("start")
        _await(lambda: recorder.status().frames > 2)

    def rest(self) -> None:
        """Until what the start of the browser brought has been read, if it brought anything."""
        _pass(_START_SECONDS)
        _await(lambda: (status := self.reading.status()) is None or not status.reading)

    def click_word(self, number: int) -> float:
        """Click one of the buttons; how many seconds later its word is recalled."""
        x, y = _place(number)
        began = time.monotonic()
        click(self._hand, x + 90, y + 20)
        _await(lambda: self._recalls(WORDS[number]))
        return time.monotonic() - began

    def type_on(self) -> None:
        """Five letters a second into the field."""
        click(self._hand, *FIELD)

    def strike(self, number: int) -> None:
        """One letter."""
        key = KEYS[number % len(KEYS)]
        self._hand.send("key_press", key)
        self._hand.send("key_release", key)

    def play(self) -> None:
        """A film that never rests, in a quarter of the screen."""
        click(self._hand, *FILM)

    def _recalls(self, word: str) -> bool:
        found = self._memory.recall(RecallRequest(query=f"{word} moved")).results
        return any(word in step for one in found for step in one.steps)


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` a fifth as long."""
    seconds, clicks = (SECONDS / 5, 6) if quick else (SECONDS, len(WORDS))
    with ExitStack() as stack:
        scene = Scene(stack, SEGMENT_SECONDS / 3 if quick else SEGMENT_SECONDS)
        scene.rest()
        costs = {"nothing happens": _cost(seconds, lambda _: None)}
        took: list[float] = []
        chance = random.Random(1)
        for number in range(clicks):
            took.append(scene.click_word(number))
            _pass(1 + 3 * chance.random())
        scene.type_on()
        costs["five letters a second are typed"] = _cost(seconds, scene.strike)
        scene.play()
        costs["a film in a quarter of the screen"] = _cost(seconds, lambda _: None)
    at_95 = quantiles(took, n=20, method="inclusive")[-1]
    return [
        Table(
            "From a click until it is recalled",
            ("", "measured", "bar"),
            [
                ("p50", f"{median(took):.1f} s", ""),
                ("p95", f"{at_95:.1f} s", "5 s"),
                ("at most", f"{max(took):.1f} s", ""),
            ],
            f"{clicks} clicks in a browser, 2 looks a second, segments of {SEGMENT_SECONDS:.0f} s; the first click in "
            "each may have to wait for the process that reads to start.",
        ),
        Table(
            "What reading the recording takes",
            ("", "reader", "daemon", "memory of the reader"),
            [
                (what, f"{100 * cost.reader:.1f} %", f"{100 * cost.daemon:.1f} %", f"{cost.megabytes:.0f} MB")
                for what, cost in costs.items()
            ],
            f"Of one core, over {seconds:.0f} seconds each; while nothing happens there is no reader.",
        ),
    ]


def _cost(seconds: float, act: Callable[[int], None]) -> Cost:
    """What goes by meanwhile, five acts a second."""
    before = _readers()
    spent, most = dict(before), 0.0
    own, measuring, began = time.process_time(), time.thread_time(), time.monotonic()
    number = 0
    while time.monotonic() - began < seconds:
        act(number)
        number += 1
        _pass(0.2)
        if number % 5 == 0:
            spent |= _readers()
            most = max([most, *(size for _, size in spent.values())])
    took = time.monotonic() - began
    own = time.process_time() - own - (time.thread_time() - measuring)
    reader = sum(seconds for seconds, _ in spent.values()) - sum(seconds for seconds, _ in before.values())
    return Cost(reader / took, own / took, most)


def _readers() -> dict[int, tuple[float, float]]:
    """CPU seconds and MB of each process that reads."""
    found: dict[int, tuple[float, float]] = {}
    for child in psutil.Process().children():
        try:
            if any("follower" in word for word in child.cmdline()):
                spent = child.cpu_times()
                found[child.pid] = spent.user + spent.system, child.memory_info().rss / 1e6
        except psutil.NoSuchProcess:
            continue
    return found


def _page() -> str:
    places = [(_place(number), word) for number, word in enumerate(WORDS)]
    buttons = [
        f'<button style="left:{x}px;top:{y}px" onclick="said(\'{word}\')">Move {word}</button>'
        for (x, y), word in places
    ]
    return _PAGE.format(buttons="".join(buttons))


def _place(number: int) -> tuple[int, int]:
    return 30 + 210 * (number % 2), 50 + 60 * (number // 2)


def _is_painted(display: str) -> bool:
    import mss  # noqa: PLC0415 - only here

    grabber: Any = mss.MSS(display=display)
    with grabber:
        pixels = bytes(grabber.grab(grabber.monitors[0]).raw)
    return pixels.count(b"\xff\xff\xff") > len(pixels) // 8


def _await(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError("It has not come true in time.")
        _pass(0.05)


def _pass(seconds: float) -> None:
    threading.Event().wait(seconds)
