"""What the daemon and an acting process say to each other, and how: frames on a pair of sockets.

A frame is two unsigned 32-bit lengths in network order, a header in JSON, and bytes (a picture's, or none). The daemon
asks ``{"id", "do", …}`` and is answered ``{"id", "result"}`` or ``{"id", "error"}``; it may say ``{"cancel": id}`` in
between. The acting process says ``{"notice", "message"}`` unasked.
"""

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Mapping
from typing import Any, Final, cast

from core.errors import (
    ActionFailed,
    Cancelled,
    DesktopLost,
    DesktopUnavailable,
    Internal,
    InvalidRequest,
    TakenOver,
    VaiderError,
)

MAX_HEADER: Final = 16 << 20
"""Bytes; the longest text that may be typed takes less than a twentieth of it."""
MAX_PAYLOAD: Final = 1 << 30
"""Bytes; a picture of 16384 by 16384 pixels."""
_LENGTHS: Final = struct.Struct("!II")
_BUFFER_BYTES: Final = 4 << 20
_KINDS: Final[Mapping[str, type[VaiderError]]] = {
    kind.__name__: kind
    for kind in (ActionFailed, Cancelled, DesktopLost, DesktopUnavailable, Internal, InvalidRequest, TakenOver)
}


class Channel:
    """One end of the pair: any thread may send, one thread receives."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._lock = threading.Lock()
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            end.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)

    def send(self, header: Mapping[str, Any], payload: bytes = b"") -> None:
        """Send a frame. Raises ``OSError`` when the other end is gone."""
        text = json.dumps(header).encode()
        with self._lock:
            self._end.sendall(_LENGTHS.pack(len(text), len(payload)) + text)
            if payload:
                self._end.sendall(payload)

    def receive(self) -> tuple[dict[str, Any], bytes] | None:
        """The next frame; ``None`` when the other end is gone, or has said what is no frame."""
        lengths = self._exactly(_LENGTHS.size)
        if lengths is None:
            return None
        header_bytes, payload_bytes = _LENGTHS.unpack(lengths)
        if header_bytes > MAX_HEADER or payload_bytes > MAX_PAYLOAD:
            return None
        text = self._exactly(header_bytes)
        payload = self._exactly(payload_bytes)
        if text is None or payload is None:
            return None
        try:
            header: Any = json.loads(text)
        except ValueError:
            return None
        return (cast("dict[str, Any]", header), payload) if isinstance(header, dict) else None

    def close(self) -> None:
        """End the talk: both ends notice at once."""
        with contextlib.suppress(OSError):  # the other end was faster
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()

    def _exactly(self, count: int) -> bytes | None:
        whole = b""
        while len(whole) < count:
            # All at once is the rule, and costs a picture no copy; a signal may cut it in two.
            try:
                part = self._end.recv(count - len(whole), socket.MSG_WAITALL)
            except OSError:
                return None
            if not part:
                return None
            whole = whole + part if whole else part
        return whole


def error_message(error: VaiderError) -> dict[str, Any]:
    """An error as it goes into a header."""
    return {"kind": type(error).__name__, "message": error.message, "details": error.details}


def heard(error: Mapping[str, Any]) -> VaiderError:
    """The error that a header tells of; one that is not known is a fault of ours."""
    return _KINDS.get(str(error.get("kind")), Internal)(str(error.get("message")), **error.get("details", {}))
