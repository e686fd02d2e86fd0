"""Makes of presses and releases what a person did; of a key only its name, or that it types something, is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from adapters.desktop.x11.keysyms import character_of, keysym_of
from core.key_names import MODIFIERS, canonical_names
from core.recording.input_log import Button, Clicked, Dragged, Focused, InputEvent, Pressed, Scrolled, Typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.desktop.x11.connection import Connection


Wheel = Literal["up", "down", "left", "right"]

_SLACK: Final = 6
"""Pixels that a hand slips within one click."""
_AGAIN_MS: Final = 500
"""Until the next press of a double click."""
_MOST_CLICKS: Final = 3
_SCROLL_MS: Final = 700
_TYPING_MS: Final = 1000
_LONGEST_TYPING_MS: Final = 10_000
"""Then a new passage begins, so that what was typed before is written down."""
_HELD_BACK_MS: Final = 1500
"""Ctrl+C is not written before: it may be what ends the recording."""
_INTERRUPT: Final = ("ctrl", "c")
_LONGEST_NAME: Final = 300


class Place(NamedTuple):
    """A pixel of the video."""

    x: int
    y: int

    def near(self, other: Place) -> bool:
        """Whether a hand that means to rest may move from one to the other."""
        return abs(self.x - other.x) <= _SLACK and abs(self.y - other.y) <= _SLACK


class Gestures:
    """Takes input in its order, and gives events when they have ended. All times are the video's milliseconds."""

    def __init__(self) -> None:
        self._ended: list[InputEvent] = []
        self._down: dict[Button, tuple[int, Place]] = {}
        self._click: Clicked | None = None
        self._last_press = 0
        self._scroll: Scrolled | None = None
        self._typing: Typed | None = None
        self._interrupt: Pressed | None = None
        self._window: tuple[str, str] | None = None

    def press(self, t_ms: int, button: Button, place: Place) -> None:
        """A button went down."""
        self._end_typing()
        self._end_scroll()
        click = self._click
        if click and (button != click.button or not place.near(Place(click.x, click.y))):
            self._end_click()
        self._down[button] = (t_ms, place)

    def release(self, t_ms: int, button: Button, place: Place) -> None:
        """A button came up."""
        begun = self._down.pop(button, None)
        if begun is None:
            return
        start, at = begun
        click = self._click
        if not at.near(place):
            self._end_click()
            self._ended.append(
                Dragged(
                    t_ms=start, until_ms=max(start, t_ms), button=button, x=at.x, y=at.y, to_x=place.x, to_y=place.y
                )
            )
        elif click and start - self._last_press <= _AGAIN_MS and click.count < _MOST_CLICKS:
            self._click = click.model_copy(update={"count": click.count + 1})
        else:
            self._end_click()
            self._click = Clicked(t_ms=start, button=button, x=at.x, y=at.y)
        self._last_press = start

    def wheel(self, t_ms: int, way: Wheel, place: Place) -> None:
        """The wheel was turned by a notch."""
        self._end_typing()
        self._end_click()
        scroll = self._scroll
        if scroll and (t_ms - scroll.until_ms > _SCROLL_MS or not place.near(Place(scroll.x, scroll.y))):
            self._end_scroll()
            scroll = None
        scroll = scroll or Scrolled(t_ms=t_ms, until_ms=t_ms, x=place.x, y=place.y)
        down = scroll.down + (way == "down") - (way == "up")
        right = scroll.right + (way == "right") - (way == "left")
        self._scroll = scroll.model_copy(
            update={"until_ms": max(scroll.until_ms, t_ms), "down": down, "right": right},
        )

    def typed(self, t_ms: int) -> None:
        """A key was struck that types something."""
        self._end_click()
        self._end_scroll()
        typing = self._typing
        if typing and (t_ms - typing.until_ms > _TYPING_MS or t_ms - typing.t_ms > _LONGEST_TYPING_MS):
            self._end_typing()
            typing = None
        self._typing = (
            Typed(t_ms=t_ms, until_ms=t_ms, count=1)
            if typing is None
            else typing.model_copy(update={"until_ms": max(typing.until_ms, t_ms), "count": typing.count + 1})
        )

    def key(self, t_ms: int, keys: tuple[str, ...]) -> None:
        """A key or a chord was struck that types nothing."""
        self._end_pending()
        pressed = Pressed(t_ms=t_ms, keys=keys)
        if keys == _INTERRUPT:
            self._interrupt = pressed
        else:
            self._ended.append(pressed)

    def window(self, t_ms: int, application: str, title: str, command: tuple[str, ...] | None = None) -> None:
        """This window has the focus; reported only when that is new."""
        shown = (application[:_LONGEST_NAME], title[:_LONGEST_NAME])
        if shown != self._window:
            self._window = shown
            self._ended.append(Focused(t_ms=t_ms, application=shown[0], title=shown[1], command=command))

    def ended(self, t_ms: int) -> list[InputEvent]:
        """The events that have ended by now, each once."""
        if self._click and not self._down and t_ms - self._last_press > _AGAIN_MS:
            self._end_click()
        if self._scroll and t_ms - self._scroll.until_ms > _SCROLL_MS:
            self._end_scroll()
        if self._typing and (
            t_ms - self._typing.until_ms > _TYPING_MS or t_ms - self._typing.t_ms > _LONGEST_TYPING_MS
        ):
            self._end_typing()
        if self._interrupt and t_ms - self._interrupt.t_ms > _HELD_BACK_MS:
            self._end_interrupt()
        ended, self._ended = self._ended, []
        return ended

    def close(self, *, interrupted: bool) -> list[InputEvent]:
        """The rest; a Ctrl+C that has just ``interrupted`` the recording is no part of it, nor is a half drag."""
        if interrupted:
            self._interrupt = None
        self._end_pending()
        ended, self._ended = self._ended, []
        return ended

    def _end_pending(self) -> None:
        self._end_click()
        self._end_scroll()
        self._end_typing()
        self._end_interrupt()

    def _end_click(self) -> None:
        if self._click:
            self._ended.append(self._click)
        self._click = None

    def _end_scroll(self) -> None:
        if self._scroll and (self._scroll.down or self._scroll.right):
            self._ended.append(self._scroll)
        self._scroll = None

    def _end_typing(self) -> None:
        if self._typing:
            self._ended.append(self._typing)
        self._typing = None

    def _end_interrupt(self) -> None:
        if self._interrupt:
            self._ended.append(self._interrupt)
        self._interrupt = None


