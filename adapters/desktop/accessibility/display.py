"""The accessibility tree of one display, by AT-SPI; see ``core.accessibility.Accessibility``.

One thread has the bus. Who asks waits for it at most as long as a reading may take, whatever the programs do.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from adapters.desktop.accessibility.bus import REGISTRY, ROOT, Bus
from adapters.desktop.accessibility.program import Program
from core.accessibility import AccessibleChange, AccessibleTree, Element

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine
    from concurrent.futures import Future

    from dbus_fast import Message

PATIENCE: Final = 0.15
"""Seconds that a reading may wait for programs."""
_SLACK: Final = 0.1
"""Seconds more for our own thread, on a busy machine."""
_CONNECT_SECONDS: Final = 4.0
_RENEWALS: Final = 4
_RENEWED_SECONDS: Final = 0.5
_KINDS: Final = {"PropertyChange": "name", "TextChanged": "text"}

Given = TypeVar("Given")


class DisplayAccessibility:
    """Implements ``core.accessibility.Accessibility``.

    It connects while nobody waits for it; what it cannot do is told by ``unavailable``.

    Args:
        session: the address of the display's session bus; empty or ``disabled:`` where it has none.

    """

    def __init__(self, session: str) -> None:
        self._session = session
        self._why: str | None = None
        self._programs: dict[str, Program] = {}
        self._pids: dict[str, int | None] = {}
        self._reading: dict[str, asyncio.Task[tuple[Element, ...]]] = {}
        self._late: set[str] = set()
        self._hear: Callable[[AccessibleChange], None] | None = None
        self._renewed: Counter[str] = Counter()
        self._renewed_at = 0.0
        self._connected = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._bus: Bus | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._work()), name="accessibility", daemon=True)
        self._thread.start()

    def unavailable(self) -> str | None:
        """Why it cannot be read, if so."""
        self._connected.wait(_CONNECT_SECONDS)
        return self._obstacle()

    def _obstacle(self) -> str | None:
        """The same, without waiting for a bus that does not answer."""
        if not self._connected.is_set():
            return "The accessibility bus of this display does not answer."
        if self._why is None and (self._bus is None or not self._bus.is_open):
            self._why = "The accessibility bus of this display has ended."
        return self._why

    def prepare(self, pids: Collection[int]) -> None:
        """Begin to read; see the port."""
        if self._obstacle() is None and self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._begin(frozenset(pids)), self._loop)

    def read(self, pids: Collection[int] | None = None) -> AccessibleTree:
        """What is shown now; see the port."""
        if (why := self._obstacle()) is not None:
            return AccessibleTree(left_out=(why,))
        wanted = None if pids is None else frozenset(pids)
        return self._ask(self._read(wanted), AccessibleTree(left_out=("The accessibility tree does not answer.",)))

    def again(self, element: Element) -> Element | None:
        """The element as it is now; see the port."""
        return None if self._obstacle() is not None else self._ask(self._again(element), None)

    def follow(self, hear: Callable[[AccessibleChange], None]) -> None:
        """Have each change told; see the port."""
        self._hear = hear

    def close(self) -> None:
        """Let go of the bus."""
        if self._connected.wait(_CONNECT_SECONDS) and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(_CONNECT_SECONDS)

    async def _work(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            await self._open()
        finally:
            self._connected.set()
        if self._bus is not None:
            await self._stop.wait()
            await self._bus.close()

    async def _open(self) -> None:
        if not self._session or self._session == "disabled:":
            self._why = "This display has no session bus (the package dbus), so its programs cannot tell of themselves."
            return
        bus = Bus(self._heard)
        try:
            await bus.open(self._session)
        except OSError as error:
            self._why = f"The accessibility bus of this display cannot be used: {error}."
            return
        self._bus = bus

    def _ask(self, work: Coroutine[Any, Any, Given], otherwise: Given) -> Given:
        if self._loop is None or self._loop.is_closed():
            work.close()
            return otherwise
        answer: Future[Given] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return answer.result(PATIENCE + _SLACK)
        except TimeoutError:
            answer.cancel()
            return otherwise

    async def _read(self, pids: frozenset[int] | None) -> AccessibleTree:
        bus = self._bus
        if bus is None:
            return AccessibleTree()
        end = asyncio.get_running_loop().time() + PATIENCE
        try:
            async with asyncio.timeout_at(end):
                names = await self._names(bus, pids)
        except TimeoutError:
            return AccessibleTree(left_out=("The accessibility registry does not answer.",))
        await self._await(bus, names, end)
        if self._should_renew(names):
            await self._renew(bus)
            await self._await(bus, names, end)
        elements: list[Element] = []
        left_out: list[str] = []
        for name in names:
            found, complaint = self._taken(name)
            elements += found
            left_out += [complaint] if complaint else []
        late = frozenset(pid for name in self._late & set(names) if (pid := self._pids[name]) is not None)
        return AccessibleTree(tuple(elements), tuple(left_out), late)

    async def _names(self, bus: Bus, pids: frozenset[int] | None) -> list[str]:
        """The programs on the bus that are wanted; those that ended are forgotten."""
        found = await bus.ask(REGISTRY, ROOT, "Accessible.GetChildren")
        names = list(dict.fromkeys(str(name) for name, _ in (found[0] if found else ())))
        for name in self._programs.keys() - set(names):
            self._forget(name)
        unknown = [name for name in names if name not in self._pids]
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID")
        for name, answer in zip(
            unknown, await asyncio.gather(*(bus.ask(*daemon, "s", name) for name in unknown)), strict=True
        ):
            self._pids[name] = int(answer[0]) if answer else None
        return [name for name in names if pids is None or self._pids[name] in pids]

    async def _begin(self, pids: frozenset[int]) -> None:
        if self._bus is not None:
            for name in await self._names(self._bus, pids):
                self._started(self._bus, name)

    async def _await(self, bus: Bus, names: Collection[str], end: float) -> None:
        """Read these programs, and wait until that time for those that have not kept anybody waiting before."""
        started = [self._started(bus, name) for name in names]
        fresh = [task for name, task in zip(names, started, strict=True) if name not in self._late]
        if fresh:
            await asyncio.wait(fresh, timeout=max(end - asyncio.get_running_loop().time(), 0.0))

    def _should_renew(self, names: Collection[str]) -> bool:
        """Whether a program may have a cache after a new connection: also one that was just being started."""
        without = [name for name in names if self._programs[name].lacks_cache and self._renewed[name] < _RENEWALS]
        now = asyncio.get_running_loop().time()
        if not without or now - self._renewed_at < _RENEWED_SECONDS:
            return False
        self._renewed.update(without)
        self._renewed_at = now
        return True

    async def _renew(self, bus: Bus) -> None:
        """Connect anew, so that the programs set their caches up; what is known of them may have changed meanwhile."""
        for task in self._reading.values():
            task.cancel()
        self._reading.clear()
        self._late.clear()
        await bus.reopen()
        for program in self._programs.values():
            program.doubt()

    def _started(self, bus: Bus, name: str) -> asyncio.Task[tuple[Element, ...]]:
        """The reading of a program: one that still waits for it, or a new one."""
        program = self._programs.setdefault(name, Program(bus, name, self._pids.get(name)))
        task = self._reading.get(name)
        if task is not None and task.done():
            # It came too late for who had asked, and is old by now; but the tree is known since.
            self._late.discard(name)
            task = None
        if task is None:
            task = self._reading[name] = asyncio.create_task(program.elements())
        return task

    def _taken(self, name: str) -> tuple[tuple[Element, ...], str]:
        """What was read of a program, and what is to be said of that."""
        program, task = self._programs[name], self._reading[name]
        who = f'The program "{program.title or name}" (process {program.pid})'
        if not task.done():
            self._late.add(name)
            return (), f"{who} has not told its elements in {PATIENCE * 1000:.0f} ms."
        del self._reading[name]
        self._late.discard(name)
        if task.cancelled() or task.exception() is not None:
            return (), f"{who} tells its elements in a way that cannot be understood."
        return task.result(), f"{who} shows more elements than are looked at." if program.is_cut else ""

    async def _again(self, element: Element) -> Element | None:
        name, slash, path = element.id.partition("/")
        program = self._programs.get(name)
        if program is None:
            return None
        try:
            async with asyncio.timeout(PATIENCE):
                found = await program.again(slash + path)
        except TimeoutError:
            return None
        return found

    def _forget(self, name: str) -> None:
        self._programs.pop(name)
        self._renewed.pop(name, None)
        self._pids.pop(name, None)
        self._late.discard(name)
        if (task := self._reading.pop(name, None)) is not None:
            task.cancel()

    def _heard(self, event: Message) -> None:
        program = self._programs.get(event.sender or "")
        if program is not None:
            try:
                program.apply(event)
            except (TypeError, ValueError, IndexError, KeyError):
                self._forget(program.name)
        if self._hear is not None and (change := _change(event, self._pids.get(event.sender or ""))) is not None:
            try:
                self._hear(change)
            except Exception:  # noqa: BLE001 - who listens must not end the reading
                self._hear = None


def _change(event: Message, pid: int | None) -> AccessibleChange | None:
    element = f"{event.sender}{event.path}"
    body, member = event.body, event.member or ""
    if (event.interface or "").endswith(".Window"):
        return AccessibleChange(element, pid, "window")
    if member == "StateChanged" and len(body) > 1:
        return AccessibleChange(element, pid, str(body[0]), is_on=bool(body[1]))
    if member == "ChildrenChanged" and body:
        return AccessibleChange(element, pid, "added" if str(body[0]).startswith("add") else "removed")
    return AccessibleChange(element, pid, _KINDS[member]) if member in _KINDS else None
