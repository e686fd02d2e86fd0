"""A desktop that is one page of a headless Chromium: real pixels and real input, without a display."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Page

from core.actions import Action, Click, Drag, HoldKey, Key, Move, OpenUrl, Scroll, Type, Wait
from core.errors import ActionFailed
from core.screens import Picture, Point, Window
from tests.fakes.desktops.headless_screens import decoded

_NAMES = {
    "enter": "Enter", "tab": "Tab", "escape": "Escape", "backspace": "Backspace", "delete": "Delete", "up": "ArrowUp",
    "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "home": "Home", "end": "End", "space": "Space",
    "page_up": "PageUp", "page_down": "PageDown", "ctrl": "Control", "shift": "Shift", "alt": "Alt", "meta": "Meta",
}  # fmt: skip
_COUNTS = {"left_click": 1, "right_click": 1, "middle_click": 1, "double_click": 2, "triple_click": 3}
_NOTCH = 53


class PageDesktop:
    """Implements ``core.runs.ports.Desktop``; ``zoom`` is the page's."""

    name = ":page"
    viewer = None
    session_bus = ""

    def __init__(self, page: Page, *, zoom: float = 1.0) -> None:
        self.page = page
        self.acted: list[Action] = []
        self._zoom = zoom

    @property
    def size(self) -> tuple[int, int]:
        picture = self.look()
        return picture.width, picture.height

    def look(self) -> Picture:
        return decoded(self.page.screenshot(caret="initial"))

    def peek(self) -> None:
        """A page can be looked at by its own thread alone."""

    def act(self, action: Action, raise_if_cancelled: Callable[[], None]) -> None:
        raise_if_cancelled()
        self.acted.append(action)
        if isinstance(action, OpenUrl):
            self.page.goto(action.url)
        elif isinstance(action, Wait):
            self.page.wait_for_timeout(action.seconds * 1000)
        elif isinstance(action, Type):
            self.page.keyboard.type(action.text)
        elif isinstance(action, Key | HoldKey):
            for _ in range(action.repeat if isinstance(action, Key) else 1):
                self.page.keyboard.press("+".join(_NAMES.get(key, key.upper()) for key in action.keys))
        else:
            self._point(action)

    def _point(self, action: Action) -> None:
        mouse = self.page.mouse
        if isinstance(action, Click) and action.at is not None:
            button = {"right_click": "right", "middle_click": "middle"}.get(action.action, "left")
            mouse.click(*self._at(action.at), button=button, click_count=_COUNTS[action.action])  # type: ignore[arg-type]
        elif isinstance(action, Scroll):
            if action.at is not None:
                mouse.move(*self._at(action.at))
            distance = action.notches * _NOTCH
            mouse.wheel(distance if action.action == "hscroll" else 0, distance if action.action == "scroll" else 0)
        elif isinstance(action, Drag):
            mouse.move(*self._at(action.path[0]))
            mouse.down()
            for point in action.path[1:]:
                mouse.move(*self._at(point))
            mouse.up()
        elif isinstance(action, Move):
            mouse.move(*self._at(action.at))
        else:
            raise ActionFailed(f"A page cannot do {action.action}.")

    def _at(self, point: Point) -> tuple[float, float]:
        return point.x / self._zoom, point.y / self._zoom

    def read_field(
        self, at: Point, raise_if_cancelled: Callable[[], None], *, several_lines: bool, deletes: bool
    ) -> None:
        """There is no display whose selection could be read."""
        del at, several_lines, deletes
        raise_if_cancelled()

    def settle(
        self, before: Picture, raise_if_cancelled: Callable[[], None], *, seconds: float, rest: bool = True
    ) -> Picture:
        deadline = time.monotonic() + seconds
        last = self.look()
        while time.monotonic() < deadline:
            raise_if_cancelled()
            now = self.look()
            if now.bgra == last.bgra:
                break
            if not rest and now.bgra != before.bgra:
                return now
            last = now
        return last if last.bgra != before.bgra else before

    def windows(self) -> Sequence[Window]:
        return ()

    def announce(self, text: str) -> None:
        """There is no overlay."""

    def raise_if_cancelled(self) -> None:
        """No user is there to take over."""

    def await_user(self, raise_if_cancelled: Callable[[], None], *, quiet_seconds: float) -> None:
        """No user is there to wait for."""

    def release(self) -> None:
        """Nothing is held between actions."""


class PageDesktops:
    """Implements ``core.runs.ports.Desktops`` with the one page."""

    def __init__(self, desktop: PageDesktop) -> None:
        self._desktop = desktop

    def unavailable(self, display: str) -> str | None:
        del display
        return None

    @contextmanager
    def open(
        self, display: str, *, run: str, size: tuple[int, int] | None, raise_if_cancelled: Callable[[], None]
    ) -> Generator[PageDesktop]:
        del display, run, size
        raise_if_cancelled()
        yield self._desktop
