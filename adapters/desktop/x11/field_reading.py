"""Reads what a field holds, exactly: selects it, and asks for the primary selection that its program then owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.desktop.hands import pause, wait
from adapters.desktop.x11.clipboard import Capture, Clipboard
from core.actions import Click

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from adapters.desktop.pointing import Pointing
    from adapters.desktop.x11.chords import Chords
    from adapters.desktop.x11.focus import Focus
    from core.screens import Point

_SELECT_ALL: Final = (("ctrl", "home"), ("ctrl", "shift", "end"))
"""Ctrl+A is the beginning of the line in some toolkits."""
_CLICKED_SECONDS: Final = 0.08
_TAKEN_IN_SECONDS: Final = 2.0
_SELECTED_SECONDS: Final = 0.3
_STEADY_SECONDS: Final = 0.04
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

    def read(self, at: Point, check: Callable[[], None], *, several_lines: bool) -> str | None:
        """What the field holds; ``None`` when nothing of its window got selected: it is empty, or does not tell."""

        def until(event: threading.Event, seconds: float) -> bool:
            return wait(event, seconds, check)

        clipboard = self._clipboard()
        capture = Capture()
        try:
            if not clipboard.capture(capture, until):
                return None
            self._select(at, several_lines, check)
            text = self._selected(clipboard, capture, until, check)
        except BaseException:
            clipboard.put_back_soon()
            raise
        clipboard.put_back(capture, until)
        if text is not None:
            # Where a selection outlives its ownership, the next key would replace it.
            self._chords.press(("ctrl", "end") if several_lines else ("end",), 1, check)
        return text

    def _select(self, at: Point, several_lines: bool, check: Callable[[], None]) -> None:
        self._pointing.perform(Click(action="left_click" if several_lines else "triple_click", at=at), check)
        if several_lines:
            # A window manager hands the click on, and the keys would overtake it.
            pause(_CLICKED_SECONDS, check)
            for keys in _SELECT_ALL:
                self._chords.press(keys, 1, check)
        focused = self._focus.now()
        if focused is not None:
            self._focus.answered(focused, _TAKEN_IN_SECONDS, check)

    def _selected(
        self,
        clipboard: Clipboard,
        capture: Capture,
        until: Callable[[threading.Event, float], bool],
        check: Callable[[], None],
    ) -> str | None:
        """The selected text once it is the same twice: the first two of three clicks select a word."""
        if not until(capture.taken, _SELECTED_SECONDS):
            return None
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
