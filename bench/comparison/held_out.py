"""The half that is held out: three sites that the comparison was not built with, looked at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from bench.comparison.further_sites import TAKES, copied, ten_changes
from bench.comparison.scenes import Scene
from bench.comparison.sites import PINK, SERVED, Site, built

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


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
HELD_OUT: Final = {
    site.name: Scene(site.name, site.play, changes, TAKES)
    for site, changes in (
        (
            _ADMIN_LTE,
            ten_changes(
                {
                    "text": ("Update software=>Remove software", ("Remove software",)),
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
    )
}  # fmt: skip
