"""Hands on an X display, by XTEST; they also read what a field holds, by the primary selection."""

import threading
from collections.abc import Callable
from typing import Final

from adapters.desktop.hands import Ledger, letting_go, pause, wait
from adapters.desktop.pointing import Pointing
from adapters.desktop.x11.clipboard import Capture, Clipboard
from adapters.desktop.x11.connection import Connection
from adapters.desktop.x11.fake_input import FakeInput
from adapters.desktop.x11.focus import Focus
from adapters.desktop.x11.key_input import Chords, TextEntry
from adapters.desktop.x11.keyboard import Keyboard
from core.actions import Action, Click, Drag, HoldKey, Key, Move, Press, Scroll, Type
from core.errors import DesktopLost, Internal
from core.screens import Point

_SELECT_ALL: Final = (("ctrl", "home"), ("ctrl", "shift", "end"))
"""Ctrl+A is the beginning of the line in some toolkits."""
_CLICKED_SECONDS: Final = 0.08
_TAKEN_IN_SECONDS: Final = 2.0
_SELECTED_SECONDS: Final = 0.3
_ANSWERED_SELECTED_SECONDS: Final = 0.12
"""For a window that says that it has read the clicks: on a busy machine Chromium took 3 ms more at most."""
_STEADY_SECONDS: Final = 0.025
_MOST_READINGS: Final = 6


class FieldReader:
    """Selects by three clicks, or by the keyboard in a field of several lines.

    Three clicks are for the field that is at the point; keys would be for whatever has the focus.
    """

    def __init__(self, pointing: Pointing, chords: Chords, focus: Focus, clipboard: Callable[[], Clipboard]) -> None:
        self._pointing = pointing
        self._chords = chords
        self._focus = focus
        self._clipboard = clipboard

    def read(self, at: Point, check: Callable[[], None], *, several_lines: bool, deletes: bool) -> str | None:
        """What the field holds; ``None`` when nothing of its window got selected: it is empty, or does not tell."""

        def until(event: threading.Event, seconds: float) -> bool:
            return wait(event, seconds, check)

        clipboard = self._clipboard()
        capture = Capture()
        try:
            if not clipboard.capture(capture, until):
                return None
            answered = self._select(at, several_lines, check)
            patience = _ANSWERED_SELECTED_SECONDS if answered else _SELECTED_SECONDS
            text = self._selected(clipboard, capture, until, check) if until(capture.taken, patience) else None
            if text is not None and deletes:
                # Before the selection is put back: Tk selects nothing without owning it.
                self._chords.press(("delete",), 1, check)
                self._chords.taken_in(check)
        except BaseException:
            clipboard.put_back_soon()
            raise
        clipboard.put_back(capture, until)
        if text is not None and not deletes:
            # Where a selection outlives its ownership, the next key would replace it.
            self._chords.press(("ctrl", "end") if several_lines else ("end",), 1, check)
        return text

    def _select(self, at: Point, several_lines: bool, check: Callable[[], None]) -> bool:
        """Whether the window says that it has read what selects."""
        self._pointing.perform(Click(action="left_click" if several_lines else "triple_click", at=at), check)
        if several_lines:
            # A window manager hands the click on, and the keys would overtake it.
            if not self._focus.managed(_TAKEN_IN_SECONDS, check):
                pause(_CLICKED_SECONDS, check)
            for keys in _SELECT_ALL:
                self._chords.press(keys, 1, check)
        focused = self._focus.now()
        return focused is not None and self._focus.answered(focused, _TAKEN_IN_SECONDS, check)

    def _selected(
        self,
        clipboard: Clipboard,
        capture: Capture,
        until: Callable[[threading.Event, float], bool],
        check: Callable[[], None],
    ) -> str | None:
        """The selected text once it is the same twice: the first two of three clicks select a word."""
        last: str | None = None
        for _ in range(_MOST_READINGS):
            pause(_STEADY_SECONDS, check)
            text, owner = clipboard.captured(capture, until)
            focused = self._focus.now()
            if text is None or focused is None or self._focus.client_of(owner) != focused.client:
                return None
            if text == last:
                return text
            last = text
        return last


class X11Hands:
    """``Hands`` on one X display.

    Args:
        display: the display as ``--display`` spells it, e.g. ``:99``.
        ledger: notes each event before it is sent.

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

    def read_field(
        self, at: Point, check: Callable[[], None], *, several_lines: bool, deletes: bool = False
    ) -> str | None:
        """As ``Hands.read_field``."""
        with letting_go(self._let_go, len(self._input.held)), self._connection.held():
            check()
            self._give_clipboard_back(check)
            return self._fields.read(at, check, several_lines=several_lines, deletes=deletes)

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
