"""Waiting, and limits of time: a busy machine may break one, and a slow product breaks it each time."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
TRIES: Final = 5
"""As often is a test begun anew that was too slow."""


class TooSlow(AssertionError):
    """Something took longer than its limit; whatever else is wrong is another error, which fails at once."""


def within(seconds: float, took: float) -> None:
    """Require that it took less than that.

    Raises:
        TooSlow: it took longer.

    """
    if took >= seconds:
        raise TooSlow(f"It took {took:.3f} s, and has {seconds:g} s.")


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
