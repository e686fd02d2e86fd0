"""Nine further programs, once held out: a database's table, three manuals, three dashboards, a blog, a file server."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from bench.comparison.scenes import NPM, Change, Scene
from bench.comparison.sites import EVERY, PINK, SERVED, Site, built, harbour, planted_anywhere

TAKES: Final = 5
_CONTENT: Final = """The harbour office
==================

Who keeps the harbour, and when it is open.

.. toctree::

   berths
   pilots
   dues
"""
BOOK: Final = {
    "index": _CONTENT,
    "berths": "Berths\n======\n\n.. warning:: Berth 7 is closed until the crane is mended.\n\nBooking\n-------\n\n"
    "Berths are booked a day before.\n\n.. tip:: Small boats need no booking.\n",
    "pilots": "Pilots\n======\n\nA pilot comes aboard at the outer buoy.\n\n- Ask by radio, channel 12\n- Wait\n",
    "dues": "Dues\n====\n\n=======  ======\nLength   Dues\n=======  ======\n10 m     Twelve\n=======  ======\n",
    "missing": ":orphan:\n\nNothing here\n============\n\nThis page was moved to the archive.\n",
}

_FILES: Final = {
    "berths": ("North pier.txt", "South pier.txt", "Crane.pdf", "Booking.csv"),
    "ships": ("Aurora.txt", "Morgan.txt", "Petrel.txt"),
    "crews": ("Night watch.txt", "Day watch.txt"),
    "archive": ("Berths of last year.zip", "Old tides.zip"),
}


def _handbook(folder: Path, _: Mapping[str, str]) -> None:
    """A manual."""
    pages = {f"{name}.rst": text for name, text in BOOK.items()}
    settings = 'project = "Harbour"\nhtml_theme = "furo"\n'
    built(folder, "furo", {**pages, "conf.py": settings}, "sphinx-build", "-q", ".")


def _manual(folder: Path, _: Mapping[str, str]) -> None:
    settings = 'project = "Harbour"\nhtml_theme = "sphinx_rtd_theme"\n'
    pages = {f"{name}.rst": text for name, text in BOOK.items()}
    built(folder, "rtd", {**pages, "conf.py": settings}, "sphinx-build", "-q", ".")


def _shared_files(folder: Path, _: Mapping[str, str]) -> None:
    """Folders whose files are as old as the recording."""
    for name, files in _FILES.items():
        (folder / name).mkdir()
        for file in files:
            (folder / name / file).write_text(file * len(file), encoding="utf-8")


def copied(package: str, parts: Sequence[str], folder: Path, _: Mapping[str, str]) -> None:
    """The pages of a package as they come."""
    for part in parts:
        shutil.copytree(NPM / package / part, folder / part, dirs_exist_ok=True)


def ten_changes(
    planted: Mapping[str, tuple[str, Sequence[str]]], order: Sequence[str], page: Sequence[str]
) -> list[Change]:
    """Ten: those of the second page's text and style by name, and what can be planted anywhere."""
    return [
        *(
            Change(name, EVERY, words, {"style" if "{" in script else "text": script})
            for name, (script, words) in planted.items()
        ),
        *planted_anywhere(order, page),
    ]


_SQLITE_WEB: Final = Site(
    "sqlite-web",
    harbour,
    ("{bin}/sqlite_web", "harbour.db", "--port", "{port}", "--no-browser"),
    ("/berths/", "/berths/content/", "/ships/content/", "/crews/"),
    "/ships/",
)
_FURO: Final = Site(
    "furo", _handbook, SERVED, ("/index.html", "/berths.html", "/pilots.html", "/dues.html"), "/missing.html"
)
_MATERIAL: Final = Site(
    "material-dashboard",
    partial(copied, "material-dashboard", ("assets", "pages")),
    SERVED,
    ("/pages/profile.html", "/pages/tables.html", "/pages/billing.html", "/pages/notifications.html"),
    "/pages/sign-in.html",
)


