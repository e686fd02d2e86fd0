"""Grabs a display at a steady rate and remembers when each different picture was first seen."""

import bisect
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import mss
import numpy as np
from numpy.typing import NDArray

from bench.record.screen import Screen

GRABS_PER_SECOND = 50


@dataclass
class Footage:
    """The pictures of one session. Times are wall clock seconds, the clock that pages stamp with."""

    width: int
    height: int
    started: float = 0.0
    ended: float = 0.0
    times: list[float] = field(default_factory=list[float])
    pictures: list[bytes] = field(default_factory=list[bytes])
    grabs: list[float] = field(default_factory=list[float])

    def at(self, t: float) -> NDArray[np.uint8]:
        """The picture that stood at wall clock time ``t``, indexed by row, column, and blue, green, red or unused."""
        return np.frombuffer(self.still(t), np.uint8).reshape(self.height, self.width, 4)

    def still(self, t: float) -> bytes:
        """The same picture as it was grabbed."""
        return self.pictures[max(0, bisect.bisect_right(self.times, t) - 1)]

    @property
    def worst_gap(self) -> float:
        """The longest time in seconds in which nothing was grabbed."""
        return max((b - a for a, b in zip(self.grabs, self.grabs[1:], strict=False)), default=0.0)


class Recorder:
    """Records from ``with`` to the end of the block."""

    def __init__(self, screen: Screen, *, pointer: bool, rate: int = GRABS_PER_SECOND) -> None:
        self._screen = screen
        self._rate = rate
        self._pointer = pointer
        self._stop = threading.Event()
        self._ready = threading.Event()
        self.footage = Footage(screen.width, screen.height)
        self._thread = threading.Thread(target=self._record, name="recorder")

    def __enter__(self) -> Footage:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("The display could not be grabbed.")
        return self.footage

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _record(self) -> None:
        footage = self.footage
        source: Any = mss.MSS(display=self._screen.display, with_cursor=self._pointer)
        with source:
            monitor = source.monitors[0]
            footage.started = time.time()
            while not self._stop.is_set():
                now = time.time()
                picture = bytes(source.grab(monitor).raw)
                footage.grabs.append(now)
                if not footage.pictures or picture != footage.pictures[-1]:
                    footage.times.append(now)
                    footage.pictures.append(picture)
                self._ready.set()
                self._stop.wait(max(0.0, 1 / self._rate - (time.time() - now)))
            footage.ended = time.time()
