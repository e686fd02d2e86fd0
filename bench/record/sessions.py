"""The labelled sessions: what is done in each, and the table of the clips that are made of them."""

from bench.record.browser import on_page
from bench.record.programs import program, terminal
from bench.record.session import FULL_HD, Session
from bench.record.steps import click, glide, look, press, run, script, send, visit, wander, wheel, write

HARBOUR = ("-fa", "DejaVu Sans Mono", "-fs", "13", "-geometry", "96x26+120+80", "-title", "Terminal")
CHART_ROOM = ("-fa", "Nimbus Mono PS:style=Bold", "-fs", "15", "-geometry", "74x22+60+40", "-title", "Chart room",
              "-bg", "#f3ead2", "-fg", "#1c2b4a")  # fmt: skip
CHARTS_PRINTED = (
    "Chart room", "pilot>", "total 4", "drwxr-x--- soundings", "-rw-r----- berths.csv", "-rw-r----- tides-2031.csv",
    "-rwxr-x--- publish.sh", "error: sheet 19 was refused by the printer",
    *(f"Sending charts {part}%" for part in (0, 4, 9, 15, 21, 28, 34, 41, 47, 52, 58, 63, 70, 76, 81, 88, 93, 97, 100)),
)  # fmt: skip

CHECKOUT = script(
    1.2, look, click("#search"), write("mug"), 0.7, click("#go"), 1.5, look, click("#list button"), 1.2, look, 1.9,
    click("#checkout"), 1.0, click("#name"), write("Ada Byron"), 0.6, click("#street"), write("Pier 7"), 0.8, look,
    click("#order"), 3.6, look,
)  # fmt: skip
"""An order from search to confirmation."""
TOASTS = script(1.2, look, click("#save"), 2.0, click("#sync"), 1.4, look, 2.6, click("#backup"), 5.8, look)
"""Toasts of 300 ms, 1.2 s and longer, and two events 100 ms apart."""
COUNTERS = script(1.5, look, run("run()"), 1.8, look)
"""Digits and words that change in place."""
STILL = script(4.0, look, 4.0)
"""Nothing at all."""
IDLE = script(1.5, wander((300, 620), (1100, 560), (700, 650), (1180, 300), (980, 200), rest=0.5), look, 1.0)
"""A blinking caret, a running clock and a moving pointer."""
UPLOAD = script(1.2, look, click("#send"), 5.6, click("#scan"), 4.4, look)
"""A progress bar with a running percentage, then a spinner."""
FILM = script(1.2, look, click("#play"), glide(1100, 600), 8.0, look)
"""A film starts, plays and stops; somebody comments meanwhile."""
ARTICLE = script(1.2, look, glide(640, 500), wheel(5), 2.2, wheel(8), 2.2, wheel(-4), 2.2, look)
"""A long page, scrolled down twice and up once."""
DASHBOARD = script(
    1.2, look, click("#to-voyages"), 1.6, look, click("#to-crew"), 1.6, click("#to-overview"), 1.6, click("#close"),
    1.4, click("#export"), 1.8, look, click("#no"), 1.4, click("#export"), 2.0, click("#yes"), 3.8,
)  # fmt: skip
"""Sections, a dialog that is left and one that is confirmed, and a figure that changes."""
CHAT = script(1.2, look, click("#draft"), write("Are we meeting for lunch?", 100), 0.9, press("Return"), 7.0, look)
"""A message is written and sent, and answered twice."""
ORDERS = script(
    1.2, look, click("#filter"), write("rotterdam", 120), 0.9, press("Return"), 2.0, look, click("#order-5522"), 1.8,
    click("#ship"), 1.2, look, 3.0,
)  # fmt: skip
"""A table is filtered, one order is opened and marked."""
INBOX = script(
    1.6, look, run('arrive(["Lighthouse", "The lamp is working again", "9:15"], 12)'), 2.4, look,
    run('arrive(["Otto Brandt", "Keys for boat house 6", "9:16"], 13)'), 2.4, look, 0.6,
)  # fmt: skip
"""Small print; a message arrives, and later another, and each pushes the rest down."""
ACCOUNT = script(
    1.2, look, click("#user"), write("ada@example.com", 100), 0.6, click("#password"), write("anchor11", 100), 0.6,
    click("#enter"), 1.6, look, click("#password"), write("anchor99", 100), 0.6, click("#enter"), 3.0, look,
    click("#tab-invoices"), 1.5, look, click("#leave"), 2.2, look, click("#stay"), 1.5,
)  # fmt: skip
"""A wrong and a right password, tabs, and a dialog."""
WIZARD = script(
    1.2, look, click("#guest"), write("Nora Lind"), 0.8, click("#next1"), 1.6, look, click("#pick"), 1.6,
    click("#next2"), 2.4, look,
)  # fmt: skip
"""Three steps of a booking."""
SHELL = script(1.5, send("count", 1.8), send("forecast", 4.2))
"""Two commands in a terminal, one of which takes its time."""
NOTEBOOK = script(
    1.3, look, click("entry"), write("Paint the dinghy", 110), 0.7, click("add"), 1.5, look, click("clear"), 2.2,
    click("sure"), 3.2, look,
)  # fmt: skip
"""A note is added in a desktop program, then all are deleted after a question."""
LETTERS = script(
    1.2, look, click("#letter-0 .subject"), 1.6, look, click("#letter-3 button"), 3.9, look,
    click("#letter-2 button"), 1.0, click("#undo"), 1.9, look,
)  # fmt: skip
"""A letter is opened, one is archived for good, and one is archived and brought back."""
BOARD = script(
    1.2, look, click("#ticket-230 .status"), 1.4, click("#add"), 1.5, look, click("#filter"), write("pump", 150), 0.9,
    press("Return"), 1.8, look, click("#ticket-188 .remove"), 2.2, click("#sure"), 1.8, look,
)  # fmt: skip
"""A status is changed, a ticket added, the board filtered, and a ticket removed after a question."""
TRANSFER = script(
    1.0, look, click("#to"), write("4410"), 0.7, click("#send"), 1.6, look, click("#to"), press("End"), write("583"),
    0.7, press("Tab"), 0.6, write("72.90"), 0.7, press("Tab"), 0.6, press("Down"), 1.0, click("#send"), 3.6, look,
)  # fmt: skip
"""A form is sent incomplete, put right, sent again, and a receipt is shown."""
SETTINGS = script(
    wander((420, 900), (1500, 960)), write("Heron", 150), click("#night"), wander((330, 940), (700, 1000)), 0.0,
    click("#tab-sound"), wander((330, 940), (700, 1000)), 0.0, click("#louder"), wander((330, 940), (700, 1000)), 0.0,
    click("#tab-display"), wander((330, 940), (700, 1000)), 0.0, look,
)  # fmt: skip
"""Toggles and tabs, while the caret blinks and the pointer never rests."""
CHARTS = script(1.4, send("survey", 1.8), send("publish", 6.2))
"""A listing, then a command that counts up to 100 % and fails."""
MINUTE_STILL = script(60.0)
"""Nothing at all, for a minute."""
MINUTE_BUSY = script(*[CHECKOUT, visit("shop.html")] * 3, 1.0)
"""A minute of orders without a pause for thought."""

