"""Screens of which every line of text is known: pages drawn by a real browser below a real browser's bar.

Half of the pages are ours (forms, tables, articles, settings, lists); the held-out half are pages of Debian's own
reference, which nobody here wrote, in other fonts. A page is drawn once and taken at sixteen heights, so that the same
line is read at sixteen places.
"""

import os
import random
import re
import subprocess
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from faker import Faker
from numpy.typing import NDArray
from playwright.sync_api import Page, sync_playwright

from adapters.video.frame import Box
from core.screens import Picture
from tests.fakes.desktops.shown_screens import PAINTED, painted, phrases, shown

SIZES: Final = ((1280, 720), (1366, 768), (1600, 900), (1920, 1080), (2560, 1440))
SHIFTS: Final = tuple(range(0, 64, 4))
FONTS: Final = {False: ("DejaVu Sans", "DejaVu Serif", "Nimbus Sans", "Open Sans"), True: ("Roboto", "Liberation Sans")}
"""By whether the page is held out."""
HELD_OUT: Final = Path("/usr/share/debian-reference")
_PACKAGES: Final = {
    "DejaVu Sans": "fonts-dejavu-core",
    "DejaVu Serif": "fonts-dejavu-core",
    "Nimbus Sans": "fonts-urw-base35",
    "Open Sans": "fonts-open-sans",
    "Roboto": "fonts-roboto-unhinted",
    "Liberation Sans": "fonts-liberation",
}
"""The Debian package of each font; without it a browser draws another one."""
_DOCUMENTS: Final = "debian-reference-en"
_NIGHT: Final = (
    "html, body { background: #16181d !important } body * { background: none !important; color: #dde3ea !important }"
)
_LINES: Final = """
() => {
  const lines = [];
  const seen = (node, box) => {
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return top && (top.contains(node) || node.contains(top));
  };
  const add = (words) => {
    const left = Math.min(...words.map(w => w.x)), top = Math.min(...words.map(w => w.y));
    const right = Math.max(...words.map(w => w.x + w.width)), bottom = Math.max(...words.map(w => w.y + w.height));
    lines.push([words.map(w => w.text).join(''), left, top, right - left, bottom - top]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let line = [];
  const flush = () => { if (line.length) add(line); line = []; };
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.parentElement.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    for (const match of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, match.index); range.setEnd(node, match.index + match[0].length);
      const rects = range.getClientRects();
      if (rects.length !== 1) { flush(); continue; }
      const {x, y, width, height} = rects[0];
      if (width < 1 || !seen(node.parentElement, rects[0])) { flush(); continue; }
      const last = line.at(-1);
      const gap = last ? x - last.x - last.width : 0;
      if (last && (Math.abs(y + height / 2 - last.y - last.height / 2) > 3 || gap > height * 0.5 || gap < -2)) flush();
      line.push({text: (line.length && gap > height * 0.08 ? ' ' : '') + match[0], x, y, width, height});
    }
  }
  flush();
  const pen = document.createElement('canvas').getContext('2d');
  for (const field of document.querySelectorAll('input:not([type=checkbox]):not([type=radio])')) {
    const text = field.value || field.placeholder, style = getComputedStyle(field), box = field.getBoundingClientRect();
    pen.font = style.font;
    const left = box.x + parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth);
    const wide = pen.measureText(text).width;
    if (text && left + wide < box.right - 2) lines.push([text, left, box.y + 2, wide, box.height - 4]);
  }
  return lines;
}
"""


@dataclass(frozen=True)
class Line:
    """One line of a page and where it stands, in pixels of the screen."""

    text: str
    box: Box


@dataclass(frozen=True)
class Screen:
    """One picture of a screen, what its page says, and which page at which height it is."""

    name: str
    shift: int
    bgr: NDArray[np.uint8]
    lines: Sequence[Line]

    @property
    def picture(self) -> Picture:
        """The screen as a grab."""
        height, width = self.bgr.shape[:2]
        return Picture(width, height, cv2.cvtColor(self.bgr, cv2.COLOR_BGR2BGRA).tobytes(), 0.0)


