"""Keeps eyes for a while after they were used: who looks at the same screens again need not read them again."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from adapters.desktop.eyes import ScreenEyes
    from core.screens import Picture, TextLine

SECONDS: Final = 120.0
"""The networks and what they have read take up to 300 MB: nobody shall have them for nothing."""


class WarmEyes:
    """Lends eyes, to one borrower at a time; safe to share between threads.

    What is read depends on the picture alone, so it does not matter who had them before.

    Args:
        make: makes a pair; called when none is free.
        seconds: how long one that nobody uses is kept.

    """

    def __init__(self, make: Callable[[], ScreenEyes], *, seconds: float = SECONDS) -> None:
        self._make = make
        self._seconds = seconds
        self._lock = threading.Lock()
        self._free: ScreenEyes | None = None
        self._timer: threading.Timer | None = None

    @contextmanager
    def borrow(self) -> Generator[ScreenEyes]:
        """A pair for the time of the context."""
        with self._lock:
            eyes, self._free = self._free, None
            self._stop_timer()
        eyes = eyes or self._make()
        try:
            yield eyes
        finally:
            self._give_back(eyes)

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text of a picture, top to bottom."""
        with self.borrow() as eyes:
            return eyes.read(picture)

    def close(self) -> None:
        """Free the pair that nobody uses."""
        with self._lock:
            eyes, self._free = self._free, None
            self._stop_timer()
        if eyes is not None:
            eyes.close()

    def _give_back(self, eyes: ScreenEyes) -> None:
        with self._lock:
            spare, self._free = self._free, eyes
            self._stop_timer()
            self._timer = threading.Timer(self._seconds, self.close)
            self._timer.daemon = True
            self._timer.start()
        if spare is not None:
            spare.close()

    def _stop_timer(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
