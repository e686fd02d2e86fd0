"""All input of a display as its devices tell it, whoever has grabbed it: what was pressed, and on which device."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from xcffib import xinput

from adapters.desktop.x11.connection import Connection, WindowGone
from core.errors import DesktopUnavailable

if TYPE_CHECKING:
    from adapters.desktop.x11.ledger import Kind

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
