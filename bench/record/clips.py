"""The table of all labelled clips: which session, on which screen, in which encoding."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.record import programs, sessions
from bench.record.browser import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

    from bench.record.ledger import Ledger
    from bench.record.screen import Screen

    Stage = Callable[[Screen, Ledger], AbstractContextManager[Any]]

HD = (1280, 720)
FULL_HD = (1920, 1080)


@dataclass(frozen=True)
class Session:
    """One thing to record. ``clips`` maps each clip's name to its profile, all from the same footage."""

    stage: Stage
    """Starts what is recorded, and yields the hands for ``play``."""
    play: Callable[[Any], None]
    clips: dict[str, str]
    size: tuple[int, int] = HD
    pointer: bool = True
    """Whether the pointer is in the picture; in the browser's own recordings it is not."""


def on_page(name: str, *, focus: str | None = None, framed: bool = False) -> Stage:
    """A stage: Chromium showing one of ``pages/``, the caret where it is wanted."""

    @contextmanager
    def stage(screen: Screen, ledger: Ledger) -> Generator[Browser]:
        with chromium(screen, ledger, framed=framed) as browser:
            browser.open(name)
            # A new window has its address selected until somebody clicks the page.
            screen.click(screen.width * 3 // 4, screen.height * 3 // 4)
            if focus:
                browser.page.focus(focus)
            browser.wait(1.0)
            yield browser

    return stage


SESSIONS: dict[str, Session] = {
    "checkout": Session(
        on_page("shop.html"),
        sessions.checkout,
        {"checkout": "desktop", "checkout_800x450": "playwright", "checkout_2fps": "slow"},
    ),
    "toasts": Session(on_page("toasts.html"), sessions.toasts, {"toasts": "desktop"}),
    "counters": Session(on_page("counters.html"), sessions.counters, {"counters": "desktop"}, pointer=False),
    "upload": Session(on_page("upload.html"), sessions.upload, {"upload": "webm"}),
    "film": Session(on_page("film.html"), sessions.film, {"film": "desktop"}),
    "article": Session(on_page("article.html"), sessions.article, {"article": "desktop"}),
    "dashboard": Session(
        on_page("dashboard.html"), sessions.dashboard, {"dashboard": "desktop", "dashboard_2fps": "slow"}, FULL_HD
    ),
    "orders": Session(on_page("orders.html"), sessions.orders, {"orders": "desktop"}, FULL_HD),
    "chat": Session(on_page("chat.html"), sessions.chat, {"chat": "playwright"}, pointer=False),
    "inbox": Session(on_page("inbox.html"), sessions.inbox, {"inbox": "playwright"}, pointer=False),
    "account": Session(on_page("account.html"), sessions.account, {"account": "playwright"}, pointer=False),
    "wizard": Session(on_page("wizard.html", framed=True), sessions.wizard, {"wizard": "desktop"}),
    "shell": Session(programs.terminal, sessions.shell, {"shell": "desktop"}),
    "notebook": Session(programs.notes, sessions.notebook, {"notebook": "desktop"}),
    "still": Session(on_page("dashboard.html"), sessions.still, {"still": "desktop"}, pointer=False),
    "idle": Session(on_page("idle.html", focus="#text"), sessions.idle, {"idle": "desktop"}),
}
LONG_SESSIONS: dict[str, Session] = {
    "minute_still": Session(
        on_page("dashboard.html"), sessions.minute_still, {"minute_still": "desktop"}, pointer=False
    ),
    "minute_busy": Session(
        on_page("shop.html"), sessions.minute_busy, {"minute_busy": "desktop", "minute_busy_800x450": "playwright"}
    ),
}
"""A minute each, for measuring speed; too large to be committed."""
