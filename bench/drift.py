"""Sixty screens that are not as they were recorded: done, or refused, never wrong: ``python -m bench.drift``.

Each is a form that one workflow fills in, changed in one way: a page in Chromium, a dialog of yad (GTK), both with an
accessible tree, and a form in Tk, which has none. Every run has a private display, and the program itself says
what was sent.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.progress import track

from bench.table import Table
from core.errors import VaiderError
from core.runs.budget import Limits
from core.runs.run import RunOutcome
from tests.fakes.runs.activities import ordered
from tests.fakes.runs.made_workflows import made_case, step
from tests.fakes.runs.replaying import Case, Replays, form_case

RECORDED_SIZE: Final = "1280x800"
VALUES: Final = {
    "recipient": "Ada Lovelace",
    "street": "Kaivokatu 12 {C}",
    "city": "Helsinki",
    "country": "Finland",
    "weight": "3.5",
    "pickup_date": "2026-12-01",
    "pickup_code": "4711",
    "note": "Ring twice",
}
ORDER: Final = {"Customer": "Ada Lovelace", "Town": "Helsinki", "Due date": "2026-12-01", "Amount": "17.50"}
_MEANING: Final = {
    "City": "Town",
    "Payable by": "Due date",
    "Kunde": "Customer",
    "Ort": "Town",
    "Fällig am": "Due date",
    "Betrag": "Amount",
}
"""Which of the order's fields a renamed one is."""
_AT_ONCE: Final = 2
_TYPING: Final = Path(__file__).parent / "typing"


@dataclass(frozen=True)
class Drift:
    """One way in which a screen differs from the recorded one.

    Attributes:
        size: of the display.
        style: CSS that is added to the page, after its own.
        replaced: texts of the page and what stands in their place.
        labels: those of the order's form, in the order in which they are shown.
        environment: of the GTK dialog, as ``env`` takes it.
        font: settings.ini's ``gtk-font-name``.
        arguments: the dialog's, before its fields.
        points: the Tk form's letters.
        theme: the Tk form's.

    """

    kind: str
    name: str
    size: str = RECORDED_SIZE
    style: str = ""
    replaced: tuple[tuple[str, str], ...] = ()
    labels: tuple[str, ...] = tuple(ORDER)
    environment: tuple[str, ...] = ()
    font: str = ""
    arguments: tuple[str, ...] = ()
    points: int = 13
    theme: str = "light"


def _zoomed(percent: int, size: str = RECORDED_SIZE) -> Drift:
    return Drift("other zoom", f"{percent} %, {size}", size, style=f"html {{ zoom: {percent / 100}; }}")


def _label(field: str, was: str, now: str) -> tuple[str, str]:
    return (f'for="{field}">{was}<', f'for="{field}">{now}<')


_DARK: Final = """:root { --ground: #12181f; --card: #1c242e; --ink: #e8eef5; --soft: #9fb0c2; --line: #526275;
 --accent: #2f81d8; --bad: #ff8a80; --good: #1e3a2a; }"""
_ON_YELLOW: Final = ":root { --ground: #ffe94d; --card: #fff6bf; --ink: #000; --accent: #5a3d00; }"
_CONTRAST: Final = """:root { --ground: #000; --card: #000; --ink: #fff; --soft: #fff; --line: #fff; --accent: #00f;
 --good: #000; }"""
_UNDERLINED: Final = """input[type=text], input[type=password], select, textarea { border: 0 !important;
 border-bottom: 1px solid var(--line) !important; border-radius: 0 !important; padding: 6px 0 !important; }"""
_GERMAN: Final = (
    _label("recipient", "Recipient", "Empfänger"),
    _label("street", "Street", "Straße"),
    _label("city", "City", "Ort"),
    _label("country", "Country", "Land"),
    _label("weight", "Weight in kg", "Gewicht in kg"),
    (">Send a parcel<", ">Paket senden<"),
    (">Place order<", ">Bestellen<"),
)
_NEW_FIELD: Final = '<div><label class="over" for="phone">Phone</label><input type="text" id="phone"></div>'

