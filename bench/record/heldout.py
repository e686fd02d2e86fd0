"""The held-out sessions: labelled before the observer saw them, and never used to tune it."""

from bench.record.browser import on_page
from bench.record.programs import terminal
from bench.record.session import FULL_HD, Session
from bench.record.steps import click, glide, look, press, script, write

FLIGHTS = script(
    1.2, look, click("#from"), write("lis", 220), 0.6, click("#hint-LIS"), 1.3, look, click("#go"), glide(900, 640),
    3.6, look, click("#direct"), 1.9, look, click("#skylark-426 button"), 2.4, look,
)  # fmt: skip
"""A city is picked from suggestions, flights come after grey bars that pulse, some are filtered out, one is chosen."""
FILES = script(
    0.9, look, click("#map-draft"), 0.6, click("#rename"), 0.5, write("harbour-map.pdf", 100), 0.6, press("Return"),
    1.5, look, click("#upload"), 4.4, look, click("#pilots"), 0.6, click("#delete"), 1.4, click("#undo"), 1.4, look,
)  # fmt: skip
"""A file is renamed, one is uploaded, and one is deleted and brought back."""
PROFILE = script(
    0.9, look, click("#to-news"), 1.3, look, click("#summary"), 2.6, click("#to-safety"), 1.2, look, click("#leave"),
    1.8, click("#sure"), 3.6, look, click("#theme"), 1.6, look,
)  # fmt: skip
"""Sections, a toggle that saves itself, a question, and another theme."""
TICKET = script(
    0.9, look, click("#mail"), write("mira@fjord", 80), 0.4, click("#subject"), 0.7, look,
    write("Wrong sum in April", 75), 0.5, click("#mail"), press("End"), 0.4, write(".example", 90), 0.6, click("#kind"),
    0.7, click("#kind-1"), 0.9, look, click("#attach"), 1.2, look, click("#send"), 3.3, look,
)  # fmt: skip
"""An address that is not complete and put right, a choice, a file, and a page that says thank you."""
LANTERN = script(
    1.3, write("make", 120), 0.6, press("Return"), 4.9, write("sed -i '31s/$/;/' glass.c", 80), 0.7, press("Return"),
    1.1, write("make", 120), 0.6, press("Return"), 3.6,
)  # fmt: skip
"""A program is built: a line that counts up in its place, a warning, an error, and success after a repair."""

LANTERN_LOOK = ("-fa", "DejaVu Sans Mono", "-fs", "15", "-geometry", "76x20+90+50", "-title", "lantern",
                "-bg", "#102a2e", "-fg", "#e4ecd9", "-xrm", "*color1: #ff7a6b", "-xrm", "*color9: #ff7a6b",
                "-xrm", "*color2: #8fd46f", "-xrm", "*color5: #e29bf0")  # fmt: skip
LANTERN_FILES = ("oil.c", "wick.c", "flame.c", "brass.c", "hinge.c", "glass.c", "lens.c")
LANTERN_PRINTED = (
    "lantern", "lantern:main$", "lantern:main$ make", "lantern:main$ sed -i '31s/$/;/' glass.c",
    *(f"[{part:3}%] compiling {LANTERN_FILES[part * 7 // 101]}" for part in range(1, 101, 3)),
)  # fmt: skip

HELD_OUT: dict[str, Session] = {
    "flights": Session(on_page("flights.html"), FLIGHTS, {"flights": "desktop"}),
    "files": Session(on_page("files.html"), FILES, {"files": "playwright"}, pointer=False),
    "profile": Session(on_page("profile.html"), PROFILE, {"profile": "desktop"}, FULL_HD),
    "ticket": Session(on_page("ticket.html"), TICKET, {"ticket": "desktop", "ticket_2fps": "slow"}),
    "lantern": Session(terminal("lantern.sh", LANTERN_LOOK, LANTERN_PRINTED), LANTERN, {"lantern": "desktop"}),
}
