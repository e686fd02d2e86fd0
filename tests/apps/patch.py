"""A window of one colour that does what it is told, a line at a time, and answers ``ok``: for what may not be recorded.

``title T``, ``move X Y``, ``show``, ``hide``, ``popup X Y`` (a menu of the same colour), ``flash MS [T]`` (shown so
long, and then renamed), ``dance N`` (moved so often, as fast as the server takes it), ``focus``.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import xcffib
from xcffib import xproto

SIZE = 160
_LIMIT = 20
"""Seconds."""


class Patch:
    """The window.

    Args:
        colour: of all its pixels.
        title: its title.
        application: its class.

    """

    def __init__(self, colour: int, title: str, application: str) -> None:
        self.x: Any = xcffib.connect()
        self.colour, self.application = colour, application
        self.window = self.make(0, 0, bare=False)
        self.title(title)

    def make(self, x: int, y: int, *, bare: bool) -> int:
        """Make a window; one that is ``bare`` is no window manager's."""
        screen, window = self.x.setup.roots[0], self.x.generate_id()
        flags = xproto.CW.BackPixel | xproto.CW.OverrideRedirect
        self.x.core.CreateWindow(
            *(screen.root_depth, window, screen.root, x, y, SIZE, SIZE, 0, 1, screen.root_visual),
            *(flags, [self.colour, int(bare)]),
        )
        if not bare:
            name = f"{self.application}\0{self.application}\0".encode()
            self.x.core.ChangeProperty(0, window, xproto.Atom.WM_CLASS, xproto.Atom.STRING, 8, len(name), name)
        return window

    def title(self, title: str) -> None:
        """Rename it."""
        utf8, name = self.atom("UTF8_STRING"), self.atom("_NET_WM_NAME")
        data = title.encode()
        self.x.core.ChangeProperty(0, self.window, name, utf8, 8, len(data), data)

    def atom(self, name: str) -> int:
        """The server's number for a name."""
        return int(self.x.core.InternAtom(0, len(name), name).reply().atom)

    def move(self, x: int, y: int) -> None:
        """Put it there."""
        self.x.core.ConfigureWindow(self.window, 1 | 2, [x, y])

    def show(self) -> None:
        """Show it, and wait until the window manager has done so."""
        self.x.core.MapWindow(self.window)
        deadline = time.monotonic() + _LIMIT
        while self.x.core.GetWindowAttributes(self.window).reply().map_state != xproto.MapState.Viewable:
            if time.monotonic() > deadline:
                raise TimeoutError("the window manager does not show the window")
            time.sleep(0.005)

    def flash(self, milliseconds: int, title: str) -> None:
        """Show it for so long, and rename it then, if there is a title."""
        self.x.core.MapWindow(self.window)
        self.x.flush()
        time.sleep(milliseconds / 1000)
        if title:
            self.title(title)
        self.x.core.UnmapWindow(self.window)

    def do(self, command: str, *rest: str) -> None:
        """Do what a line says."""
        core = self.x.core
        if command == "title":
            self.title(" ".join(rest))
        elif command == "move":
            self.move(int(rest[0]), int(rest[1]))
        elif command == "show":
            self.show()
        elif command == "hide":
            core.UnmapWindow(self.window)
        elif command == "focus":
            core.SetInputFocus(2, self.window, 0)
        elif command == "popup":
            core.MapWindow(self.make(int(rest[0]), int(rest[1]), bare=True))
        elif command == "flash":
            self.flash(int(rest[0]), " ".join(rest[1:]))
        elif command == "dance":
            for step in range(int(rest[0])):
                self.move(step * 37 % 900, step * 23 % 500)
                core.GetInputFocus().reply()
                time.sleep(0.004)
        core.GetInputFocus().reply()


def main() -> None:
    """Obey until there are no more lines."""
    patch = Patch(int(sys.argv[1], 16), sys.argv[2], sys.argv[3])
    print("ok", flush=True)  # noqa: T201 - whoever started it waits for it
    for line in sys.stdin:
        patch.do(*line.split())
        print("ok", flush=True)  # noqa: T201 - same


if __name__ == "__main__":
    main()
