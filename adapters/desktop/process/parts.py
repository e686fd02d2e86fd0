"""The hands, eyes, overlay and watch of one display: X11's own, or those of systems without X displays."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from adapters.desktop.display_names import SCREEN
from core.errors import DesktopLost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.desktop.hands import Hands, Ledger
    from core.screens import Picture, Point, Window


_NEEDED_ON_X11: Final = (
    *(f"adapters.desktop.x11.{name}" for name in ("ledger", "overlay", "screen", "takeover", "windows", "hands")),
    *("adapters.desktop.process.display_controller", "adapters.desktop.settling", "core.actions", "mss.linux"),
)


class Closable(Protocol):
    """What has an end."""

    def close(self) -> None:
        """End it."""
        ...


class Screen(Closable, Protocol):
    """Takes pictures of the whole desktop, without the overlay."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together."""
        ...

    def grab(self) -> Picture:
        """How it looks now."""
        ...


class Windows(Closable, Protocol):
    """Knows the windows."""

    def windows(self) -> Sequence[Window]:
        """Those that are shown, the topmost first."""
        ...


class Banner(Closable, Protocol):
    """Tells who is in control."""

    def show(self, text: str) -> None:
        """What is being done."""
        ...

    def keep_clear(self, point: Point) -> None:
        """Something is about to be done here."""
        ...


class Watch(Closable, Protocol):
    """Notices the user."""

    @property
    def quiet_seconds(self) -> float:
        """How long the user has left mouse and keyboard alone."""
        ...

    def pointer_moved_away(self, expected: Point) -> bool:
        """Whether the pointer is elsewhere; that is reported."""
        ...

    def rearm(self) -> None:
        """Tell of the next takeover again."""
        ...


@dataclass(frozen=True, slots=True)
class TakeoverCallbacks:
    """Whom to tell: of a takeover with a sentence and who it was, of the display's end with a sentence."""

    taken_over: Callable[[str, str], None]
    lost: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class DisplayParts:
    """All there is; ``sees_windows`` is false where none can be known."""

    screen: Screen
    windows: Windows
    hands: Hands
    banner: Banner
    watch: Watch
    sees_windows: bool


def load_x11() -> None:
    """Import what ``build_parts`` and the first actions need on a display of X; it connects to none."""
    from adapters.desktop.x11.overlay import draw  # noqa: PLC0415 - not to be had on other systems

    for name in _NEEDED_ON_X11:
        import_module(name)
    # What takes pictures chooses among its parts when it is first used, and so does what draws letters.
    with suppress(ImportError):
        import_module("mss.linux.xshmgetimage")
    draw("", "", 1)


def build_parts(
    display: str, *, hands: str, stop_key: Sequence[str], report: TakeoverCallbacks, closing: ExitStack
) -> DisplayParts:
    """Connect to the display.

    Args:
        display: its name, or ``screen`` where there are no X displays.
        hands: ``auto`` or ``pyautogui``.
        stop_key: canonical key names; empty for none.
        report: receives takeovers and the end of the display.
        closing: what is to be ended is put on it.

    Raises:
        DesktopUnavailable: it cannot be used.

    """
    from adapters.desktop.x11.raw_input import SentEvents  # noqa: PLC0415 - imported while its display starts

    ledger = SentEvents()
    if display == SCREEN:
        return _plain_parts(ledger, report, closing)
    from adapters.desktop.x11.overlay import Overlay  # noqa: PLC0415 - not to be had on other systems
    from adapters.desktop.x11.screen import X11Screen  # noqa: PLC0415 - same
    from adapters.desktop.x11.takeover import Takeover, TakeoverWatch  # noqa: PLC0415 - same
    from adapters.desktop.x11.windows import WindowList  # noqa: PLC0415 - same

    def taken_over(takeover: Takeover) -> None:
        report.taken_over(takeover.sentence, takeover.source)

    screen, windows = X11Screen(display), WindowList(display)
    acting = _plain_hands(display, ledger) if hands == "pyautogui" else _x11_hands(display, ledger)
    banner = Overlay(display, _title(stop_key))
    watch = TakeoverWatch(display, ledger, taken_over, lost=report.lost, hot_key=stop_key)
    _close_with(closing, screen, windows, acting, banner, watch)
    return DisplayParts(screen, windows, acting, banner, watch, sees_windows=True)


def _plain_parts(ledger: Ledger, report: TakeoverCallbacks, closing: ExitStack) -> DisplayParts:
    from adapters.desktop.plain import PlainScreen, PlainSurroundings, PlainWatch  # noqa: PLC0415 - as above

    screen, acting, nothing = (
        PlainScreen(),
        _plain_hands(os.environ.get("DISPLAY", SCREEN), ledger),
        PlainSurroundings(),
    )
    watch = PlainWatch(acting, report.taken_over)
    _close_with(closing, screen, acting)
    return DisplayParts(screen, nothing, acting, nothing, watch, sees_windows=False)


def _x11_hands(display: str, ledger: Ledger) -> Hands:
    from adapters.desktop.x11.hands import X11Hands  # noqa: PLC0415 - as above

    return X11Hands(display, ledger)


def _plain_hands(display: str, ledger: Ledger) -> Hands:
    from adapters.desktop.pyautogui_hands import PyAutoGuiHands  # noqa: PLC0415 - as above

    return PyAutoGuiHands(display, ledger)


def _title(stop_key: Sequence[str]) -> str:
    """Who is in control, and how to stop it."""
    chord = f" or press {'+'.join(key.capitalize() for key in stop_key)}" if stop_key else ""
    return f"Vaider is in control. Move the mouse{chord} to stop it."


def _close_with(closing: ExitStack, *parts: Closable) -> None:
    """A display that is gone must not keep the rest from being ended."""

    def close() -> None:
        for part in reversed(parts):
            with suppress(DesktopLost):
                part.close()

    closing.callback(close)
