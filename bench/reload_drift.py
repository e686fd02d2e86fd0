"""Targets on drifted screens: found at the right place or refused, never wrong: ``bench reload_drift``.

Each is a page of a real browser: an anchor is cut of a target on the page as it was recorded, and looked for on the
page as it is now. The page itself says where the target is.
"""

import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from playwright.sync_api import Browser
from rich.progress import track

from adapters.desktop.eyes import ScreenEyes
from adapters.desktop.eyesight.likeness import pixels_of
from adapters.desktop.eyesight.targets import ScreenTargets
from bench.table import Table
from core.reload.ports import Found, Missing
from core.screens import Box, Picture
from tests.fakes.desktops.headless_screens import PAGES, ROOT, Theme, Truth, headless, page_of, taken

FORM: Final = ROOT / "examples" / "workflows" / "parcel-form" / "form.html"
_STYLE: Final = "</style>"


@dataclass(frozen=True)
class Drift:
    """One way in which the screen differs from the recorded one, and what may be done about it."""

    kind: str
    name: str
    page: str
    target: str
    was: str = _STYLE
    now: str = _STYLE
    size: tuple[int, int] = (1280, 720)
    zoom: float = 1.0
    theme: Theme = "light"
    script: str = ""
    is_there: bool = True
    """Whether the target is still there, and may be acted on."""
    moved: tuple[int, int] = (0, 0)
    """By how much the window is elsewhere on a larger desktop."""


def _styled(kind: str, name: str, page: str, target: str, style: str, **more: Any) -> Drift:
    return Drift(kind, name, page, target, now=f"{style}{_STYLE}", **more)


def _scripted(kind: str, name: str, page: str, target: str, script: str, **more: Any) -> Drift:
    return Drift(kind, name, page, target, is_there=more.pop("is_there", False), script=script, **more)


def _zoomed(kind: str, name: str, page: str, target: str, zoom: float) -> Drift:
    return _scripted(kind, name, page, target, f"document.body.style.zoom = {zoom}", is_there=True)


_ACCENT: Final = ":root { --accent: #7a3db8 !important; }"
_DIALOG: Final = (
    "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;left:{left}px;top:{top}px;width:420px;"
    'height:220px;background:#fff;border:1px solid #888;padding:20px"><h2>Session ends</h2><p>Stay signed in?</p>'
    "<button>Stay</button></div>')"
)


def _text(element: str, words: str) -> str:
    return f"document.querySelector('{element}').textContent = '{words}'"


def _disabled(element: str) -> str:
    return f"const one = document.querySelector('{element}'); one.disabled = true; one.style.opacity = 0.6"


_MASK: Final = (
    "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0;background:rgba(0,0,0,.5)\">"
    "</div>')"
)
_TWO: Final = "const row = document.querySelectorAll('tr')[2]; row.after(row.cloneNode(true))"
_DOWN: Final = "document.body.style.marginTop = '37px'"
_SWAP: Final = "const rows = document.querySelectorAll('tr'); rows[1].before(rows[2])"

