"""Waiting, and limits of time: a busy machine may break one, and a slow product breaks it each time."""

import random
import time
import zlib
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
TRIES: Final = 5
"""As often is a test begun anew that was too slow."""
_WORK: Final = bytes(random.Random(1).choices(b"abcdefgh ", k=200_000))
_WORK_SECONDS: Final = 0.03
"""So long takes it to compress that on two cores with other work; the limits are for such a machine."""
_MOST_SLOWNESS: Final = 3.0


class TooSlow(AssertionError):
    """Something took longer than its limit; whatever else is wrong is another error, which fails at once."""


def within(seconds: float, took: float) -> None:
    """Require that it took less than that, or less than as many times that as this machine is slower just now.

    Raises:
        TooSlow: it took longer.

    """
    if took >= seconds and took >= (limit := seconds * _slowness()):
        raise TooSlow(f"It took {took:.3f} s, and has {limit:.3f} s here, {seconds:g} s elsewhere.")


def _slowness() -> float:
    """How many times as long as elsewhere the machine takes for the same work: 1 to 3."""
    began = time.perf_counter()
    zlib.compress(_WORK)
    return min(max((time.perf_counter() - began) / _WORK_SECONDS, 1.0), _MOST_SLOWNESS)


def until(holds: Callable[[], T], seconds: float = 30.0, *, pause: float = 0.005) -> T:
    """Wait until it holds, and return what it said then.

    Args:
        holds: is asked again and again.
        seconds: after which the test fails, which must be longer than a busy machine takes.
        pause: seconds between two questions.

    """
    end = time.monotonic() + seconds
    while not (said := holds()):
        assert time.monotonic() < end, "It has not come true in time."
        time.sleep(pause)
    return said
