"""Web programs that run as servers: how each is started, what is visited, and the changes that are planted on the way.

Every document passes a route of Playwright's, which may rewrite it, add a style to it, or hold it back.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, Route

from bench.comparison.scenes import NPM, OUT, Change, Scene, flash
from bench.world.web import await_answer

BIN: Final = OUT / "venv" / "bin"
SERVED: Final = ("{bin}/python", "-m", "http.server", "-b", "127.0.0.1", "{port}")
"""The command for a folder of pages."""
_TOAST: Final = """<div id=vaider-toast style="position:fixed;right:24px;bottom:24px;z-index:1000000;
background:#20603b;color:#fff;padding:14px 20px;font:18px sans-serif">The view was saved</div>
<script>setTimeout(() => document.getElementById("vaider-toast").remove(), 1400)</script>"""
_BAR: Final = """<div style="position:fixed;left:0;bottom:0;z-index:9998;background:#fff;color:#222;
font:16px sans-serif;padding:4px 10px">Session {date}, run #{id}</div>"""


@dataclass(frozen=True)
class Site:
    """One program."""

    name: str
    prepare: Callable[[Path, Mapping[str, str]], None]
    """Puts into a folder what it serves, with values of its own."""
    command: Sequence[str]
    """With ``{port}`` in it."""
    steps: Sequence[str]
    """The paths that are visited; the second one is held back, or lacks its message, where that is planted."""
    other: str
    """The path of another page."""
    begin: Callable[[Page, Callable[[float], None]], None] = lambda _page, _wait: None

    def scene(self, order: Sequence[str], page: Sequence[str], planted: Mapping[str, Sequence[str]]) -> Scene:
        """Five takes and ten changes: those of the second page, and what can be planted anywhere.

        ``planted`` gives for each name what is done to the second page, and the words that name it.
        """
        changes = [
            Change(name, EVERY, words, {"style" if "{" in script else "text": script})
            for name, (script, *words) in planted.items()
        ]
        return Scene(self.name, self.play, [*changes, *planted_anywhere(order, page)], takes=5)

    def play(self, page: Page, wait: Callable[[float], None], options: Mapping[str, str]) -> None:
        """Visit the pages."""
        with self._served(options) as origin:
            steps = list(self.steps)
            if "swap" in options:
                steps[1], steps[2] = steps[2], steps[1]
            if "page" in options:
                steps[1] = self.other
            pages = re.compile(rf"{origin}(?:/[^/.?]*)*(?:\.html)?(?:\?.*)?")
            page.route(pages, lambda route: _passed(route, origin + self.steps[1], options))
            page.goto(origin + steps[0])
            self.begin(page, wait)
            wait(1.4)
            for number, step in enumerate(steps[1:], 1):
                page.goto(origin + step)
                wait(1.7)
                if number == 1:
                    flash(page, wait, options)

    @contextlib.contextmanager
    def _served(self, options: Mapping[str, str]) -> Generator[str]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with tempfile.TemporaryDirectory() as folder:
            self.prepare(Path(folder), options)
            command = [part.format(port=port, bin=BIN) for part in self.command]
            process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                await_answer(f"http://127.0.0.1:{port}{self.steps[0]}")
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()
                process.wait()


def _passed(route: Route, second: str, options: Mapping[str, str]) -> None:
    """Let a document through, with what is planted in it."""
    if route.request.resource_type != "document" or route.request.method != "GET":
        route.continue_()
        return
    is_second = route.request.url == second
    # Every page takes its time; the second one takes longer where that is planted.
    time.sleep(float(options.get("late", "0")) if is_second else 0)
    answer = route.fetch()
    text = answer.text()
    if is_second:
        old, _, new = options.get("text", "").partition("=>")
        text = text.replace(old, new) if old else text
        text = text.replace("</head>", f"<style>{options.get('style', '')}</style></head>")
        text = text if "quiet" in options else text.replace("</body>", f"{_TOAST}</body>")
    still = "*{transition:none!important;animation:none!important;caret-color:transparent!important}"
    text = text.replace("</head>", f"<style>{still}</style></head>").replace(
        "</body>", f"{_BAR.format(**options)}</body>"
    )
    route.fulfill(response=answer, body=text)


def harbour(folder: Path, options: Mapping[str, str]) -> None:
    """A database with ids and dates of its own."""
    first, day = int(options["id"]), options["date"]
    with sqlite3.connect(folder / "harbour.db") as base:
        base.execute("create table berths (number integer primary key, pier text, state text, booked text)")
        base.execute("create table ships (name text primary key, flag text, draught real)")
        base.execute("create table crews (name text primary key, ship text, night integer)")
        for row, (pier, state) in enumerate((("North", "Free"), ("North", "Taken"), ("South", "Closed"))):
            base.execute("insert into berths values (?, ?, ?, ?)", (row + 1, pier, state, f"{day} #{first + row}"))
        for name, flag, draught in (("Aurora", "Norway", 5.5), ("Morgan", "Wales", 7.25), ("Petrel", "Chile", 3.0)):
            base.execute("insert into ships values (?, ?, ?)", (name, flag, draught))
            base.execute("insert into crews values (?, ?, ?)", (f"Crew of {name}", name, 1))


