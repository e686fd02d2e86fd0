"""Keeps eyes for a while after they were used, and gives the memory of freed pictures back to the system."""

from __future__ import annotations

import ctypes
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from core.idle import IdleCache

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from core.screens import Picture, TextLine


def give_back() -> None:
    """Return to the system what this process has freed. It does nothing where the C library has no such call."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


SECONDS: Final = 40.0
"""The networks and what they have read take up to 500 MB: within a minute after a run they are given back."""


class LentEyes(Protocol):
    """What is asked of eyes here."""

    @property
    def is_alive(self) -> bool:
        """Whether they can be used again."""
        ...

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text, top to bottom."""
        ...

    def png(self, picture: Picture) -> bytes:
        """The picture as a PNG file; from any thread, also while another uses them."""
        ...

    def thumbnail(self, picture: Picture) -> bytes:
        """A small copy of the picture as a WebP file; from any thread likewise."""
        ...

    def rest(self) -> None:
        """Drop the pictures of the last user."""
        ...

    def close(self) -> None:
        """Free them."""
        ...


Pair = TypeVar("Pair", bound=LentEyes)


class WarmEyes(Generic[Pair]):
    """Lends eyes, to one borrower at a time; safe to share between threads.

    What is read depends on the picture alone, so it does not matter who had them before.

    Args:
        make: makes a pair; called when none is free.
        seconds: how long an unused pair is kept.

    """

    def __init__(self, make: Callable[[], Pair], *, seconds: float = SECONDS) -> None:
        self._make = make
        self._free: IdleCache[Pair] = IdleCache(_closed, seconds)
        self._lock = threading.Lock()
        self._lent: list[Pair] = []

    @contextmanager
    def borrow(self) -> Generator[Pair]:
        """A pair for the time of the context."""
        eyes = self._free.take()
        if eyes is not None and not eyes.is_alive:
            eyes.close()
            eyes = None
        eyes = eyes or self._make()
        with self._lock:
            self._lent.append(eyes)
        try:
            yield eyes
        finally:
            self._give_back(eyes)

    @contextmanager
    def share(self) -> Generator[Pair]:
        """A pair for what may be asked from any thread: one that is lent if there is one, else one that is borrowed."""
        with self._lock:
            lent = next((eyes for eyes in reversed(self._lent) if eyes.is_alive), None)
        if lent is not None:
            yield lent
        else:
            with self.borrow() as eyes:
                yield eyes

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text of a picture, top to bottom."""
        with self.borrow() as eyes:
            return eyes.read(picture)

    def png(self, picture: Picture) -> bytes:
        """A picture as a PNG file."""
        with self.share() as eyes:
            return eyes.png(picture)

    def thumbnail(self, picture: Picture) -> bytes:
        """A small copy of a picture as a WebP file."""
        with self.share() as eyes:
            return eyes.thumbnail(picture)

    def close(self) -> None:
        """Free the unused pair."""
        self._free.close()

    def _give_back(self, eyes: Pair) -> None:
        eyes.rest()
        with self._lock:
            self._lent.remove(eyes)
        self._free.keep(eyes)


def _closed(eyes: LentEyes) -> None:
    eyes.close()
    give_back()
