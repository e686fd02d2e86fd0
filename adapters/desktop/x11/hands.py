"""Hands on an X display, by XTEST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.desktop.hands import letting_go, wait
from adapters.desktop.pointing import Pointing
from adapters.desktop.x11.chords import Chords
from adapters.desktop.x11.clipboard import Clipboard
from adapters.desktop.x11.connection import Connection
from adapters.desktop.x11.fake_input import FakeInput
from adapters.desktop.x11.field_reading import FieldReader
from adapters.desktop.x11.focus import Focus
from adapters.desktop.x11.keyboard import Keyboard
from adapters.desktop.x11.text_entry import TextEntry
from core.actions import Click, Drag, HoldKey, Key, Move, Press, Scroll, Type
from core.errors import DesktopLost, Internal

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.desktop.hands import Ledger
    from core.actions import Action
    from core.screens import Point


class X11Hands:
    """``Hands`` on one X display.

    Args:
        display: the display as ``--display`` spells it, e.g. ``:99``.
        ledger: is told each event before it is sent.

    Raises:
        DesktopUnavailable: there is no such display, or it lacks XTEST or XKEYBOARD.

    """

    def __init__(self, display: str, ledger: Ledger) -> None:
        self._display = display
        self._connection = Connection(display)
        self._listener = Connection(display)
        self._input = FakeInput(self._connection, ledger)
        self._keyboard = Keyboard(self._connection, self._listener)
        self._answers = Connection(display)
        focus = Focus(self._connection, self._answers)
        self._chords = Chords(self._keyboard, self._input, focus)
        self._text = TextEntry(self._chords, self._keyboard, focus, self._clipboard)
        self._own_clipboard: Clipboard | None = None
        self._pointing = Pointing(self._input, self._chords.holding)
        self._fields = FieldReader(self._pointing, self._chords, focus, self._clipboard)
        self._closed = False

    def perform(self, action: Action, check: Callable[[], None]) -> None:
        """As ``Hands.perform``."""
        with letting_go(self._let_go, len(self._input.held)), self._connection.held():
            check()
            if not isinstance(action, Type):
                self._give_clipboard_back(check)
            self._perform(action, check)

    def read_field(self, at: Point, check: Callable[[], None], *, several_lines: bool) -> str | None:
        """As ``Hands.read_field``."""
        with letting_go(self._let_go, len(self._input.held)), self._connection.held():
            check()
            self._give_clipboard_back(check)
            return self._fields.read(at, check, several_lines=several_lines)

    def release(self) -> None:
        """As ``Hands.release``."""
        self._let_go(0)

    def pointer(self) -> Point:
        """As ``Hands.pointer``."""
        with self._connection.held():
            return self._input.pointer()

    def close(self) -> None:
        """As ``Hands.close``."""
        if self._closed:
            return
        self._closed = True
        self._let_go(0)
        if self._own_clipboard is not None:
            self._own_clipboard.close()
        for connection in (self._answers, self._listener, self._connection):
            connection.close()

    def _perform(self, action: Action, check: Callable[[], None]) -> None:
        match action:
            case Click() | Press() | Drag() | Move() | Scroll():
                self._pointing.perform(action, check)
            case Type():
                self._text.enter(action.text, check)
            case Key():
                self._chords.press(action.keys, action.repeat, check)
            case HoldKey():
                self._chords.hold(action.keys, action.seconds, check)
            case _:
                raise Internal(f"{action.action} is no input to a desktop.")

    def _clipboard(self) -> Clipboard:
        if self._own_clipboard is None:
            self._own_clipboard = Clipboard(self._display)
        return self._own_clipboard

    def _give_clipboard_back(self, check: Callable[[], None]) -> None:
        if self._own_clipboard is not None:
            self._own_clipboard.give_back(lambda event, seconds: wait(event, seconds, check))

    def _let_go(self, kept: int) -> None:
        try:
            with self._connection.held():
                self._input.let_go(kept)
        except DesktopLost:
            self._input.forget()