def screens(folder: Path, pages: int, *, held_out: bool, shifts: Sequence[int] = SHIFTS) -> Iterator[Screen]:
    """``pages`` times ``shifts`` screens; the same ones each time.

    Raises:
        SystemExit: a package is missing without which they would be others.

    """
    missing = _missing(held_out=held_out)
    if missing:
        raise SystemExit(f"The benchmark needs other packages: apt-get install {' '.join(missing)}")
    bars = {(size, dark): _bar(folder, size, dark=dark) for size in SIZES for dark in (False, True)}
    with _browser() as browser:
        for number in range(pages):
            size, dark = SIZES[number % len(SIZES)], number // len(SIZES) % 2 == 1
            whole, lines = _drawn(browser, number, size, dark=dark, held_out=held_out)
            for shift in shifts:
                bar = bars[size, dark]
                bgr = np.vstack([bar, whole[shift : shift + size[1] - len(bar)]])
                yield Screen(f"page {number}", shift, bgr, _inside(lines, len(bar), shift, size[1]))


def _missing(*, held_out: bool) -> list[str]:
    """The packages that the pages need and that are not installed."""
    command = ["fc-list", ":", "family"]
    families = set(re.split(r"[,\n]", subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    missing = {_PACKAGES[font] for font in FONTS[held_out] if font not in families}
    if held_out and not HELD_OUT.is_dir():
        missing.add(_DOCUMENTS)
    return sorted(missing)


def _inside(lines: Sequence[Line], bar: int, shift: int, height: int) -> list[Line]:
    moved = [Line(line.text, (line.box[0], line.box[1] - shift + bar, *line.box[2:])) for line in lines]
    return [line for line in moved if line.box[1] >= bar + 1 and line.box[1] + line.box[3] < height]


def _drawn(page: Page, number: int, size: tuple[int, int], *, dark: bool, held_out: bool) -> tuple[Any, list[Line]]:
    chance = random.Random(number)
    page.set_viewport_size({"width": size[0], "height": size[1] + SHIFTS[-1]})
    font = FONTS[held_out][number % len(FONTS[held_out])]
    pixels = chance.randint(10, 24)
    if held_out:
        documents = sorted(HELD_OUT.glob("*.en.html"))
        page.goto(documents[number % len(documents)].as_uri())
        page.add_style_tag(content=f"body {{ font: {pixels}px '{font}' !important }}" + (_NIGHT * dark))
        most = page.evaluate("document.documentElement.scrollHeight - innerHeight")
        page.evaluate(f"scrollTo(0, {round(chance.random() * max(most, 0))})")
    else:
        page.set_content(_page(number, font, pixels, dark=dark))
    png = np.frombuffer(page.screenshot(), np.uint8)
    whole = cv2.imdecode(png, cv2.IMREAD_COLOR)
    found = [
        Line(text, (round(x), round(y), round(wide), round(high))) for text, x, y, wide, high in page.evaluate(_LINES)
    ]
    lines = [line for line in found if line.box[0] >= 0 and line.box[0] + line.box[2] <= size[0] - 2]
    return whole, lines


_STYLE: Final = """<!doctype html><meta charset=utf-8><style>
  body {{ margin: 0; padding: 14px 24px; font: {pixels}px '{font}'; color: {ink}; background: {ground} }}
  h1 {{ font-size: 1.6em; margin: .3em 0 }} h2, h3 {{ margin: .5em 0 }} p {{ margin: .5em 0; line-height: 1.5 }}
  input, button {{ font: inherit; color: inherit; background: none; border: 1px solid {edge}; border-radius: 4px;
  padding: 5px 8px }} button {{ background: #0969da; color: white }} .quiet {{ background: none; color: {ink} }}
  td {{ padding: 5px 26px 5px 0; border-bottom: 1px solid {edge} }} ul {{ list-style: none; padding: 0 }}
  b {{ background: #1a7f37; color: white; border-radius: 9px; padding: 1px 8px; font-weight: normal }}
  small, i {{ color: {pale}; font-style: normal; margin-left: 1.5em }} small {{ margin: 0 }}
  .card {{ border: 1px solid {edge}; border-radius: 8px; padding: 4px 14px; margin: 10px 0 }}</style>"""
_LIGHT: Final = {"ink": "#1f2328", "ground": "#fff", "pale": "#6e7781", "edge": "#ccc"}
_DARK: Final = {"ink": "#e6e9ee", "ground": "#17191e", "pale": "#8b949e", "edge": "#3d444d"}


def _page(number: int, font: str, pixels: int, *, dark: bool) -> str:
    fake = Faker()
    fake.seed_instance(number)
    kinds = (_form, _table, _article, _cards, _files, _sparse)
    style = _STYLE.format(font=font, pixels=pixels, **(_DARK if dark else _LIGHT))
    return (
        f"{style}<h1>{fake.company()}</h1>{kinds[(number + number // 10) % len(kinds)](fake, phrases(number, 99, 2))}"
    )


def _form(fake: Faker, said: list[str]) -> str:
    values = (fake.name(), fake.street_address(), fake.email(), fake.phone_number(), fake.iban(), fake.city())
    fields = [f'<p><label>{label}<br><input size=36 value="{value}"></label>' for label, value in zip(said, values)]  # noqa: B905
    return "".join(fields) + "<p><button>Place order</button> <button class=quiet>Cancel</button>"


def _table(fake: Faker, said: list[str]) -> str:
    rows = (
        f"<tr><td>{fake.random_int(1000, 99999)}<td>{fake.name()}<td>{fake.date()}<td>{fake.pricetag()}<td><b>{state}"
        for state in said[:60]
    )
    return f"<table>{''.join(rows)}</table>"


def _article(fake: Faker, _: list[str]) -> str:
    return "".join(f"<h2>{fake.sentence(4)}</h2><p>{fake.paragraph(9)}" for _ in range(6))


def _cards(fake: Faker, said: list[str]) -> str:
    return "".join(
        f"<div class=card><h3>{title}</h3><small>{fake.sentence(7)}</small><p><input placeholder='{fake.word()}'></div>"
        for title in said[:8]
    )


def _files(fake: Faker, _: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{fake.file_path()} <i>{fake.user_name()}</i>' for _ in range(40))}</ul>"


def _sparse(fake: Faker, said: list[str]) -> str:
    lines = (said[0], f"Order {fake.random_int()} confirmed", fake.sentence(4), fake.name(), fake.word(), fake.date())
    return "".join(
        f"<p style='margin: {fake.random_int(1, 90)}px {fake.random_int(0, 300)}px'>{line}" for line in lines
    )


@contextmanager
def _browser() -> Generator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def _bar(folder: Path, size: tuple[int, int], *, dark: bool) -> NDArray[np.uint8]:
    """What a real browser shows above a page: (height, width, 3)."""
    place = folder / f"{size[0]}-{dark}"
    place.mkdir(parents=True, exist_ok=True)
    html = "<title>Orders of November</title><body style='background:#f0f'>"
    (place / "page.html").write_text(html, encoding="utf-8")
    command = [
        os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"),
        *("--no-sandbox", "--no-first-run", "--disable-gpu", "--test-type", "--window-position=0,0"),
        *(["--force-dark-mode"] if dark else []),
        *(f"--window-size={size[0]},{size[1]}", f"--user-data-dir={place / 'profile'}", f"file://{place}/page.html"),
    ]
    with shown(command, place, size) as grab:
        picture = painted(grab)
    bgr = np.frombuffer(picture.bgra, np.uint8).reshape(size[1], size[0], 4)[:, :, :3]
    page = (np.abs(bgr.astype(np.int16) - PAINTED) < 90).all(axis=2).mean(axis=1) > 0.9
    return np.ascontiguousarray(bgr[: int(np.argmax(page))])
