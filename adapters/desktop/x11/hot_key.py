"""The key chord that stops a run whatever else happens: where it is on the keyboard, and its grab."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from xcffib import xproto

from adapters.desktop.x11.connection import Connection, WindowGone
from adapters.desktop.x11.keysyms import keysym_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LOCK: Final = 2
_LOCK_KEYS: Final = (0xFF7F, 0xFF14)  # Num_Lock, Scroll_Lock
_MODIFIERS: Final = 8


class HotKey:
    """A chord of modifiers and one last key, grabbed on the root so that no program gets it. Used by one thread.

    Args:
        server: the connection that gets the events.
        chord: canonical key names, the modifiers first; empty for no hot key.

    """

    def __init__(self, server: Connection, chord: Sequence[str]) -> None:
        self._server = server
        self._chord = chord
        self._keycodes: frozenset[int] = frozenset()
        self._modifiers = 0
        self._masks: dict[int, int] = {}
        self._locks: Sequence[int] = ()
        self.grabbed = False
        """Whether it is ours alone; else it works as well, but a program or the window manager may react to it too."""
        self.read_keyboard()

    def read_keyboard(self) -> None:
        """Find the keys on the keyboard as it is now, and grab them if they are others than before."""
        if not self._chord:
            return
        keys = self._keyboard()
        masks = self._masks = self._modifier_keys()

        def mask(keysym: int) -> int:
            found = 0
            for keycode in keys.get(keysym, ()):
                found |= masks.get(keycode, 0)
            return found

        *modifiers, last = self._chord
        wanted = 0
        for name in modifiers:
            wanted |= mask(keysym_of(name))
        locks = _sums([_LOCK, *(bits for bits in map(mask, _LOCK_KEYS) if bits)])
        keycodes = frozenset(keys.get(keysym_of(last), ()))
        if (keycodes, wanted, locks) != (self._keycodes, self._modifiers, self._locks):
            self._ungrab()
            self._keycodes, self._modifiers, self._locks = keycodes, wanted, locks
            self._grab()

    def pressed(self, keycode: int, down: Iterable[int]) -> bool:
        """Whether the chord is complete, now that somebody has pressed that key, while those keycodes are down."""
        if keycode not in self._keycodes:
            return False
        seen = 0
        for one in down:
            seen |= self._masks.get(one, 0)
        if seen & self._modifiers == self._modifiers:
            return True
        # They may have been down before anybody looked.
        held: int = self._server.core.QueryPointer(self._server.root).reply().mask
        return held & self._modifiers == self._modifiers

    def _keyboard(self) -> dict[int, list[int]]:
        """The keycodes that carry each key symbol."""
        setup = self._server.x.setup
        count = setup.max_keycode - setup.min_keycode + 1
        reply = self._server.core.GetKeyboardMapping(setup.min_keycode, count).reply()
        found: dict[int, list[int]] = {}
        for place, keysym in enumerate(reply.keysyms):
            if keysym:
                found.setdefault(keysym, []).append(setup.min_keycode + place // reply.keysyms_per_keycode)
        return found

    def _modifier_keys(self) -> dict[int, int]:
        """The modifier bits of each keycode that is a modifier."""
        reply = self._server.core.GetModifierMapping().reply()
        codes: list[int] = list(reply.keycodes)
        each = len(codes) // _MODIFIERS
        found: dict[int, int] = {}
        for place, keycode in enumerate(codes):
            if keycode:
                found[keycode] = found.get(keycode, 0) | 1 << place // each
        return found

    def _grab(self) -> None:
        mode = xproto.GrabMode.Async
        cookies: list[Any] = [
            self._server.core.GrabKeyChecked(0, self._server.root, self._modifiers | lock, keycode, mode, mode)
            for keycode in self._keycodes
            for lock in self._locks
        ]
        refused = sum(not _granted(cookie) for cookie in cookies)
        self.grabbed = bool(cookies) and not refused

    def _ungrab(self) -> None:
        for keycode in self._keycodes:
            for lock in self._locks:
                self._server.core.UngrabKey(keycode, self._server.root, self._modifiers | lock)


def _granted(cookie: Any) -> bool:
    try:
        cookie.check()
    except WindowGone:
        return False
    return True


def _sums(bits: Sequence[int]) -> Sequence[int]:
    """Every combination of the modifiers that may be locked, none of them too."""
    found = {0}
    for number in range(1, len(bits) + 1):
        for some in combinations(bits, number):
            total = 0
            for one in some:
                total |= one
            found.add(total)
    return sorted(found)
