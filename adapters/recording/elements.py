"""Knows for what was done the element that it was done to; asks on a thread of its own, so nobody waits for a program.

What is under the pointer is asked for while it moves, so that it is known as it was when the button went down; a field
that has the focus is read after each letter, so that what it held is known although Enter has emptied it since.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.accessibility.bus import Bus
from adapters.recording.element_reader import HOLDING, MARKED, OPTIONS, ElementReader, Found, Place
from adapters.recording.focus_search import focus_in
from core.accessibility import Role
from core.recording.input_log import Clicked, Dragged, InputEvent, Pressed, TouchedElement, Typed

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from dbus_fast import Message

PATIENCE: Final = 0.15
"""Seconds that are given to a program."""
_CONNECT_SECONDS: Final = 4.0
_HOVER_SECONDS: Final = 0.35
"""An element that the pointer stays on is not asked for again for so long."""
_DRAWN_SECONDS: Final = 0.1
"""A click may be noticed so late that its page has changed already."""
_FRESH_SECONDS: Final = 1.0
"""So old an element under the pointer may be when the button goes down there."""
_READ_AFTER: Final = (0.03, 0.15, 0.4)
"""Seconds after a key: a program needs a moment to show what was typed."""
_GOES_ON_SECONDS: Final = 0.2
"""A letter that comes so soon after another is read with it."""
_READ_SECONDS: Final = 0.3
"""So long after its last key a passage has been read."""
_SETTLED_SECONDS: Final = 0.3
_SILENT_SECONDS: Final = 1.0
"""A program that did not answer is not asked for so long what is under the pointer."""
_ONE_ACT_SECONDS: Final = 0.002
"""Moments that are nearer to each other are one."""
_MARKED_SECONDS: Final = 0.1
_KEPT: Final = 500
_EVENTS: Final = ("object:state-changed:focused",)


@dataclass(slots=True)
class _Touch:
    """A button that went down at a moment; what it was on is asked for."""

    done: bool = False
    element: TouchedElement | None = None
    due: float = 0.0


@dataclass(frozen=True, slots=True)
class _Reading:
    """What had the focus; ``asked`` is a second of the monotonic clock."""

    asked: float
    found: Found
    element: TouchedElement


@dataclass(frozen=True, slots=True)
class _Hover:
    """What was under the pointer; seconds of the monotonic clock."""

    asked: float
    answered: float
    place: Place
    found: Found | None

    def is_on(self, place: Place) -> bool:
        """Whether the pointer is still on it."""
        mine = (self.place.pid, self.place.title, self.place.is_popup)
        is_there = mine == (place.pid, place.title, place.is_popup)
        return is_there and self.found is not None and _holds(self.found, place)


class ElementWatch:
    """Is told of input by the thread that watches it, and tells the elements to it; see ``core.accessibility``.

    Args:
        session: the address of the display's session bus.

    """

    def __init__(self, session: str) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._touches: dict[int, _Touch] = {}
        self._readings: deque[_Reading] = deque(maxlen=_KEPT)
        self._acts: deque[float] = deque([0.0], maxlen=_KEPT)
        """When something was done."""
        self._hovers: deque[_Hover] = deque(maxlen=8)
        self._hovering: asyncio.Task[None] | None = None
        self._focus: tuple[str, str] | None = None
        self._list: Found | None = None
        """The list that was opened by the last click."""
        self._silent: dict[int, float] = {}
        self._unfocused: dict[int, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reader: ElementReader | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._work()), name="elements", daemon=True)
        self._thread.start()

    def await_start(self) -> bool:
        """Wait until programs can be asked; whether they can be."""
        self._started.wait(_CONNECT_SECONDS)
        return self._reader is not None

    def hover(self, place: Place) -> None:
        """The pointer is there."""
        last = self._hovers[-1] if self._hovers else None
        if last is not None and last.is_on(place) and time.monotonic() - last.asked < _HOVER_SECONDS:
            return
        self._run(lambda: self._hover(place))

    def press(self, t_ms: int, at: float, place: Place | None) -> None:
        """A button went down there; ``None`` where nothing may be asked.

        Args:
            t_ms: the moment of the video.
            at: the same as a second of the monotonic clock.
            place: whose window is there.

        """
        self._done(at)
        touch = _Touch(due=time.monotonic() + PATIENCE)
        self._remember(t_ms, touch)
        if place is None:
            touch.done = True
            return
        found = self._under(place, at)
        if found is not None:
            touch.element = found.touched(place.title)
        if found is None or place.is_popup or found.role in HOLDING or found.role in MARKED:
            self._run(lambda: self._touch(touch, place, found))
        else:
            self._list = None
            touch.done = True

    def _under(self, place: Place, at: float) -> Found | None:
        """What was under the pointer just before that second: the click may have changed it since."""
        fresh = [each for each in self._hovers if at - each.asked < _FRESH_SECONDS]
        sure = [each for each in fresh if each.answered <= at - _DRAWN_SECONDS] or fresh
        # A page that is just coming has things without names.
        named = [each for each in sure[-1:] if each.is_on(place) and each.found is not None and each.found.name]
        return named[0].found if named else None

    def key(self, at: float, pid: int | None, title: str) -> None:
        """A key was struck in a window, at that second; ``None`` where nothing may be asked."""
        self._done(at)
        if pid is not None:
            self._run(lambda: self._begin_reading(pid, title))

    def is_settled(self, event: InputEvent, ended: float) -> bool:
        """Whether nothing more will be known of it; ``ended`` is a second of the monotonic clock."""
        now = time.monotonic()
        match event:
            case Clicked() | Dragged():
                touch = self._touches.get(event.t_ms)
                return touch is None or touch.done or now >= touch.due
            case Typed() | Pressed():
                return self._reader is None or now >= ended + _READ_SECONDS
            case _:
                return True

    def with_element(self, event: InputEvent, begun: float, ended: float) -> InputEvent:
        """The event with its element, if that is known; the seconds are the monotonic clock's."""
        match event:
            case Clicked() | Dragged():
                touch = self._touches.pop(event.t_ms, None)
                element = touch.element if touch is not None else None
            case Typed() | Pressed():
                element = self._focused(begun, ended)
            case _:
                element = None
        return event if element is None else event.model_copy(update={"element": element})

    def close(self) -> None:
        """Let go of the bus."""
        self._started.wait(_CONNECT_SECONDS)
        loop, stop = self._loop, self._stop
        if loop is not None and stop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)
        self._thread.join(_CONNECT_SECONDS)

    def _done(self, at: float) -> None:
        with self._lock:
            self._acts.append(at)

    def _remember(self, t_ms: int, touch: _Touch) -> None:
        while len(self._touches) > _KEPT:
            self._touches.pop(next(iter(self._touches)))
        self._touches[t_ms] = touch

    def _focused(self, begun: float, ended: float) -> TouchedElement | None:
        """What had the focus then, with what it held at the end, before anything else was done."""
        with self._lock:
            then = next((at for at in self._acts if at > ended + _ONE_ACT_SECONDS), float("inf"))
            during = [each for each in self._readings if begun - 0.001 <= each.asked < then]
            before = [each for each in self._readings if each.asked < begun - 0.001]
        if not during:
            return None
        # The first letter into a cell of a sheet opens its editor, which has the focus then.
        first = max(during, key=lambda each: each.element.content_rank).found
        same = [each for each in during if _is_same(each.found, first)]
        held = next((each.element.value for each in reversed(before) if _is_same(each.found, first)), None)
        return same[-1].element.model_copy(update={"before": held})

    def _run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        loop = self._loop
        if self._reader is None or loop is None or loop.is_closed():
            return

        def begin() -> None:
            task = loop.create_task(work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        loop.call_soon_threadsafe(begin)

    async def _work(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        bus = Bus(self._heard, _EVENTS)
        try:
            await bus.open(self._session)
            self._reader = ElementReader(bus)
        except OSError:
            return
        finally:
            self._started.set()
        await self._stop.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await bus.close()

    def _heard(self, event: Message) -> None:
        body = event.body
        if event.member == "StateChanged" and len(body) > 1 and body[0] == "focused" and body[1]:
            self._focus = (event.sender or "", event.path or "")

    async def _hover(self, place: Place) -> None:
        is_asking = self._hovering is not None and not self._hovering.done()
        if is_asking or self._silent.get(place.pid, 0.0) > time.monotonic():
            return
        self._hovering = asyncio.current_task()
        asked = time.monotonic()
        found = await self._at(place)
        self._hovers.append(_Hover(asked, time.monotonic(), place, found))

    async def _at(self, place: Place) -> Found | None:
        reader = self._reader
        if reader is None:
            return None
        try:
            async with asyncio.timeout(PATIENCE):
                if place.is_popup and self._focus is not None:
                    focused = await reader.focused(*self._focus)
                    is_own = await reader.pid_of(self._focus[0]) == place.pid
                    if is_own and focused is not None and focused.role in OPTIONS and _holds(focused, place):
                        return focused
                return await reader.at(place)
        except TimeoutError:
            self._silent[place.pid] = time.monotonic() + _SILENT_SECONDS
            return None

    async def _touch(self, touch: _Touch, place: Place, found: Found | None) -> None:
        reader = self._reader
        opened, self._list = self._list, None
        try:
            if reader is None:
                return
            found = found or await self._at(place)
            if place.is_popup and opened is not None:
                await self._choose(touch, opened, found)
                return
            if found is None and self._silent.get(place.pid, 0.0) < time.monotonic():
                touch.due += PATIENCE + _MARKED_SECONDS
                found = await self._apart(place) or await self._marked(place)
            if found is None:
                return
            touch.element = found.touched(place.title)
            if found.role is Role.COMBOBOX:
                self._list = found
            if found.role in HOLDING:
                asked = time.monotonic()
                value = await self._value(found)
                touch.element = found.touched(place.title, value)
                if await self._has_focus(found):
                    # It may have had it before anybody listened.
                    self._focus = (found.program, found.path)
                with self._lock:
                    self._readings.append(_Reading(asked, found, touch.element))
            elif found.role in MARKED:
                touch.due += _SETTLED_SECONDS
                await asyncio.sleep(_SETTLED_SECONDS)
                touch.element = found.touched(place.title, await self._value(found))
        finally:
            touch.done = True

    async def _apart(self, place: Place) -> Found | None:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._reader.apart(place) if self._reader is not None else None
        except TimeoutError:
            return None

    async def _marked(self, place: Place) -> Found | None:
        """The check box that has the focus since its label was clicked, whose words a browser does not tell."""
        reader, before = self._reader, self._focus
        await asyncio.sleep(_MARKED_SECONDS)
        focus = self._focus
        if reader is None or focus is None or focus == before:
            return None
        try:
            async with asyncio.timeout(PATIENCE):
                found = await reader.focused(*focus) if await reader.pid_of(focus[0]) == place.pid else None
        except TimeoutError:
            return None
        return found if found is not None and found.role in MARKED else None

    async def _choose(self, touch: _Touch, opened: Found, found: Found | None) -> None:
        """What is chosen from a list that was opened: what that holds a moment later, else the option."""
        touch.due += _SETTLED_SECONDS
        await asyncio.sleep(_SETTLED_SECONDS)
        value = await self._value(opened)
        if not value and found is not None and found.role in OPTIONS:
            value = found.name
        if value:
            touch.element = replace(opened, role=Role.OPTION, name=value, of=opened.name).touched("", value)

    async def _value(self, found: Found) -> str | None:
        if self._reader is None:
            return None
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._reader.value(found)
        except TimeoutError:
            return None

    async def _has_focus(self, found: Found) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                return self._reader is not None and await self._reader.has_focus(found)
        except TimeoutError:
            return False

    async def _begin_reading(self, pid: int, title: str) -> None:
        """Read what has the focus now and a few times more, instead of what was begun before."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = asyncio.current_task()
        begun = time.monotonic()
        with self._lock:
            goes_on = len(self._acts) > 1 and self._acts[-1] - self._acts[-2] < _GOES_ON_SECONDS
        if not goes_on:
            await self._read_focus(pid, title)
        for after in _READ_AFTER:
            await asyncio.sleep(max(0.0, begun + after - time.monotonic()))
            await self._read_focus(pid, title)

    async def _read_focus(self, pid: int, title: str) -> None:
        reader, asked = self._reader, time.monotonic()
        if reader is None or self._unfocused.get(pid, 0.0) > asked:
            return
        try:
            async with asyncio.timeout(PATIENCE):
                focus = await focus_in(reader, self._focus, pid)
                found = await reader.focused(*focus) if focus is not None else None
                if found is None:
                    self._unfocused[pid] = asked + _SILENT_SECONDS
                    return
                self._focus = focus
                value = found.name if found.role in OPTIONS else await reader.value(found)
                written = await reader.written(found)
        except TimeoutError:
            return
        with self._lock:
            self._readings.append(_Reading(asked, found, found.touched(title, value, written=written)))


def _holds(found: Found, place: Place) -> bool:
    return found.box is not None and found.box.contains(place.point)


def _is_same(one: Found, other: Found) -> bool:
    return (one.program, one.path) == (other.program, other.path)
