"""The windows of an X display, as the user sees them: with frames, without what is hidden."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from xcffib import res, xproto

from adapters.desktop.x11.connection import Connection, WindowGone
from core.screens import Box, Window

_MAX_WORDS: Final = 1024
"""Of four bytes, of any property: a title longer than that is no title."""
_ANY: Final = 0
_LOCAL_CLIENT_PID: Final = 2
"""``LocalClientPIDMask`` of the X-Resource extension 1.2: the kernel's word, not the window's."""
_TEXTS: Final = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS")
_UTF8_BEGINS: Final = b"\x1b%G"
_UTF8_ENDS: Final = b"\x1b%@"
_NUMBERS: Final = ("_NET_WM_PID", "_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS", "_NET_WM_STATE")


@dataclass(slots=True)
class _WindowQuery:
    """Everything that was asked about one window, all at once: a round trip each would take milliseconds."""

    window: int
    properties: dict[str, Any]
    attributes: Any
    geometry: Any
    origin: Any
    client: Any


class WindowList:
    """Lists the windows of a display. Not safe to share between threads.

    Args:
        display: the display, e.g. ``:99``.

    Raises:
        DesktopUnavailable: there is no such display.

    """

    def __init__(self, display: str) -> None:
        self._server = Connection(display)
        self._resources = self._server.extension(res.key)

    def windows(self) -> Sequence[Window]:
        """What is shown, the topmost first; a window that dies meanwhile is left out. Raises ``DesktopLost``."""
        with self._server.held():
            stacked = self._numbers(self._server.root, "_NET_CLIENT_LIST_STACKING")
            managed = bool(stacked) or bool(self._numbers(self._server.root, "_NET_SUPPORTING_WM_CHECK"))
            if not managed:
                stacked = tuple(self._server.core.QueryTree(self._server.root).reply().children)
            focused = self._focused(stacked)
            asked = [self._ask(window) for window in reversed(stacked)]
            found = [self._answer(one, focused) for one in asked]
        return [window for window in found if window is not None]

    def close(self) -> None:
        """End its connection."""
        self._server.close()

    def _focused(self, stacked: Sequence[int]) -> int:
        active = self._numbers(self._server.root, "_NET_ACTIVE_WINDOW")
        if active and active[0]:
            return active[0]
        window: int = self._server.core.GetInputFocus().reply().focus
        while window not in stacked:
            try:
                tree = self._server.core.QueryTree(window).reply()
            except WindowGone:
                return 0
            if tree.parent in (0, tree.root):
                return 0
            window = tree.parent
        return window

    def _ask(self, window: int) -> _WindowQuery:
        core, atom = self._server.core, self._server.atom
        return _WindowQuery(
            window,
            {name: core.GetProperty(0, window, atom(name), _ANY, 0, _MAX_WORDS) for name in (*_TEXTS, *_NUMBERS)},
            core.GetWindowAttributes(window),
            core.GetGeometry(window),
            core.TranslateCoordinates(window, self._server.root, 0, 0),
            self._resources
            and self._resources.QueryClientIds(1, [res.ClientIdSpec.synthetic(window, _LOCAL_CLIENT_PID)]),
        )

    def _answer(self, asked: _WindowQuery, focused: int) -> Window | None:
        properties = {name: _taken(cookie) for name, cookie in asked.properties.items()}
        attributes, geometry, origin = _taken(asked.attributes), _taken(asked.geometry), _taken(asked.origin)
        client = _taken(asked.client) if asked.client else None
        if attributes is None or geometry is None or origin is None:
            return None
        if attributes.map_state != xproto.MapState.Viewable or attributes._class != xproto.WindowClass.InputOutput:  # noqa: SLF001 - so xcffib spells a field that is a keyword
            return None
        if attributes.override_redirect or self._server.atom("_NET_WM_STATE_HIDDEN") in numbers_of(
            properties["_NET_WM_STATE"]
        ):
            return None
        outside = _four(properties["_NET_FRAME_EXTENTS"])
        shadow = _four(properties["_GTK_FRAME_EXTENTS"])
        left, right, top, bottom = (more - less for more, less in zip(outside, shadow, strict=True))
        border = geometry.border_width
        return Window(
            id=asked.window,
            title=text_of(properties["_NET_WM_NAME"]) or text_of(properties["WM_NAME"]),
            application=_words(properties["WM_CLASS"])[1],
            # Where the server knows its clients, a window's own claim counts for nothing.
            pid=pid_of(client) if self._resources else _first(numbers_of(properties["_NET_WM_PID"])),
            box=Box(
                x=origin.dst_x - border - left,
                y=origin.dst_y - border - top,
                width=geometry.width + 2 * border + left + right,
                height=geometry.height + 2 * border + top + bottom,
            ),
            focused=asked.window == focused,
        )

    def _numbers(self, window: int, name: str) -> tuple[int, ...]:
        cookie = self._server.core.GetProperty(0, window, self._server.atom(name), _ANY, 0, _MAX_WORDS)
        return numbers_of(_taken(cookie))


def _taken(cookie: Any) -> Any:
    """The reply, or ``None`` when the window has died."""
    try:
        return cookie.reply()
    except WindowGone:
        return None


def _raw(reply: Any, bits: int) -> bytes:
    """A property's bytes, if it is made of items of so many bits: any client may have written anything."""
    return bytes(reply.value.raw) if reply is not None and reply.format == bits else b""


def numbers_of(reply: Any) -> tuple[int, ...]:
    """A property's numbers of 32 bits, if it has such."""
    data = _raw(reply, 32)
    return struct.unpack(f"={len(data) // 4}I", data)


def _first(numbers: Sequence[int]) -> int | None:
    return numbers[0] or None if numbers else None


def _four(reply: Any) -> tuple[int, int, int, int]:
    """Left, right, top, bottom, in pixels; a frame of more than a thousand is none."""
    numbers = numbers_of(reply)[:4]
    if len(numbers) != 4 or max(numbers) > 1000:  # noqa: PLR2004 - the four sides
        return 0, 0, 0, 0
    left, right, top, bottom = numbers
    return left, right, top, bottom


def text_of(reply: Any, keep: str = "") -> str:
    """A title: UTF-8, or Latin-1 with escaped passages in UTF-8 (``COMPOUND_TEXT``); no control character but these."""
    data = _raw(reply, 8)
    try:
        text = "" if _UTF8_BEGINS in data else data.decode()
    except UnicodeDecodeError:
        text = ""
    if not text:
        for number, passage in enumerate(data.replace(_UTF8_ENDS, _UTF8_BEGINS).split(_UTF8_BEGINS)):
            text += passage.decode("utf-8" if number % 2 else "latin-1", errors="replace")
    return "".join(letter if letter.isprintable() or letter in keep else " " for letter in text).strip()


def _words(reply: Any) -> tuple[str, str]:
    """The instance and the class of ``WM_CLASS``: two words, each ended by a zero byte."""
    parts = _raw(reply, 8).split(b"\0")
    return parts[0].decode(errors="replace"), parts[1].decode(errors="replace") if len(parts) > 1 else ""


def pid_of(client: Any) -> int | None:
    """The process in an answer to ``QueryClientIds``."""
    for one in client.ids if client is not None else ():
        if one.spec.mask == _LOCAL_CLIENT_PID and len(one.value):
            return int(one.value[0]) or None
    return None
