"""Three further programs, once held out: a table of a database, a manual and a dashboard."""

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
_BOOK: Final = {
    "index": _CONTENT,
    "berths": "Berths\n======\n\n.. warning:: Berth 7 is closed until the crane is mended.\n\nBooking\n-------\n\n"
    "Berths are booked a day before.\n\n.. tip:: Small boats need no booking.\n",
    "pilots": "Pilots\n======\n\nA pilot comes aboard at the outer buoy.\n\n- Ask by radio, channel 12\n- Wait\n",
    "dues": "Dues\n====\n\n=======  ======\nLength   Dues\n=======  ======\n10 m     Twelve\n=======  ======\n",
    "missing": ":orphan:\n\nNothing here\n============\n\nThis page was moved to the archive.\n",
}


def _handbook(folder: Path, _: Mapping[str, str]) -> None:
    """A manual."""
    pages = {f"{name}.rst": text for name, text in _BOOK.items()}
    settings = 'project = "Harbour"\nhtml_theme = "furo"\n'
    built(folder, "furo", {**pages, "conf.py": settings}, "sphinx-build", "-q", ".")


def copied(package: str, parts: Sequence[str], folder: Path, _: Mapping[str, str]) -> None:
    """The pages of a package as they come."""
    for part in parts:
        shutil.copytree(NPM / package / part, folder / part)


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
FURTHER: Final = {
    site.name: Scene(site.name, site.play, changes, TAKES)
    for site, changes in (
        (
            _SQLITE_WEB,
            ten_changes(
                {
                    "text": (">Taken<=>>Flooded<", ("Flooded",)),
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
    )
}  # fmt: skip
