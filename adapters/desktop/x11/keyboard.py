"""The keyboard layout of an X server: which keys to strike for a character, and keys borrowed for those it lacks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xcffib
import xcffib.xkb
import xcffib.xproto

from adapters.desktop.x11.keysyms import character_of, keysym_of
from core.errors import ActionFailed, DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from adapters.desktop.x11.connection import Connection

_CORE_KEYBOARD: Final = 0x100
_PARTS: Final = 1 | 2 | 4  # key types, key symbols, modifier map
_KEY_SYMBOLS: Final = 2
_LOCK: Final = 2
_GROUPS: Final = 0x0F
_OUT_OF_RANGE: Final = 0xC0
_CLAMP: Final = 0x40
_REDIRECT: Final = 0x80
_NUM_LOCK: Final = 0xFF7F
_FIRST_DEAD, _LAST_DEAD = 0xFE50, 0xFE93
# What may have to be held for a character, in the order of preference.
_LEVEL_KEYS: Final = (0xFFE1, 0xFE03, 0xFE11)  # Shift_L, ISO_Level3_Shift, ISO_Level5_Shift
_ROWS: Final = {10: "1234567890", 24: "qwertyuiop", 38: "asdfghjkl", 52: "zxcvbnm"}
_US_POSITIONS: Final = {name: first + at for first, row in _ROWS.items() for at, name in enumerate(row)}


class Stroke(NamedTuple):
    """A key, and the keys that have to be held while it is struck; all by their keycodes."""

    keycode: int
    held: tuple[int, ...] = ()
    num_lock: bool = False
    """Whether Num Lock has to be on."""


class _Type(NamedTuple):
    """Which modifiers count for a key, and which level they reach."""

    mask: int
    levels: dict[int, int]


class _Key(NamedTuple):
    """What is on a key: its symbols, ``width`` for each of its groups."""

    types: tuple[int, ...] = (0, 0, 0, 0)
    group_info: int = 0
    width: int = 0
    symbols: tuple[int, ...] = ()

    @property
    def groups(self) -> int:
        return self.group_info & _GROUPS

    def group(self, wanted: int) -> int:
        """The group that is used when another one is switched to."""
        if wanted < self.groups:
            return wanted
        rule = self.group_info & _OUT_OF_RANGE
        if rule == _REDIRECT:
            redirected = self.group_info >> 4 & 3
            return redirected if redirected < self.groups else 0
        return self.groups - 1 if rule == _CLAMP else wanted % self.groups

    def at(self, group: int, level: int) -> int:
        place = group * self.width + level
        return self.symbols[place] if level < self.width and place < len(self.symbols) else 0


class Keyboard:
    """The layout as it is now: it follows changes, the group that is switched to, and Num Lock.

    Args:
        connection: its requests are made here.
        listener: a connection without XKB, on which the server tells when the layout changes.

    """

    def __init__(self, connection: Connection, listener: Connection) -> None:
        self._connection = connection
        self._listener = listener
        self._xkb = connection.extension(xcffib.xkb.key)
        if self._xkb is None or not self._xkb.UseExtension(1, 0).reply().supported:
            raise DesktopUnavailable(f"The display {connection.display} has no XKEYBOARD; use another X server.")
        self._keys: dict[int, _Key] = {}
        self._modifiers: dict[int, int] = {}
        self._types: list[_Type] = []
        self._characters: dict[str, Stroke] = {}
        self._reached: dict[int, Stroke] = {}
        self._state = (-1, -1)

    def refresh(self) -> None:
        """Take note of what has changed since; call it before an action that uses keys."""
        self._listener.sync()
        changed = not self._keys
        while (event := self._listener.x.poll_for_event()) is not None:
            changed = changed or isinstance(event, xcffib.xproto.MappingNotifyEvent)
        state = self._xkb.GetState(_CORE_KEYBOARD).reply()
        now = (state.group, state.lockedMods & ~_LOCK)
        if not changed and now == self._state:
            return
        if changed:
            self._read()
        self._state = now
        self._work_out()

    @property
    def spare(self) -> Sequence[int]:
        """Keycodes that nothing is on; without the very first, which is the kernel's "no key"."""
        first = min(self._keys, default=0)
        return [
            keycode
            for keycode, key in self._keys.items()
            if not any(key.symbols) and keycode not in self._modifiers and keycode != first
        ]

    def stroke(self, character: str) -> Stroke | None:
        """How the layout types a character, if it does."""
        return self._characters.get(character)

    def key(self, name: str, *, shortcut: bool = False) -> Stroke:
        """How to strike a key by its canonical name, in a ``shortcut`` beside a modifier.

        For shortcuts a layout without Latin letters has them where a US keyboard has them, as toolkits see it.
        Raises ``ActionFailed`` when the layout lacks the key.
        """
        keysym = keysym_of(name)
        found = self._characters.get(name) or self._reached.get(keysym) or self._on_keypad(keysym)
        found = found or (self._elsewhere(keysym) if shortcut or len(name) > 1 else None)
        if found is None and shortcut and name in _US_POSITIONS:
            return Stroke(_US_POSITIONS[name])
        if found is None:
            raise ActionFailed(
                f"The keyboard layout has no key {name!r}; choose another key, or enter a character with type."
            )
        return found

    def types_latin(self) -> bool:
        """Whether the present group has Latin letters."""
        return "v" in self._characters

    @contextmanager
    def borrowed(self, characters: Iterable[str]) -> Generator[dict[str, Stroke]]:
        """Put characters on spare keys for a while, all in one change: window managers take long over each.

        At most as many as there are spare keys; the layout is given back at the end.
        """
        wanted = dict(zip(characters, self.spare, strict=False))
        if not wanted:
            yield {}
            return
        first, last = min(wanted.values()), max(wanted.values())
        before = {keycode: self._keys[keycode] for keycode in range(first, last + 1)}
        lent = {keycode: _Key((0, 0, 0, 0), 1, 1, (keysym_of(name),)) for name, keycode in wanted.items()}
        self._write(first, {**before, **lent})
        try:
            yield {character: Stroke(keycode) for character, keycode in wanted.items()}
        finally:
            self._write(first, before)

    @contextmanager
    def locks(self, *, num_lock: bool = False) -> Generator[None]:
        """Caps Lock is off inside, and Num Lock on if need be; afterwards both are as they were."""
        before = self._xkb.GetState(_CORE_KEYBOARD).reply().lockedMods
        inside = before & ~_LOCK | (self._num_lock if num_lock else 0)
        if inside == before:
            yield
            return
        self._lock(inside)
        try:
            yield
        finally:
            self._lock(before)

    def _lock(self, modifiers: int) -> None:
        self._xkb.LatchLockState(_CORE_KEYBOARD, _LOCK | self._num_lock, modifiers, 0, 0, 0, 0, 0)
        self._connection.sync()

    def _write(self, first: int, keys: Mapping[int, _Key]) -> None:
        wire = [
            xcffib.xkb.KeySymMap.synthetic(key.types, key.group_info, key.width, len(key.symbols), key.symbols)
            for _, key in sorted(keys.items())
        ]
        total = sum(len(key.symbols) for key in keys.values())
        ends = min(self._keys), max(self._keys)
        self._xkb.SetMap(
            *(_CORE_KEYBOARD, _KEY_SYMBOLS, 0, *ends, 0, 0, first, len(wire), total, *([0] * 15), 0), [wire]
        )
        self._connection.sync()

    def _read(self) -> None:
        found: Any = self._xkb.GetMap(_CORE_KEYBOARD, _PARTS, 0, *([0] * 16)).reply()
        self._keys = {
            found.firstKeySym + at: _Key(tuple(key.kt_index), key.groupInfo, key.width, tuple(key.syms))
            for at, key in enumerate(found.syms_rtrn)
        }
        self._modifiers = {key.keycode: key.mods for key in found.modmap_rtrn}
        self._types = [
            _Type(kind.mods_mask, {entry.mods_mask: entry.level for entry in kind.map if entry.active})
            for kind in found.types_rtrn
        ]

    def _work_out(self) -> None:
        """Find the easiest stroke for each symbol of the present group."""
        self._characters, self._reached = {}, {}
        for held, mask in self._ways():
            for keycode, key in self._keys.items():
                keysym = self._symbol(key, mask)
                if not keysym or keycode in held:
                    continue
                self._reached.setdefault(keysym, Stroke(keycode, held))
                character = character_of(keysym)
                if character is not None and not _FIRST_DEAD <= keysym <= _LAST_DEAD:
                    self._characters.setdefault(character, Stroke(keycode, held))

    def _ways(self) -> list[tuple[tuple[int, ...], int]]:
        """What can be held, as keycodes and the modifiers that are then on, the fewest keys first."""
        locked = self._state[1]
        ways: list[tuple[tuple[int, ...], int]] = [((), locked)]
        for keysym in _LEVEL_KEYS:
            keycode = self._level_key(keysym)
            if keycode is not None:
                ways += [((*held, keycode), mask | self._modifiers[keycode]) for held, mask in ways]
        return sorted(ways, key=lambda way: len(way[0]))

    def _level_key(self, keysym: int) -> int | None:
        for keycode, key in self._keys.items():
            if key.at(0, 0) == keysym and self._modifiers.get(keycode):
                return keycode
        return None

    @property
    def _num_lock(self) -> int:
        keycode = self._level_key(_NUM_LOCK)
        return 0 if keycode is None else self._modifiers[keycode]

    def _on_keypad(self, keysym: int) -> Stroke | None:
        """The key that has the symbol when Num Lock is on."""
        mask = self._state[1] | self._num_lock
        for keycode, key in self._keys.items():
            if self._symbol(key, mask) == keysym:
                return Stroke(keycode, num_lock=True)
        return None

    def _symbol(self, key: _Key, mask: int) -> int:
        """What a key types in the present group when these modifiers are on, 0 if nothing."""
        if not key.groups:
            return 0
        group = key.group(self._state[0])
        kind = self._types[key.types[group]]
        return key.at(group, kind.levels.get(mask & kind.mask, 0))

    def _elsewhere(self, keysym: int) -> Stroke | None:
        """The key that has the symbol in another group: toolkits take shortcuts from there."""
        for keycode, key in self._keys.items():
            if any(key.at(group, 0) == keysym for group in range(key.groups)):
                return Stroke(keycode)
        return None
