"""Programs that tell what input they got: a bare window, a Tk window, an xterm, and who else has the clipboard."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import xcffib
import xcffib.xproto
from xcffib import keysymdef, xkb

from tests.clock import until
from tests.fakes.desktops.x_user import running

_PAD = Path(__file__).parents[2] / "apps" / "pad.py"
_FIRST_NAMED = 0xFE00
_EVENTS = {2: "key_press", 3: "key_release", 4: "button_press", 5: "button_release", 6: "motion"}


class Got(NamedTuple):
    """An input event as a window got it: where, with which modifiers (1 shift, 4 control, 8 alt), and when."""

    kind: str
    detail: int
    x: int
    y: int
    state: int
    time: int


class Listening:
    """A window over the whole screen that has the keyboard and notes every event."""

    def __init__(self, display: str, *, shown: bool = True) -> None:
        self._x: Any = xcffib.connect(display)
        names = {value: name.removeprefix("XK_") for name, value in vars(keysymdef).items() if name.startswith("XK_")}
        self._names: dict[int, str] = names | {0xFF55: "Page_Up", 0xFF56: "Page_Down"}
        screen = self._x.setup.roots[0]
        self._window = self._x.generate_id()
        masks = xcffib.xproto.EventMask
        events = masks.KeyPress | masks.KeyRelease | masks.ButtonPress | masks.ButtonRelease | masks.PointerMotion
        flags = xcffib.xproto.CW.OverrideRedirect | xcffib.xproto.CW.EventMask
        self._x.core.CreateWindow(
            *(0, self._window, screen.root, 0, 0, screen.width_in_pixels, screen.height_in_pixels, 0, 1, 0),
            *(flags, [1, events]),
        )
        if shown:
            self._x.core.MapWindow(self._window)
            self._x.core.SetInputFocus(0, self._window, 0)
        self.events()

    def events(self) -> list[Got]:
        """What has arrived since the last time."""
        self._x.core.GetInputFocus().reply()
        events: list[Got] = []
        while (event := self._x.poll_for_event()) is not None:
            kind = _EVENTS.get(event.response_type & 0x7F)
            if kind is not None:
                events.append(Got(kind, event.detail, event.root_x, event.root_y, event.state, event.time))
        return events

    def name(self, keycode: int) -> str:
        """What X calls the first symbol of a key."""
        return self._names.get(self._symbols(keycode)[0], "")

    def typed(self) -> str:
        """The characters of the keys that were pressed since the last time, in a layout without AltGr."""
        pressed = [event for event in self.events() if event.kind == "key_press"]
        levels = [(self._symbols(event.detail), event.state & 1) for event in pressed]
        symbols = [found[shift] or found[0] for found, shift in levels]
        return "".join(chr(symbol) for symbol in symbols if symbol < _FIRST_NAMED)

    def _symbols(self, keycode: int) -> list[int]:
        return list(self._x.core.GetKeyboardMapping(keycode, 1).reply().keysyms)

    def keys_down(self) -> list[int]:
        """The keycodes that are down."""
        octets = self._x.core.QueryKeymap().reply().keys
        return [at * 8 + bit for at, octet in enumerate(octets) for bit in range(8) if octet >> bit & 1]

    def buttons_down(self) -> int:
        """The buttons that are down, as the bits of the state."""
        root = self._x.setup.roots[0].root
        return int(self._x.core.QueryPointer(root).reply().mask) & 0x1F00

    def layout(self) -> list[int]:
        """All symbols of all keys."""
        return list(self._x.core.GetKeyboardMapping(8, 248).reply().keysyms)

    def locks(self) -> int:
        """The modifiers that are on."""
        root = self._x.setup.roots[0].root
        return int(self._x.core.QueryPointer(root).reply().mask) & 0xFF

    def switch_group(self, group: int) -> None:
        """Switch to another of the layouts that are set."""
        extension: Any = self._x(xkb.key)
        extension.UseExtension(1, 0).reply()
        extension.LatchLockState(0x100, 0, 0, 1, group, 0, 0, 0)
        self._x.core.GetInputFocus().reply()

    def close(self) -> None:
        """Go away."""
        self._x.disconnect()


class Pad:
    """The Tk program of ``tests/apps/pad.py``."""

    def __init__(self, program: subprocess.Popen[bytes]) -> None:
        self._program = program

    def ask(self, request: str) -> str:
        """What it answers."""
        self.report(request)
        return self.answer()

    def report(self, request: str) -> None:
        """Ask, without waiting for the answer."""
        assert self._program.stdin is not None
        self._program.stdin.write(request.encode() + b"\n")
        self._program.stdin.flush()

    def answer(self) -> str:
        """The next answer."""
        assert self._program.stdout is not None
        return str(json.loads(self._program.stdout.readline()))


@contextmanager
def pad(display: str) -> Generator[Pad]:
    """The Tk program, shown and with the keyboard on its page."""
    environment = {**os.environ, "DISPLAY": display}
    pipe = subprocess.PIPE
    with running([sys.executable, str(_PAD)], stdin=pipe, stdout=pipe, env=environment) as program:
        found = Pad(program)
        found.ask("select page")
        await_focus(display, "pad")
        yield found
        assert program.stdin is not None
        program.stdin.close()
        assert program.stdout is not None
        program.stdout.close()


@contextmanager
def terminal(display: str, file: Path) -> Generator[None]:
    """An xterm whose program writes what it is given to a file."""
    environment = {**os.environ, "DISPLAY": display, "LC_ALL": "C.UTF-8"}
    with running(["xterm", "-u8", "-geometry", "100x20+10+10", "-e", "tee", str(file)], env=environment):
        await_focus(display, "xterm")
        until(file.exists)
        yield


def await_focus(display: str, application: str) -> None:
    """Wait until a window of that class has the keyboard."""
    x: Any = xcffib.connect(display)
    try:
        until(lambda: application in _class_of_focus(x))
    finally:
        x.disconnect()


def _class_of_focus(x: Any) -> str:
    window = x.core.GetInputFocus().reply().focus
    try:
        while window > 1:
            reply = x.core.GetProperty(0, window, xcffib.xproto.Atom.WM_CLASS, 0, 0, 100).reply()
            name = bytes(reply.value.buf()).decode().lower()
            if name:
                return name
            window = x.core.QueryTree(window).reply().parent
    except xcffib.Error:
        pass
    return ""


@dataclass
class Sent:
    """A ledger that notes what it is told."""

    events: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def record(self, kind: str, detail: int) -> None:
        """Note it."""
        self.events.append((kind, detail))


def never() -> None:
    """Check nothing."""
