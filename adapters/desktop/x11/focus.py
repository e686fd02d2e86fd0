"""The window that has the keyboard: what it is, and whether it has taken note of the keys that were sent."""

from __future__ import annotations

import itertools
import struct
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xcffib
import xcffib.xproto

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.desktop.x11.connection import Connection

_CLIENT_MESSAGE: Final = 33
_ROOT_EVENTS: Final = 0x80000 | 0x20000
"""Substructure notify, with which GTK and Chromium answer the root window, and structure notify, with which Qt does."""
_MANAGER_EVENTS: Final = 0x80000 | 0x100000
"""Substructure notify and redirect: what is sent to the root window for these reaches the window manager."""
_MAX_DEPTH: Final = 64
_PROPERTY_WORDS: Final = 1024
_TERMINALS: Final = (
    "term", "konsole", "alacritty", "kitty", "tilix", "terminology", "guake", "yakuake", "tilda", "urxvt", "rxvt",
    "st-256color", "wezterm", "foot", "ptyxis", "kgx", "ghostty",
)  # fmt: skip


class Focused(NamedTuple):
    """The window that has the keyboard."""

    window: int
    client: int
    """Which connection it belongs to: the part that all ids of a client have in common."""
    application: str
    """Its ``WM_CLASS``, lower case, both words."""
    answers: bool
    """Whether it answers ``_NET_WM_PING``."""

    @property
    def is_terminal(self) -> bool:
        """Whether Ctrl+V means something else in it than to paste."""
        return any(name in self.application for name in _TERMINALS)


class Focus:
    """Asks for the window that has the keyboard.

    Args:
        connection: its requests are made here.
        listener: a connection whose events no other thread takes while ``answered`` runs.

    """

    def __init__(self, connection: Connection, listener: Connection) -> None:
        self._connection = connection
        self._listener = listener
        self._numbers = itertools.count(1)

    def client_of(self, window: int) -> int:
        """The part of a window's id that all ids of its client have in common."""
        return window & ~int(self._connection.x.setup.resource_id_mask)

    def now(self) -> Focused | None:
        """The window, or ``None`` when no window has the keyboard."""
        window = self._connection.core.GetInputFocus().reply().focus
        if window <= xcffib.xproto.InputFocus.PointerRoot:
            window = self._connection.core.QueryPointer(self._connection.root).reply().child
        if not window or window == self._connection.root:
            return None
        try:
            top, application = self._application_window(window)
            answers = self._connection.atom("_NET_WM_PING") in self._words(top, "WM_PROTOCOLS")
        except xcffib.Error:
            return None
        return Focused(top, self.client_of(top), application, answers)

    def answered(self, focused: Focused, seconds: float, check: Callable[[], None]) -> bool:
        """Wait until the window has read every event that was sent to it before, at most so long.

        Whether it has; ``False`` at once for a window that cannot be asked.
        """
        if not focused.answers:
            return False
        root, number = self._listener.root, next(self._numbers)
        self._listener.core.ChangeWindowAttributes(root, xcffib.xproto.CW.EventMask, [_ROOT_EVENTS])
        try:
            self._ask(focused.window, number)
            return self._await(lambda event: self._is_pong(event, number), seconds, check)
        finally:
            self._listener.core.ChangeWindowAttributes(root, xcffib.xproto.CW.EventMask, [0])
            self._listener.sync()

    def managed(self, seconds: float, check: Callable[[], None]) -> bool:
        """Wait until the window manager has read every event that was sent before, at most so long.

        Whether it has; ``False`` at once for one that does not support ``_NET_REQUEST_FRAME_EXTENTS``: it answers that
        with a property of the window that asks.
        """
        request = self._listener.atom("_NET_REQUEST_FRAME_EXTENTS")
        if request not in self._words(self._listener.root, "_NET_SUPPORTED"):
            return False
        window = self._listener.x.generate_id()
        mask, values = xcffib.xproto.CW.EventMask, [xcffib.xproto.EventMask.PropertyChange]
        self._listener.core.CreateWindow(0, window, self._listener.root, -10, -10, 1, 1, 0, 1, 0, mask, values)
        message = struct.pack("=BBHII5I", _CLIENT_MESSAGE, 32, 0, window, request, 0, 0, 0, 0, 0)
        self._listener.core.SendEvent(False, self._listener.root, _MANAGER_EVENTS, message)  # noqa: FBT003 - the protocol's propagate
        try:
            return self._await(lambda event: isinstance(event, xcffib.xproto.PropertyNotifyEvent), seconds, check)
        finally:
            self._listener.core.DestroyWindow(window)
            self._listener.sync()

    def _await(self, is_answer: Callable[[Any], bool], seconds: float, check: Callable[[], None]) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            check()
            while (event := self._listener.x.poll_for_event()) is not None:
                if is_answer(event):
                    return True
            time.sleep(0.001)
        return False

    def _ask(self, window: int, number: int) -> None:
        protocols, ping = self._connection.atom("WM_PROTOCOLS"), self._connection.atom("_NET_WM_PING")
        self._listener.sync()
        message = struct.pack("=BBHII5I", _CLIENT_MESSAGE, 32, 0, window, protocols, ping, number, window, 0, 0)
        self._connection.core.SendEvent(False, window, 0, message)  # noqa: FBT003 - the protocol's propagate
        self._connection.sync()

    def _is_pong(self, event: Any, number: int) -> bool:
        if not isinstance(event, xcffib.xproto.ClientMessageEvent) or event.window != self._listener.root:
            return False
        numbers: Any = event.data.data32
        return bool(numbers[1] == number)

    def _application_window(self, window: int) -> tuple[int, str]:
        """The window itself or the one around it that says which application it is of."""
        found = window
        for _ in range(_MAX_DEPTH):
            name = self._property(found, "WM_CLASS")
            if name:
                return found, name.decode("utf-8", "replace").replace("\0", " ").strip().lower()
            tree = self._connection.core.QueryTree(found).reply()
            if tree.parent in {0, tree.root}:
                break
            found = tree.parent
        return window, ""

    def _words(self, window: int, name: str) -> tuple[int, ...]:
        data = self._property(window, name)
        return struct.unpack(f"={len(data) // 4}I", data[: len(data) // 4 * 4])

    def _property(self, window: int, name: str) -> bytes:
        atom = self._connection.atom(name)
        reply: Any = self._connection.core.GetProperty(False, window, atom, 0, 0, _PROPERTY_WORDS).reply()  # noqa: FBT003 - the protocol's delete
        return bytes(reply.value.buf())
