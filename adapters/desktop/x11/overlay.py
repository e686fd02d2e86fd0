"""A small window that says that the agent is in control, and its look; it is in no picture of ours."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import xcffib
from xcffib import composite, randr, shape, xproto

from adapters.desktop.x11.connection import Connection, WindowGone
from adapters.desktop.x11.screen import OVERLAY, OVERLAY_MOVES
from core.screens import Box, Point

if TYPE_CHECKING:
    from PIL import ImageFont


WIDTH: Final = 560
HEIGHT: Final = 50
"""Pixels on a screen of usual resolution; ``draw`` multiplies them by its scale."""
_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf")
_GROUND, _DOT, _BRIGHT, _DIM = (28, 28, 32), (235, 70, 60), (255, 255, 255), (190, 190, 198)
_MARGIN: Final = 12
_DOT_WIDTH: Final = 12
_LONGEST: Final = 400


def draw(title: str, text: str, scale: int) -> bytes:
    """BGRA pixels, ``WIDTH * scale`` by ``HEIGHT * scale``; what does not fit is cut off with an ellipsis."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - its import costs 50 ms, and a run without a banner needs none

    picture = Image.new("RGB", (WIDTH * scale, HEIGHT * scale), _GROUND)
    pen = ImageDraw.Draw(picture)
    dot, left = _MARGIN * scale, (_MARGIN + _DOT_WIDTH + 8) * scale
    pen.ellipse((dot, 10 * scale, dot + _DOT_WIDTH * scale, (10 + _DOT_WIDTH) * scale), _DOT)
    room = (WIDTH - _MARGIN) * scale - left
    for words, size, top, colour in ((title, 14, 7, _BRIGHT), (text, 13, 27, _DIM)):
        font = _font(size * scale)
        pen.text((left, top * scale), _fitting(words, font, room), colour, font=font)
    return picture.convert("RGBA").tobytes("raw", "BGRA")


def _fitting(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, room: int) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])
    if font.getlength(line) <= room and len(text) <= _LONGEST:
        return line
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if font.getlength(line[:middle] + "…") <= room else (low, middle - 1)
    return line[:low] + "…"


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont  # noqa: PLC0415 - see draw

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


TITLE: Final = "Vaider is in control. Move the mouse or press Ctrl+Alt+Esc to stop it."
_SHARP: Final = 1600
"""Rows of a monitor from which on everything is drawn in double size."""
_CLEARANCE: Final = 24
"""Pixels that the overlay keeps from where the agent acts."""
_RAISES: Final = 8
"""How often a second it comes back to the top; somebody who insists more than that wins."""
_CHUNK_BYTES: Final = 200_000
"""A request may be no longer than 256 KiB on every server."""


