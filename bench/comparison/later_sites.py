"""Three further programs, once held out: a tracker of issues, a dashboard with charts, and a blog."""

from __future__ import annotations

import subprocess
from functools import partial
from typing import TYPE_CHECKING, Final

from bench.comparison.sites import BIN, PINK, SERVED, Site, built, copied, made_once

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TRACKER: Final = """
import sys
from cheroot.wsgi import Server
from roundup.cgi.wsgi_handler import RequestDispatcher
from roundup.date import Date
from roundup.instance import open as opened
base = opened("tracker").open("admin")
base.setid("msg", number)
people = {name: base.user.create(username=name, address=name + "@example.org", roles="User") for name in ("ada", "bo")}
for title, priority, status, messages in (
    ("Crane stands still", "critical", "unread", {
        "ada": "The crane on the north pier stands still since the morning.",
        "bo": "A spare part is on its way, and comes by ferry.",
    }),
    ("Lamp is dark", "bug", "in-progress", {"bo": "The lamp at the end of the south pier is dark again."}),
    ("Boats ask for a ladder", "wish", "chatting", {"ada": "Small boats cannot reach the pier at low water."}),
):
    base.issue.create(
        title=title,
        priority=base.priority.lookup(priority),
        status=base.status.lookup(status),
        assignedto=people["bo"],
        messages=[
            base.msg.create(author=people[name], date=Date(day), summary=text, content=text)
            for name, text in messages.items()
        ],
    )
base.commit()
base.close()
Server(("127.0.0.1", int(sys.argv[1])), RequestDispatcher("tracker")).safe_start()
"""
_NEWS: Final = {
    "pelicanconf.py": 'SITENAME = "Harbour news"\nAUTHOR = "Ada"\nTIMEZONE = "UTC"\n',
    "content/ice.rst": "Ice on the sound\n################\n\n:date: 2025-01-12\n:category: Weather\n:tags: ferry\n\n"
    "The ferry waits since the morning, and nobody knows until when.\n\nWhat is known\n=============\n\n"
    "- The ice is nine centimetres thick\n- The icebreaker comes from the north\n- Tickets are good for a day more\n",
    "content/master.rst": "A new harbour master\n####################\n\n:date: 2025-02-03\n:category: People\n\n"
    "Ida Holm keeps the harbour from March on. She was a pilot for twelve years.\n\nWhat will change\n"
    "================\n\nThe office opens at seven, and the telephone is answered at night too.\n",
    "content/lamp.rst": "The lamp is lit again\n#####################\n\n:date: 2025-02-20\n:category: Weather\n\n"
    "After four dark weeks the lamp at the end of the south pier burns again.\n",
    "content/about.rst": "About the two of us\n###################\n\n:date: 2024-12-01\n:category: People\n\n"
    "Two neighbours write here about the harbour, when there is something to tell.\n",
}


def _tracker(folder: Path, options: Mapping[str, str]) -> None:
    """A tracker of issues whose messages have ids and dates of their own."""
    settings = "tracker_web=http://127.0.0.1/,tracker_email=office,mail_domain=example.org,mail_host=localhost"

    def make(making: Path) -> None:
        for command in (("install", "classic", "sqlite", f"{settings},mail_debug=mail"), ("initialise", "harbour-7")):
            subprocess.run([BIN / "roundup-admin", "-i", making / "tracker", *command], check=True, capture_output=True)

    made_once(folder, "roundup", make)
    own = f"day, number = {options['date'].replace(' ', '.')!r}, {options['id']}\n"
    (folder / "tracker.py").write_text(own + _TRACKER, encoding="utf-8")


def _news(folder: Path, _: Mapping[str, str]) -> None:
    """A blog."""
    built(folder, "news", _NEWS, "pelican", "-q", "content", "-s", "pelicanconf.py", "-o")


LATER: Final = {
    scene.name: scene
    for scene in (
        Site(
            "roundup",
            _tracker,
            ("{bin}/python", "tracker.py", "{port}"),
            ("/", "/issue1", "/issue2", "/issue?@template=search"),
            "/user?@template=register",
        ).scene(
            ("Crane", "Lamp", "Issue1", "Issue2", "spare part", "in-progress", "unread"),
            ("Registering", "Login Name", "Confirm Password", "Issue1", "Crane", "spare part"),
            {
                "text": ("A spare part is=>No spare part is", "No spare part"),
                "another text": ("north pier=>west pier", "west pier"),
                "text of a state": (">unread<=>>resolved<", "resolved"),
                "colour of a state": (f"table.form tr:nth-child(2) td{PINK}", "critical", "unread"),
                "missing line": ("table.form tr:nth-child(4){visibility:hidden}", "Assigned To", "Keywords"),
            },
        ),
        Site(
            "sneat",
            partial(copied, "sneat-bootstrap-html-admin-template-free", ("assets", "html")),
            SERVED,
            (
                "/html/index.html",
                "/html/tables-basic.html",
                "/html/pages-account-settings-notifications.html",
                "/html/cards-basic.html",
            ),
            "/html/auth-login-basic.html",
        ).scene(
            ("Basic Tables", "Notifications", "Recent Devices", "Albert Cook"),
            ("Welcome to Sneat", "Sign in", "Remember Me", "Basic Tables", "Albert Cook"),
            {
                "text": ("Albert Cook=>Albert Rook", "Albert Rook"),
                "another text": (">Table Basic<=>>Table Plain<", "Table Plain"),
                "text of a column": (">Client<=>>Debtor<", "Debtor"),
                "colour of a state": (
                    ".bg-label-success{background:#c02020!important;color:#fff!important}",
                    "Completed",
                ),
                "missing line": ("tbody tr:nth-child(3){visibility:hidden}", "VueJs", "Trevor Baker", "Scheduled"),
            },
        ),
        Site(
            "pelican",
            _news,
            SERVED,
            ("/index.html", "/ice-on-the-sound.html", "/a-new-harbour-master.html", "/archives.html"),
            "/about-the-two-of-us.html",
        ).scene(
            ("Ice on the sound", "A new harbour master", "icebreaker", "Ida Holm"),
            ("About the two", "neighbours", "Ice on the sound", "icebreaker"),
            {
                "text": ("nobody knows=>everybody knows", "everybody knows"),
                "another text": ("nine centimetres=>two centimetres", "two centimetres"),
                "text of a heading": (">What is known<=>>What is hoped<", "hoped"),
                "colour of a state": (f"nav .active a{PINK}", "Weather"),
                "missing line": (".entry-content li:nth-child(2){visibility:hidden}", "icebreaker"),
            },
        ),
    )
}
