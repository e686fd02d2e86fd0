"""The protocol of X selections (ICCCM 2): fetches what others own, in any size, and serves what we own."""

from __future__ import annotations

import select
import struct
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xcffib
import xcffib.xproto

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.desktop.x11.connection import Connection

_PROPERTY_NOTIFY: Final = 28
_SELECTION_CLEAR: Final = 29
_SELECTION_REQUEST: Final = 30
_SELECTION_NOTIFY: Final = 31
_PROPERTY_CHANGE: Final = 0x400000
_CHUNK_BYTES: Final = 128 * 1024
_MAX_BYTES: Final = 64 * 1024 * 1024
_MAX_FORMATS: Final = 24
_META: Final = frozenset(
    {"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY"}
)
_TEXTS: Final = ("UTF8_STRING", "text/plain;charset=utf-8", "STRING", "TEXT", "text/plain")


class Data(NamedTuple):
    """The value of a property: its type, 8, 16 or 32, and its bytes."""

    kind: int
    width: int
    data: bytes


Content = dict[int, Data]
"""What a selection holds, by the atoms of the formats in which it is offered."""


@dataclass
class _Owned:
    content: Content
    reader: int | None
    """Only windows of this client are served, if given."""
    served: Callable[[], None] | None


@dataclass
class _Transfer:
    """A value that is handed over piece by piece: the next when the reader has deleted the last."""

    data: Data
    served: Callable[[], None] | None
    at: int = 0


