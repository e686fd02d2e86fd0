"""Twelve further programs, once held out: two for databases, four manuals, four dashboards, a blog, a file server."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from bench.comparison.sites import PINK, SERVED, Site, built, copied, harbour

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CONTENT: Final = """The harbour office
==================

Who keeps the harbour, and when it is open.

.. toctree::

   berths
   pilots
   dues
"""
_BOOK: Final = {
    "index": _CONTENT,
    "berths": "Berths\n======\n\n.. warning:: Berth 7 is closed until the crane is mended.\n\nBooking\n-------\n\n"
    "Berths are booked a day before.\n\n.. tip:: Small boats need no booking.\n",
    "pilots": "Pilots\n======\n\nA pilot comes aboard at the outer buoy.\n\n- Ask by radio, channel 12\n- Wait\n",
    "dues": "Dues\n====\n\n=======  ======\nLength   Dues\n=======  ======\n10 m     Twelve\n=======  ======\n",
    "missing": ":orphan:\n\nNothing here\n============\n\nThis page was moved to the archive.\n",
}
_OFFICE: Final = """
import os, sys
from flask import Flask
from flask_admin import Admin
from flask_admin.contrib.sqla import ModelView
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.ext.automap import automap_base
app = Flask("office")
app.config.update(SECRET_KEY="harbour", SQLALCHEMY_DATABASE_URI="sqlite:///" + os.path.abspath("harbour.db"))
base = SQLAlchemy(app)
admin = Admin(app, name="Harbour office")
with app.app_context():
    tables = automap_base()
    tables.prepare(autoload_with=base.engine)
    for table in sorted(tables.classes, key=lambda each: each.__name__):
        admin.add_view(ModelView(table, base.session, name=table.__name__.title(), endpoint=table.__name__))
app.run(port=int(sys.argv[1]))
"""
_GUIDE: Final = {
    "mkdocs.yml": "site_name: Ferry guide\nmarkdown_extensions: [admonition]\n",
    "docs/index.md": "# Ferry guide\n\nHow one crosses the sound, and what it costs.\n\n- Lines\n- Fares\n",
    "docs/lines.md": "# Lines\n\n!!! warning\n    The night ferry does not run in ice.\n\n## Crossing\n\n"
    "The crossing takes forty minutes.\n\n- Bring a ticket\n- Be there ten minutes before\n",
    "docs/fares.md": "# Fares\n\n| Who | Fare |\n|---|---|\n| Adult | Nine |\n| Child | Four |\n\n"
    "## Bicycles\n\nFree.\n",
    "docs/piers.md": "# Piers\n\nThe east pier is beside the fish market.\n\n## Lost things\n\nAsk at the desk.\n",
}
_FILES: Final = {
    "berths": ("North pier.txt", "South pier.txt", "Crane.pdf", "Booking.csv"),
    "ships": ("Aurora.txt", "Morgan.txt", "Petrel.txt"),
    "crews": ("Night watch.txt", "Day watch.txt"),
    "archive": ("Berths of last year.zip", "Old tides.zip"),
}


def _manual(name: str, theme: str, folder: Path, _: Mapping[str, str]) -> None:
    """The harbour's book in a theme of Sphinx."""
    pages = {f"{page}.rst": text for page, text in _BOOK.items()}
    settings = f'project = "Harbour"\nhtml_theme = "{theme}"\n'
    built(folder, name, {**pages, "conf.py": settings}, "sphinx-build", "-q", ".")


def _shared_files(folder: Path, _: Mapping[str, str]) -> None:
    """Folders whose files are as old as the recording."""
    for name, files in _FILES.items():
        (folder / name).mkdir()
        for file in files:
            (folder / name / file).write_text(file * len(file), encoding="utf-8")


def _reference(folder: Path, _: Mapping[str, str]) -> None:
    """What pdoc makes of four modules of Python."""
    built(folder, "pdoc", {}, "pdoc", "json", "textwrap", "bisect", "string", "-o")


def _office(folder: Path, options: Mapping[str, str]) -> None:
    """An admin of a database, with ids and dates of its own."""
    harbour(folder, options)
    (folder / "office.py").write_text(_OFFICE, encoding="utf-8")


def _guide(folder: Path, _: Mapping[str, str]) -> None:
    built(folder, "guide", _GUIDE, "mkdocs", "build", "-q", "-d")


