"""Pictures of an X display without our own overlay: each window's own content lies beneath it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import mss
import numpy as np
from mss.exception import ScreenShotError
from xcffib import composite, shape, xproto

from adapters.desktop.x11.connection import Connection, WindowGone, lost
from core.errors import DesktopLost, DesktopUnavailable
from core.screens import Box, Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


OVERLAY: Final = "_VAIDER_OVERLAY"
"""The selection that the overlay's window owns: so anybody finds it, and its death takes the name along."""
OVERLAY_MOVES: Final = "_VAIDER_OVERLAY_MOVES"
"""A property of that window, four bytes that change before each move: it may have been elsewhere and come back."""
_BROKEN: Final = (ScreenShotError, AssertionError)
"""What mss raises: the second where the display dies before it has answered."""
_ALL_PLANES: Final = 0xFFFFFFFF
_PIXEL_BITS: Final = (24, 32)
_HEADER_WORDS: Final = 8
"""Of four bytes, before the data of any reply."""


@dataclass(frozen=True, slots=True)
class OverlayPlace:
    """Our overlay's window and where it is; ``moves`` is what it says of how often it has moved."""

    window: int
    box: Box
    moves: bytes = b""


@dataclass(frozen=True, slots=True)
class _Layer:
    """A window directly on the root; ``box`` includes its border."""

    window: int
    box: Box
    border: int


class Beneath:
    """Looks beneath the overlay of a display. Not safe to share between threads.

    The overlay has all windows composited while it is shown (``Overlay`` says how), so that the server keeps the whole
    content of each. The root window has no such content of its own; a window that is never shown and whose background
    is the root's stands in for it.

    Args:
        server: a connection that lives as long.

    """

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._composite = server.extension(composite.key)
        self._shape = server.extension(shape.key)
        if self._composite is not None:
            self._composite.QueryVersion(0, 4).reply()
        self._backdrop: OverlayPlace | None = None

    def overlay(self) -> OverlayPlace | None:
        """Where the overlay is shown, clipped to the screen; ``None`` when there is none."""
        core = self._server.core
        owner = core.GetSelectionOwner(self._server.atom(OVERLAY)).reply().owner
        if not owner:
            return None
        attributes, geometry = core.GetWindowAttributes(owner), core.GetGeometry(owner)
        # After the place: a pointer that moved away and back has counted twice before the old place is reported again.
        counted = core.GetProperty(0, owner, self._server.atom(OVERLAY_MOVES), xproto.Atom.CARDINAL, 0, 1)
        screen = core.GetGeometry(self._server.root)
        moves = b""
        try:
            shown = attributes.reply().map_state == xproto.MapState.Viewable
            place = geometry.reply()
            moves = bytes(counted.reply().value.raw)
        except WindowGone:
            shown, place = False, None
        whole = screen.reply()
        if not shown or place is None:
            return None
        box = Box(x=place.x, y=place.y, width=place.width, height=place.height).common(
            Box(x=0, y=0, width=whole.width, height=whole.height)
        )
        return OverlayPlace(owner, box, moves) if box.width and box.height else None

    def pixels(self, overlay: OverlayPlace) -> NDArray[np.uint32] | None:
        """The pixels that would be seen without the overlay; ``None`` when a window died meanwhile: look again."""
        box = overlay.box
        found = np.zeros((box.height, box.width), np.uint32)
        wanted = np.ones((box.height, box.width), np.bool_)
        try:
            for layer in self._layers(overlay):
                if not wanted.any():
                    break
                self._lay(layer, box, found, wanted)
            if wanted.any():
                found[wanted] = self._background(overlay)[wanted]
        except WindowGone:
            return None
        return found

    def _layers(self, overlay: OverlayPlace) -> Sequence[_Layer]:
        """The windows that reach beneath the overlay, the topmost first."""
        core = self._server.core
        ours = {overlay.window, self._backdrop.window if self._backdrop else 0}
        children: list[int] = core.QueryTree(self._server.root).reply().children
        asked = [
            (window, core.GetWindowAttributes(window), core.GetGeometry(window))
            for window in reversed(children)
            if window not in ours
        ]
        layers: list[_Layer] = []
        for window, attributes, geometry in asked:
            try:
                seen, place = attributes.reply(), geometry.reply()
            except WindowGone:
                continue
            side = 2 * place.border_width
            box = Box(x=place.x, y=place.y, width=place.width + side, height=place.height + side)
            if seen.map_state == xproto.MapState.Viewable and place.depth in _PIXEL_BITS and box.overlap(overlay.box):
                layers.append(_Layer(window, box, place.border_width))
        return layers

    def _lay(self, layer: _Layer, box: Box, found: NDArray[np.uint32], wanted: NDArray[np.bool_]) -> None:
        """Put in what a window shows where nothing above it does."""
        part = layer.box.common(box)
        rows = slice(part.y - box.y, part.y - box.y + part.height)
        columns = slice(part.x - box.x, part.x - box.x + part.width)
        mine = wanted[rows, columns] & self._shaped(layer, part)
        if not mine.any():
            return
        inside_x, inside_y = layer.box.x + layer.border, layer.box.y + layer.border
        image = self._image(
            layer.window, Box(x=part.x - inside_x, y=part.y - inside_y, width=part.width, height=part.height)
        )
        found[rows, columns][mine] = image[mine]
        wanted[rows, columns] &= ~mine

    def _shaped(self, layer: _Layer, part: Box) -> NDArray[np.bool_]:
        """Where in that part of the screen the window has pixels at all."""
        mask = np.zeros((part.height, part.width), np.bool_)
        # Of a window without a shape the server tells rectangles that lack half of the border.
        if self._shape is None or not self._shape.QueryExtents(layer.window).reply().bounding_shaped:
            mask[:] = True
            return mask
        left, top = layer.box.x + layer.border - part.x, layer.box.y + layer.border - part.y
        for one in self._shape.GetRectangles(layer.window, shape.SK.Bounding).reply().rectangles:
            x, y = left + one.x, top + one.y
            mask[max(0, y) : max(0, y + one.height), max(0, x) : max(0, x + one.width)] = True
        return mask

    def _image(self, window: int, box: Box) -> NDArray[np.uint32]:
        asked = self._server.core.GetImage(
            xproto.ImageFormat.ZPixmap, window, box.x, box.y, box.width, box.height, _ALL_PLANES
        )
        # Taken as it came: xcffib would make a list of its bytes, which takes forty times as long.
        reply = self._server.x.wait_for_reply(asked.sequence)
        data = np.frombuffer(bytes(reply.buf), np.uint32)[_HEADER_WORDS:]
        return data[: box.width * box.height].reshape(box.height, box.width)

    def _background(self, overlay: OverlayPlace) -> NDArray[np.uint32]:
        """The root's background there; the server tells it only by painting a window with it."""
        box = overlay.box
        if self._backdrop is None or self._backdrop.box != box:
            self._end_backdrop()
            self._backdrop = OverlayPlace(self._make_backdrop(box), box)
        window = self._backdrop.window
        self._server.core.ClearArea(0, window, 0, 0, 0, 0)
        return self._image(window, Box(x=0, y=0, width=box.width, height=box.height))

    def _make_backdrop(self, box: Box) -> int:
        """A window beneath all others, composited by hand (that is: not at all), which lets all input through."""
        core, window = self._server.core, self._server.x.generate_id()
        core.CreateWindow(
            self._server.screen.root_depth, window, self._server.root, box.x, box.y, box.width, box.height, 0,
            xproto.WindowClass.InputOutput, self._server.screen.root_visual,
            xproto.CW.BackPixmap | xproto.CW.OverrideRedirect, [xproto.BackPixmap.ParentRelative, 1],
        )  # fmt: skip
        core.ConfigureWindow(window, xproto.ConfigWindow.StackMode, [xproto.StackMode.Below])
        if self._shape is not None:
            self._shape.Rectangles(shape.SO.Set, shape.SK.Input, 0, window, 0, 0, 0, [])
        if self._composite is not None:
            self._composite.RedirectWindow(window, composite.Redirect.Manual)
        core.MapWindow(window)
        return window

    def _end_backdrop(self) -> None:
        if self._backdrop is not None:
            self._server.core.DestroyWindow(self._backdrop.window)
            self._backdrop = None