def _reference(folder: Path, _: Mapping[str, str]) -> None:
    """What pdoc makes of four modules of Python."""
    built(folder, "pdoc", {}, "pdoc", "json", "textwrap", "bisect", "string", "-o")


_ADMIN_LTE: Final = Site(
    "admin-lte",
    partial(copied, "admin-lte", ("dist", "pages")),
    SERVED,
    tuple(f"/pages/{name}.html" for name in ("examples/profile", "tables/simple", "examples/invoice", "forms/general")),
    "/pages/examples/login.html",
)
_GENTELELLA: Final = Site(
    "gentelella",
    partial(copied, "gentelella", ("build", "vendors", "production")),
    SERVED,
    tuple(f"/production/{name}.html" for name in ("profile", "tables", "projects", "invoice")),
    "/production/login.html",
)
_PDOC: Final = Site(
    "pdoc", _reference, SERVED, ("/json.html", "/textwrap.html", "/bisect.html", "/index.html"), "/string.html"
)
_BLOG: Final = Site(
    "clean-blog",
    partial(copied, "startbootstrap-clean-blog/dist", ("",)),
    SERVED,
    ("/about.html", "/contact.html", "/index.html"),
    "/post.html",
)
_RTD: Final = Site(
    "sphinx-rtd", _manual, SERVED, ("/index.html", "/berths.html", "/pilots.html", "/dues.html"), "/missing.html"
)
_WSGIDAV: Final = Site(
    "wsgidav",
    _shared_files,
    ("{bin}/wsgidav", "--host", "127.0.0.1", "--port", "{port}", "--root", ".", "--auth", "anonymous", "--quiet"),
    ("/", "/berths/", "/ships/", "/crews/"),
    "/archive/",
)
FURTHER: Final = {
    site.name: Scene(site.name, site.play, changes, TAKES)
    for site, changes in (
        (
            _SQLITE_WEB,
            ten_changes(
                {
                    "text": ("Taken=>Flooded", ("Flooded",)),
                    "another text": (">Bulk Delete<=>>Bulk Refuse<", ("Refuse",)),
                    "text of a tab": (">Structure<=>>Blueprint<", ("Blueprint",)),
                    "colour of a state": (f"td:nth-child(4){PINK}", ("Free", "Taken", "Closed")),
                    "missing line": ("table tbody tr:last-child{visibility:hidden}", ("South", "Closed")),
                },
                ("berths", "ships", "Taken", "Norway", "Aurora"),
                ("Taken", "flag", "draught"),
            ),
        ),
        (
            _FURO,
            ten_changes(
                {
                    "text": ("closed until=>open until", ("open until",)),
                    "another text": ("a day before=>a week before", ("a week before",)),
                    "text of a heading": (">Booking<=>>Parking<", ("Parking",)),
                    "colour of a state": (f".admonition-title{PINK}", ("Warning", "Tip")),
                    "missing line": (".tip{visibility:hidden}", ("Small boats",)),
                },
                ("Berth", "Pilot", "pilot"),
                ("moved to the archive", "Nothing here", "closed until"),
            ),
        ),
        (
            _MATERIAL,
            ten_changes(
                {
                    "text": ("Alexa Liras=>Alexa Morgan", ("Alexa Morgan",)),
                    "another text": ("Authors table=>Writers table", ("Writers",)),
                    "text of a state": (">Offline<=>>Expelled<", ("Expelled",)),
                    "colour of a state": (".badge{background:#c02020!important}", ("Online", "Offline")),
                    "missing line": ("tbody tr:nth-child(2) td:first-child{visibility:hidden}", ("Alexa Liras",)),
                },
                ("Authors", "Invoices", "Tables", "Billing", "Payment Method"),
                ("Authors", "Sign in", "Remember me"),
            ),
        ),
        (
            _ADMIN_LTE,
            ten_changes(
                {
                    "text": ("Update software=>Remove software", ("Remove",)),
                    "another text": ("Bordered Table=>Painted Table", ("Painted Table",)),
                    "text of a column": ("Progress</th>=>Setback</th>", ("Setback",)),
                    "colour of a state": (f".badge{PINK}", ("55%", "70%", "30%", "90%")),
                    "missing line": ("tbody tr:nth-child(3){visibility:hidden}", ("Cron job",)),
                },
                ("Simple Tables", "Invoice", "Bordered", "AdminLTE, Inc."),
                ("Sign in", "Remember Me", "Bordered Table"),
            ),
        ),
        (
            _GENTELELLA,
            ten_changes(
                {
                    "text": (">Otto<=>>Ottilie<", ("Ottilie",)),
                    "another text": ("Basic Tables=>Plain Tables", ("Plain Tables",)),
                    "text of a column": (">Username<=>>Nickname<", ("Nickname",)),
                    "colour of a state": (f".table-striped td{PINK}", ("Mark", "Otto", "Jacob", "Larry")),
                    "missing line": (".table tbody tr:nth-child(3){visibility:hidden}", ("Larry", "the Bird")),
                },
                ("Tables", "Projects", "Username", "Project Name"),
                ("Login Form", "Log in", "Create Account", "Username"),
            ),
        ),
        (
            _PDOC,
            ten_changes(
                {
                    "text": ("Text wrapping and filling=>Text folding and filling", ("folding",)),
                    "another text": ("API Documentation=>API Dictionary", ("Dictionary",)),
                    "text of a name": (">TextWrapper<=>>TextFolder<", ("TextFolder",)),
                    "colour of a state": (f".docstring{PINK}", ("Text wrapping",)),
                    "missing line": ("nav ul li:nth-child(2){visibility:hidden}", ("wrap",)),
                },
                ("textwrap", "bisect", "Bisection"),
                ("Template", "Formatter", "wrapping"),
            ),
        ),
        (
            _BLOG,
            ten_changes(
                {
                    "text": ("Contact Me=>Consult Me", ("Consult",)),
                    "another text": ("I have answers=>I have doubts", ("doubts",)),
                    "text of a link": (">Sample Post<=>>Simple Past<", ("Simple Past",)),
                    "colour of a state": (f"h1{PINK}", ("Contact Me",)),
                    "missing line": (".subheading{visibility:hidden}", ("Have questions",)),
                },
                ("Contact", "Clean Blog", "questions", "Start Bootstrap"),
                ("Man must explore", "Problems look", "Posted by", "Contact Me"),
            ),
        ),
        (
            _RTD,
            ten_changes(
                {
                    "text": ("closed until=>open until", ("open until",)),
                    "another text": ("Berths are booked=>Berths are leased", ("leased",)),
                    "text of a heading": (">Booking<=>>Leasing<", ("Leasing",)),
                    "colour of a state": (f".admonition.warning{PINK}", ("Warning", "Berth 7")),
                    "missing line": (".admonition.tip{visibility:hidden}", ("Tip", "Small boats")),
                },
                ("Berths", "Pilots", "Booking", "outer buoy"),
                ("Nothing here", "moved to the archive", "Berth 7", "Booking"),
            ),
        ),
        (
            _WSGIDAV,
            ten_changes(
                {
                    "text": ("North pier=>West pier", ("West pier",)),
                    "another text": ("PDF-File=>Drawing", ("Drawing",)),
                    "text of a column": (">Last modified<=>>Last opened<", ("Last opened",)),
                    "colour of a state": (f"td:nth-child(2){PINK}", ("File", "Directory")),
                    "missing line": ("tbody tr:nth-child(4){visibility:hidden}", ("Crane", "pier", "Booking")),
                },
                ("berths", "ships", "Aurora", "pier"),
                ("archive", "Old tides", "Berths of last year", "pier"),
            ),
        ),
    )
}  # fmt: skip