PAGE: Final = (
    Drift("moved", "to the right", style="main { margin-left: 280px; }"),
    Drift("moved", "columns exchanged", style="form { direction: rtl; } form > * { direction: ltr; }"),
    Drift("moved", "one column, scrolls", style="form { grid-template-columns: 1fr; }"),
    Drift("moved", "below a tall banner, scrolls", style="header { padding-bottom: 620px; }"),
    Drift("resized", "1100x700", "1100x700"),
    Drift("resized", "900x420, scrolls", "900x420"),
    Drift("resized", "1920x1080", "1920x1080"),
    Drift("resized", "2560x1440", "2560x1440"),
    Drift("other theme", "dark", style=_DARK),
    Drift("other theme", "black on yellow", style=_ON_YELLOW),
    Drift("other theme", "white on black", style=_CONTRAST),
    Drift("other theme", "fields without a frame", style=_UNDERLINED),
    Drift("other font", "serif", style="body { font: 17px/1.3 'Liberation Serif', 'DejaVu Serif', serif; }"),
    Drift("other font", "monospace", style="body { font: 14px/1.4 'DejaVu Sans Mono', monospace; }"),
    *(_zoomed(percent) for percent in (67, 80, 90, 125, 150)),
    _zoomed(175, "1920x1080"),
    _zoomed(200, "2560x1440"),
    Drift("renamed", "Recipient: Receiver", replaced=(_label("recipient", "Recipient", "Receiver"),)),
    Drift("renamed", "City: Town", replaced=(_label("city", "City", "Town"),)),
    Drift("renamed", "Pickup code: Delivery code", replaced=(_label("code", "Pickup code", "Delivery code"),)),
    Drift("renamed", "Place order: … and pay", replaced=((">Place order<", ">Place order and pay<"),)),
    Drift("reordered", "rows from below", style="form > div { order: -1; } form { grid-auto-flow: dense; }"),
    Drift("reordered", "from the last to the first", style="form { display: flex; flex-direction: column-reverse; }"),
    Drift("reordered", "a field between them", replaced=(("<fieldset>", f"{_NEW_FIELD}<fieldset>"),)),
    Drift("reordered", "the buttons exchanged", style=".actions { flex-direction: row-reverse; }"),
    Drift("another language", "German", replaced=_GERMAN),
)
DIALOG: Final = (
    Drift("moved", "to a corner", arguments=("--posx=700", "--posy=420")),
    Drift("resized", "1920x1080", "1920x1080"),
    Drift("resized", "wide", arguments=("--width=1100",)),
    Drift("resized", "two columns", arguments=("--columns=2",)),
    Drift("other theme", "dark", environment=("GTK_THEME=Adwaita:dark",)),
    Drift("other theme", "high contrast", environment=("GTK_THEME=HighContrast",)),
    Drift("other theme", "high contrast, inverse", environment=("GTK_THEME=HighContrastInverse",)),
    Drift("other font", "serif", font="DejaVu Serif 11"),
    Drift("other font", "monospace", font="DejaVu Sans Mono 10"),
    *(Drift("other zoom", f"{scale:.0%}", environment=(f"GDK_DPI_SCALE={scale}",)) for scale in (0.67, 1.25, 1.5)),
    Drift("other zoom", "200 %", "1920x1080", environment=("GDK_SCALE=2",)),
    Drift("renamed", "Town: City", labels=("Customer", "City", "Due date", "Amount")),
    Drift("reordered", "from the last to the first", labels=tuple(reversed(ORDER))),
    Drift("reordered", "a field between them", labels=("Customer", "Phone", "Town", "Due date", "Amount")),
    Drift("another language", "German", labels=("Kunde", "Ort", "Fällig am", "Betrag")),
)
TK: Final = (
    Drift("resized", "1920x1080", "1920x1080"),
    Drift("resized", "800x600", "800x600"),
    Drift("other theme", "dark", theme="dark"),
    *(Drift("other zoom", f"{points} points", points=points) for points in (9, 11, 16, 20)),
    Drift("other zoom", "26 points, 1920x1080", "1920x1080", points=26),
    Drift("other zoom", "9 points, dark", points=9, theme="dark"),
    Drift("renamed", "Due date: Payable by", labels=("Customer", "Town", "Payable by", "Amount")),
    Drift("reordered", "from the last to the first", labels=tuple(reversed(ORDER))),
    Drift("reordered", "a field between them", labels=("Customer", "Phone", "Town", "Due date", "Amount")),
    Drift("reordered", "exchanged, 1920x1080", "1920x1080", labels=("Town", "Customer", "Amount", "Due date")),
)


@dataclass(frozen=True)
class Outcome:
    """What became of one: ``done``, ``refused`` or ``wrong``, and why."""

    program: str
    drift: Drift
    verdict: str
    reason: str


def run() -> list[Table]:
    """Measure."""
    programs = {"the page": (PAGE, _page), "yad": (DIALOG, _dialog), "Tk, without a tree": (TK, _form)}
    work = [(name, drift, opened) for name, (drifts, opened) in programs.items() for drift in drifts]
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder, ThreadPoolExecutor(_AT_ONCE) as workers:
        begun = [workers.submit(_tried, *each, Path(folder) / f"{number:02}") for number, each in enumerate(work)]
        done = [each.result() for each in track(begun, description="Drifting", transient=True)]
    return [_table(done)]