DRIFTS: Final = (
    Drift("moved", "the window, a button", "form", "place", moved=(90, 45)),
    Drift("moved", "the window, an empty field", "form", "city", moved=(31, 77)),
    _styled("moved", "the page, to the right", "form", "place", "main { margin-left: 280px; }"),
    _styled("moved", "scrolled, a button", "form", "place", "body { margin-top: -120px; }"),
    _styled("moved", "scrolled, an empty field", "form", "city", "body { margin-top: -60px; }"),
    _scripted("moved", "another order of rows, the row's button", "members", "delete-bob", _SWAP, is_there=True),
    _scripted("moved", "another order of rows, the row's box", "members", "check-cara", _SWAP, is_there=True),
    _styled(
        "moved", "columns of a form exchanged", "form", "city", "form { direction: rtl; } form > * { direction: ltr; }"
    ),
    _scripted(
        "moved",
        "an error above",
        "form",
        "place",
        "document.querySelector('h1').insertAdjacentHTML('afterend', '<p style=\"color:#b42318\">Try again.</p>')",
        is_there=True,
    ),
    _zoomed("other zoom", "80 %", "form", "place", 0.8),
    _zoomed("other zoom", "90 %", "members", "invite", 0.9),
    _zoomed("other zoom", "110 %", "form", "place", 1.1),
    _zoomed("other zoom", "125 %", "members", "delete-bob", 1.25),
    _zoomed("other zoom", "150 %", "modal", "front-ok", 1.5),
    _zoomed("other zoom", "125 %, an empty field", "form", "city", 1.25),
    Drift("other zoom", "of the screen, 150 %", "members", "saveas", zoom=1.5, size=(1920, 1080)),
    Drift("other theme", "dark, a button", "form", "place", theme="dark"),
    Drift("other theme", "dark, a row's button", "members", "delete-bob", theme="dark"),
    Drift("other theme", "dark, an empty field", "form", "city", theme="dark"),
    _styled("other theme", "another accent", "form", "place", _ACCENT),
    _styled("other theme", "another typeface", "form", "place", "body { font-family: 'Liberation Serif', serif; }"),
    Drift("other size", "narrow window", "form", "place", size=(1000, 720)),
    Drift("other size", "large window", "members", "delete-bob", size=(1920, 1080)),
    _scripted("renamed", "one letter", "form", "place", _text("#place", "Place orders")),
    _scripted("renamed", "another word as long", "form", "place", _text("#place", "Place 0rder")),
    _scripted("renamed", "translated", "form", "place", _text("#place", "Bestellen")),
    _scripted("renamed", "more said", "form", "place", _text("#place", "Place order and pay")),
    _scripted("renamed", "in the dark", "form", "place", _text("#place", "Cancel order"), theme="dark"),
    _scripted(
        "renamed",
        "at 125 %",
        "members",
        "saveas",
        f"document.body.style.zoom = 1.25; {_text('[data-t=saveas]', 'Save as draft')}",
    ),
    _scripted("renamed", "the label of a field", "form", "city", _text("label[for=city]", "Town")),
    _scripted(
        "renamed",
        "two labels exchanged",
        "form",
        "city",
        f"{_text('label[for=city]', 'Street')}; {_text('label[for=street]', 'City')}",
    ),
    _scripted(
        "renamed",
        "a placeholder",
        "members",
        "search",
        "document.querySelector('[type=search]').placeholder = 'Search payments'",
    ),
    _scripted("state", "disabled", "members", "saveas", _disabled("[data-t=saveas]")),
    _scripted(
        "state",
        "disabled, in the dark",
        "members",
        "saveas",
        _disabled("[data-t=saveas]"),
        theme="dark",
    ),
    _scripted("state", "ticked", "form", "fragile", "document.querySelector('#fragile').checked = true"),
    _scripted("state", "chosen", "form", "express", "document.querySelector('#express').checked = true"),
    _scripted("other row", "another name", "members", "delete-bob", _text('[data-t="cell-bob"]', "Rob Lindqvist")),
    _scripted(
        "other row",
        "one letter of its mail",
        "members",
        "delete-bob",
        "document.querySelectorAll('td')[7].textContent = 'bab@example.com'",
    ),
    _scripted(
        "other row",
        "gone, the next has its place",
        "members",
        "delete-bob",
        "document.querySelectorAll('tr')[2].remove()",
    ),
    _scripted("other row", "one digit", "modal", "pay", _text("main p:nth-of-type(2)", "Invoice 9 ")),
    _scripted(
        "other row",
        "another name, in the dark",
        "members",
        "delete-bob",
        _text("[data-t=cell-bob]", "Rob Lindqvist"),
        theme="dark",
    ),
    _scripted(
        "other row",
        "another name, at 125 %",
        "members",
        "delete-bob",
        f"document.body.style.zoom = 1.25; {_text('[data-t=cell-bob]', 'Rob Lindqvist')}",
    ),
    _scripted("other row", "two with that name", "members", "edit-bob", f"{_TWO}; {_DOWN}"),
    _scripted("gone", "the button", "form", "place", "document.querySelector('#place').style.visibility = 'hidden'"),
    _scripted("gone", "the page", "form", "place", "document.body.textContent = 'This page was moved.'"),
    _scripted("covered", "a dialog in front of it", "form", "place", _DIALOG.format(left=150, top=430)),
    _scripted(
        "covered",
        "dimmed for a dialog",
        "form",
        "place",
        _MASK,
    ),
    _scripted(
        "imitated",
        "another row has the button",
        "members",
        "delete-bob",
        _text("[data-t=cell-bob]", "Alice Moreau"),
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What became of one: ``found``, ``refused`` or ``wrong``, why, and how long it took."""

    drift: Drift
    verdict: str
    reason: str
    ms: float


def run() -> list[Table]:
    """Measure."""
    with (
        tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder,
        headless() as browser,
        closing(ScreenEyes()) as eyes,
    ):
        done = [
            _tried(drift, browser, eyes, Path(folder))
            for drift in track(DRIFTS, description="Drifting", transient=True)
        ]
    kinds = dict.fromkeys(drift.kind for drift in DRIFTS)
    counts = {kind: [each for each in done if each.drift.kind == kind] for kind in kinds} | {"all": done}
    rows = [(kind, *_cells(of)) for kind, of in counts.items()]
    reported = [
        f"- {each.drift.kind}, {each.drift.name}: {each.verdict}: {each.reason}"
        for each in done
        if each.verdict == "wrong" or (each.drift.is_there and each.verdict == "refused")
    ]
    note = "\n".join(["The bar: none wrong. Refused although it is there:", *reported])
    header = ("drift", "targets", "still there", "found", "refused", "wrong", "longest, ms")
    return [Table("Targets on drifted screens", header, rows, note)]


def _cells(done: list[Outcome]) -> tuple[str, ...]:
    verdicts = Counter(each.verdict for each in done)
    there = sum(each.drift.is_there for each in done)
    return (
        str(len(done)),
        str(there),
        *(str(verdicts[verdict]) for verdict in ("found", "refused", "wrong")),
        f"{max(each.ms for each in done):.0f}",
    )


def _tried(drift: Drift, browser: Browser, eyes: ScreenEyes, folder: Path) -> Outcome:
    targets = ScreenTargets()
    source = FORM if drift.page == "form" else PAGES / f"{drift.page}.html"
    with page_of(browser, source.as_uri()) as page:
        before = taken(page)
    anchor = targets.cut(
        before.picture, before.boxes[drift.target].centre, _whole(before.picture), ignore=(), reader=eyes
    )
    if anchor is None:
        return Outcome(drift, "refused", "nothing to recognise it by", 0)
    now, window = _moved(_drifted(drift, browser, source, folder), drift.moved)
    eyes.read(now.picture)
    began = time.perf_counter()
    found = targets.find(anchor, now.picture, window, reader=eyes)
    ms = 1000 * (time.perf_counter() - began)
    match found:
        case Missing(reason):
            return Outcome(drift, "refused", reason, ms)
        case Found(point, how):
            box = now.boxes.get(drift.target)
            is_right = drift.is_there and box is not None and box.contains(point)
            return Outcome(drift, "found" if is_right else "wrong", how, ms)


def _drifted(drift: Drift, browser: Browser, source: Path, folder: Path) -> Truth:
    html = source.read_text(encoding="utf-8")
    if html.count(drift.was) != 1:
        raise ValueError(f"{drift.was!r} is not once in {source}")
    file = folder / source.name
    file.write_text(html.replace(drift.was, drift.now), encoding="utf-8")
    with page_of(browser, file.as_uri(), size=drift.size, zoom=drift.zoom, theme=drift.theme) as page:
        if drift.script:
            page.evaluate(f"() => {{ {drift.script} }}")
        return taken(page, drift.zoom)


def _moved(truth: Truth, by: tuple[int, int]) -> tuple[Truth, Box]:
    """The page in a window that is elsewhere on a larger, grey desktop."""
    if by == (0, 0):
        return truth, _whole(truth.picture)
    picture = truth.picture
    desktop = np.full((picture.height + by[1] + 40, picture.width + by[0] + 40, 4), 90, np.uint8)
    desktop[by[1] : by[1] + picture.height, by[0] : by[0] + picture.width] = pixels_of(picture)
    boxes = {name: box.model_copy(update={"x": box.x + by[0], "y": box.y + by[1]}) for name, box in truth.boxes.items()}
    window = Box(x=by[0], y=by[1], width=picture.width, height=picture.height)
    return Truth(Picture(desktop.shape[1], desktop.shape[0], desktop.tobytes(), 0.0), boxes), window


def _whole(picture: Picture) -> Box:
    return Box(x=0, y=0, width=picture.width, height=picture.height)


if __name__ == "__main__":
    for table in run():
        table.show()
