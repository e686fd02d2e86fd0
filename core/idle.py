"""Keeps one costly thing for a while after its use, and ends it then."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

ThingT = TypeVar("ThingT")


class IdleCache(Generic[ThingT]):
    """Safe to share between threads.

    Args:
        end: frees a thing that was not taken in time.
        seconds: how long a thing is kept.

    """

    def __init__(self, end: Callable[[ThingT], object], seconds: float) -> None:
        self._end, self._seconds = end, seconds
        self._lock = threading.Lock()
        self._kept: tuple[ThingT, threading.Timer] | None = None

    def take(self) -> ThingT | None:
        """The thing that is kept, which is the caller's from now on."""
        return self._swapped(None)

    def keep(self, thing: ThingT) -> None:
        """Keep it until it is taken or its time is over; ends one that was kept before."""
        timer = threading.Timer(self._seconds, lambda: self._expire(timer))
        timer.daemon = True
        self._free(self._swapped((thing, timer)))
        timer.start()

    def close(self) -> None:
        """End the thing that is kept."""
        self._free(self.take())

    def _swapped(self, new: tuple[ThingT, threading.Timer] | None) -> ThingT | None:
        with self._lock:
            old, self._kept = self._kept, new
        if old is None:
            return None
        old[1].cancel()
        return old[0]

    def _expire(self, timer: threading.Timer) -> None:
        with self._lock:
            if self._kept is None or self._kept[1] is not timer:
                return
            thing, self._kept = self._kept[0], None
        self._free(thing)

    def _free(self, thing: ThingT | None) -> None:
        if thing is not None:
            self._end(thing)
