"""Programs on a real accessibility bus that tell of themselves as told to: slowly, falsely, too much, or never."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

if TYPE_CHECKING:
    from collections.abc import Generator

ATSPI: Final = "org.a11y.atspi"
_ROOT: Final = "/org/a11y/atspi/accessible/root"
_ITEMS: Final = "a((so)(so)(so)iiassusau)"
_SHOWN: Final = [1 << 8 | 1 << 24 | 1 << 25 | 1 << 30, 0]
BUTTON, ENTRY, PASSWORD, FRAME, TABLE = 43, 79, 40, 23, 55
_MANAGES: Final = 31


@dataclass
class Told:
    """A node: its number, that of its parent (0 for the program), and what is said of it."""

    number: int
    parent: int
    role: int
    name: str = ""
    box: tuple[int, int, int, int] = (10, 10, 80, 20)
    text: str | None = None
    count: int | None = None
    """How many children it says that it has, where the cache leaves that open."""
    cached_parent: int | None = None
    """What the cache says that it is a part of, where that is wrong."""

    def item(self, bus: str) -> list[Any]:
        """As the cache gives it."""
        kinds = [f"{ATSPI}.Accessible", f"{ATSPI}.Component"] + ([f"{ATSPI}.Text"] if self.text is not None else [])
        own = _path(self.number)
        parent = _path(self.parent if self.cached_parent is None else self.cached_parent)
        count = 0 if self.count is None else -1
        states = [_SHOWN[0] | (1 << _MANAGES if self.count is not None else 0), 0]
        return [(bus, own), (bus, _ROOT), (bus, parent), self.number, count, kinds, self.name, self.role, "", states]


@dataclass
class FakeProgram:
    """What it tells; ``silent`` are the members that it never answers, ``asked`` those that it was asked."""

    nodes: list[Told]
    silent: set[str] = field(default_factory=set[str])
    asked: list[str] = field(default_factory=list[str])
    paths: list[str] = field(default_factory=list[str])
    bus: MessageBus | None = None
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def tell(self, member: str, minor: str, number: int, one: int, value: Variant) -> None:
        """Send an event."""
        body: list[Any] = [minor, one, 0, value, {}]
        message = Message(
            message_type=MessageType.SIGNAL,
            path=_path(number),
            interface=f"{ATSPI}.Event.Object",
            member=member,
            signature="siiva{sv}",
            body=body,
        )
        asyncio.run_coroutine_threadsafe(self._send(message), self.loop).result(5)

    async def _send(self, message: Message) -> None:
        assert self.bus is not None
        await self.bus.send(message)

    def answer(self, message: Message) -> Message | bool | None:
        """What it says to a question."""
        if message.message_type is not MessageType.METHOD_CALL or self.bus is None:
            return None
        member, path = message.member or "", message.path or ""
        self.asked.append(member)
        self.paths.append(path)
        if member in self.silent:
            return True
        node = next((each for each in self.nodes if _path(each.number) == path), Told(0, 0, 0))
        own = self.bus.unique_name or ""
        answers: dict[str, tuple[str, list[Any]]] = {
            "GetItems": (_ITEMS, [[each.item(own) for each in self.nodes]] if member == "GetItems" else []),
            "Get": ("v", [_property(node, message.body)]),
            "GetChildren": (
                "a(so)",
                [[[own, _path(each.number)] for each in self.nodes if each.parent == node.number]],
            ),
            "GetExtents": ("(iiii)", [list(node.box)]),
            "GetText": ("s", [node.text or ""]),
            "GetState": ("au", [_SHOWN]),
        }
        return Message.new_method_return(message, *answers[member]) if member in answers else None


@contextmanager
def planted(session: str, program: FakeProgram) -> Generator[FakeProgram]:
    """The program, on the accessibility bus that belongs to a session bus, until the block ends."""
    thread = threading.Thread(target=program.loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(_embed(session, program), program.loop).result(10)
    try:
        yield program
    finally:
        asyncio.run_coroutine_threadsafe(_leave(program), program.loop).result(10)
        program.loop.call_soon_threadsafe(program.loop.stop)
        thread.join(5)
        program.loop.close()


def _property(node: Told, asked: list[Any]) -> Variant:
    return Variant("i", node.count or 0) if asked[-1:] == ["ChildCount"] else Variant("s", "planted")


async def _embed(session: str, program: FakeProgram) -> None:
    first = await MessageBus(bus_address=session).connect()
    answer = await first.call(
        Message(destination="org.a11y.Bus", path="/org/a11y/bus", interface="org.a11y.Bus", member="GetAddress")
    )
    first.disconnect()
    await first.wait_for_disconnect()
    program.bus = await MessageBus(bus_address=answer.body[0]).connect()
    program.bus.add_message_handler(program.answer)
    joined = await program.bus.call(
        Message(
            destination=f"{ATSPI}.Registry",
            path=_ROOT,
            interface=f"{ATSPI}.Socket",
            member="Embed",
            signature="(so)",
            body=[[program.bus.unique_name, _ROOT]],
        )
    )
    assert joined.message_type is MessageType.METHOD_RETURN, joined.body


async def _leave(program: FakeProgram) -> None:
    if program.bus is not None:
        program.bus.disconnect()
        # A bus that was killed is told as an error.
        with suppress(Exception):
            await program.bus.wait_for_disconnect()


def _path(number: int) -> str:
    return f"/org/a11y/atspi/accessible/{number}" if number else _ROOT