SESSIONS: dict[str, Session] = {
    "checkout": Session(
        on_page("shop.html"),
        CHECKOUT,
        {"checkout": "desktop", "checkout_800x450": "playwright", "checkout_2fps": "slow"},
    ),
    "toasts": Session(on_page("toasts.html"), TOASTS, {"toasts": "desktop"}),
    "counters": Session(on_page("counters.html"), COUNTERS, {"counters": "desktop"}, pointer=False),
    "upload": Session(on_page("upload.html"), UPLOAD, {"upload": "webm"}),
    "film": Session(on_page("film.html"), FILM, {"film": "desktop"}),
    "article": Session(on_page("article.html"), ARTICLE, {"article": "desktop"}),
    "dashboard": Session(
        on_page("dashboard.html"), DASHBOARD, {"dashboard": "desktop", "dashboard_2fps": "slow"}, FULL_HD
    ),
    "orders": Session(on_page("orders.html"), ORDERS, {"orders": "desktop"}, FULL_HD),
    "chat": Session(on_page("chat.html"), CHAT, {"chat": "playwright"}, pointer=False),
    "inbox": Session(on_page("inbox.html"), INBOX, {"inbox": "playwright"}, pointer=False),
    "account": Session(on_page("account.html"), ACCOUNT, {"account": "playwright"}, pointer=False),
    "wizard": Session(on_page("wizard.html", framed=True), WIZARD, {"wizard": "desktop"}),
    "shell": Session(terminal("harbour.sh", HARBOUR, ("harbour$", "Terminal")), SHELL, {"shell": "desktop"}),
    "notebook": Session(program("notes"), NOTEBOOK, {"notebook": "desktop"}),
    "letters": Session(on_page("letters.html"), LETTERS, {"letters": "desktop"}),
    "board": Session(on_page("board.html"), BOARD, {"board": "desktop"}),
    "transfer": Session(on_page("transfer.html"), TRANSFER, {"transfer": "playwright"}, pointer=False),
    "charts": Session(terminal("charts.sh", CHART_ROOM, CHARTS_PRINTED), CHARTS, {"charts": "desktop"}),
    "settings": Session(
        on_page("settings.html", focus="#boat"), SETTINGS, {"settings": "desktop", "settings_2fps": "slow"}, FULL_HD
    ),
    "still": Session(on_page("dashboard.html"), STILL, {"still": "desktop"}, pointer=False),
    "idle": Session(on_page("idle.html", focus="#text"), IDLE, {"idle": "desktop"}),
}
LONG_SESSIONS: dict[str, Session] = {
    "minute_still": Session(on_page("dashboard.html"), MINUTE_STILL, {"minute_still": "desktop"}, pointer=False),
    "minute_busy": Session(
        on_page("shop.html"), MINUTE_BUSY, {"minute_busy": "desktop", "minute_busy_800x450": "playwright"}
    ),
}
"""A minute each, for measuring speed; too large to be committed."""
