"""A thousand values typed into the fields of real programs by whole runs, judged by what the programs then hold.

Each run starts a program on a display of its own, types into its eight fields and saves, again and again, so that all
fields but the first eight hold something already. ``reported`` is the run's claim about a value: right, in
doubt, or wrong, which ends it. Some programs are planted to change what is typed: none of that may be reported as
right.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from rich.progress import track

from bench.table import Table
from bench.typing.order_tk import FAULTS
from bench.typing.values import LABELS, rounds
from core.errors import VaiderError
from core.runs.budget import Limits
from tests.fakes.desktops.x_user import started, x_display
from tests.fakes.runs.made_workflows import made_case, step
from tests.fakes.runs.replaying import PageServer, Replays

SEED: Final = 20261122
FORMS, HELD_OUT_FORMS, QUICK_FORMS = 125, 20, 3
SIZES: Final = (10, 13, 17)
THEMES: Final = ("light", "dark")
BUILT_WITH, HELD_OUT = ("Chromium", "Tk", "GTK"), ("Qt", "GTK (yad)")
_HERE: Final = Path(__file__).parent / "typing"
_LIMITS: Final = Limits(iterations=1000, steps=0, minutes=120)
_SYSTEM_PYTHON: Final = "/usr/bin/python3"
_SIGNS: Final = 24
_AT_ONCE: Final = 2
"""Runs side by side, each on a display of its own: most of their time is spent waiting for the programs."""


@dataclass(frozen=True)
class Look:
    """A program, and how it looks."""

    toolkit: str
    size: int
    theme: str
    fault: str = ""


@dataclass
class Counts:
    """What became of values."""

    all: int = 0
    right: int = 0
    twice: int = 0
    reported: Counter[str] = field(default_factory=Counter[str])
    false_alarms: int = 0
    missed: int = 0
    cases: list[str] = field(default_factory=list[str])

    def count(self, look: Look, value: str, held: str | None, text: str, reason: str = "") -> None:
        """One value: what its program holds (``None`` where the run ended before it was saved), and what was told."""
        self.all += 1
        self.reported[text] += 1
        is_right = held == value
        self.right += is_right
        self.twice += held is not None and held != value and held.count(value) > 1
        self.false_alarms += text == "wrong" and not look.fault
        self.missed += text == "right" and held is not None and not is_right
        if text != "right" or not is_right:
            self.cases.append(
                f"{look.toolkit} {look.size} {look.theme} {look.fault}: {value!r}, holds {held!r}, {text} {reason}"
            )

    def add(self, other: Counts) -> None:
        """The same of more values."""
        self.all += other.all
        self.right += other.right
        self.twice += other.twice
        self.reported += other.reported
        self.false_alarms += other.false_alarms
        self.missed += other.missed
        self.cases += other.cases


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` a few forms and no held-out programs."""
    forms = rounds(QUICK_FORMS if quick else FORMS, seed=SEED)
    counts: dict[str, Counts] = defaultdict(Counts)
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        work = [(look, each, look.toolkit) for look, each in _shared(forms, BUILT_WITH)]
        if not quick:
            extra = rounds(HELD_OUT_FORMS, seed=SEED + 1)
            work += [(look, each, f"{look.toolkit}, held out") for look, each in _shared(extra, HELD_OUT)]
        work += [(look, each, "planted") for look, each in _planted(quick=quick)]
        with ThreadPoolExecutor(_AT_ONCE) as workers:
            begun = [
                (name, workers.submit(_typed, look, each, Path(folder) / f"{number:03}"))
                for number, (look, each, name) in enumerate(work)
            ]
            for name, share in track(begun, description="Typing", transient=True):
                counts[name].add(share.result())
        rival = _rival(forms[: 3 if quick else 12])
    return [_table(counts, rival)]