class Overlay:
    """Shows what the agent is doing, at the top of the first monitor, from the moment it is made until it is closed.

    Input goes through it, it never has the focus, and the server takes it away when its process dies. All windows are
    composited while it is there (the server then keeps the whole content of each), so that ``X11Screen`` can tell what
    lies beneath it without hiding it. On a server that lacks the Composite or the Shape extension it is not shown:
    better no overlay than one in the pictures or in the way.

    Args:
        display: the display, e.g. ``:99``.
        title: its first line: who is in control, and how to stop it.

    Raises:
        DesktopUnavailable: there is no such display.

    """

    def __init__(self, display: str, title: str = TITLE) -> None:
        self._server = Connection(display)
        self._title, self._text = title, ""
        self._lock = threading.Lock()
        self._at_bottom = self._closed = False
        self._scale, self._moves = 1, 0
        self._box = Box(x=0, y=0, width=1, height=1)
        self.shown = self._redirect()
        """Whether it can be shown on this display."""
        self._wake, self._waker = os.pipe()
        self._thread = threading.Thread(target=self._watch, name="overlay", daemon=True)
        if self.shown:
            self._window: int = self._make()
            self._thread.start()

    @property
    def box(self) -> Box:
        """Where it is, in pixels of the desktop."""
        return self._box

    def show(self, text: str) -> None:
        """Show what is being done, in one line; what does not fit is cut off."""
        with self._lock, suppress(xcffib.XcffibException):
            if text != self._text and self.shown and not self._closed:
                self._text = text
                self._paint()

    def keep_clear(self, point: Point) -> None:
        """Go to the other edge of the screen when the agent is about to act here."""
        if not self._box.grown(_CLEARANCE, _CLEARANCE).contains(point):
            return
        with self._lock, suppress(xcffib.XcffibException):
            if self.shown and not self._closed:
                self._at_bottom = not self._at_bottom
                self._place()
                self._server.sync()

    def close(self) -> None:
        """Take it away; it is gone when this returns."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            with suppress(xcffib.XcffibException):
                if self.shown:
                    self._server.core.DestroyWindow(self._window)
                self._server.sync()
        if self._thread.is_alive():
            os.write(self._waker, b"x")
            self._thread.join()
        os.close(self._wake)
        os.close(self._waker)
        self._server.close()

    def _redirect(self) -> bool:
        compositing, shaping = self._server.extension(composite.key), self._server.extension(shape.key)
        if compositing is None or shaping is None:
            return False
        compositing.QueryVersion(0, 4).reply()
        version = shaping.QueryVersion().reply()
        if (version.major_version, version.minor_version) < (1, 1):
            return False
        self._shape = shaping
        try:
            compositing.RedirectSubwindowsChecked(self._server.root, composite.Redirect.Automatic).check()
        except WindowGone:
            return False
        return True

    def _make(self) -> int:
        core, screen, window = self._server.core, self._server.screen, self._server.x.generate_id()
        self._measure()
        box = self._box
        core.CreateWindow(
            screen.root_depth, window, screen.root, box.x, box.y, box.width, box.height, 0,
            xproto.WindowClass.InputOutput, screen.root_visual,
            xproto.CW.OverrideRedirect | xproto.CW.EventMask, [1, xproto.EventMask.VisibilityChange],
        )  # fmt: skip
        self._window = window
        self._name()
        self._shape.Rectangles(shape.SO.Set, shape.SK.Input, 0, window, 0, 0, 0, [])
        root_events = xproto.EventMask.SubstructureNotify | xproto.EventMask.StructureNotify
        core.ChangeWindowAttributes(screen.root, xproto.CW.EventMask, [root_events])
        core.SetSelectionOwner(window, self._server.atom(OVERLAY), 0)
        self._paint()
        core.MapWindow(window)
        self._raise()
        self._server.sync()
        return window

    def _name(self) -> None:
        atom, text = self._server.atom, b"Vaider"
        kind = atom("_NET_WM_WINDOW_TYPE_NOTIFICATION").to_bytes(4, "little")
        for name, of, bits, data in (
            ("WM_CLASS", "STRING", 8, b"vaider-overlay\0Vaider\0"),
            ("WM_NAME", "STRING", 8, text),
            ("_NET_WM_NAME", "UTF8_STRING", 8, text),
            ("_NET_WM_WINDOW_TYPE", "ATOM", 32, kind),
        ):
            self._server.core.ChangeProperty(
                xproto.PropMode.Replace, self._window, atom(name), atom(of), bits, len(data) * 8 // bits, data
            )

    def _measure(self) -> None:
        """Find the monitor, and from it the size and the place."""
        monitor = self._first_monitor()
        self._scale = 2 if monitor.height >= _SHARP else 1
        width, height = min(WIDTH * self._scale, monitor.width), min(HEIGHT * self._scale, monitor.height)
        top = monitor.y + (monitor.height - height if self._at_bottom else 0)
        self._box = Box(x=monitor.x + (monitor.width - width) // 2, y=top, width=width, height=height)

    def _first_monitor(self) -> Box:
        extension: Any = self._server.extension(randr.key)
        with suppress(WindowGone):
            version: Any = extension.QueryVersion(1, 5).reply() if extension else None
            if version and (version.major_version, version.minor_version) >= (1, 5):
                found = list(extension.GetMonitors(self._server.root, 1).reply().monitors)
                for one in sorted(found, key=lambda one: not one.primary)[:1]:
                    return Box(x=one.x, y=one.y, width=one.width, height=one.height)
        geometry = self._server.core.GetGeometry(self._server.root).reply()
        return Box(x=0, y=0, width=geometry.width, height=geometry.height)

    def _place(self) -> None:
        self._measure()
        self._count_move()
        box, which = self._box, xproto.ConfigWindow
        self._server.core.ConfigureWindow(
            self._window, which.X | which.Y | which.Width | which.Height, [box.x, box.y, box.width, box.height]
        )

    def _count_move(self) -> None:
        self._moves = (self._moves + 1) % 2**32
        count, atom = self._moves.to_bytes(4, sys.byteorder), self._server.atom(OVERLAY_MOVES)
        self._server.core.ChangeProperty(
            xproto.PropMode.Replace, self._window, atom, xproto.Atom.CARDINAL, 32, 1, count
        )

    def _raise(self) -> None:
        above = [xproto.StackMode.Above]
        self._server.core.ConfigureWindow(self._window, xproto.ConfigWindow.StackMode, above)

    def _paint(self) -> None:
        """Make the picture the window's background: the server then repaints it without asking."""
        core, depth = self._server.core, self._server.screen.root_depth
        pixmap, context = self._server.x.generate_id(), self._server.x.generate_id()
        width, height = WIDTH * self._scale, HEIGHT * self._scale
        data = draw(self._title, self._text, self._scale)
        core.CreatePixmap(depth, pixmap, self._window, width, height)
        core.CreateGC(context, pixmap, 0, [])
        rows = _CHUNK_BYTES // (width * 4)
        for top in range(0, height, rows):
            part = data[top * width * 4 : (top + rows) * width * 4]
            count = len(part) // (width * 4)
            core.PutImage(xproto.ImageFormat.ZPixmap, pixmap, context, width, count, 0, top, 0, depth, len(part), part)
        core.ChangeWindowAttributes(self._window, xproto.CW.BackPixmap, [pixmap])
        core.ClearArea(0, self._window, 0, 0, 0, 0)
        core.FreeGC(context)
        core.FreePixmap(pixmap)
        self._server.x.flush()

    def _watch(self) -> None:
        waiting = select.poll()
        waiting.register(self._server.x.get_file_descriptor(), select.POLLIN)
        waiting.register(self._wake, select.POLLIN)
        raised: list[float] = []
        with suppress(xcffib.XcffibException):
            while not any(ready == self._wake for ready, _ in waiting.poll()):
                with self._lock:
                    if not self._closed:
                        self._take_events(raised)

    def _take_events(self, raised: list[float]) -> None:
        covered = resized = False
        while (event := self._next_event()) is not None:
            if isinstance(event, xproto.SelectionClearEvent):
                # Another run shows its own: two would cover each other, and only one of them is known to be ours.
                self._server.core.UnmapWindow(self._window)
                self.shown = False
            elif isinstance(event, xproto.ConfigureNotifyEvent) and event.window == self._server.root:
                resized = True
            else:
                covered = True
        if self.shown and resized:
            self._place()
            self._paint()
        if self.shown and covered and self._is_covered():
            now = time.monotonic()
            raised[:] = [at for at in raised if now - at < 1]
            if len(raised) < _RAISES:
                raised.append(now)
                self._raise()
        self._server.x.flush()

    def _next_event(self) -> Any:
        while True:
            try:
                return self._server.x.poll_for_event()
            except WindowGone:
                continue

    def _is_covered(self) -> bool:
        """Whether any window that can be seen is above it and reaches over it."""
        core = self._server.core
        children: list[int] = list(core.QueryTree(self._server.root).reply().children)
        above = children[children.index(self._window) + 1 :] if self._window in children else []
        for window in above:
            attributes, geometry = core.GetWindowAttributes(window), core.GetGeometry(window)
            with suppress(WindowGone):
                seen, place = attributes.reply(), geometry.reply()
                over = self._box.overlap(Box(x=place.x, y=place.y, width=place.width, height=place.height))
                if seen.map_state == xproto.MapState.Viewable and seen._class == 1 and over:  # noqa: SLF001 - a keyword
                    return True
        return False
