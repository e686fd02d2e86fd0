"""Strikes keys, alone and together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from adapters.desktop.hands import pause, struck
from core.errors import ActionFailed
from core.key_names import MODIFIERS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from adapters.desktop.x11.fake_input import FakeInput
    from adapters.desktop.x11.focus import Focus
    from adapters.desktop.x11.keyboard import Keyboard, Stroke

_SETTLE_SECONDS: Final = 0.01
_UNASKED_SECONDS: Final = 0.15
_TAKEN_IN_SECONDS: Final = 5.0


class Chords:
    """Keys by their canonical names, on the layout as it is."""

    def __init__(self, keyboard: Keyboard, fake_input: FakeInput, focus: Focus) -> None:
        self._keyboard = keyboard
        self._input = fake_input
        self._focus = focus

    def strike(self, stroke: Stroke, check: Callable[[], None]) -> None:
        """Press a key and let it go."""
        kept = len(self._input.held)
        for keycode in (*stroke.held, stroke.keycode):
            self._input.press_key(keycode)
            check()
        self._input.let_go(kept)
        check()

    def press(self, keys: Sequence[str], times: int, check: Callable[[], None]) -> None:
        """Press keys in this order and let them go in reverse, so many times."""
        with self._ready(keys) as strokes:
            for _ in range(times):
                kept = len(self._input.held)
                self._down(strokes, check)
                self._input.let_go(kept)
                check()

    def hold(self, keys: Sequence[str], seconds: float, check: Callable[[], None]) -> None:
        """Hold keys for a while; the server repeats them as it does for anybody."""
        with self._ready(keys) as strokes:
            kept = len(self._input.held)
            self._down(strokes, check)
            pause(seconds, check)
            self._input.let_go(kept)

    @contextmanager
    def borrowed(self, characters: Sequence[str], check: Callable[[], None]) -> Generator[dict[str, Stroke]]:
        """Strokes for characters that the layout lacks, by keys that are lent to them inside."""
        with self._keyboard.borrowed(characters) as lent:
            if lent:
                # Chromium, when it is behind, still takes the next keys by the layout of before.
                self.taken_in(check)
                pause(_SETTLE_SECONDS, check)
            yield lent
            if lent:
                self.taken_in(check)

    def taken_in(self, check: Callable[[], None]) -> None:
        """Wait until the window has read its keys: one that looks later finds another layout, or another clipboard.

        Raises ``ActionFailed`` when it does not.
        """
        focused = self._focus.now()
        if focused is None or not focused.answers:
            pause(_UNASKED_SECONDS, check)
        elif not self._focus.answered(focused, _TAKEN_IN_SECONDS, check):
            raise ActionFailed("The window did not react to its input; look at what has arrived before going on.")

    @contextmanager
    def holding(self, keys: Sequence[str], check: Callable[[], None]) -> Generator[None]:
        """Hold modifiers inside."""
        if not keys:
            yield
            return
        strokes = self._strokes(keys)
        kept = len(self._input.held)
        self._down(strokes, check)
        yield
        self._input.let_go(kept)
        check()

    def _down(self, strokes: Sequence[Stroke], check: Callable[[], None]) -> None:
        for stroke in strokes:
            for keycode in (*stroke.held, stroke.keycode):
                self._input.press_key(keycode)
                check()

    @contextmanager
    def _ready(self, keys: Sequence[str]) -> Generator[list[Stroke]]:
        """How to strike them now; a character among them is itself whatever is locked."""
        strokes = self._strokes(keys)
        num_lock = any(stroke.num_lock for stroke in strokes)
        if num_lock or any(len(key) == 1 for key in keys):
            with self._keyboard.locks(num_lock=num_lock):
                yield strokes
        else:
            yield strokes

    def _strokes(self, keys: Sequence[str]) -> list[Stroke]:
        self._keyboard.refresh()
        names = struck(keys)
        shortcut = not MODIFIERS.isdisjoint(names)
        return [self._keyboard.key(name, shortcut=shortcut) for name in names]
