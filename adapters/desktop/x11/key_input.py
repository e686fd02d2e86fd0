"""Strikes keys, alone and together, and enters text exactly: by the layout's keys, by borrowed ones, or by pasting."""

from __future__ import annotations

import re
import unicodedata
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Final

from adapters.desktop.hands import pause, struck, wait
from adapters.desktop.x11.clipboard import Clipboard, Loan
from core.errors import ActionFailed
from core.key_names import MODIFIERS

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator, Iterator, Sequence

    from adapters.desktop.x11.fake_input import FakeInput
    from adapters.desktop.x11.focus import Focus, Focused
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


_PASTED_FROM: Final = 400
_KEYS: Final = {"\n": "enter", "\t": "tab"}
_NOTED_EVERY: Final = 64
_NOTED_SECONDS: Final = 5.0
_READ_SECONDS: Final = 1.0
_LATE_SECONDS: Final = 0.25


def untypable(text: str) -> ActionFailed | None:
    """Why a text cannot be entered, if it cannot: it holds what is no character."""
    for character in text:
        if character not in _KEYS and unicodedata.category(character) in {"Cc", "Cs"}:
            return ActionFailed(
                f"The text holds U+{ord(character):04X}, which no key types; leave it out, or press a key instead."
            )
    return None


class TextEntry:
    """Enters text where the keyboard's focus is.

    Short texts are typed. Pasted are long ones (over 400 characters), and those with characters that the layout lacks
    when they are more than the keyboard has keys to spare, or when the window does not say what it has read; unless
    nobody asks for the clipboard: then they are typed too. Line ends and tabs are Return and Tab, but for those inside
    of a long text, which is pasted as one.
    """

    def __init__(self, chords: Chords, keyboard: Keyboard, focus: Focus, clipboard: Callable[[], Clipboard]) -> None:
        self._chords = chords
        self._keyboard = keyboard
        self._focus = focus
        self._clipboard = clipboard

    def enter(self, text: str, check: Callable[[], None]) -> None:
        """Enter it; ``check`` is called between any two events and raises to stop.

        Raises ``ActionFailed`` for what is no text, and when a window did not take note of what was typed.
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        refusal = untypable(text)
        if refusal is not None:
            raise refusal
        if not text:
            return
        self._keyboard.refresh()
        missing = self._missing(text)
        focused = self._focus.now() if missing or len(text) > _NOTED_EVERY else None
        terminal = focused is not None and focused.is_terminal
        # Borrowed keys need a window that says when it has read them; a paste says so itself.
        if missing and (len(missing) > len(self._keyboard.spare) or not (focused and focused.answers)):
            self._enter_pieces(re.split(r"([\n\t])", text), focused, check)
        elif len(text) > _PASTED_FROM and focused is not None and not terminal:
            body = text.rstrip("\n\t")
            self._enter_pieces([body, *text[len(body) :]], focused, check)
        else:
            self._type(text, missing, focused, check)

    def _missing(self, text: str) -> list[str]:
        return [c for c in dict.fromkeys(text) if c not in _KEYS and self._keyboard.stroke(c) is None]

    def _enter_pieces(self, pieces: Sequence[str], focused: Focused | None, check: Callable[[], None]) -> None:
        pasting = focused is not None
        for piece in pieces:
            if not piece:
                continue
            if pasting and focused is not None and piece not in _KEYS and self._paste(piece, focused, check):
                continue
            # Who did not ask once will not ask for the next piece either.
            pasting = pasting and piece in _KEYS
            self._type_in_parts(piece, focused, check)

    def _type_in_parts(self, text: str, focused: Focused | None, check: Callable[[], None]) -> None:
        for part in self._parts(text):
            self._keyboard.refresh()
            self._type(part, self._missing(part), focused, check)

    def _parts(self, text: str) -> Iterator[str]:
        """Cut it where the characters that the layout lacks would be more than there are keys to spare."""
        room = len(self._keyboard.spare)
        lacking = set(self._missing(text))
        if lacking and not room:
            raise ActionFailed("The keyboard has no key to spare for characters that its layout lacks; paste them.")
        start = 0
        used: set[str] = set()
        for at, character in enumerate(text):
            if character in lacking and character not in used:
                if len(used) == room:
                    yield text[start:at]
                    start = at
                    used.clear()
                used.add(character)
        yield text[start:]

    def _type(self, text: str, missing: Sequence[str], focused: Focused | None, check: Callable[[], None]) -> None:
        with ExitStack() as stack:
            stack.enter_context(self._keyboard.locks())
            lent = stack.enter_context(self._chords.borrowed(missing, check))
            characters = iter(text)
            while batch := list(islice(characters, _NOTED_EVERY)):
                for character in batch:
                    stroke = lent.get(character) or self._keyboard.stroke(character)
                    self._chords.strike(stroke or self._keyboard.key(_KEYS[character]), check)
                # A window that is behind would go on with it after a stop.
                if len(batch) == _NOTED_EVERY and focused is not None:
                    self._focus.answered(focused, _NOTED_SECONDS, check)

    def _paste(self, text: str, focused: Focused, check: Callable[[], None]) -> bool:
        """Paste it; ``False`` when the window did not ask for it."""

        def until(event: threading.Event, seconds: float) -> bool:
            return wait(event, seconds, check)

        terminal = focused.is_terminal
        loan = Loan(text, "PRIMARY" if terminal else "CLIPBOARD", focused.client)
        clipboard = self._clipboard()
        try:
            if not clipboard.lend(loan, until):
                return False
            # Shift+Insert pastes everywhere, the primary selection in terminals; but Ctrl+V is what pages listen to.
            shortcut = ("ctrl", "v") if not terminal and self._keyboard.types_latin() else ("shift", "insert")
            self._chords.press(shortcut, 1, check)
            if not until(loan.read, _READ_SECONDS):
                self._chords.taken_in(check)
                if not until(loan.read, _LATE_SECONDS):
                    clipboard.give_back(until)
                    return False
            self._focus.answered(focused, _NOTED_SECONDS, check)
        except BaseException:
            clipboard.give_back_soon()
            raise
        return True
