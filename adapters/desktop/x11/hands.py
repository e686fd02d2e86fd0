"""Hands on an X display, by XTEST."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from adapters.desktop.hands import (
    CLICKS_MERGE_PIXELS,
    CLICKS_MERGE_SECONDS,
    MULTI_CLICK_SECONDS,
    unusable_point,
)
from adapters.desktop.x11.chords import Chords
from adapters.desktop.x11.clipboard import Clipboard
from adapters.desktop.x11.connection import Connection
from adapters.desktop.x11.fake_input import FakeInput
from adapters.desktop.x11.focus import Focus
from adapters.desktop.x11.keyboard import Keyboard
from adapters.desktop.x11.text_entry import TextEntry
from core.actions import Click, Drag, HoldKey, Key, Move, Press, Scroll, Type
from core.errors import ActionFailed, DesktopLost, Internal
from core.screens import Point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.desktop.hands import Ledger
    from core.actions import Action

_LEFT, _MIDDLE, _RIGHT = 1, 2, 3
_BUTTONS: Final = {"right_click": _RIGHT, "middle_click": _MIDDLE}
_TIMES: Final = {"double_click": 2, "triple_click": 3}
_WHEEL: Final = {"scroll": (4, 5), "hscroll": (6, 7)}
_DRAG_STEPS: Final = 8
_DRAG_STEP_SECONDS: Final = 0.005
_DRAG_EVENTS: Final = 200
_DRAG_REST_SECONDS: Final = 0.02


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
        self._last_press: tuple[int, Point, float] | None = None
        self._closed = False

    def perform(self, action: Action, check: Callable[[], None]) -> None:
        """As ``Hands.perform``."""
        kept = len(self._input.held)
        try:
            with self._connection.held():
                check()
                if not isinstance(action, Type):
                    self._give_clipboard_back(check)
                self._perform(action, check)
        except ActionFailed:
            self._let_go(kept)
            raise
        except BaseException:
            self._let_go(0)
            raise

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
            case Click():
                self._click(action, check)
            case Press():
                self._press(action, check)
            case Drag():
                self._drag(action, check)
            case Move():
                self._usable(action.at)
                with self._chords.holding(action.modifiers, check):
                    self._move(action.at, check)
            case Scroll():
                self._scroll(action, check)
            case Type():
                self._text.enter(action.text, check)
            case Key():
                self._chords.press(action.keys, action.repeat, check)
            case HoldKey():
                self._chords.hold(action.keys, action.seconds, check)
            case _:
                raise Internal(f"{action.action} is no input to a desktop.")

    def _click(self, action: Click, check: Callable[[], None]) -> None:
        button = _BUTTONS.get(action.action, _LEFT)
        self._usable(action.at)
        with self._chords.holding(action.modifiers, check):
            self._move(action.at, check)
            self._keep_apart(button, check)
            for click in range(_TIMES.get(action.action, 1)):
                if click:
                    self._chords.pause(MULTI_CLICK_SECONDS, check)
                self._button_down(button, check)
                self._button_up(button, check)

    def _press(self, action: Press, check: Callable[[], None]) -> None:
        self._usable(action.at)
        self._move(action.at, check)
        if action.action == "left_mouse_down":
            self._keep_apart(_LEFT, check)
            self._button_down(_LEFT, check)
        else:
            self._button_up(_LEFT, check)

    def _drag(self, action: Drag, check: Callable[[], None]) -> None:
        self._usable(*action.path)
        with self._chords.holding(action.modifiers, check):
            self._move(action.path[0], check)
            self._keep_apart(_LEFT, check)
            self._button_down(_LEFT, check)
            self._chords.pause(_DRAG_REST_SECONDS, check)
            steps = max(1, min(_DRAG_STEPS, _DRAG_EVENTS // (len(action.path) - 1)))
            for start, end in zip(action.path, action.path[1:], strict=False):
                for point in _line(start, end, steps):
                    self._move(point, check)
                    self._chords.pause(_DRAG_STEP_SECONDS, check)
            self._chords.pause(_DRAG_REST_SECONDS, check)
            self._button_up(_LEFT, check)

    def _scroll(self, action: Scroll, check: Callable[[], None]) -> None:
        self._usable(action.at)
        with self._chords.holding(action.modifiers, check):
            self._move(action.at, check)
            button = _WHEEL[action.action][action.notches > 0]
            for _ in range(abs(action.notches)):
                self._button_down(button, check)
                self._button_up(button, check)

    def _move(self, point: Point | None, check: Callable[[], None]) -> None:
        if point is not None:
            self._input.move(point)
            check()

    def _button_down(self, button: int, check: Callable[[], None]) -> None:
        self._input.press_button(button)
        self._last_press = (button, self._input.pointer(), time.monotonic())
        check()

    def _button_up(self, button: int, check: Callable[[], None]) -> None:
        self._input.release_button(button)
        check()

    def _keep_apart(self, button: int, check: Callable[[], None]) -> None:
        """Wait until a press here is no more taken for the second of a double click."""
        if self._last_press is None or self._last_press[0] != button:
            return
        _, there, then = self._last_press
        here = self._input.pointer()
        if max(abs(here.x - there.x), abs(here.y - there.y)) <= CLICKS_MERGE_PIXELS:
            self._chords.pause(max(0.0, then + CLICKS_MERGE_SECONDS - time.monotonic()), check)

    def _usable(self, *points: Point | None) -> None:
        size = self._input.size()
        for point in points:
            refusal = unusable_point(point, size) if point is not None else None
            if refusal is not None:
                raise refusal

    def _clipboard(self) -> Clipboard:
        if self._own_clipboard is None:
            self._own_clipboard = Clipboard(self._display)
        return self._own_clipboard

    def _give_clipboard_back(self, check: Callable[[], None]) -> None:
        if self._own_clipboard is not None:
            self._own_clipboard.give_back(lambda event, seconds: self._chords.wait(event, seconds, check))

    def _let_go(self, kept: int) -> None:
        try:
            with self._connection.held():
                self._input.let_go(kept)
        except DesktopLost:
            self._input.forget()


def _line(start: Point, end: Point, steps: int) -> Sequence[Point]:
    """Points on the way, the last of them the end."""
    return [
        Point(
            x=round(start.x + (end.x - start.x) * step / steps),
            y=round(start.y + (end.y - start.y) * step / steps),
        )
        for step in range(1, steps + 1)
    ]