FURTHER: Final = {
    scene.name: scene
    for scene in (
        Site(
            "sqlite-web",
            harbour,
            ("{bin}/sqlite_web", "harbour.db", "--port", "{port}", "--no-browser"),
            ("/berths/", "/berths/content/", "/ships/content/", "/crews/"),
            "/ships/",
        ).scene(
            ("berths", "ships", "Taken", "Norway", "Aurora"),
            ("Taken", "flag", "draught"),
            {
                "text": ("Taken=>Flooded", "Flooded"),
                "another text": (">Bulk Delete<=>>Bulk Refuse<", "Refuse"),
                "text of a tab": (">Structure<=>>Blueprint<", "Blueprint"),
                "colour of a state": (f"td:nth-child(4){PINK}", "Free", "Taken", "Closed"),
                "missing line": ("table tbody tr:last-child{visibility:hidden}", "South", "Closed"),
            },
        ),
        Site(
            "furo",
            partial(_manual, "furo", "furo"),
            SERVED,
            ("/index.html", "/berths.html", "/pilots.html", "/dues.html"),
            "/missing.html",
        ).scene(
            ("Berth", "Pilot", "pilot"),
            ("moved to the archive", "Nothing here", "closed until"),
            {
                "text": ("closed until=>open until", "open until"),
                "another text": ("a day before=>a week before", "a week before"),
                "text of a heading": (">Booking<=>>Parking<", "Parking"),
                "colour of a state": (f".admonition-title{PINK}", "Warning", "Tip"),
                "missing line": (".tip{visibility:hidden}", "Small boats"),
            },
        ),
        Site(
            "material-dashboard",
            partial(copied, "material-dashboard", ("assets", "pages")),
            SERVED,
            ("/pages/profile.html", "/pages/tables.html", "/pages/billing.html", "/pages/notifications.html"),
            "/pages/sign-in.html",
        ).scene(
            ("Authors", "Invoices", "Tables", "Billing", "Payment Method"),
            ("Authors", "Sign in", "Remember me"),
            {
                "text": ("Alexa Liras=>Alexa Morgan", "Alexa Morgan"),
                "another text": ("Authors table=>Writers table", "Writers"),
                "text of a state": (">Offline<=>>Expelled<", "Expelled"),
                "colour of a state": (".badge{background:#c02020!important}", "Online", "Offline"),
                "missing line": ("tbody tr:nth-child(2) td:first-child{visibility:hidden}", "Alexa Liras"),
            },
        ),
        Site(
            "admin-lte",
            partial(copied, "admin-lte", ("dist", "pages")),
            SERVED,
            (
                "/pages/examples/profile.html",
                "/pages/tables/simple.html",
                "/pages/examples/invoice.html",
                "/pages/forms/general.html",
            ),
            "/pages/examples/login.html",
        ).scene(
            ("Simple Tables", "Invoice", "Bordered", "AdminLTE, Inc."),
            ("Sign in", "Remember Me", "Bordered Table"),
            {
                "text": ("Update software=>Remove software", "Remove"),
                "another text": ("Bordered Table=>Painted Table", "Painted Table"),
                "text of a column": ("Progress</th>=>Setback</th>", "Setback"),
                "colour of a state": (f".badge{PINK}", "55%", "70%", "30%", "90%"),
                "missing line": ("tbody tr:nth-child(3){visibility:hidden}", "Cron job"),
            },
        ),
        Site(
            "gentelella",
            partial(copied, "gentelella", ("build", "vendors", "production")),
            SERVED,
            tuple(f"/production/{name}.html" for name in ("profile", "tables", "projects", "invoice")),
            "/production/login.html",
        ).scene(
            ("Tables", "Projects", "Username", "Project Name"),
            ("Login Form", "Log in", "Create Account", "Username"),
            {
                "text": (">Otto<=>>Ottilie<", "Ottilie"),
                "another text": ("Basic Tables=>Plain Tables", "Plain Tables"),
                "text of a column": (">Username<=>>Nickname<", "Nickname"),
                "colour of a state": (f".table-striped td{PINK}", "Mark", "Otto", "Jacob", "Larry"),
                "missing line": (".table tbody tr:nth-child(3){visibility:hidden}", "Larry", "the Bird"),
            },
        ),
        Site(
            "pdoc", _reference, SERVED, ("/json.html", "/textwrap.html", "/bisect.html", "/index.html"), "/string.html"
        ).scene(
            ("textwrap", "bisect", "Bisection"),
            ("Template", "Formatter", "wrapping"),
            {
                "text": ("Text wrapping and filling=>Text folding and filling", "folding"),
                "another text": ("API Documentation=>API Dictionary", "Dictionary"),
                "text of a name": (">TextWrapper<=>>TextFolder<", "TextFolder"),
                "colour of a state": (f".docstring{PINK}", "Text wrapping"),
                "missing line": ("nav ul li:nth-child(2){visibility:hidden}", "wrap", "unicode_whitespace"),
            },
        ),
        Site(
            "clean-blog",
            partial(copied, "startbootstrap-clean-blog/dist", ("",)),
            SERVED,
            ("/about.html", "/contact.html", "/index.html"),
            "/post.html",
        ).scene(
            ("Contact", "Clean Blog", "questions", "Start Bootstrap"),
            ("Man must explore", "Problems look", "Posted by", "Contact Me"),
            {
                "text": ("Contact Me=>Consult Me", "Consult"),
                "another text": ("I have answers=>I have doubts", "doubts"),
                "text of a link": (">Sample Post<=>>Simple Past<", "Simple Past"),
                "colour of a state": (f"h1{PINK}", "Contact Me"),
                "missing line": (".subheading{visibility:hidden}", "Have questions"),
            },
        ),
        Site(
            "sphinx-rtd",
            partial(_manual, "rtd", "sphinx_rtd_theme"),
            SERVED,
            ("/index.html", "/berths.html", "/pilots.html", "/dues.html"),
            "/missing.html",
        ).scene(
            ("Berths", "Pilots", "Booking", "outer buoy"),
            ("Nothing here", "moved to the archive", "Berth 7", "Booking"),
            {
                "text": ("closed until=>open until", "open until"),
                "another text": ("Berths are booked=>Berths are leased", "leased"),
                "text of a heading": (">Booking<=>>Leasing<", "Leasing"),
                "colour of a state": (f".admonition.warning{PINK}", "Warning", "Berth 7"),
                "missing line": (".admonition.tip{visibility:hidden}", "Tip", "Small boats"),
            },
        ),
        Site(
            "wsgidav",
            _shared_files,
            ("{bin}/wsgidav", "--host=127.0.0.1", "--port={port}", "--root=.", "--auth=anonymous", "--quiet"),
            ("/", "/berths/", "/ships/", "/crews/"),
            "/archive/",
        ).scene(
            ("berths", "ships", "Aurora", "pier"),
            ("archive", "Old tides", "Berths of last year", "pier"),
            {
                "text": ("North pier=>West pier", "West pier"),
                "another text": ("PDF-File=>Drawing", "Drawing"),
                "text of a column": (">Last modified<=>>Last opened<", "Last opened"),
                "colour of a state": (f"td:nth-child(2){PINK}", "File", "Directory"),
                "missing line": ("tbody tr:nth-child(4){visibility:hidden}", "Crane", "pier", "Booking"),
            },
        ),
        Site(
            "tabler",
            partial(copied, "@tabler/preview", ("dist",)),
            SERVED,
            tuple(f"/dist/{name}.html" for name in ("users", "tables", "invoice", "faq")),
            "/dist/sign-in.html",
        ).scene(
            ("Tables", "Invoice", "Top Pages", "Print Invoice", "Company"),
            ("Login", "Sign in", "Remember me", "Top Pages"),
            {
                "text": ("jlewzey1@seesaa.net=>jlewis@seesaa.net", "jlewis"),
                "another text": ("Top Pages=>Worst Pages", "Worst Pages"),
                "text of a column": (">Visitors<=>>Robots<", "Robots"),
                "colour of a state": (f"tbody td:nth-child(4){PINK}", "User", "Owner", "Admin"),
                "missing line": ("tbody tr:nth-child(4){visibility:hidden}", "Dunn", "dslane", "Research Nurse"),
            },
        ),
        Site(
            "flask-admin",
            _office,
            ("{bin}/python", "office.py", "{port}"),
            ("/admin/", "/admin/berths/", "/admin/ships/", "/admin/crews/"),
            "/admin/crews/new/",
        ).scene(
            ("Berths", "Ships", "Taken", "Flag", "Norway", "Aurora"),
            ("Taken", "Save", "Cancel", "Pier"),
            {
                "text": ("Taken=>Flooded", "Flooded"),
                "another text": ("With selected=>With chosen", "With chosen"),
                "text of a tab": ("Create</a>=>Invent</a>", "Invent"),
                "colour of a state": (f".col-state{PINK}", "Free", "Taken", "Closed"),
                "missing line": ("tbody tr:nth-child(3){visibility:hidden}", "South", "Closed"),
            },
        ),
        Site("mkdocs", _guide, SERVED, ("/", "/lines/", "/fares/", "/piers/"), "/404.html").scene(
            ("Lines", "Fares", "Bicycles", "night ferry", "Adult"),
            ("404", "not found", "night ferry", "Crossing"),
            {
                "text": ("does not run in=>also runs in", "also runs"),
                "another text": ("takes forty minutes=>takes ninety minutes", "ninety"),
                "text of a heading": (">Crossing<=>>Passage<", "Passage"),
                "colour of a state": (f".admonition{PINK}", "Warning", "night ferry"),
                "missing line": ("li:nth-child(2){visibility:hidden}", "ten minutes before"),
            },
        ),
    )
}