_NUM_LOCK: Final = 0xFF7F
_LEVELS: Final = frozenset({0xFE03, 0xFE11, 0xFF7E})
"""``ISO_Level3_Shift``, ``ISO_Level5_Shift``, ``Mode_switch``: they are held to type, as Shift is."""
_DEAD: Final = range(0xFE50, 0xFE94)
_COMPOSE: Final = 0xFF20
_KEYPAD: Final = frozenset({0xFF80, *range(0xFFAA, 0xFFB0), *range(0xFFB0, 0xFFBA), 0xFFBD})
"""What the keypad types: ``KP_Space``, the signs, the digits, ``KP_Equal``."""
_MODIFIER_ROWS: Final = 8
_NAMES: Final[Mapping[int, str]] = {keysym_of(name): name for name in canonical_names()}

Role = Literal["modifier", "level", "types", "keypad", "named"]


@dataclass(frozen=True, slots=True)
class KeyMeaning:
    """What a key is for.

    A ``modifier`` makes chords, a ``level`` other letters (Shift has a name, for chords). What ``types`` has a ``name``
    for chords alone. A ``keypad``'s key types when Num Lock is on, and has its ``name`` when not.
    """

    role: Role
    name: str


class KeyMeanings:
    """The meanings of the keys of a display's keyboard, as it is now.

    A key that types in any of its layouts and levels is one that types: rather a chord unnamed than a letter logged.

    Args:
        server: its requests are made here; without XKB it is also notified when the layout changes, and then ``read``
            has to be called.

    """

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._meanings: dict[int, KeyMeaning] = {}
        self.num_lock = 0
        """The modifier bits that are on while Num Lock is."""
        self.read()

    def read(self) -> None:
        """Look at the keyboard anew."""
        setup = self._server.x.setup
        count = setup.max_keycode - setup.min_keycode + 1
        reply = self._server.core.GetKeyboardMapping(setup.min_keycode, count).reply()
        symbols, width = list(reply.keysyms), reply.keysyms_per_keycode
        self._meanings, num_locks = {}, set[int]()
        for place in range(count):
            columns = [symbol for symbol in symbols[place * width : (place + 1) * width] if symbol]
            keycode = setup.min_keycode + place
            if (meaning := _meaning(columns)) is not None:
                self._meanings[keycode] = meaning
            if _NUM_LOCK in columns:
                num_locks.add(keycode)
        rows = list(self._server.core.GetModifierMapping().reply().keycodes)
        each = len(rows) // _MODIFIER_ROWS
        self.num_lock = 0
        for place, keycode in enumerate(rows):
            if keycode in num_locks:
                self.num_lock |= 1 << place // each

    def of(self, keycode: int) -> KeyMeaning | None:
        """What a key is for, ``None`` if for nothing that has a name."""
        return self._meanings.get(keycode)


def _meaning(columns: Sequence[int]) -> KeyMeaning | None:
    if not columns:
        return None
    first = columns[0]
    name = _NAMES.get(first, "")
    if first in _LEVELS or name in {"shift", "shift_right"}:
        return KeyMeaning("level", "" if first in _LEVELS else "shift")
    if name in MODIFIERS:
        return KeyMeaning("modifier", name.removesuffix("_right"))
    if any(symbol in _KEYPAD for symbol in columns):
        return KeyMeaning("types" if first in _KEYPAD else "keypad", name)
    characters = [character for symbol in columns if (character := character_of(symbol))]
    if characters or first == _COMPOSE or any(symbol in _DEAD for symbol in columns):
        latin = next((one for one in characters if one.isascii()), characters[0] if characters else "")
        return KeyMeaning("types", "space" if latin == " " else latin.lower())
    return KeyMeaning("named", name) if name else None
