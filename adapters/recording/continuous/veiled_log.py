"""What was done, held back until it is known that none of it was done in a window that may not be recorded."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from core.recording.input_log import Clicked, Dragged, Focused, Pressed, Scrolled, Typed

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.recording.input_log import InputEvent
    from core.screens import Box

_EARLY_SECONDS = 0.1
"""A key may be told before it is told that the window has lost the keyboard."""


class VeiledLog:
    """Is filled by the thread that watches input, and emptied by the recorder's.

    Args:
        zero: the monotonic clock's second from which the times of events count.
        area: what is recorded; places of events are within it.

    """

    def __init__(self, zero: float, area: Box) -> None:
        self._zero, self._area = zero, area
        self._waiting: deque[InputEvent] = deque()
        self._lock = threading.Lock()
        self._focused: Focused | None = None
        """The window that is known to have the keyboard."""

    def add(self, event: InputEvent) -> None:
        """Take one."""
        with self._lock:
            self._waiting.append(event)

    def close(self) -> None:
        """Nothing is open."""

    def release(
        self,
        until: float,
        hidden: Callable[[float], list[Box]],
        keys_hidden: Callable[[float, float], bool],
    ) -> list[InputEvent]:
        """Those that ended before a moment, but for what was done where nobody may look; times as they came."""
        with self._lock:
            limit = (until - self._zero) * 1000
            # In the order in which they ended: one that is too new does not hold back the others.
            ready = [event for event in self._waiting if _end(event) <= limit]
            self._waiting = deque(event for event in self._waiting if _end(event) > limit)
        shown = [event for event in ready if not self._is_veiled(event, hidden, keys_hidden)]
        for event in shown:
            if isinstance(event, Focused):
                self._focused = event
        return shown

    def forget(self) -> None:
        """Let go of all that was taken and is not released yet, and of the window that has the keyboard."""
        with self._lock:
            self._waiting.clear()
            self._focused = None

    def current(self) -> Focused | None:
        """The window that has had the keyboard since the last event that was released."""
        return self._focused

    def _is_veiled(
        self,
        event: InputEvent,
        hidden: Callable[[float], list[Box]],
        keys_hidden: Callable[[float, float], bool],
    ) -> bool:
        begin, end = self._zero + event.t_ms / 1000, self._zero + _end(event) / 1000
        match event:
            case Typed() | Pressed():
                return keys_hidden(begin - _EARLY_SECONDS, end + _EARLY_SECONDS)
            case Clicked() | Scrolled():
                places = [(event.x, event.y)]
            case Dragged():
                places = [(event.x, event.y), (event.to_x, event.to_y)]
            case _:
                return False
        boxes = hidden(begin)
        left, top = self._area.x, self._area.y
        return any(
            box.x <= x + left < box.x + box.width and box.y <= y + top < box.y + box.height
            for x, y in places
            for box in boxes
        )


def _end(event: InputEvent) -> int:
    return event.until_ms if isinstance(event, Typed | Dragged | Scrolled) else event.t_ms


def within(event: InputEvent, start_ms: int, scale: tuple[float, float], size: tuple[int, int]) -> InputEvent:
    """An event as a film has it that began so many milliseconds later, and whose pictures are smaller.

    Args:
        event: its times count from another moment, its places are those of the screen.
        start_ms: when the film began.
        scale: what a pixel of the screen is in the film, across and down.
        size: width and height of the film.

    """
    changes: dict[str, int] = {"t_ms": max(0, event.t_ms - start_ms)}
    if isinstance(event, Typed | Dragged | Scrolled):
        changes["until_ms"] = max(0, event.until_ms - start_ms)
    for names in (("x", "y"), ("to_x", "to_y")):
        for name, factor, most in zip(names, scale, size, strict=True):
            if hasattr(event, name):
                changes[name] = min(max(0, int(getattr(event, name) * factor)), most - 1)
    return event.model_copy(update=changes)
