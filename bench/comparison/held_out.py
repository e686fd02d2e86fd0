"""The half that is held out: three sites that the comparison was not built with, looked at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from bench.comparison.further_sites import BOOK, TAKES, copied, ten_changes
from bench.comparison.scenes import Scene
from bench.comparison.sites import PINK, SERVED, Site, built

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILES: Final = {
    "berths": ("North pier.txt", "South pier.txt", "Crane.pdf", "Booking.csv"),
    "ships": ("Aurora.txt", "Morgan.txt", "Petrel.txt"),
    "crews": ("Night watch.txt", "Day watch.txt"),
    "archive": ("Berths of last year.zip", "Old tides.zip"),
}


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
HELD_OUT: Final = {
    site.name: Scene(site.name, site.play, changes, TAKES)
    for site, changes in (
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
