"""The second set of labelled sessions: they were held out until the observer had been scored on them."""

from bench.record.browser import on_page
from bench.record.programs import program, terminal
from bench.record.session import FULL_HD, Session
from bench.record.steps import click, double_click, look, press, script, send, wander, write

TODO = script(
    1.3, look, click("#buy"), 1.6, click("#new"), write("Oil the bicycle chain", 90), 0.6, press("Return"), 1.5, look,
    click("#fold"), 1.3, click("#done"), 1.7, look, click("#all"), 1.5, click("#clear"), 3.3, look,
)  # fmt: skip
"""Tasks are ticked, one is added, the list is filtered and cleared."""
SIGNIN = script(
    1.0, look, click("#mail"), write("ingrid@northway.example", 70), 0.4, press("Tab"), write("Tram-1927", 90), 0.5,
    click("#go"), 3.1, look, write("815204", 130), 0.5, click("#verify"), 1.9, look, click("#code"),
    write("815377", 130), 0.5, click("#verify"), 3.2, look,
)  # fmt: skip
"""A password, a code that has expired, a new one, and another page, with the browser's own frame."""
GRID = script(
    1.3, look, click("#by-amount"), 2.0, look, click("#next"), 1.9, look, double_click("#n30417 .amount"), 0.5,
    press("ctrl+a"), write("1940", 150), 0.7, press("Return"), 2.6, look, click("#n30423 button"), 2.1,
    click("#sure"), 2.4, look,
)  # fmt: skip
"""A table is sorted and turned over, a figure is edited in place, and a row is deleted after a question."""
CART = script(
    1.2, look, click("#kanne .more"), 2.0, click("#code"), write("HAFEN10", 120), 0.5, click("#redeem"), 1.9, look,
    click("#code"), press("ctrl+a"), write("KAI15", 130), 0.5, click("#redeem"), 1.9, look, click("#tasse .out"), 2.4,
    look,
)  # fmt: skip
"""Quantities, a coupon that has expired, one that holds, and an article that is taken out; all in German."""
ASSISTANT = script(
    1.2, look, click("#ask"), write("Where is the timeout set?", 80), 0.6, press("Return"), 7.0, look,
    click(".copy"), 2.6, look,
)  # fmt: skip
"""A question, dots that hop, and an answer that flows in word by word."""
RUNNER = script(1.3, send("check", 7.3), send("mend", 1.9))
"""A test runner with one failure, in colour."""
PARCELS = script(
    1.3, look, click("P-3314"), 0.8, click("Actions"), 0.9, click("Hand over"), 2.2, look, click("Desk"), 0.7,
    click("Print the list"), 3.6, click("P-3307"), 0.6, click("Actions"), 0.8, click("Send back"), 2.5,
    press("Return"), 2.2, look,
)  # fmt: skip
"""A desktop program: menus, a status line, a message box, and a row that goes."""
WATCH = script(
    0.8, look, wander((180, 160), (230, 330), (900, 250), (620, 610), (1190, 50)), 1.2, wander((700, 300), (200, 230)),
    1.5, wander((1010, 640), (420, 420)), 1.2,
)  # fmt: skip
"""Two clocks, a blinking caret and a pointer over links, and nothing happens."""

RUNNER_LOOK = ("-fa", "DejaVu Sans Mono", "-fs", "14", "-geometry", "82x22+140+70", "-title", "ferry",
               "-bg", "#12161f", "-fg", "#d5dae5", "-xrm", "*color2: #58c27d", "-xrm", "*color1: #ff6b6b",
               "-xrm", "*color9: #ff6b6b", "-xrm", "*color3: #e5c04b", "-xrm", "*color8: #8791a5")  # fmt: skip

SECOND: dict[str, Session] = {
    "todo": Session(on_page("todo.html"), TODO, {"todo": "desktop"}),
    "signin": Session(on_page("signin.html", framed=True), SIGNIN, {"signin": "webm"}),
    "grid": Session(on_page("grid.html"), GRID, {"grid": "desktop", "grid_2fps": "slow"}, FULL_HD),
    "cart": Session(on_page("cart.html"), CART, {"cart": "playwright"}, pointer=False),
    "assistant": Session(on_page("assistant.html"), ASSISTANT, {"assistant": "desktop"}),
    "runner": Session(
        terminal("runner.sh", RUNNER_LOOK, ("ferry", "~/ferry $", "~/ferry $ check", "~/ferry $ mend")),
        RUNNER,
        {"runner": "desktop"},
    ),
    "parcels": Session(program("parcels"), PARCELS, {"parcels": "desktop"}),
    "watch": Session(on_page("watch.html", focus="#log"), WATCH, {"watch": "desktop"}),
}
