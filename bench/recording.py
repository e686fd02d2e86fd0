"""What recording a demonstration costs: a still display, one where a window is typed in, and one that never rests.

Run: .venv/bin/python -m bench.recording [SECONDS]
"""

import itertools
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import xcffib
from xcffib import xproto

from adapters.recording.recorder import DemonstrationRecorder
from tests.fakes.desktops.x_programs import pad
from tests.fakes.desktops.x_user import Program, started, x_display
from tests.fakes.recordings.demonstrations import continuous_motion

SECONDS = 20.0
KEYS = (24, 53, 44, 55, 65)


def rest(display: str) -> Callable[[], None]:
    """Nothing is done."""
    del display
    return lambda: None


def typing(display: str) -> Callable[[], None]:
    """Ten letters a second."""
    program, keys = Program(display), itertools.cycle(KEYS)

    def strike() -> None:
        key = next(keys)
        program.send("key_press", key)
        program.send("key_release", key)

    return strike


def moving(display: str) -> Callable[[], None]:
    """A window of text is pushed about, and the mouse with it."""
    program, steps = Program(display), itertools.count()
    x: Any = xcffib.connect(display)
    root = x.setup.roots[0].root
    seen = [each for each in x.core.QueryTree(root).reply().children if _is_seen(x, each)]
    window = seen[-1]

    def push() -> None:
        at = next(steps) * 12 % 500
        x.core.ConfigureWindow(window, 1 | 2, [at, at // 3])
        x.flush()
        program.send("motion", 0, at + 40, at // 3 + 20)

    return push


def _is_seen(x: Any, window: int) -> bool:
    attributes, size = x.core.GetWindowAttributes(window).reply(), x.core.GetGeometry(window).reply()
    return attributes.map_state == xproto.MapState.Viewable and size.width > 100 and size.y >= 0


def measure(display: str, what: str, does: Callable[[str], Callable[[], None]], seconds: float) -> None:
    """Record while that is done, and print what it took of one core, and of the disk."""
    act, stop = does(display), threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        recorder = DemonstrationRecorder(display=display, microphone="none", seconds=seconds)
        ended = threading.Event()

        def acting() -> None:
            while not ended.wait(0.1):
                act()

        hand = threading.Thread(target=acting)
        hand.start()
        before, began = time.process_time(), time.monotonic()
        made = recorder.record(Path(folder) / "demo.mp4", stop, lambda _: None)
        spent, took = time.process_time() - before, time.monotonic() - began
        ended.set()
        hand.join()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{what:34} {100 * spent / took:5.1f} % of a core  {made.size_bytes / took * 60 / 1e6:6.2f} MB a minute"
            f"  {memory:4.0f} MB at most"
        )


def main() -> None:
    """Measure all of them on a display of the usual size."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    for width, height in ((1280, 720), (1920, 1080)):
        with ExitStack() as stack:
            display = stack.enter_context(x_display(width, height))
            stack.enter_context(started(display, "xterm", "-geometry", "100x30+300+200"))
            stack.enter_context(pad(display))
            print(f"{width}x{height}")
            measure(display, "  still", rest, seconds)
            measure(display, "  typing, 10 letters a second", typing, seconds)
            measure(display, "  a window is moved", moving, seconds)
            stack.enter_context(continuous_motion(display))
            measure(display, "  noise of 200x200 (and making it)", rest, seconds)


if __name__ == "__main__":
    main()