def _table(done: list[Outcome]) -> Table:
    groups = {
        **{kind: [each for each in done if each.drift.kind == kind] for kind in (each.drift.kind for each in done)},
        **{program: [each for each in done if each.program == program] for program in (each.program for each in done)},
        "all": done,
    }
    rows: list[tuple[str, ...]] = []
    for name, group in groups.items():
        count = Counter(each.verdict for each in group)
        rows.append((name, str(len(group)), *(str(count[verdict]) for verdict in ("done", "refused", "wrong"))))
    reported = [
        f"- {each.program}, {each.drift.name}: {each.verdict}: {each.reason}" for each in done if each.verdict != "done"
    ]
    note = "\n".join(
        ["The bar: 50 done, none wrong. What is renamed is refused: nobody said that it means the same.", *reported]
    )
    return Table(
        f"{len(done)} drifted screens, without a model", ("drift", "screens", "done", "refused", "wrong"), rows, note
    )


Opened = Callable[[Drift, Path], Any]


def _tried(program: str, drift: Drift, opened: Opened, folder: Path) -> Outcome:
    folder.mkdir()
    with opened(drift, folder) as (case, expected):
        try:
            ended = Replays(folder, limits=Limits(verify_seconds=3), patience=3).run(case, size=drift.size)
        except VaiderError as stopped:
            is_told, reason = False, stopped.message
        else:
            # A form that closes when it is sent leaves nothing on the screen that could confirm it: it is unclear then.
            is_told, reason = ended.outcome in (RunOutcome.SUCCEEDED, RunOutcome.UNCLEAR), ended.reason
        state = case.await_state() if is_told else case.state()
    if state != expected and (is_told or state is not None):
        return Outcome(program, drift, "wrong", f"sent {state}")
    return Outcome(program, drift, "done" if is_told else "refused", reason)


@contextmanager
def _page(drift: Drift, folder: Path) -> Generator[tuple[Case, Any]]:
    with form_case(folder, **VALUES) as case:
        page = case.workflow / "form.html"
        html = page.read_text(encoding="utf-8")
        for was, now in (("</style>", f"{drift.style}</style>"), *drift.replaced):
            if html.count(was) != 1:
                raise ValueError(f"{was!r} is not once in the form")
            html = html.replace(was, now)
        page.write_text(html, encoding="utf-8")
        yield case, ordered(VALUES)


@contextmanager
def _dialog(drift: Drift, folder: Path) -> Generator[tuple[Case, Any]]:
    settings = folder / "config" / "gtk-3.0" / "settings.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[Settings]\ngtk-font-name={drift.font or 'DejaVu Sans 10'}\n", encoding="utf-8")
    state = folder / "state"
    fields = [f"--field={label}" for label in drift.labels]
    shown = ["yad", "--form", "--title=New order", "--text=New order", "--width=520", *drift.arguments, *fields]
    own = [f"XDG_CONFIG_HOME={folder / 'config'}", *drift.environment, sys.executable, str(_TYPING / "dialog.py")]
    yield _ordering(drift, folder, step("OPEN_APP", "the desktop", "env", arguments=[*own, str(state), *shown]), "OK")


@contextmanager
def _form(drift: Drift, folder: Path) -> Generator[tuple[Case, Any]]:
    own = [str(_TYPING / "order_tk.py"), str(folder / "state"), str(drift.points), drift.theme, "", *drift.labels]
    opening = step("OPEN_APP", "the desktop", sys.executable, arguments=own)
    yield _ordering(drift, folder, opening, "Save order")


def _ordering(drift: Drift, folder: Path, opening: dict[str, Any], button: str) -> tuple[Case, Any]:
    """The workflow that fills the order in, what it holds, and what it should."""
    filling = [step("TYPE", f'the "{label}" field', f"{{{_name(label)}}}") for label in ORDER]
    steps = [opening, *filling, step("CLICK", f'the "{button}" button')]
    values = {_name(label): value for label, value in ORDER.items()}
    case = made_case(folder / "workflow", ("Fill in the order.", steps), params=values)
    state = folder / "state"

    def read_sent() -> list[str] | None:
        return json.loads(state.read_text(encoding="utf-8").splitlines()[-1]) if state.exists() else None

    case.state = read_sent
    return case, [ORDER.get(_MEANING.get(label, label), "") for label in drift.labels]


def _name(label: str) -> str:
    return re.sub(r"\W", "_", label.lower())


if __name__ == "__main__":
    for table in run():
        table.show()
