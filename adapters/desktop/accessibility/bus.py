"""The bus on which the programs of a display tell of themselves: asked many things at once, heard without a pause."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_AT_ONCE: Final = 64
"""Questions on their way, of a few hundred bytes: dbus-fast drops the connection when its socket takes no more."""
_CONNECT_SECONDS: Final = 3.0
ATSPI: Final = "org.a11y.atspi"
ROOT: Final = "/org/a11y/atspi/accessible/root"
REGISTRY: Final = f"{ATSPI}.Registry"
_EVENTS: Final = (
    "object:children-changed",
    "object:state-changed",
    "object:property-change:accessible-name",
    "object:property-change:accessible-role",
    "object:text-changed",
    "document:load-complete",
    "window",
)
_HEARD: Final = (f"{ATSPI}.Event.Object", f"{ATSPI}.Event.Document", f"{ATSPI}.Event.Window", f"{ATSPI}.Cache")


class Bus:
    """A connection, used by the tasks of one event loop.

    Args:
        hear: called with each event.
        events: what programs shall tell of; what they tell to others is heard as well.

    """

    def __init__(self, hear: Callable[[Message], None], events: Sequence[str] = _EVENTS) -> None:
        self._hear, self._events = hear, events
        self._bus: MessageBus | None = None
        self._session = ""
        self._places = asyncio.Semaphore(_AT_ONCE)

    @property
    def is_open(self) -> bool:
        """Whether it can be asked."""
        return self._bus is not None and self._bus.connected

    async def open(self, session: str) -> None:
        """Connect to the accessibility bus that belongs to a session bus, which starts it if it is not there.

        Raises ``OSError`` where that is not possible.
        """
        self._session = session
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                address = await _address(session)
                self._bus = await MessageBus(bus_address=address).connect()
                self._bus.add_message_handler(self._handle)
                await self._listen()
        except TimeoutError as error:
            raise OSError("the message bus does not answer") from error
        except OSError:
            raise
        except Exception as error:  # whatever a bus that is broken makes of the library
            raise OSError(f"the message bus cannot be used ({type(error).__name__})") from error

    async def ask(self, program: str, path: str, what: str, signature: str = "", *body: Any) -> list[Any] | None:
        """Call a method, e.g. ``Accessible.GetChildren``; ``None`` when it fails or the bus is gone."""
        bus = self._bus
        if bus is None or not bus.connected:
            return None
        async with self._places:
            try:
                full = what if what.startswith("org.") else f"{ATSPI}.{what}"
                answer = await bus.call(_message(program, path, full, signature, body))
            except (DBusError, OSError, EOFError):
                return None
        return None if answer.message_type is MessageType.ERROR else answer.body

    async def property_of(self, program: str, path: str, interface: str, name: str) -> Any:
        """A property's value, ``None`` when there is none."""
        found = await self.ask(program, path, "org.freedesktop.DBus.Properties.Get", "ss", f"{ATSPI}.{interface}", name)
        return found[0].value if found else None

    async def reopen(self) -> None:
        """Connect anew.

        A program of GTK or Chromium that was started while somebody listened sets its cache up only when the last
        listener has gone and one has come again (libatk-bridge 2.46).
        """
        await self.close()
        with contextlib.suppress(OSError):
            await self.open(self._session)

    async def close(self) -> None:
        """End the connection."""
        if self._bus is not None:
            bus, self._bus = self._bus, None
            bus.disconnect()
            with contextlib.suppress(Exception):  # what had ended it before; it is told by ``is_open``
                async with asyncio.timeout(_CONNECT_SECONDS):
                    await bus.wait_for_disconnect()

    async def _listen(self) -> None:
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.AddMatch")
        for interface in _HEARD:
            await self.ask(*daemon, "s", f"type='signal',interface='{interface}'")
        for event in self._events:
            await self.ask(REGISTRY, "/org/a11y/atspi/registry", "Registry.RegisterEvent", "sass", event, [], "")

    def _handle(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.interface in _HEARD:
            self._hear(message)


def is_enabled(session: str) -> bool | None:
    """Whether the programs of a session are told to tell of themselves; ``None`` where that cannot be asked."""
    return asyncio.run(_enabled(session))


async def _enabled(session: str) -> bool | None:
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _require_socket(session)
            bus = await MessageBus(bus_address=session).connect()
            asked = "org.a11y.Status", "IsEnabled"
            message = _message("org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties.Get", "ss", asked)
            answer = await bus.call(message)
            bus.disconnect()
            await bus.wait_for_disconnect()
    except (OSError, EOFError, DBusError):
        return None
    return bool(answer.body[0].value) if answer.message_type is not MessageType.ERROR and answer.body else None


async def _address(session: str) -> str:
    """The address of the accessibility bus, which the session bus starts if it is not there."""
    _require_socket(session)
    bus = await MessageBus(bus_address=session).connect()
    try:
        answer = await bus.call(_message("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"))
    finally:
        bus.disconnect()
        await bus.wait_for_disconnect()
    if answer.message_type is MessageType.ERROR or not answer.body:
        raise OSError("there is no accessibility bus (the package at-spi2-core)")
    return str(answer.body[0])


def _require_socket(session: str) -> None:
    """Raise ``OSError`` for the address of a bus that is not there: dbus-fast leaves a socket open then."""
    path = session.partition("unix:path=")[2].partition(",")[0].partition(";")[0]
    if path and not Path(path).exists():
        raise OSError(f"there is no message bus at {path}")


def _message(program: str, path: str, what: str, signature: str = "", body: Sequence[Any] = ()) -> Message:
    interface, _, member = what.rpartition(".")
    return Message(
        destination=program,
        path=path,
        interface=interface,
        member=member,
        signature=signature,
        body=list(body),
    )