def made_once(folder: Path, name: str, make: Callable[[Path], None]) -> None:
    """Copy what is made at the first time alone."""
    made = OUT / name
    if not made.exists():
        making = made.with_name(f"{name}.making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        make(making)
        making.rename(made)
    shutil.copytree(made, folder, dirs_exist_ok=True)


def _admin(folder: Path, _: Mapping[str, str]) -> None:
    """A project with one user."""

    def make(making: Path) -> None:
        subprocess.run([BIN / "django-admin", "startproject", "pier", making], check=True)
        for arguments in (
            ["migrate", "-v0"],
            ["createsuperuser", "--noinput", "--username", "ada", "--email", "ada@example.org"],
        ):
            environment = {"DJANGO_SUPERUSER_PASSWORD": "harbour-7"}
            subprocess.run([BIN / "python", "manage.py", *arguments], cwd=making, env=environment, check=True)

    made_once(folder, "django", make)


def _log_in(page: Page, wait: Callable[[float], None]) -> None:
    wait(0.8)
    page.fill("#id_username", "ada")
    wait(0.6)
    page.fill("#id_password", "harbour-7")
    page.click("input[type=submit]")
    page.wait_for_selector("#user-tools")


_PAGES: Final = {
    "index.md": "# Harbour handbook\n\nWhat the harbour office does, and whom to ask.\n\n- Berths\n- Ships\n",
    "berths.md": "# Berths\n\n!!! note\n    Berth 7 is closed until the crane is mended.\n\n## Booking\n\nAsk us.\n",
    "ships.md": "# Ships\n\n| Ship | Flag |\n|---|---|\n| Aurora | Norway |\n\n## Draught\n\nAt most 8 m.\n",
    "tides.md": "# Tides\n\nHigh water comes twice a day.\n\n!!! warning\n    The bar is not passed at low water.\n",
}


def built(folder: Path, name: str, files: Mapping[str, str], *command: str) -> None:
    """Copy a site that was built once from its sources, by a command whose last argument is where to put it."""

    def make(making: Path) -> None:
        with tempfile.TemporaryDirectory() as source:
            for file, text in files.items():
                path = Path(source) / file
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            subprocess.run([BIN / command[0], *command[1:], making], cwd=source, check=True)

    made_once(folder, name, make)


def copied(package: str, parts: Sequence[str], folder: Path, _: Mapping[str, str]) -> None:
    """The pages of a package as they come."""
    for part in parts:
        shutil.copytree(NPM / package / part, folder / part, dirs_exist_ok=True)


def _handbook(folder: Path, _: Mapping[str, str]) -> None:
    settings = "site_name: Harbour\ntheme: {name: material, font: false}\nmarkdown_extensions: [admonition]\n"
    pages = {f"docs/{name}": text for name, text in _PAGES.items()}
    built(folder, "handbook", {**pages, "mkdocs.yml": settings}, "mkdocs", "build", "-q", "-d")


EVERY: Final = ("changed", "new", "gone")


def planted_anywhere(order: Sequence[str], page: Sequence[str]) -> tuple[Change, ...]:
    """The changes that every site can have; ``order`` and ``page`` are the words of two of them."""
    return (
        Change("missing toast", ("gone",), ("The view was saved",), {"quiet": "1"}),
        Change("slower", ("slower",), (), {"late": "1.4"}),
        Change("order", ("order",), order, {"swap": "1"}),
        Change("another page", EVERY, page, {"page": "1"}),
        Change("flash of an error", ("new",), ("Connection lost",), {"flash": "1"}),
    )


def _changes(
    text: tuple[str, str], style: tuple[str, Sequence[str]], order: Sequence[str], page: Sequence[str]
) -> Sequence[Change]:
    return (
        Change("text", EVERY, (text[1],), {"text": text[0]}),
        Change("colour of a state", ("changed",), style[1], {"style": style[0]}),
        *planted_anywhere(order, page),
    )


_DATASETTE: Final = Site(
    "datasette",
    harbour,
    ("{bin}/datasette", "serve", "harbour.db", "-p", "{port}"),
    ("/", "/harbour/berths", "/harbour/ships", "/harbour/crews"),
    "/harbour/crews/Crew%20of%20Aurora",
)
_DJANGO: Final = Site(
    "django-admin",
    _admin,
    ("{bin}/python", "manage.py", "runserver", "--noreload", "{port}"),
    ("/admin/", "/admin/auth/user/", "/admin/auth/group/", "/admin/password_change/"),
    "/admin/auth/user/add/",
    _log_in,
)
_MKDOCS: Final = Site(
    "mkdocs-material",
    _handbook,
    SERVED,
    ("/", "/berths/", "/ships/", "/tides/"),
    "/404.html",
)
PINK: Final = "{background:#e58f8f!important}"
SITES: Final = {
    site.name: Scene(site.name, site.play, changes)
    for site, changes in (
        (
            _DATASETTE,
            _changes(
                (">Taken<=>>Flooded<", "Flooded"),
                (f"td:nth-child(4){PINK}", ("2026-",)),
                ("berths", "ships", "pier", "flag", "Norway", "North"),
                ("Crew of", "pier", "Taken"),
            ),
        ),
        (
            _DJANGO,
            _changes(
                ("Select user to change=>Select user to alter", "alter"),
                (f"#changelist-filter h2{PINK}", ("Filter",)),
                ("user", "group", "Staff"),
                ("Add user", "Select user", "Staff"),
            ),
        ),
        (
            _MKDOCS,
            _changes(
                ("closed until=>open until", "open until"),
                (f".admonition-title{PINK}", ("Note",)),
                ("Berth", "Ships", "Draught", "Booking", "crane"),
                ("404", "not found", "crane"),
            ),
        ),
    )
}