def _shared(forms: Sequence[Sequence[str]], toolkits: Sequence[str]) -> list[tuple[Look, list[Sequence[str]]]]:
    looks = [Look(*each) for each in product(toolkits, SIZES, THEMES)]
    # The toolkits by turns, so that a few forms meet all of them.
    looks.sort(key=lambda look: (look.size, look.theme))
    shares = [(look, list(forms[at :: len(looks)])) for at, look in enumerate(looks)]
    return [(look, share) for look, share in shares if share]


def _planted(*, quick: bool) -> list[tuple[Look, list[Sequence[str]]]]:
    """One value for each, which the fault changes: the run is to end there, or to be in doubt."""
    values = [value for form in rounds(40, seed=SEED + 2) for value in form if len(value) <= _SIGNS]
    found: list[tuple[Look, list[Sequence[str]]]] = []
    for (fault, change), toolkit in product(FAULTS.items(), ("Tk", "Chromium")):
        wrong = [value for value in values if change(value) not in {value, ""}][: 1 if quick else 3]
        for value in wrong:
            form: Sequence[str] = [value]
            found.append((Look(toolkit, 13, "light", fault), [form]))
    return found


def _typed(look: Look, forms: list[Sequence[str]], folder: Path) -> Counts:
    """Type all forms; a value that ends a run is counted and left out, and the next run goes on behind it."""
    folder.mkdir()
    counts = Counts()
    done = 0
    for attempt in count():
        if done >= len(forms):
            break
        own = folder / str(attempt)
        own.mkdir()
        with PageServer(_HERE) as server:
            saved, results, reason = _run(look, forms[done:], own, server)
        for form, held, text in zip(forms[done:], saved, results, strict=False):
            for at, value in enumerate(form):
                if value:
                    counts.count(
                        look, value, held[at] if at < len(held) else "", _describe_result(text, value, LABELS[at])
                    )
        done += min(len(saved), len(results))
        if done < len(forms):
            left = forms[done]
            at = _stopped_at(reason, left)
            counts.count(look, left[at], None, "wrong", reason)
            forms[done] = ["" if index == at else value for index, value in enumerate(left)]
            done += not any(forms[done])
    return counts


def _run(
    look: Look, forms: Sequence[Sequence[str]], folder: Path, server: PageServer
) -> tuple[list[list[str]], list[str], str]:
    """What was saved form by form, what the run said of each, and why it ended."""
    state = folder / "state"
    filling = [(f"Fill in form {at + 1}.", _steps(look, form, at, state, server.url)) for at, form in enumerate(forms)]
    case = made_case(folder / "workflow", *filling)
    try:
        ended = Replays(folder, limits=_LIMITS, patience=5).run(case, size="1280x900")
    except VaiderError as stopped:
        return [], [], stopped.message
    # The subtask that a run ended in is the last one, and what it says is the reason.
    results = [each.result for each in ended.subtasks if not ended.reason.endswith(each.result)]
    wanted = len(results)
    deadline = time.monotonic() + 5
    saved: list[list[str]] = []
    while time.monotonic() < deadline and len(saved) < wanted:
        saved = server.all_reports() if look.toolkit == "Chromium" else _lines(state)
        time.sleep(0.05)
    return saved, results[: len(saved)], ended.reason


def _lines(state: Path) -> list[list[str]]:
    return [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()] if state.exists() else []


def _describe_result(result: str, value: str, label: str) -> str:
    return "in doubt" if f'"{value}" was typed into the "{label}" field' in result else "right"


def _stopped_at(reason: str, form: Sequence[str]) -> int:
    """Which value ended a run: that of the field that its reason names, else the first."""
    filled = [at for at, value in enumerate(form) if value]
    return next((at for at in filled if f'the "{LABELS[at]}" field' in reason), filled[0])


def _steps(look: Look, form: Sequence[str], at: int, state: Path, url: str) -> list[dict[str, Any]]:
    closes = look.toolkit.startswith("GTK")
    steps = [] if at and not closes else [_open(look, state, url, len(form))]
    steps += [step("TYPE", f'the "{label}" field', value) for label, value in zip(LABELS, form, strict=False) if value]
    return [*steps, step("CLICK", f'the "{"OK" if closes else "Save order"}" button')]