_ATTEMPTS: Final = 3
"""Looks, while what lies beneath the overlay changes during each; the last one stands."""
_MOST_ATTEMPTS: Final = 20
"""Looks, while the overlay moves or the screen changes its size during each."""
_OPAQUE: Final = np.uint32(0xFF000000)


class X11Screen:
    """Looks at a display; safe to share between threads.

    Args:
        display: the display, e.g. ``:99``.

    Raises:
        DesktopUnavailable: there is no such display, or its pixels have no 32 bits.

    """

    def __init__(self, display: str) -> None:
        self._server = Connection(display)
        self._beneath = Beneath(self._server)
        self._lock = threading.Lock()
        self._grabber: Any = None
        self._grabbed_size = (0, 0)
        try:
            self._grabber = mss.MSS(display=display)
        except ScreenShotError as error:
            self._server.close()
            raise DesktopUnavailable(
                f"No picture can be taken of the display {display} ({error}); it needs a depth of 24 bits."
            ) from None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together, in pixels; it changes when the user plugs one in."""
        with self._server.held():
            geometry = self._server.core.GetGeometry(self._server.root).reply()
            return geometry.width, geometry.height

    def grab(self) -> Picture:
        """The whole screen as it is now, without the pointer and without our overlay; all its pixels are opaque.

        Raises ``DesktopLost`` when the display is gone.
        """
        with self._lock, self._server.held():
            for attempt in range(_MOST_ATTEMPTS):
                overlay = self._beneath.overlay()
                before = None if overlay is None else self._beneath.pixels(overlay)
                taken = time.monotonic()
                shot = self._shoot()
                if shot is None or self._beneath.overlay() != overlay:
                    continue
                if overlay is not None:
                    after = self._beneath.pixels(overlay)
                    calm = before is not None and after is not None and np.array_equal(before, after)
                    if after is None or not (calm or attempt + 1 >= _ATTEMPTS):
                        continue
                    left, top = overlay.box.x, overlay.box.y
                    shot[top : top + after.shape[0], left : left + after.shape[1]] = after
                shot |= _OPAQUE
                return Picture(width=shot.shape[1], height=shot.shape[0], bgra=shot.tobytes(), taken=taken)
        raise DesktopLost(f"The display {self._server.display} changes its size faster than it can be looked at.")

    def _shoot(self) -> NDArray[np.uint32] | None:
        """All pixels as they are, our overlay too; ``None`` when the size has changed meanwhile."""
        width, height = self.size
        try:
            if (width, height) != self._grabbed_size:
                self._grabber.close()
                self._grabber = mss.MSS(display=self._server.display)
                self._grabbed_size = width, height
            shot = self._grabber.grab({"left": 0, "top": 0, "width": width, "height": height})
        except _BROKEN:
            if self.size == (width, height):
                raise lost(self._server.display) from None
            return None
        return np.frombuffer(shot.raw, np.uint32).reshape(height, width)

    def close(self) -> None:
        """End its connections."""
        with self._lock:
            # Of a display that is gone, it says so.
            with suppress(ScreenShotError):
                self._grabber.close()
            self._server.close()
