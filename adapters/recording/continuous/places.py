"""Where the windows of a display are, and have been of late."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

from adapters.recording.continuous.clients import Client
from core.screens import Box

ALWAYS: Final = float("inf")
"""Until when something is that has not ended."""


@dataclass(slots=True)
class Place:
    """Where one was shown until a moment of the monotonic clock."""

    box: Box
    until: float


@dataclass(slots=True)
class Top:
    """A child of the root window: a frame, or a window that no window manager touches."""

    id: int
    box: Box
    bare: bool
    """Whether it is no window manager's: a menu, a tip, a locker."""
    shown: bool = False
    gone: bool = False
    clients: dict[int, Client] = field(default_factory=dict[int, Client])
    places: deque[Place] = field(default_factory=deque[Place])

    def place(self, now: float) -> None:
        """It is shown where it is from now on."""
        self.leave(now)
        self.places.append(Place(self.box, ALWAYS))

    def leave(self, now: float) -> None:
        """It is not where it was any more."""
        if self.places and self.places[-1].until == ALWAYS:
            self.places[-1].until = now


def box_of(event: Any) -> Box:
    """The place that an event or an answer of the server tells, with its border."""
    border = 2 * event.border_width
    return Box(x=event.x, y=event.y, width=event.width + border, height=event.height + border)
