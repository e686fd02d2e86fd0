"""What is told of records that were saved wrongly while the program says "saved": ``python -m bench.effects``.

Two programs whose faults are switched on: a page with its records in SQLite, read by its list and its JSON, and a form
in Tk that writes a file; and one that nothing was built with, read by its page. Each run fills in three fields and
saves, without a model, on a display of its own. Each kind of fault comes three times, and beside them are records that
are saved right. The same run tells what the screen alone would have been taken for.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from rich.progress import track

from bench.saving import held_out
from bench.saving.faults import KINDS, LABELS, VARIANTS
from bench.saving.ledger_web import Ledger
from bench.table import Table
from core.errors import VaiderError
from core.runs.budget import Limits
from core.runs.run import Run, RunOutcome
from core.steps import FOCUS
from tests.fakes.runs.made_workflows import made_case, step
from tests.fakes.runs.replaying import Case, Replays

SEED: Final = 20261123
RIGHT, HELD_OUT_RIGHT, QUICK_RIGHT = 50, 25, 3
PAGE, TK, HELD_OUT = "page", "Tk", "sqlite-web, held out"
_AT_ONCE: Final = 2
_SHORT: Final = Limits(verify_seconds=1.5)
"""Of a run whose record is saved wrongly: its effect would be waited for in vain."""
_HERE: Final = Path(__file__).parent / "saving"
_FIRST: Final = ("Ann", "José", "Zoë", "Niamh O'Hara", "Kim & Lee", "Björn", "Mary-Jane", "Li", "Renée", "Old McDonald")
_LAST: Final = ("Smith", "García", "Müller", "van der Berg", "Nowak", "D'Angelo", "Osei", "Tanaka", "Eriksson", "Brown")
_WEIGHTS: Final = ("3", "2.50", "0.75", "12", "10.0", "7.125", "100", "4.2")


@dataclass(frozen=True)
class Told:
    """One run of one program."""

    program: str
    fault: str
    """Empty for a record that was saved right."""
    run: Run | None
    reason: str

    @property
    def by_screen(self) -> bool:
        """Whether the screen alone would have been taken for a success."""
        return self.run is not None and self.run.success_check is not None and self.run.success_check.verdict == "pass"

    @property
    def is_confirmed(self) -> bool:
        """Whether a success was told."""
        return self.run is not None and self.run.outcome is RunOutcome.SUCCEEDED


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` one of each kind, and a few right ones."""
    # The one that nothing was built with is there where `bench/world/install` was run.
    programs = (PAGE, TK, *([HELD_OUT] if held_out.program() and not quick else []))
    work = [(program, fault) for program in programs for fault in faults(program, quick=quick)]
    chosen = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder, ThreadPoolExecutor(_AT_ONCE) as workers:
        begun = [
            workers.submit(tried, program, fault, record(chosen), Path(folder) / f"{number:03}")
            for number, (program, fault) in enumerate(work)
        ]
        done = [each.result() for each in track(begun, description="Saving", transient=True)]
    return [_table(done)]


def faults(program: str, *, quick: bool) -> list[str]:
    """Those of the runs of a program; an empty one is none."""
    right = HELD_OUT_RIGHT if program == HELD_OUT else RIGHT
    kinds = [f"{kind} {variant}" for kind, variant in product(KINDS, range(1 if quick else VARIANTS))]
    return [*kinds, *[""] * (QUICK_RIGHT if quick else right)]


def record(chosen: random.Random) -> dict[str, str]:
    """The values of one record, as they are typed."""
    name = f"{chosen.choice(_FIRST)} {chosen.choice(_LAST)}"
    return {"name": name, "weight": chosen.choice(_WEIGHTS), "code": f"0{chosen.randrange(1000):03}"}


def tried(program: str, fault: str, values: dict[str, str], folder: Path) -> Told:
    """One run."""
    folder.mkdir()
    opened = {PAGE: _page, TK: _form, HELD_OUT: _held_out}
    with opened[program](fault, values, folder) as case:
        try:
            ended = Replays(folder, limits=_SHORT if fault else Limits()).run(case, size="800x600")
        except VaiderError as stopped:
            return Told(program, fault, None, stopped.message)
    return Told(program, fault, ended, ended.reason)


@contextmanager
def _page(fault: str, values: dict[str, str], folder: Path) -> Generator[Case]:
    with Ledger(fault, scripted=int(values["code"]) % 2 == 1) as ledger:
        effects = [
            {
                "kind": "page",
                "at": f"{ledger.url}/records",
                "expect": {label: f"{{{label.lower()}}}" for label in LABELS},
            },
            {
                "kind": "json",
                "at": f"{ledger.url}/api/records",
                "expect": {each.lower(): f"{{{each.lower()}}}" for each in LABELS},
            },
        ]
        opening = step("OPEN_URL", "the browser", f"{ledger.url}/")
        yield _case(folder, [opening, *_filling()], effects, values)


