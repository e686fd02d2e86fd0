"""A hundred runs without a model, and what a step costs beside the bare input: ``python -m bench.replay``.

Each run has a display of its own, starts its program there, and is judged by what the program itself says afterwards.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.progress import track

from adapters.desktop.x11.hands import X11Hands
from adapters.desktop.x11.raw_input import SentEvents
from bench.table import Table
from core.actions import Click, Type
from core.errors import VaiderError
from core.runs.run import RunOutcome
from core.screens import Point
from tests.fakes.desktops.x_user import started, x_display
from tests.fakes.runs.activities import Activity, activities
from tests.fakes.runs.replaying import Replays

RUNS, QUICK_RUNS = 100, 8
SEED = 20261121
TYPED = "Ada Lovelace"
TIMES = 20
STEPS_OF_FORM = 12
"""Of the subtask that fills the form in: ten controls, the button, and the number that is read."""
RIVAL = f"""
import time, pyautogui
times = []
for number in range({TIMES}):
    began = time.perf_counter()
    pyautogui.click(200 + number % 2 * 300, 200)
    pyautogui.write({TYPED!r})
    times.append(time.perf_counter() - began)
print(*times)
"""


@dataclass(frozen=True)
class Outcome:
    """What became of one run; times in seconds."""

    name: str
    reported: RunOutcome
    reason: str
    is_right: bool
    seconds: float
    working: float
    """Without the start of the display and of the program."""
    last_subtasks: tuple[float, ...] = ()

    @property
    def is_silently_wrong(self) -> bool:
        """It says that it succeeded, and the program says otherwise."""
        return self.reported is RunOutcome.SUCCEEDED and not self.is_right


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` one run of each program."""
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        asked = activities(QUICK_RUNS if quick else RUNS, seed=SEED)
        replays = Replays(Path(folder))
        done = [
            _carried_out(each, replays, Path(folder) / f"{number:03}")
            for number, each in enumerate(track(asked, description="Replaying", transient=True))
        ]
    return [_success(done), _cost(done)]


def _carried_out(asked: Activity, replays: Replays, folder: Path) -> Outcome:
    with asked.opened(folder) as case:
        began = time.monotonic()
        try:
            ended = replays.run(case)
        except VaiderError as stopped:
            seconds = time.monotonic() - began
            return Outcome(asked.name, RunOutcome.FAILED, stopped.message, is_right=False, seconds=seconds, working=0.0)
        seconds = time.monotonic() - began
        # A run that says that it succeeded must be true at once; a program that is written to may lag behind.
        state = case.await_state() if ended.outcome is RunOutcome.SUCCEEDED else case.state()
    times = tuple(each.duration_ms / 1000 for each in ended.subtasks)
    is_right = state == asked.expected
    return Outcome(asked.name, ended.outcome, ended.reason, is_right, seconds, sum(times[1:]), times[1:])


def _success(done: list[Outcome]) -> Table:
    by_name: dict[str, list[Outcome]] = defaultdict(list)
    for each in done:
        by_name[each.name].append(each)
    rows = [_row(name, group) for name, group in by_name.items()]
    stopped = [
        f"- {each.name}: {each.reported}: {each.reason}" for each in done if each.reported is not RunOutcome.SUCCEEDED
    ]
    return Table(
        f"{len(done)} runs without a model",
        ("program", "runs", "right", "stopped", "silently wrong", "p50 of a run", "of its steps"),
        [*rows, _row("all", done)],
        "\n".join(
            ["The bar: all right, none silently wrong. A run has its own display and starts its program.", *stopped]
        ),
    )


def _row(name: str, group: list[Outcome]) -> tuple[str, ...]:
    right = sum(each.reported is RunOutcome.SUCCEEDED and each.is_right for each in group)
    wrong = sum(each.is_silently_wrong for each in group)
    whole, working = (statistics.median(times) for times in zip(*((o.seconds, o.working) for o in group), strict=True))
    return (
        name,
        str(len(group)),
        str(right),
        str(len(group) - right - wrong),
        str(wrong),
        f"{whole:.1f} s",
        f"{working:.1f} s",
    )


def _cost(done: list[Outcome]) -> Table:
    forms = [each for each in done if each.name == "form" and each.reported is RunOutcome.SUCCEEDED]
    filling = statistics.median(each.last_subtasks[0] for each in forms)
    step = filling / STEPS_OF_FORM * 1000
    with x_display() as display, started(display, "xterm", "-geometry", "150x40+0+0", "-e", "cat"):
        bare, rival = _bare(display), _rival(display)
    rows = [
        ("a step of the form: looked for, clicked, typed, seen to be there", f"{step:.0f} ms", "-"),
        ("a bare click and twelve typed letters, no look at the screen", f"{bare:.1f} ms", f"x {step / bare:.0f}"),
        ("the same with pyautogui as it comes", f"{rival:.0f} ms", f"x {step / rival:.1f}"),
        ("the ten-step form filled in and sent, p50", f"{filling:.1f} s", "5 s"),
        (
            "with display, browser, page and the look-up after it",
            f"{statistics.median(o.seconds for o in forms):.1f} s",
            "-",
        ),
    ]
    return Table("What a step costs", ("", "measured", "bar, or a step's ratio to it"), rows)


def _bare(display: str) -> float:
    with closing(X11Hands(display, SentEvents())) as hands:

        def act(number: int) -> None:
            # At one place, the hands would wait until two clicks are no double click.
            hands.perform(Click(action="left_click", at=Point(x=200 + number % 2 * 300, y=200)), _never)
            hands.perform(Type(text=TYPED), _never)

        return statistics.median(_milliseconds(lambda number=number: act(number)) for number in range(TIMES))


def _rival(display: str) -> float:
    result = subprocess.run(
        [sys.executable, "-c", RIVAL],
        env=os.environ | {"DISPLAY": display, "XAUTHORITY": os.devnull},
        capture_output=True,
        check=True,
    )
    return statistics.median(float(line) * 1000 for line in result.stdout.splitlines()[-1].split())


def _milliseconds(act: Callable[[], None]) -> float:
    start = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - start)


def _never() -> None:
    """Nobody stops it."""


if __name__ == "__main__":
    for table in run(quick="--quick" in sys.argv):
        table.show()
