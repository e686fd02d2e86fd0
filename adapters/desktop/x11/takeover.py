"""Tells input of the user and of other programs from our own as it arrives; and the key chord that stops a run."""

from __future__ import annotations

import os
import select
import threading
import time
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal

import xcffib
from xcffib import xproto

from adapters.desktop.x11.connection import Connection, WindowGone, lost
from adapters.desktop.x11.keysyms import keysym_of
from adapters.desktop.x11.raw_input import Kind, RawInput, SentEvents
from core.errors import DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from core.screens import Point


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


Source = Literal["user", "foreign", "hotkey", "pointer"]

HOT_KEY: Final = ("ctrl", "alt", "escape")
_RELEASES: Final = ("key_release", "button_release")
_WORDS: Final = {
    "key_press": "pressed a key",
    "key_release": "let a key go",
    "button_press": "pressed a mouse button",
    "button_release": "let a mouse button go",
    "motion": "moved the mouse",
    "touch": "touched the screen",
}
_WHEEL: Final = range(4, 8)
_ON_ITS_WAY: Final = 0.03
"""Seconds in which the event of a hand that moved the pointer arrives: it says more than the pointer's place."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """Somebody else has the mouse or the keyboard.

    ``source`` is who: the ``user`` by a real device, a ``foreign`` program that injects input (a remote desktop, an
    automation tool), the ``hotkey``, or ``pointer`` when it is elsewhere than we put it and no device moved it.
    ``detail`` says what was done, as in "you <detail>"; ``at`` is the monotonic clock's second.
    """

    source: Source
    detail: str
    at: float

    @property
    def sentence(self) -> str:
        """For people."""
        if self.source == "hotkey":
            return "The hot key was pressed."
        who = "You" if self.source == "user" else "Another program"
        return f"{who} {self.detail}."


class TakeoverWatch:
    """Watches all input of a display on a thread and a connection of its own, from the moment it is made.

    A mouse that moves by as little as one unit counts; an event that moves nothing does not. Input that reaches the
    display while another program has grabbed it counts as well.

    Args:
        display: the display, e.g. ``:99``.
        ledger: which events are ours.
        report: called on the watch's thread at the first takeover, and not again before ``rearm``; the hot key always
            reports. It must be quick.
        lost: called on that thread with what to say when the display is gone, and the watch with it.
        hot_key: canonical key names, the modifiers first.

    Raises:
        DesktopUnavailable: there is no such display, or its server cannot tell real input from ours.

    """

    def __init__(
        self,
        display: str,
        ledger: SentEvents,
        report: Callable[[Takeover], None],
        *,
        lost: Callable[[str], None] | None = None,
        hot_key: Sequence[str] = HOT_KEY,
    ) -> None:
        self._ledger, self._report, self._lost = ledger, report, lost
        self._server = Connection(display)
        self._asking = Connection(display)
        self._held: set[tuple[int, str, int]] = set()
        self._keys_down: set[int] = set()
        self._reported = self._hot_reported = False
        self._changed = threading.Condition()
        self._last_input = time.monotonic()
        try:
            self._raw = RawInput(self._server)
        except DesktopUnavailable:
            self._server.close()
            self._asking.close()
            raise
        self._hot_key = HotKey(self._server, hot_key)
        self._server.sync()
        self._wake, self._waker = os.pipe()
        self._thread = threading.Thread(target=self._watch, name="takeover watch", daemon=True)
        self._thread.start()

    @property
    def hot_key_grabbed(self) -> bool:
        """Whether the hot key is ours alone; else it stops a run as well, but another program reacts to it too."""
        return self._hot_key.grabbed

    @property
    def last_input(self) -> float:
        """When somebody else's last input arrived, or the watch began: the monotonic clock's second."""
        return self._last_input

    @property
    def quiet_seconds(self) -> float:
        """Seconds since the last input of a person; 0 while a key or a button is held."""
        return 0.0 if self._held else time.monotonic() - self._last_input

    def rearm(self) -> None:
        """Tell of the next takeover again."""
        with self._changed:
            self._reported = self._hot_reported = False

    def pointer_moved_away(self, expected: Point) -> bool:
        """Whether the pointer is elsewhere than where we left it: some program has put it there, which is reported.

        ``expected`` is where the server said that the pointer was after our last motion: it keeps it out of the gaps
        between monitors. Raises ``DesktopLost``.
        """
        with self._asking.held():
            found = self._asking.core.QueryPointer(self._asking.root).reply()
        if (found.root_x, found.root_y) == (expected.x, expected.y):
            return False
        with self._changed:
            is_reported = self._changed.wait_for(lambda: self._reported, _ON_ITS_WAY)
        if not is_reported:
            self._noticed("pointer", "moved the mouse pointer")
        return True

    def close(self) -> None:
        """End the watch; no takeover is reported after this returns, unless ``report`` itself called it."""
        if self._thread is not threading.current_thread() and self._thread.is_alive():
            os.write(self._waker, b"x")
            self._thread.join()
        os.close(self._wake)
        os.close(self._waker)
        self._server.close()
        self._asking.close()

    def _watch(self) -> None:
        try:
            waiting = select.poll()
            waiting.register(self._server.x.get_file_descriptor(), select.POLLIN)
            waiting.register(self._wake, select.POLLIN)
            while True:
                self._drain()
                if any(ready == self._wake for ready, _ in waiting.poll()):
                    return
        except Exception as failure:  # noqa: BLE001 - whatever it is: a run without the watch must not go on
            if self._lost is not None:
                gone = isinstance(failure, xcffib.XcffibException)
                self._lost(
                    lost(self._server.display).message
                    if gone
                    else f"The watch for your input has failed ({type(failure).__name__}); start the run again."
                )

    def _drain(self) -> None:
        """Take every event that has arrived; what a look at the keyboard costs waits until then."""
        keyboard_changed = False
        while True:
            while (event := self._server.x.poll_for_event()) is not None:
                if isinstance(event, xproto.MappingNotifyEvent):
                    keyboard_changed = True
                else:
                    self._take(event)
            if not keyboard_changed:
                return
            keyboard_changed = False
            self._hot_key.read_keyboard()

    def _take(self, event: Any) -> None:
        if self._raw.devices_changed(event):
            self._held.clear()
            self._keys_down.clear()
            return
        raw = self._raw.read(event)
        if raw is None:
            return
        kind, detail, source, injected = raw.kind, raw.detail, raw.source, raw.injected
        if kind == "key_press":
            self._keys_down.add(detail)
        elif kind == "key_release":
            self._keys_down.discard(detail)
        if injected and kind is not None and self._ledger.take(kind, detail):
            return
        if not injected and not raw.moves:
            return
        self._note_held(source, kind, detail)
        if injected and kind in _RELEASES:
            # Letting go is no takeover: injected input presses or moves first. VNC servers clear what they
            # believe to be held, at moments of their own choosing.
            return
        if kind == "key_press" and self._hot_key.pressed(detail, self._keys_down):
            self._noticed("hotkey", "pressed the hot key")
            return
        what = "turned the wheel" if kind == "button_press" and detail in _WHEEL else _WORDS[kind or "touch"]
        self._noticed("foreign" if injected else "user", what)

    def _note_held(self, source: int, kind: Kind | None, detail: int) -> None:
        if kind in {"key_press", "button_press"}:
            self._held.add((source, kind[:3], detail))
        elif kind in {"key_release", "button_release"}:
            self._held.discard((source, kind[:3], detail))

    def _noticed(self, source: Source, detail: str) -> None:
        self._last_input = now = time.monotonic()
        with self._changed:
            if self._hot_reported or (self._reported and source != "hotkey"):
                return
            self._reported = True
            self._hot_reported = source == "hotkey"
            self._changed.notify_all()
        self._report(Takeover(source, detail, now))
