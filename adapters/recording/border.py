"""A red frame around what is recorded, for everybody who looks at the screen."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import xcffib
from xcffib import shape, xproto

from adapters.desktop.x11.connection import Connection, WindowGone
from core.errors import DesktopUnavailable

if TYPE_CHECKING:
    from core.screens import Box

WIDTH: Final = 4
"""Pixels on a screen of usual resolution."""
RED: Final = 0xE0_1B_24
_SHARP: Final = 1600
"""Rows from which on it is drawn in double width."""
_RAISES: Final = 8
"""How often a second it comes back to the top; somebody who insists more than that wins."""


class Border:
    """Is there from the moment it is made until it is closed, its process dies, or the server does.

    Input goes through it, it never has the focus, and no window manager touches it. Used by one thread.

    Args:
        display: the display, e.g. ``:99``.
        area: what it is around; its lines lie on the outermost pixels of it.

    Raises:
        DesktopUnavailable: there is no such display, or its server has no windows that let input through.

    """

    def __init__(self, display: str, area: Box) -> None:
        self._server = Connection(display)
        self._shape: Any = self._server.extension(shape.key)
        version = self._shape.QueryVersion().reply() if self._shape else None
        if version is None or (version.major_version, version.minor_version) < (1, 1):
            self._server.close()
            raise DesktopUnavailable(f"The display {display} has no windows that let clicks through (SHAPE 1.1).")
        self._area = area
        self.width = WIDTH * (2 if area.height >= _SHARP else 1)
        self._raised: list[float] = []
        self._window = self._make()

    def keep(self) -> None:
        """Come back to the top, if anything has come above it. Call it often."""
        covered = False
        with suppress(xcffib.XcffibException):
            while (event := self._next_event()) is not None:
                if isinstance(event, xproto.VisibilityNotifyEvent) and event.state != xproto.Visibility.Unobscured:
                    covered = True
            now = time.monotonic()
            self._raised = [at for at in self._raised if now - at < 1]
            if covered and len(self._raised) < _RAISES:
                self._raised.append(now)
                self._server.core.ConfigureWindow(self._window, xproto.ConfigWindow.StackMode, [xproto.StackMode.Above])
                self._server.x.flush()

    def close(self) -> None:
        """Take it away; it is gone when this returns."""
        with suppress(xcffib.XcffibException, WindowGone):
            self._server.core.DestroyWindow(self._window)
            self._server.sync()
        self._server.close()

    def _next_event(self) -> Any:
        return self._server.x.poll_for_event()

    def _make(self) -> int:
        core, screen, window, area = self._server.core, self._server.screen, self._server.x.generate_id(), self._area
        flags = xproto.CW.BackPixel | xproto.CW.OverrideRedirect | xproto.CW.EventMask
        core.CreateWindow(
            screen.root_depth, window, screen.root, area.x, area.y, area.width, area.height, 0,
            xproto.WindowClass.InputOutput, screen.root_visual, flags, [RED, 1, xproto.EventMask.VisibilityChange],
        )  # fmt: skip
        line = self.width
        strips = [
            (0, 0, area.width, line),
            (0, area.height - line, area.width, line),
            (0, 0, line, area.height),
            (area.width - line, 0, line, area.height),
        ]
        lines = [xproto.RECTANGLE.synthetic(x, y, width, height) for x, y, width, height in strips]
        self._shape.Rectangles(shape.SO.Set, shape.SK.Bounding, 0, window, 0, 0, len(lines), lines)
        self._shape.Rectangles(shape.SO.Set, shape.SK.Input, 0, window, 0, 0, 0, [])
        name = b"vaider-recording\0Vaider\0"
        core.ChangeProperty(
            xproto.PropMode.Replace, window, xproto.Atom.WM_CLASS, xproto.Atom.STRING, 8, len(name), name
        )
        core.MapWindow(window)
        core.ConfigureWindow(window, xproto.ConfigWindow.StackMode, [xproto.StackMode.Above])
        self._server.sync()
        return window
