"""A connection to an X server that tells a dead server from a dead window."""

import importlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import xcffib

from core.errors import DesktopLost, DesktopUnavailable

importlib.import_module("xcffib.xproto")  # xcffib refuses to connect before its core protocol is there

WindowGone: Final = xcffib.Error
"""What the server answers about a window that has died since, or cannot be asked so; catch it around each reply."""


class Connection:
    """One connection; its requests may come from any thread, its events are taken by one.

    Args:
        display: the display as ``--display`` spells it, e.g. ``:99``.

    Raises:
        DesktopUnavailable: there is no such display.

    """

    def __init__(self, display: str) -> None:
        self.display = display
        try:
            self.x: Any = xcffib.connect(display)
        except xcffib.ConnectionException:
            raise DesktopUnavailable(
                f"The display {display} does not answer; start it, or choose another with --display."
            ) from None
        self.core: Any = self.x.core
        self.screen: Any = self.x.setup.roots[self.x.pref_screen]
        self.root: int = self.screen.root
        self._atoms: dict[str, int] = {}

    def atom(self, name: str) -> int:
        """The number that the server has for a name."""
        found = self._atoms.get(name)
        if found is None:
            found = self._atoms[name] = self.core.InternAtom(0, len(name), name).reply().atom
        return found

    def name_of(self, atom: int) -> str:
        """The name of a number that the server gave."""
        return str(self.core.GetAtomName(atom).reply().name.to_string())

    def extension(self, key: Any) -> Any:
        """Its requests, or ``None`` when the server lacks it: to ask for one then would end the connection."""
        present = self.core.QueryExtension(len(key.name), key.name).reply().present
        return self.x(key) if present else None

    def sync(self) -> None:
        """Wait until the server has done everything that was asked on this connection."""
        self.core.GetInputFocus().reply()

    @contextmanager
    def held(self) -> Generator[None]:
        """Raise ``DesktopLost`` when the server goes away inside."""
        try:
            yield
        except WindowGone:
            raise
        except xcffib.XcffibException:
            raise lost(self.display) from None

    def close(self) -> None:
        """End it; the server forgets what was made on it."""
        self.x.disconnect()


def lost(display: str) -> DesktopLost:
    """What to say when a display has gone away."""
    return DesktopLost(f"The display {display} has gone away; start the run again when it is back.")
