"""What may be told of a key that was struck: its name where it types nothing, and of letters only that they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from adapters.desktop.x11.keysyms import character_of, keysym_of
from core.key_names import MODIFIERS, canonical_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.desktop.x11.connection import Connection

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

    A key that types in any of its layouts and levels is one that types: rather a chord unnamed than a letter told.

    Args:
        server: its requests are made here; without XKB it is also told when the layout changes, and then ``read``
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
