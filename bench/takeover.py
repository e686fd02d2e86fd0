"""How soon a run lets go when the user takes over: ``python -m bench.takeover``."""

import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from adapters.desktop.x11.hands import X11Hands
from adapters.desktop.x11.overlay import Overlay
from adapters.desktop.x11.raw_input import SentEvents
from adapters.desktop.x11.screen import X11Screen
from adapters.desktop.x11.takeover import Takeover, TakeoverWatch
from core.actions import Action, Drag, HoldKey, Type
from core.errors import TakenOver
from core.screens import Point
from tests.fakes.desktops.x_user import Program, User, connected, started, x_display

Row = tuple[str, str, str]
_STEP, _WITHIN = 0.01, 0.3
_INPUTS = 1000
_BAR = "200 ms"
_ACTIONS: Sequence[tuple[str, Action]] = (
    ("a drag", Drag(path=tuple(Point(x=20 + 6 * step, y=20 + 3 * step) for step in range(200)), modifiers=("shift",))),
    ("a held chord", HoldKey(keys=("ctrl", "shift", "b"), seconds=1)),
    ("typing", Type(text="What is typed here is never finished. " * 200)),
)
_SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))


def run() -> list[Row]:
    """Measure; the rows of the benchmark's table."""
    with x_display() as display, started(display, "xterm", "-e", "cat"):
        rows = [*_noticed(display), *(_released(display, name, action) for name, action in _ACTIONS)]
    return [*rows, *(_looked(width, height) for width, height in _SIZES)]


def _noticed(display: str) -> list[Row]:
    """From the user's input to our knowing of it, and what of ours is mistaken for the user's."""
    reported: list[Takeover] = []
    arrived = threading.Event()

    def record(takeover: Takeover) -> None:
        reported.append(takeover)
        arrived.set()

    took: list[float] = []
    ledger = SentEvents()
    with (
        closing(TakeoverWatch(display, ledger, record)) as watch,
        closing(User(display)) as user,
        closing(Program(display)) as agent,
    ):
        for number in range(3 * _INPUTS):
            ledger.record("motion")
            agent.queue("motion", 0, number % 1000, number % 700)
        agent.sync()
        time.sleep(0.2)
        mistaken = len(reported)
        for number in range(_INPUTS):
            arrived.clear()
            watch.rearm()
            began = time.monotonic()
            user.move(1 if number % 2 else -1, 0)
            if arrived.wait(5):
                took.append(reported[-1].at - began)
    took.sort()
    middle, late = statistics.median(took) * 1e3, took[int(len(took) * 0.99)] * 1e3
    return [
        (f"input noticed, median and p99 of {len(took)}", f"{middle:.2f}, {late:.2f} ms", "-"),
        ("inputs of the user missed", str(_INPUTS - len(took)), "0"),
        (f"takeovers in {3 * _INPUTS} events of ours", str(mistaken), "0"),
    ]


def _released(display: str, name: str, action: Action) -> Row:
    """From the user's input, at each moment of an action, until everything is let go."""
    took: list[float] = []
    left = 0
    for number in range(round(_WITHIN / _STEP)):
        seconds, down = _interrupt(display, action, number * _STEP)
        left += down
        if seconds is not None:
            took.append(seconds)
    text = f"{statistics.median(took) * 1e3:.1f}, {max(took) * 1e3:.1f} ms" if took else "-"
    return (f"released in {name}, median and longest of {len(took)}; keys left down", f"{text}; {left}", f"{_BAR}; 0")


def _interrupt(display: str, action: Action, after: float) -> tuple[float | None, int]:
    """Seconds until the hands had let go, if they were still acting then, and how many keys and buttons stayed down."""
    ledger, over = SentEvents(), threading.Event()
    moved: list[float] = []

    def check() -> None:
        if over.is_set():
            raise TakenOver("You moved the mouse.")

    released: float | None = None
    with (
        closing(X11Hands(display, ledger)) as hands,
        closing(TakeoverWatch(display, ledger, lambda _: over.set())),
        closing(User(display)) as user,
        connected(display) as x,
    ):

        def move() -> None:
            moved.append(time.monotonic())
            user.move(2, 2)

        timer = threading.Timer(after, move)
        timer.start()
        try:
            hands.perform(action, check)
        except TakenOver:
            released = time.monotonic()
        timer.join()
        left = _down(x)
        return (released - moved[0] if released else None), left


def _down(x: Any) -> int:
    keys: list[int] = list(x.core.QueryKeymap().reply().keys)
    buttons: int = x.core.QueryPointer(x.setup.roots[0].root).reply().mask & 0x1F00
    return sum(byte.bit_count() for byte in keys) + buttons.bit_count()


def _looked(width: int, height: int) -> Row:
    """The median of a look, with nothing in the way and with the overlay shown."""
    times: list[list[float]] = [[], []]
    with (
        x_display(width, height) as display,
        started(display, "xterm", "-geometry", "150x30+300+0"),
        closing(X11Screen(display)) as screen,
    ):
        for taken in times:
            overlay = Overlay(display) if taken is times[1] else None
            for _ in range(40):
                began = time.monotonic()
                screen.grab()
                taken.append(time.monotonic() - began)
            if overlay is not None:
                overlay.close()
    bare, with_overlay = (f"{statistics.median(taken) * 1e3:.1f}" for taken in times)
    return (f"a look at {width}x{height}, without and with the overlay", f"{bare}, {with_overlay} ms", "-")


if __name__ == "__main__":
    for row in run():
        print(f"{row[0]:<75} {row[1]:>18}   {row[2]}")
