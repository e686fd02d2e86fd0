"""An acting process that has loaded all it needs before anybody has a display for it: loading takes half a second."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Final

from adapters.desktop.process.child import ActingProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SECONDS: Final = 60.0
"""How long one that nobody takes is kept: it has 60 MB."""


class SpareProcess:
    """Keeps one acting process at most; safe to share between threads.

    Args:
        seconds: how long one that nobody takes is kept.

    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._kept: ActingProcess | None = None
        self._timer: threading.Timer | None = None

    def warm(self) -> None:
        """Have one for whoever takes it next, for a while; returns before it is ready."""
        with self._lock:
            if self._kept is None or not self._kept.is_alive:
                self._kept = ActingProcess.spare()
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._seconds, self._expire, (self._kept,))
            self._timer.daemon = True
            self._timer.start()

    def take(self, shared: Sequence[int], after: Callable[[], None]) -> ActingProcess:
        """The one that is kept, else a new one; the arguments are those of ``ActingProcess``."""
        with self._lock:
            spare, self._kept = self._kept, None
            if self._timer is not None:
                self._timer.cancel()
        if spare is not None:
            if spare.hand_over(shared, after):
                return spare
            spare.end()
        return ActingProcess(shared, after)

    def close(self) -> None:
        """End the one that is kept."""
        with self._lock:
            spare, self._kept = self._kept, None
            if self._timer is not None:
                self._timer.cancel()
        if spare is not None:
            spare.end()

    def _expire(self, spare: ActingProcess) -> None:
        with self._lock:
            if self._kept is not spare or self._timer is not threading.current_thread():
                return
            self._kept = None
        with contextlib.suppress(OSError):
            spare.end()
