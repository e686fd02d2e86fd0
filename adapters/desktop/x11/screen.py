"""Pictures of an X display: all monitors together, without our own overlay."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

import mss
import numpy as np
from mss.exception import ScreenShotError

from adapters.desktop.x11.beneath import Beneath
from adapters.desktop.x11.connection import Connection, lost
from core.errors import DesktopLost, DesktopUnavailable
from core.screens import Picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ATTEMPTS: Final = 3
"""Looks, while what lies beneath the overlay changes during each; the last one stands."""
_MOST_ATTEMPTS: Final = 20
"""Looks, while the overlay moves or the screen changes its size during each."""
_OPAQUE: Final = np.uint32(0xFF000000)


class X11Screen:
    """Looks at a display; safe to share between threads.

    Args:
        display: the display, e.g. ``:99``.

    Raises:
        DesktopUnavailable: there is no such display, or its pixels have no 32 bits.

    """

    def __init__(self, display: str) -> None:
        self._server = Connection(display)
        self._beneath = Beneath(self._server)
        self._lock = threading.Lock()
        self._grabber: Any = None
        self._grabbed_size = (0, 0)
        try:
            self._grabber = mss.MSS(display=display)
        except ScreenShotError as error:
            self._server.close()
            raise DesktopUnavailable(
                f"No picture can be taken of the display {display} ({error}); it needs a depth of 24 bits."
            ) from None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together, in pixels; it changes when the user plugs one in."""
        with self._server.held():
            geometry = self._server.core.GetGeometry(self._server.root).reply()
            return geometry.width, geometry.height

    def grab(self) -> Picture:
        """The whole screen as it is now, without the pointer and without our overlay; all its pixels are opaque.

        Raises ``DesktopLost`` when the display is gone.
        """
        with self._lock, self._server.held():
            for attempt in range(_MOST_ATTEMPTS):
                overlay = self._beneath.overlay()
                before = None if overlay is None else self._beneath.pixels(overlay)
                taken = time.monotonic()
                shot = self._shoot()
                if shot is None or self._beneath.overlay() != overlay:
                    continue
                if overlay is not None:
                    after = self._beneath.pixels(overlay)
                    calm = before is not None and after is not None and np.array_equal(before, after)
                    if after is None or not (calm or attempt + 1 >= _ATTEMPTS):
                        continue
                    left, top = overlay.box.x, overlay.box.y
                    shot[top : top + after.shape[0], left : left + after.shape[1]] = after
                shot |= _OPAQUE
                return Picture(width=shot.shape[1], height=shot.shape[0], bgra=shot.tobytes(), taken=taken)
        raise DesktopLost(f"The display {self._server.display} changes its size faster than it can be looked at.")

    def _shoot(self) -> NDArray[np.uint32] | None:
        """All pixels as they are, our overlay too; ``None`` when the size has changed meanwhile."""
        width, height = self.size
        if (width, height) != self._grabbed_size:
            self._grabber.close()
            self._grabber = mss.MSS(display=self._server.display)
            self._grabbed_size = width, height
        try:
            shot = self._grabber.grab({"left": 0, "top": 0, "width": width, "height": height})
        except ScreenShotError:
            if self.size == (width, height):
                raise lost(self._server.display) from None
            return None
        return np.frombuffer(shot.raw, np.uint32).reshape(height, width)

    def close(self) -> None:
        """End its connections."""
        with self._lock:
            self._grabber.close()
            self._server.close()