@dataclass
class Selections:
    """A window that owns and asks for selections. Used by one thread; the connection is its own."""

    connection: Connection
    last_request: float = field(default_factory=time.monotonic)
    _owned: dict[int, _Owned] = field(default_factory=dict[int, _Owned])
    _transfers: dict[tuple[int, int], _Transfer] = field(default_factory=dict[tuple[int, int], _Transfer])
    _window: int = 0

    def __post_init__(self) -> None:
        """Make the window; it is never shown."""
        x = self.connection
        self._window = x.x.generate_id()
        mask, values = xcffib.xproto.CW.EventMask, [_PROPERTY_CHANGE]
        x.core.CreateWindow(0, self._window, x.root, -10, -10, 1, 1, 0, 2, 0, mask, values)
        x.sync()

    def text(self, text: str) -> Content:
        """What a text is as a selection."""
        atom, data = self.connection.atom, text.encode()
        content = {atom(name): Data(atom(name), 8, data) for name in _TEXTS[:2]}
        content[atom("TEXT")] = Data(atom("UTF8_STRING"), 8, data)
        if all(ord(character) <= 0xFF for character in text):  # noqa: PLR2004 - Latin 1, which is what STRING is
            content[atom("STRING")] = Data(atom("STRING"), 8, text.encode("latin-1"))
        return content

    def owner(self, selection: str) -> int:
        """The window that owns it, 0 if none."""
        return int(self.connection.core.GetSelectionOwner(self.connection.atom(selection)).reply().owner)

    def held(self, selection: str) -> Content | None:
        """What we offer there, if it is ours."""
        owned = self._owned.get(self.connection.atom(selection))
        return None if owned is None else owned.content

    def own(
        self,
        selection: str,
        content: Content,
        *,
        reader: int | None = None,
        served: Callable[[], None] | None = None,
    ) -> bool:
        """Offer something, to one client or to all; ``served`` is called when it has been handed over."""
        atom = self.connection.atom(selection)
        self._owned[atom] = _Owned(content, reader, served)
        self.connection.core.SetSelectionOwner(self._window, atom, 0)
        return self.owner(selection) == self._window

    def disown(self, selection: str) -> None:
        """Offer nothing any more."""
        atom = self.connection.atom(selection)
        if self._owned.pop(atom, None) is not None and self.owner(selection) == self._window:
            self.connection.core.SetSelectionOwner(0, atom, 0)
            self.connection.sync()

    def wait(self, seconds: float | None, others: Sequence[int] = ()) -> None:
        """Wait for something to arrive, from the server or on the other files, and serve what is asked for."""
        self.connection.x.flush()
        if not self.serve():
            select.select([self.connection.x.get_file_descriptor(), *others], [], [], seconds)
            self.serve()

    def serve(self) -> bool:
        """Answer what has arrived; whether there was anything."""
        any_event = False
        while (event := self.connection.x.poll_for_event()) is not None:
            any_event = True
            self._take(event)
        self.connection.x.flush()
        return any_event

    def fetch(self, selection: str, seconds: float) -> Content:
        """All that its owner offers and hands over in so many seconds, texts first."""
        deadline = time.monotonic() + seconds
        atom = self.connection.atom
        targets = self._converted(selection, atom("TARGETS"), deadline)
        offered = [] if targets is None else list(struct.unpack(f"={len(targets.data) // 4}I", targets.data))
        texts = [atom(name) for name in _TEXTS]
        offered = sorted(offered or texts[:1], key=lambda target: target not in texts)
        meta = {atom(name) for name in _META}
        content: Content = {}
        for target in [target for target in offered if target not in meta][:_MAX_FORMATS]:
            data = self._converted(selection, target, deadline)
            if data is not None:
                content[target] = data
        return content

    def fetch_text(self, selection: str, seconds: float) -> str | None:
        """Its text, if its owner hands one over in so many seconds."""
        deadline = time.monotonic() + seconds
        for name, encoding in (("UTF8_STRING", "utf-8"), ("STRING", "latin-1")):
            data = self._converted(selection, self.connection.atom(name), deadline)
            if data is not None:
                return data.data.decode(encoding, "replace")
        return None

    def request(self, selection: str, target: str, seconds: float) -> bool:
        """Ask the owner to do something, such as ``SAVE_TARGETS``; whether it did."""
        return self._converted(selection, self.connection.atom(target), time.monotonic() + seconds) is not None

    def close(self) -> None:
        """Own nothing any more."""
        self.connection.close()

    def _converted(self, selection: str, target: int, deadline: float) -> Data | None:
        x, place = self.connection, self.connection.atom("VAIDER_SELECTION")
        x.core.DeleteProperty(self._window, place)
        x.core.ConvertSelection(self._window, x.atom(selection), target, place, 0)
        answer: Any = None
        pieces: list[bytes] = []
        first: Data | None = None
        while time.monotonic() < deadline and sum(map(len, pieces)) <= _MAX_BYTES:
            event = self._next(deadline)
            if answer is None:
                if isinstance(event, xcffib.xproto.SelectionNotifyEvent) and event.target == target:
                    if not event.property:
                        return None
                    answer = event
                    first = self._taken(place)
                    if first.kind != x.atom("INCR"):
                        return first
            elif isinstance(event, xcffib.xproto.PropertyNotifyEvent) and (event.atom, event.state) == (place, 0):
                piece = self._taken(place)
                if not piece.data:
                    return Data(first.kind, first.width, b"".join(pieces)) if first and pieces else piece
                first = piece
                pieces.append(piece.data)
        return None

    def _next(self, deadline: float) -> Any:
        """The next event, or ``None`` at the deadline; requests of others are served meanwhile."""
        self.connection.x.flush()
        event = self.connection.x.poll_for_event()
        if event is None:
            left = max(0.0, deadline - time.monotonic())
            select.select([self.connection.x.get_file_descriptor()], [], [], left)
            event = self.connection.x.poll_for_event()
        if event is not None:
            self._take(event)
        return event

    def _taken(self, place: int) -> Data:
        pieces: list[bytes] = []
        at = 0
        while True:
            reply: Any = self.connection.core.GetProperty(False, self._window, place, 0, at, _CHUNK_BYTES).reply()  # noqa: FBT003 - the protocol's delete
            data = bytes(reply.value.buf())
            pieces.append(data)
            at += len(data) // 4
            if not reply.bytes_after:
                break
        self.connection.core.DeleteProperty(self._window, place)
        return Data(reply.type, reply.format, b"".join(pieces))

    def _take(self, event: Any) -> None:
        kind = event.response_type & 0x7F
        if kind == _SELECTION_REQUEST:
            self._answer(event)
        elif kind == _SELECTION_CLEAR:
            self._owned.pop(event.selection, None)
        elif kind == _PROPERTY_NOTIFY and event.state == xcffib.xproto.Property.Delete:
            self._go_on(event.window, event.atom)

    def _answer(self, event: Any) -> None:
        owned = self._owned.get(event.selection)
        place = event.property or event.target
        allowed = owned is not None and owned.reader in {None, self._client_of(event.requestor)}
        if owned is None or not allowed or not self._give(event.requestor, place, event.target, owned):
            place = 0
        self.last_request = time.monotonic()
        answer = struct.pack(
            *("=BBH5I", _SELECTION_NOTIFY, 0, 0, event.time, event.requestor, event.selection, event.target, place)
        ).ljust(32, b"\0")
        self.connection.core.SendEvent(False, event.requestor, 0, answer)  # noqa: FBT003 - the protocol's propagate
        data = owned.content.get(event.target) if owned is not None and place else None
        if owned is not None and data is not None and len(data.data) <= _CHUNK_BYTES:
            self._served(owned.served)

    def _give(self, requestor: int, place: int, target: int, owned: _Owned) -> bool:
        atom = self.connection.atom
        if target == atom("TARGETS"):
            targets = [atom("TARGETS"), *owned.content]
            self._put(requestor, place, Data(atom("ATOM"), 32, struct.pack(f"={len(targets)}I", *targets)))
            return True
        data = owned.content.get(target)
        if data is None:
            return False
        if len(data.data) <= _CHUNK_BYTES:
            self._put(requestor, place, data)
        else:
            self.connection.core.ChangeWindowAttributes(requestor, xcffib.xproto.CW.EventMask, [_PROPERTY_CHANGE])
            self._transfers[requestor, place] = _Transfer(data, owned.served)
            self._put(requestor, place, Data(atom("INCR"), 32, struct.pack("=I", len(data.data))))
        return True

    def _go_on(self, window: int, place: int) -> None:
        transfer = self._transfers.get((window, place))
        if transfer is None:
            return
        self.last_request = time.monotonic()
        whole = transfer.data
        piece = whole.data[transfer.at : transfer.at + _CHUNK_BYTES]
        transfer.at += len(piece)
        self._put(window, place, Data(whole.kind, whole.width, piece))
        if not piece:
            del self._transfers[window, place]
            self._served(transfer.served)

    def _served(self, served: Callable[[], None] | None) -> None:
        """Tell so when the server has it: what is sent to the reader from now on arrives later."""
        if served is not None:
            self.connection.sync()
            served()

    def _put(self, window: int, place: int, data: Data) -> None:
        count = len(data.data) * 8 // data.width
        self.connection.core.ChangeProperty(0, window, place, data.kind, data.width, count, data.data)

    def _client_of(self, window: int) -> int:
        return window & ~int(self.connection.x.setup.resource_id_mask)
