"""The half that is held out: three sites that the comparison was not built with, looked at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from bench.comparison.sites import PINK, SERVED, Site, built, copied, harbour

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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


def _office(folder: Path, options: Mapping[str, str]) -> None:
    """An admin of a database, with ids and dates of its own."""
    harbour(folder, options)
    (folder / "office.py").write_text(_OFFICE, encoding="utf-8")


def _guide(folder: Path, _: Mapping[str, str]) -> None:
    built(folder, "guide", _GUIDE, "mkdocs", "build", "-q", "-d")


HELD_OUT: Final = {
    scene.name: scene
    for scene in (
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
