"""Twenty screens that are not as they were recorded: replayed or refused, never wrong: ``python -m bench.drift``.

Each is the ten-step form, changed in one way, as a page of a real browser; the page itself says what was sent.
"""

import json
import shutil
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser
from rich.progress import track

from adapters.desktop.eyes import ScreenEyes
from bench.table import Table
from core.runs.run import RunOutcome
from storage.workflows.workflows import WorkflowFolders
from tests.fakes.desktops.headless_screens import Theme, headless, page_of
from tests.fakes.runs.activities import ordered
from tests.fakes.runs.local_runs import replayed
from tests.fakes.runs.replaying import PARCEL_FORM

VALUES = {
    "recipient": "Ada Lovelace",
    "street": "Kaivokatu 12 {C}",
    "city": "Helsinki",
    "country": "Finland",
    "weight": "3.5",
    "pickup_date": "2026-12-01",
    "pickup_code": "4711",
    "note": "Ring twice",
}
_HEAD = "</style>"


@dataclass(frozen=True)
class Drift:
    """One way in which the screen differs from the recorded one: of 1280x720, light, at 100 %."""

    kind: str
    name: str
    size: tuple[int, int] = (1280, 720)
    theme: Theme = "light"
    zoom: float = 1.0
    was: str = _HEAD
    now: str = _HEAD


def _styled(kind: str, name: str, style: str, **more: Any) -> Drift:
    return Drift(kind, name, now=f"{style}{_HEAD}", **more)


DRIFTS = (
    _styled("moved", "to the right", "main { margin-left: 280px; }"),
    _styled("moved", "columns exchanged", "form { direction: rtl; } form > * { direction: ltr; }"),
    _styled("moved", "rows from below", "form > div { order: -1; } form { grid-auto-flow: dense; }"),
    _styled("moved", "one column, scrolls", "form { grid-template-columns: 1fr; }"),
    Drift("resized", "1100x700", size=(1100, 700)),
    Drift("resized", "900x420, scrolls", size=(900, 420)),
    Drift("resized", "1920x1080", size=(1920, 1080)),
    Drift("resized", "2560x1440", size=(2560, 1440)),
    Drift("other theme", "dark", theme="dark"),
    _styled("other theme", "another typeface", "body { font: 17px/1.3 'Liberation Serif', 'DejaVu Serif', serif; }"),
    _styled(
        "other theme",
        "black on yellow",
        ":root { --ground: #ffe94d; --card: #fff6bf; --ink: #000; --accent: #5a3d00; }",
    ),
    Drift("other zoom", "80 %", zoom=0.8),
    Drift("other zoom", "125 %", zoom=1.25),
    Drift("other zoom", "150 %, 1920x1080", zoom=1.5, size=(1920, 1080)),
    Drift("other zoom", "200 %, 3840x2160", zoom=2.0, size=(3840, 2160)),
    Drift("renamed", "Recipient: Receiver", was='for="recipient">Recipient<', now='for="recipient">Receiver<'),
    Drift("renamed", "City: Town", was='for="city">City<', now='for="city">Town<'),
    Drift("renamed", "Express: Express plus", was="> Express<", now="> Express plus<"),
    Drift("renamed", "Pickup code: Delivery code", was='for="code">Pickup code<', now='for="code">Delivery code<'),
    Drift("renamed", "Place order: Place order and pay", was=">Place order<", now=">Place order and pay<"),
)


@dataclass(frozen=True)
class Outcome:
    """What became of one: ``replayed``, ``refused`` or ``wrong``, and why."""

    drift: Drift
    verdict: str
    reason: str


def run() -> list[Table]:
    """Measure."""
    with (
        tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder,
        headless() as browser,
        closing(ScreenEyes()) as eyes,
    ):
        done = [
            _tried(drift, browser, eyes, Path(folder) / str(number))
            for number, drift in enumerate(track(DRIFTS, description="Drifting", transient=True))
        ]
    kinds = dict.fromkeys(drift.kind for drift in DRIFTS)
    counts = {kind: Counter(each.verdict for each in done if each.drift.kind == kind) for kind in kinds}
    counts["all"] = Counter(each.verdict for each in done)
    rows = [
        (kind, str(count.total()), *(str(count[verdict]) for verdict in ("replayed", "refused", "wrong")))
        for kind, count in counts.items()
    ]
    reported = [f"- {each.drift.name}: {each.verdict}: {each.reason}" for each in done if each.verdict != "replayed"]
    note = "\n".join(
        ["The bar: none wrong. A renamed label is refused: nobody told that it means the same.", *reported]
    )
    return [
        Table(
            "Twenty drifted screens, without a model", ("drift", "screens", "replayed", "refused", "wrong"), rows, note
        )
    ]


def _tried(drift: Drift, browser: Browser, eyes: ScreenEyes, folder: Path) -> Outcome:
    workflow = Path(shutil.copytree(PARCEL_FORM, folder / PARCEL_FORM.name, ignore=shutil.ignore_patterns(".*")))
    page_file = workflow / "form.html"
    html = page_file.read_text(encoding="utf-8")
    if html.count(drift.was) != 1:
        raise ValueError(f"{drift.was!r} is not once in the form")
    page_file.write_text(html.replace(drift.was, drift.now), encoding="utf-8")
    with page_of(browser, "about:blank", theme=drift.theme, zoom=drift.zoom, size=drift.size) as page:
        done = replayed(page, eyes, WorkflowFolders([folder]), params=VALUES, zoom=drift.zoom, patience=1)
        reported = page.evaluate("document.body.dataset.order")
    order = json.loads(reported) if reported else None
    has_succeeded = done.run.outcome is RunOutcome.SUCCEEDED
    if order != ordered(VALUES) and (has_succeeded or order is not None):
        return Outcome(drift, "wrong", f"sent {order}")
    return Outcome(drift, "replayed" if has_succeeded else "refused", done.run.reason)


if __name__ == "__main__":
    for table in run():
        table.show()
