"""Input events by XTEST, and what of them is still held."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import xcffib
import xcffib.xtest

from core.errors import DesktopUnavailable
from core.screens import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.desktop.hands import Kind, Ledger
    from adapters.desktop.x11.connection import Connection

_CODES: Final[dict[Kind, int]] = {
    "key_press": 2,
    "key_release": 3,
    "button_press": 4,
    "button_release": 5,
    "motion": 6,
}


class FakeInput:
    """Sends events one by one, notes each in the ledger first, and remembers what it holds down."""

    def __init__(self, connection: Connection, ledger: Ledger) -> None:
        self._connection = connection
        self._ledger = ledger
        self._xtest: Any = connection.extension(xcffib.xtest.key)
        if self._xtest is None:
            raise DesktopUnavailable(f"The display {connection.display} has no XTEST; use another X server.")
        self._held: list[tuple[Kind, int]] = []

    @property
    def held(self) -> Sequence[tuple[Kind, int]]:
        """What is down, each as the event that would let it go, in the order of pressing."""
        return tuple(self._held)

    def press_key(self, keycode: int) -> None:
        """Press a key, unless it is held already."""
        self._press("key_press", "key_release", keycode)

    def press_button(self, button: int) -> None:
        """Press a button by its logical number (1 left, 2 middle, 3 right, 4-7 the wheel), unless it is held."""
        self._press("button_press", "button_release", self._physical(button))

    def release_button(self, button: int) -> None:
        """Let a button go, if it is held."""
        self._release("button_release", self._physical(button))

    def turn_wheel(self, step: int, *, sideways: bool) -> None:
        """Turn the wheel by one notch: 1 is down or right, -1 is up or left."""
        button = (6 if sideways else 4) + (step > 0)
        self.press_button(button)
        self.release_button(button)

    def move(self, point: Point) -> None:
        """Move the pointer there."""
        self._send("motion", 0, point.x, point.y)

    def pointer(self) -> Point:
        """Where the pointer is."""
        found = self._connection.core.QueryPointer(self._connection.root).reply()
        return Point(x=found.root_x, y=found.root_y)

    def size(self) -> tuple[int, int]:
        """Width and height of the screen as it is now."""
        found = self._connection.core.GetGeometry(self._connection.root).reply()
        return found.width, found.height

    def let_go(self, kept: int = 0) -> None:
        """Release in reverse order what is held, but for the first ``kept``."""
        for kind, detail in reversed(self._held[kept:]):
            self._release(kind, detail)

    def forget(self) -> None:
        """Nothing is held any more: the display is gone."""
        self._held.clear()

    def sync(self) -> None:
        """Wait until the server has taken all that was sent."""
        self._connection.sync()

    def _physical(self, button: int) -> int:
        # A left-handed user has the buttons swapped; XTEST presses the physical ones.
        mapping = list(self._connection.core.GetPointerMapping().reply().map)
        with suppress(ValueError):
            return mapping.index(button) + 1
        return button

    def _press(self, kind: Kind, undoing: Kind, detail: int) -> None:
        if (undoing, detail) in self._held:
            return
        # Noted first: an event that may have been sent is one that may have to be undone.
        self._held.append((undoing, detail))
        self._send(kind, detail)

    def _release(self, kind: Kind, detail: int) -> None:
        if (kind, detail) not in self._held:
            return
        self._send(kind, detail)
        self._held.remove((kind, detail))

    def _send(self, kind: Kind, detail: int, x: int = 0, y: int = 0) -> None:
        self._ledger.record(kind, detail)
        self._xtest.FakeInput(_CODES[kind], detail, 0, self._connection.root, x, y, 0)
        self._connection.sync()
