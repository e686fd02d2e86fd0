"""Which events we have sent ourselves: whatever else arrives came from somebody else."""

from __future__ import annotations

import threading
from collections import deque
from typing import Final, Literal

Kind = Literal["key_press", "key_release", "button_press", "button_release", "motion"]

MAX_OUTSTANDING: Final = 20_000
"""Events; the server answers each at once, so only a server that stands still has so many outstanding."""


class SentEvents:
    """Credits for the XTEST events that we send, taken when the server reports them.

    One sender at a time: the server reports events in the order in which one connection sent them. So a credit that is
    older than the one that is taken belongs to an event that the server swallowed (a held modifier pressed again is
    reported once), and is dropped: it cannot excuse somebody else's event later. An event of somebody else that looks
    like one of ours takes its credit, and then ours is the one without: either way the takeover is noticed.
    """

    def __init__(self) -> None:
        self._credits: deque[tuple[Kind, int]] = deque(maxlen=MAX_OUTSTANDING)
        self._lock = threading.Lock()

    def sent(self, kind: Kind, detail: int = 0) -> None:
        """Call right before each XTEST event is sent; ``detail`` is its keycode or button, 0 of a motion."""
        with self._lock:
            self._credits.append((kind, 0 if kind == "motion" else detail))

    def take(self, kind: Kind, detail: int = 0) -> bool:
        """Whether the XTEST event that has arrived is ours."""
        wanted = (kind, 0 if kind == "motion" else detail)
        with self._lock:
            try:
                older = self._credits.index(wanted)
            except ValueError:
                return False
            for _ in range(older + 1):
                self._credits.popleft()
            return True

    @property
    def outstanding(self) -> int:
        """How many events were sent and not yet reported."""
        return len(self._credits)