def _open(look: Look, state: Path, url: str, count: int) -> dict[str, Any]:
    labels = LABELS[:count]
    if look.toolkit == "Chromium":
        query = [
            ("size", look.size),
            ("theme", look.theme),
            ("fault", look.fault),
            *(("label", each) for each in labels),
        ]
        return step("OPEN_URL", "the browser", f"{url}/order.html?{urlencode(query)}")
    own = [str(state), str(look.size), look.theme, look.fault, *labels]
    if look.toolkit == "Tk":
        return step("OPEN_APP", "the desktop", sys.executable, arguments=[str(_HERE / "order_tk.py"), *own])
    if look.toolkit == "Qt":
        return step("OPEN_APP", "the desktop", _SYSTEM_PYTHON, arguments=[str(_HERE / "order_qt.py"), *own])
    theme = f"GTK_THEME=Adwaita{':dark' if look.theme == 'dark' else ''}"
    dialog = ["zenity", "--forms", "--title=New order", "--text=New order", *(f"--add-entry={each}" for each in labels)]
    if look.toolkit == "GTK (yad)":
        dialog = ["yad", "--form", "--title=New order", "--width=520", *(f"--field={each}" for each in labels)]
        dialog += ["filled in"] * len(labels)
    arguments = [
        theme,
        f"GDK_DPI_SCALE={look.size / 10}",
        sys.executable,
        str(_HERE / "dialog.py"),
        str(state),
        *dialog,
    ]
    return step("OPEN_APP", "the desktop", "env", arguments=arguments)


def _rival(forms: Sequence[Sequence[str]]) -> tuple[int, int, int]:
    """How many values stand right, and typed behind others, when xdotool clicks and types and nothing is read back."""
    all_values = right = twice = 0
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder, x_display(1280, 900) as display:
        state = Path(folder) / "state"
        program = [sys.executable, str(_HERE / "order_tk.py"), str(state), "13", "light", "", *LABELS]
        with started(display, *program):
            time.sleep(3)
            for number, form in enumerate(forms):
                for row, value in enumerate(form):
                    _xdotool(display, "mousemove", "400", str(82 + 41 * row), "click", "1", "type", "--", value)
                _xdotool(display, "mousemove", "330", str(82 + 41 * len(form)), "click", "1", "sleep", "0.3")
                held = _lines(state)[number] if len(_lines(state)) > number else [""] * len(form)
                all_values += len(form)
                right += sum(a == b for a, b in zip(held, form, strict=True))
                twice += sum(a != b and a.endswith(b) for a, b in zip(held, form, strict=True))
    return all_values, right, twice


def _xdotool(display: str, *words: str) -> None:
    subprocess.run(["xdotool", *words], env=os.environ | {"DISPLAY": display}, check=False)


def _table(counts: dict[str, Counts], rival: tuple[int, int, int]) -> Table:
    rows = [_row(name, each) for name, each in counts.items()]
    rows.append(("xdotool in the Tk form, nothing read back", str(rival[0]), str(rival[1]), str(rival[2]), *["-"] * 3))
    found = [f"- {case}" for name, each in counts.items() if name != "planted" for case in each.cases][:40]
    note = (
        "The bar: all right by the programs' own state, none typed twice, no right field told as wrong, and no wrong "
        "one as right. What a run cannot vouch for it calls in doubt. Planted programs change what is typed."
    )
    columns = (
        "values typed into",
        "values",
        "right",
        "typed twice",
        "in doubt",
        "told wrong though right",
        "told right though wrong",
    )
    return Table(f"{sum(each.all for each in counts.values())} values typed", columns, rows, "\n".join([note, *found]))


def _row(name: str, each: Counts) -> tuple[str, ...]:
    figures = (each.all, each.right, each.twice, each.reported["in doubt"], each.false_alarms, each.missed)
    return (name, *(str(figure) for figure in figures))


if __name__ == "__main__":
    for table in run(quick="--quick" in sys.argv):
        table.show()
