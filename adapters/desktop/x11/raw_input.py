"""All input of a display as its devices report it, and which of its events we have sent ourselves."""

import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from xcffib import xinput

from adapters.desktop.x11.connection import Connection, WindowGone
from core.errors import DesktopUnavailable

Kind = Literal["key_press", "key_release", "button_press", "button_release", "motion"]

MAX_OUTSTANDING: Final = 20_000
"""Events; the server answers each at once, so only a server that stands still has so many outstanding."""
HELD_SECONDS: Final = 1.0
"""So long, by far, a window manager holds back a click."""


class _Credit(NamedTuple):
    kind: Kind
    detail: int
    at: float


class SentEvents:
    """Credits for the XTEST events that we send, taken when the server reports them.

    One sender at a time: of each device, the server reports events in the order in which one connection sent them. So
    a credit that is older than the one that is taken belongs to an event that the server swallowed (a held modifier
    pressed again is reported once), and is dropped: it cannot excuse somebody else's event later. An event of somebody
    else that looks like one of ours takes its credit, and then ours is the one without: either way the takeover is
    noticed. Mouse and keyboard are two devices: a window manager that grabs a click holds back what the mouse does
    until it has raised the window, and letters that were sent after it overtake it. So of the other device, only what
    is older by ``HELD_SECONDS`` is taken for swallowed.

    Args:
        clock: seconds that only go on.

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mouse: deque[_Credit] = deque(maxlen=MAX_OUTSTANDING)
        self._keyboard: deque[_Credit] = deque(maxlen=MAX_OUTSTANDING)
        self._lock = threading.Lock()

    def record(self, kind: Kind, detail: int = 0) -> None:
        """Call right before each XTEST event is sent; ``detail`` is its keycode or button, 0 of a motion."""
        with self._lock:
            self._of(kind)[0].append(_Credit(kind, 0 if kind == "motion" else detail, self._clock()))

    def take(self, kind: Kind, detail: int = 0) -> bool:
        """Whether the XTEST event that has arrived is ours."""
        wanted = (kind, 0 if kind == "motion" else detail)
        with self._lock:
            own, other = self._of(kind)
            taken = next((at for at, credit in enumerate(own) if credit[:2] == wanted), None)
            if taken is None:
                return False
            sent_at = own[taken].at
            for _ in range(taken + 1):
                own.popleft()
            while other and other[0].at < sent_at - HELD_SECONDS:
                other.popleft()
            return True

    @property
    def outstanding(self) -> int:
        """How many events were sent and not yet reported."""
        return len(self._mouse) + len(self._keyboard)

    def _of(self, kind: Kind) -> tuple[deque[_Credit], deque[_Credit]]:
        """The credits of the kind's device, and those of the other one."""
        if kind in {"key_press", "key_release"}:
            return self._keyboard, self._mouse
        return self._mouse, self._keyboard


_ALL_DEVICES, _ALL_MASTERS = 0, 1
_HIERARCHY: Final = 11
_KINDS: Final[dict[int, Kind]] = {
    13: "key_press",
    14: "key_release",
    15: "button_press",
    16: "button_release",
    17: "motion",
}
_TOUCHES: Final = (22, 23)
_RAW_DETAIL: Final = struct.Struct("=10xHIIHH")
"""Of ``xXIRawEvent`` (XI2proto.h): device, time, detail, source device, words of the valuators' mask."""
_VALUATORS_AT: Final = 32
_PAIR: Final = struct.Struct("=i4xi4x")


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One event: a keycode or a button is its ``detail``; without a ``kind`` it is a touch.

    ``injected`` says whether a program sent it by XTEST; ``moves`` whether a motion moves anything; ``values`` are its
    first two numbers: how far a device was moved, or, mostly, where to a program has moved the pointer.
    """

    kind: Kind | None
    detail: int
    source: int
    injected: bool
    moves: bool
    values: tuple[int, int] | None = None


class RawInput:
    """Has the server tell a connection of all input, and reads what it tells. Used by one thread.

    Args:
        server: the connection that gets the events.

    Raises:
        DesktopUnavailable: the server cannot tell real input from injected.

    """

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._xtest: dict[int, bool] = {}
        extension: Any = server.extension(xinput.key)
        fit = extension is not None
        try:
            if fit:
                extension.XIQueryVersion(2, 2).reply()
                raw = sum(1 << number for number in (*_KINDS, *_TOUCHES))
                masks = [(_ALL_MASTERS, raw), (_ALL_DEVICES, 1 << _HIERARCHY)]
                events = [xinput.EventMask.synthetic(device, 1, [mask]) for device, mask in masks]
                extension.XISelectEventsChecked(server.root, len(events), events).check()
        except WindowGone:
            fit = False
        if not fit:
            raise DesktopUnavailable(
                f"The display {server.display} cannot tell your input from Vaider's (it lacks XInput 2.2); "
                "use another X server, or --display private."
            )
        self._extension = extension
        self._property = server.atom("XTEST Device")

    def devices_changed(self, event: Any) -> bool:
        """Whether the event says that devices came or went: nothing that was held on them is known any more."""
        if getattr(event, "event_type", 0) != _HIERARCHY:
            return False
        self._xtest.clear()
        return True

    def read(self, event: Any) -> RawEvent | None:
        """What the event tells of input, ``None`` if nothing."""
        number: int = getattr(event, "event_type", 0)
        if number not in _KINDS and number not in _TOUCHES:
            return None
        data = event.unpacker.buf
        _, _, detail, source, words = _RAW_DETAIL.unpack_from(data)
        kind = _KINDS.get(number)
        values = _values(data, words) if kind == "motion" else b""
        moves = kind != "motion" or any(values)
        pair = _PAIR.unpack_from(values) if len(values) >= _PAIR.size else None
        return RawEvent(kind, detail, source, self._is_xtest(source), moves, pair)

    def _is_xtest(self, device: int) -> bool:
        """Whether the device is the one through which programs inject input; the server marks it so."""
        known = self._xtest.get(device)
        if known is None:
            try:
                reply = self._extension.XIGetProperty(device, 0, self._property, 0, 0, 1).reply()
                known = reply.format == 8 and list(reply.data8) == [1]  # noqa: PLR2004 - bits
            except WindowGone:
                known = False
            self._xtest[device] = known
        return known


def _values(data: Any, words: int) -> bytes:
    """The valuators of a motion, 32.32 fixed-point numbers, as far as they were moved."""
    mask = bytes(data[_VALUATORS_AT : _VALUATORS_AT + 4 * words])
    count = sum(byte.bit_count() for byte in mask)
    return bytes(data[_VALUATORS_AT + 4 * words : _VALUATORS_AT + 4 * words + 8 * count])
