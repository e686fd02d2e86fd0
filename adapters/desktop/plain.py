"""The parts of a desktop on systems without X displays: pictures by mss, and a look at where the pointer is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import mss
from mss.exception import ScreenShotError

from core.errors import DesktopLost, DesktopUnavailable
from core.screens import Picture, Point, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.desktop.hands import Hands

_ALL_MONITORS: Final = 0


class PlainScreen:
    """Grabs all monitors together. Raises ``DesktopUnavailable`` when no picture can be taken."""

    def __init__(self) -> None:
        try:
            self._grabber: Any = mss.MSS()
        except ScreenShotError as error:
            raise DesktopUnavailable(f"No picture can be taken of this desktop ({error}).") from None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in pixels of the pointer."""
        place = self._grabber.monitors[_ALL_MONITORS]
        return place["width"], place["height"]

    def grab(self) -> Picture:
        """How it looks now. Raises ``DesktopLost``."""
        taken = time.monotonic()
        try:
            shot = self._grabber.grab(self._grabber.monitors[_ALL_MONITORS])
        except ScreenShotError as error:
            raise DesktopLost(f"No picture can be taken of this desktop any more ({error}).") from None
        return Picture(shot.width, shot.height, bytes(shot.bgra), taken)

    def close(self) -> None:
        """End it."""
        self._grabber.close()


class PlainWatch:
    """Notices the user by a pointer that is elsewhere than where it was put: looked at before each action.

    Args:
        hands: they know where the pointer is.
        report: called with a sentence and who it was.

    """

    def __init__(self, hands: Hands, report: Callable[[str, str], None]) -> None:
        self._hands = hands
        self._report = report
        self._seen: Point | None = None
        self._since = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """How long the pointer has rested."""
        found = self._hands.pointer()
        if found != self._seen:
            self._seen, self._since = found, time.monotonic()
        return time.monotonic() - self._since

    def pointer_moved_away(self, expected: Point) -> bool:
        """Whether the pointer is elsewhere; that is reported."""
        if self._hands.pointer() == expected:
            return False
        self._since = time.monotonic()
        self._report("You moved the mouse.", "user")
        return True

    def rearm(self) -> None:
        """It tells each time."""

    def close(self) -> None:
        """It has nothing to end."""


class PlainSurroundings:
    """Neither windows nor an overlay can be had by mss and pyautogui."""

    def windows(self) -> Sequence[Window]:
        """None are known."""
        return ()

    def show(self, text: str) -> None:
        """Nowhere."""

    def keep_clear(self, point: Point) -> None:
        """It is nowhere."""

    def close(self) -> None:
        """It has nothing to end."""
