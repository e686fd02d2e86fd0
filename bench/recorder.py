"""What recording all day costs and shows, beside the seed's own command on the same screen in the same seconds.

Run: .venv/bin/python -m bench recorder [--quick]
"""

import itertools
import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bench.recording import typing
from bench.table import Table
from bench.watching import watch
from bench.words import recall
from tests.clock import until
from tests.fakes.desktops.accessible_session import accessible_session
from tests.fakes.desktops.x_programs import pad
from tests.fakes.desktops.x_user import Program, running, started, x_display
from tests.fakes.recordings.continuous import Recorded

SECONDS: Final = 300.0
QUICK_SECONDS: Final = 25.0
_WARM_SECONDS: Final = 6.0
"""To be started, which is paid once a day."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_ROOT: Final = Path(__file__).parents[1]
_FILM: Final = _ROOT / "tests" / "clips" / "film.mp4"
_SIZES: Final = ((1280, 720), (1920, 1080))
_WORDS: Final = 400


class Cost(NamedTuple):
    """Of one recorder in one scene."""

    percent: float
    megabytes: float
    kilobytes_a_minute: float


def run(*, quick: bool = False) -> list[Table]:
    """Measure every scene on both sizes of screen, and what can be read of each size of film."""
    seconds = QUICK_SECONDS if quick else SECONDS
    rows = [row for size in _SIZES for row in _costs(size, seconds)]
    note = (
        f"{seconds:g} s each, both at the same time on the same screen; CPU time of the process, of one "
        "core, without the start; memory at its peak. The bars for ours are 4 % and 200 MB. Ours looks for hidden "
        "windows twice for each picture, shows a border and logs input and elements. The seed's command is ffmpeg "
        "x11grab, 2 pictures a second, libx264 ultrafast crf 28."
    )
    columns = ("screen, film", "scene", "CPU", "memory", "KB a minute", "CPU of the seed's", "memory", "KB a minute")
    words = Table(
        "Words that can be read of a recorded screen of 1920x1080",
        ("film", "words", "read exactly"),
        [_readable(size) for size in ("native", "1280x720")],
        f"A terminal full of {_WORDS} words in letters of 10 points, read by our own reader from the segment.",
    )
    return [Table("Recording all day", columns, rows, note), words]


def _costs(screen: tuple[int, int], seconds: float) -> Iterator[tuple[str, ...]]:
    width, height = screen
    films = ["1280x720"] if width == 1280 else ["1280x720", "native"]
    for film in films:
        for scene, plays in _SCENES:
            with ExitStack() as stack:
                display = stack.enter_context(x_display(width, height))
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                session = stack.enter_context(accessible_session(display, folder))
                stack.enter_context(started(display, "xterm", "-geometry", "100x30+300+200"))
                stack.enter_context(plays(display, session))
                ours, theirs = _measured(display, film, screen, seconds, session)
            yield (f"{width}x{height}, {film}", scene, *_shown(ours), *_shown(theirs))


def _shown(cost: Cost) -> tuple[str, str, str]:
    return f"{cost.percent:.1f} %", f"{cost.megabytes:.0f} MB", f"{cost.kilobytes_a_minute:.0f}"


def _measured(
    display: str, film: str, screen: tuple[int, int], seconds: float, session: Mapping[str, str] | None
) -> tuple[Cost, Cost]:
    with tempfile.TemporaryDirectory() as folder:
        recorded = Recorded(display, Path(folder) / "ours", size=film, session=session)
        theirs = Path(folder) / "theirs.mp4"
        command = [
            *("ffmpeg", "-loglevel", "error", "-f", "x11grab", "-r", "2", "-s", f"{screen[0]}x{screen[1]}"),
            *("-i", display, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "28", str(theirs)),
        ]
        with running(command, stdin=subprocess.DEVNULL) as rival:
            recorded.await_segments(1)
            pid = recorded.process.pid or 0
            time.sleep(_WARM_SECONDS)
            before, began = (_spent(pid), _spent(rival.pid)), time.monotonic()
            time.sleep(seconds)
            spent = _spent(pid) - before[0], _spent(rival.pid) - before[1]
            took = time.monotonic() - began
            memory = _peak(pid), _peak(rival.pid)
        recorded.stop()
        minutes = (took + _WARM_SECONDS) / 60
        sizes = sum(path.stat().st_size for path in (Path(folder) / "ours").iterdir()), theirs.stat().st_size
    ours, rivals = (
        Cost(100 * each / took, peak, size / 1000 / minutes)
        for each, peak, size in zip(spent, memory, sizes, strict=True)
    )
    return ours, rivals


def _spent(pid: int) -> float:
    """Seconds of computing by now."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak(pid: int) -> float:
    """Megabytes at most so far."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    return int(found[1]) * 1024 / 1e6 if found else 0.0


@contextmanager
def _still(display: str, session: Mapping[str, str]) -> Generator[None]:
    del display, session
    yield


@contextmanager
def typing_scene(display: str) -> Generator[None]:
    """Somebody types."""
    with pad(display), _acting(typing(display)):
        yield


@contextmanager
def _form(display: str, session: Mapping[str, str]) -> Generator[None]:
    """By turns somebody types into a field that tells what it holds, and moves the pointer over others."""
    type_one, program, steps = typing(display), Program(display), itertools.count()

    def act() -> None:
        step = next(steps)
        if step % 40 < 20:
            type_one()
        else:
            program.send("motion", 0, 510 + step * 7 % 260, 290 + step * 7 % 260 // 2)

    form = ["zenity", "--forms", "--title=New order", *(f"--add-entry=Field {each}" for each in range(12))]
    quiet = subprocess.DEVNULL
    with running(form, env=dict(session), stdin=quiet, stdout=quiet, stderr=quiet), _acting(act):
        yield


@contextmanager
def _film(display: str, session: Mapping[str, str]) -> Generator[None]:
    del session
    command = ("ffplay", "-loglevel", "quiet", "-loop", "0", "-an", "-x", "1000", "-y", "560", str(_FILM))
    with started(display, *command):
        yield


@contextmanager
def _typing(display: str, session: Mapping[str, str]) -> Generator[None]:
    del session
    with typing_scene(display):
        yield


_SCENES: Final = (("static", _still), ("typing", _typing), ("film", _film), ("a form", _form))


@contextmanager
def _acting(act: Callable[[], None]) -> Generator[None]:
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(0.1):
            act()

    hand = threading.Thread(target=go_on)
    hand.start()
    try:
        yield
    finally:
        ended.set()
        hand.join()


def _readable(size: str) -> tuple[str, ...]:
    known = sorted(set(re.findall(r"\b[a-z]{4,10}\b", (_ROOT / "README.md").read_text(encoding="utf-8"))))
    chosen = [known[at] for at in np.random.default_rng(7).permutation(len(known))[:_WORDS]]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        text = folder / "words.txt"
        lines = [" ".join(chosen[at : at + 12]) for at in range(0, len(chosen), 12)]
        text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        display = stack.enter_context(x_display(1920, 1080))
        shown = f"cat {text}; exec cat"
        look = ("-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "150x50+60+60", "+sb")
        stack.enter_context(started(display, "xterm", *look, "-e", "sh", "-c", shown))
        time.sleep(2)
        recorded = Recorded(display, folder / "r", size=size)
        until(lambda: recorded.status.frames >= 4, 30)
        recorded.stop()
        _, findings = watch(recorded.closed[0].path)
    read = [each.text for each in findings.sightings or ()]
    found, whole = recall(read, chosen)
    return size, str(whole), f"{found / whole:.3f}"
