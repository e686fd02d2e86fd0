"""Which events we have sent ourselves: whatever else arrives came from somebody else."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["key_press", "key_release", "button_press", "button_release", "motion"]

MAX_OUTSTANDING: Final = 20_000
"""Events; the server answers each at once, so only a server that stands still has so many outstanding."""
HELD_SECONDS: Final = 1.0
"""So long, by far, a window manager holds back a click."""


class _Credit(NamedTuple):
    kind: Kind
    detail: int
    at: float


class SentEvents:
    """Credits for the XTEST events that we send, taken when the server reports them.

    One sender at a time: of each device, the server reports events in the order in which one connection sent them. So
    a credit that is older than the one that is taken belongs to an event that the server swallowed (a held modifier
    pressed again is reported once), and is dropped: it cannot excuse somebody else's event later. An event of somebody
    else that looks like one of ours takes its credit, and then ours is the one without: either way the takeover is
    noticed. Mouse and keyboard are two devices: a window manager that grabs a click holds back what the mouse does
    until it has raised the window, and letters that were sent after it overtake it. So of the other device, only what
    is older by ``HELD_SECONDS`` is taken for swallowed.

    Args:
        clock: seconds that only go on.

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._mouse: deque[_Credit] = deque(maxlen=MAX_OUTSTANDING)
        self._keyboard: deque[_Credit] = deque(maxlen=MAX_OUTSTANDING)
        self._lock = threading.Lock()

    def sent(self, kind: Kind, detail: int = 0) -> None:
        """Call right before each XTEST event is sent; ``detail`` is its keycode or button, 0 of a motion."""
        with self._lock:
            self._of(kind)[0].append(_Credit(kind, 0 if kind == "motion" else detail, self._clock()))

    def take(self, kind: Kind, detail: int = 0) -> bool:
        """Whether the XTEST event that has arrived is ours."""
        wanted = (kind, 0 if kind == "motion" else detail)
        with self._lock:
            own, other = self._of(kind)
            taken = next((at for at, credit in enumerate(own) if credit[:2] == wanted), None)
            if taken is None:
                return False
            sent_at = own[taken].at
            for _ in range(taken + 1):
                own.popleft()
            while other and other[0].at < sent_at - HELD_SECONDS:
                other.popleft()
            return True

    @property
    def outstanding(self) -> int:
        """How many events were sent and not yet reported."""
        return len(self._mouse) + len(self._keyboard)

    def _of(self, kind: Kind) -> tuple[deque[_Credit], deque[_Credit]]:
        """The credits of the kind's device, and those of the other one."""
        if kind in {"key_press", "key_release"}:
            return self._keyboard, self._mouse
        return self._mouse, self._keyboard