@contextmanager
def _form(fault: str, values: dict[str, str], folder: Path) -> Generator[Case]:
    # What CSV holds of a number and of its text is the same, so there a wrong type is no fault.
    is_json = int(values["code"]) % 2 == 1 or fault.startswith("wrong type")
    file = folder / ("records.json" if is_json else "records.csv")
    _seed(file)
    expect = {each.lower(): f"{{{each.lower()}}}" for each in LABELS}
    effects = [{"kind": "file", "at": str(file), "expect": expect}]
    arguments = [str(_HERE / "ledger_tk.py"), str(file), fault]
    opening = step("OPEN_APP", "the desktop", sys.executable, arguments=arguments)
    yield _case(folder, [opening, *_filling()], effects, values)


@contextmanager
def _held_out(fault: str, values: dict[str, str], folder: Path) -> Generator[Case]:
    with held_out.served(fault, folder) as address:
        expect = {each.lower(): f"{{{each.lower()}}}" for each in LABELS}
        effects = [{"kind": "page", "at": f"{address}/records/content/", "expect": expect}]
        steps = [
            step("OPEN_URL", "the browser", f"{address}/records/insert/"),
            # By the keyboard, because the decider takes the check box beside two of the fields for the field.
            step("TYPE", 'the "weight" field', "{weight}"),
            step("KEYPRESS", "the keyboard", "shift+Tab"),
            step("TYPE", FOCUS, "{name}"),
            step("KEYPRESS", "the keyboard", "Tab"),
            step("KEYPRESS", "the keyboard", "Tab"),
            step("TYPE", FOCUS, "{code}"),
            step("CLICK", 'the second "Insert" button'),
        ]
        yield _case(folder, steps, effects, values, '"Successfully inserted record" is shown.')


def _seed(file: Path) -> None:
    """Write the file as the program finds it."""
    from bench.saving.ledger_tk import FileStore  # noqa: PLC0415 - needs tkinter

    FileStore(file).write()


def _filling() -> list[dict[str, Any]]:
    fields = [step("TYPE", f'the "{label}" field', f"{{{label.lower()}}}") for label in LABELS]
    return [*fields, step("CLICK", 'the "Save" button')]


def _case(
    folder: Path,
    steps: Sequence[dict[str, Any]],
    effects: Sequence[Any],
    values: dict[str, str],
    criteria: str = '"Saved: {name}" is shown.',
) -> Case:
    saving = ("Save the record.", steps)
    return made_case(folder / "workflow", saving, criteria=criteria, params=values, effects=effects)


def _table(done: Sequence[Told]) -> Table:
    programs = list(dict.fromkeys(each.program for each in done))
    rows = [_row(program, kind, done) for program in programs for kind in (*KINDS, "")]
    wrong, right = [each for each in done if each.fault], [each for each in done if not each.fault]
    confirmed = sum(each.is_confirmed for each in wrong)
    refused = sum(not each.is_confirmed for each in right)
    summary = (
        f"With effects {confirmed} of {len(wrong)} wrong ones were told as confirmed, and {refused} of {len(right)} "
        f"right ones refused; by the screen alone {sum(each.by_screen for each in wrong)} and "
        f"{sum(not each.by_screen for each in right)}. The bar: none, and at most 1 in 50."
    )
    note = [
        summary,
        *(f"- {each.program}, {each.fault}: told as confirmed" for each in wrong if each.is_confirmed),
        *(f"- {each.program}, right: {each.reason}" for each in right if not each.is_confirmed),
    ]
    return Table(
        f"{len(done)} records saved, by programs that always say so",
        ("program", "saved", "runs", "confirmed by the screen", "confirmed by effects", "failed", "unclear or stopped"),
        rows,
        "\n".join(note),
    )


def _row(program: str, kind: str, done: Sequence[Told]) -> tuple[str, ...]:
    own = [each for each in done if each.program == program and each.fault.rpartition(" ")[0] == kind]
    failed = sum(each.run is not None and each.run.outcome is RunOutcome.FAILED for each in own)
    confirmed = sum(each.is_confirmed for each in own)
    figures = (len(own), sum(each.by_screen for each in own), confirmed, failed, len(own) - confirmed - failed)
    return (program, kind or "right", *map(str, figures))


if __name__ == "__main__":
    for table in run(quick="--quick" in sys.argv):
        table.show()
