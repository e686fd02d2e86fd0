"""The table of all labelled clips: which session, on which screen, in which encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.record import sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.record.browser import Browser

HD = (1280, 720)
FULL_HD = (1920, 1080)


@dataclass(frozen=True)
class Session:
    """One thing to record. ``clips`` maps each clip's name to its profile, all from the same footage."""

    play: Callable[[Browser], None]
    page: str
    clips: dict[str, str]
    size: tuple[int, int] = HD
    pointer: bool = True
    focus: str | None = None
    """What has the caret when the recording begins."""


SESSIONS: dict[str, Session] = {
    "checkout": Session(
        sessions.checkout, "shop.html",
        {"checkout": "desktop", "checkout_800x450": "playwright", "checkout_2fps": "slow"},
    ),
    "toasts": Session(sessions.toasts, "toasts.html", {"toasts": "desktop"}),
    "counters": Session(sessions.counters, "counters.html", {"counters": "desktop"}, pointer=False),
    "still": Session(sessions.still, "dashboard.html", {"still": "desktop"}, pointer=False),
    "idle": Session(sessions.idle, "idle.html", {"idle": "desktop"}, focus="#text"),
}  # fmt: skip
