"""What of a video can be told before its end, and how often."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from adapters.video.text.letters import PAUSE_MS
from core.analysis import FindingsSoFar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from core.analysis import Event, Findings

_COMPOSING: Final = 0.1
"""The most of the time that may go into composing what is known so far: there is more of it with every minute."""


class Pace:
    """When what is known so far may be composed again.

    Args:
        seconds: between the ends of two times, at least.
        clock: seconds.

    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = float("-inf")

    @property
    def is_due(self) -> bool:
        """Whether it is time."""
        return self._clock() >= self._next

    @contextmanager
    def composing(self) -> Generator[None]:
        """While it is composed and told."""
        began = self._clock()
        yield
        ended = self._clock()
        self._next = ended + max(self._seconds - (ended - began), (ended - began) / _COMPOSING)


class Parts:
    """Picks what nothing will be joined to any more, most likely, and was not told before.

    Args:
        total_ms: the length of the video.

    """

    def __init__(self, total_ms: int) -> None:
        self._total_ms = total_ms
        self._until_ms = -1
        self._count = 0
        self._has_screen = False

    def next(self, findings: Findings, now_ms: int) -> FindingsSoFar | None:
        """What is to be told of findings up to that time; ``None`` when it is nothing."""
        until_ms = now_ms - PAUSE_MS
        settled = [event for event in findings.timeline if self._until_ms < _end_of(event) <= until_ms]
        screen = () if self._has_screen else findings.first_screen
        at, self._count = self._count, self._count + len(settled)
        self._has_screen = self._has_screen or bool(screen)
        self._until_ms = max(self._until_ms, until_ms)
        if not (settled or screen):
            return None
        timeline = tuple(_without_picture(event) for event in settled)
        return FindingsSoFar(done=now_ms, total=self._total_ms, first_screen=screen, at=at, timeline=timeline)


def _end_of(event: Event) -> int:
    return event.t_ms if event.until_ms is None else event.until_ms


def _without_picture(event: Event) -> Event:
    """The event alone: its picture is kept only if the answer names it."""
    return event.model_copy(update={"frame": None})
