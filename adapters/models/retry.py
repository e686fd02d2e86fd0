"""Asking a provider again, and staying cancellable while it answers or while we wait."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from datetime import datetime

    from core.errors import VaiderError

ResultT = TypeVar("ResultT")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?", re.ASCII)


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently a provider is asked again.

    Args:
        attempts: at most so many tries after the first.
        max_seconds: no single wait is longer; a provider that demands more is given up at once.
        first_seconds: the wait before the second try; it doubles from try to try.
        sleep: waits; tests hand in their own.
        jitter: 0..1, spreads the waits of parallel analyses.

    """

    attempts: int = 3
    max_seconds: float = 60.0
    first_seconds: float = 1.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random

    def delay(self, tries: int, demanded: float | None) -> float | None:
        """Seconds to wait after the ``tries``-th failed try, ``None`` when it is not worth waiting.

        What the provider demands is never undercut; without a demand the wait is the upper half of an exponential.
        """
        if tries > self.attempts or (demanded or 0) > self.max_seconds:
            return None
        if demanded is not None:
            return min(self.max_seconds, demanded * (1 + self.jitter() / 10))
        full = min(self.max_seconds, self.first_seconds * 2 ** (tries - 1))
        return full * (1 + self.jitter()) / 2


ONCE: Final = RetryPolicy(attempts=0)
"""Where the caller itself asks again, later."""


@dataclass(frozen=True)
class Failure:
    """One failed try: what it means, whether another may succeed, and how long the provider wants us to wait."""

    error: VaiderError
    retry: bool = False
    after_seconds: float | None = None


@dataclass(frozen=True)
class Patience:
    """Waits without losing touch with the job: ``tick`` reports at every beat, and raises when the job shall stop."""

    policy: RetryPolicy
    tick: Callable[[], None]
    beat_seconds: float = 0.5

    async def wait(self, seconds: float) -> None:
        """Wait, ticking."""
        left = seconds
        while left > 0:
            self.tick()
            await self.policy.sleep(min(left, self.beat_seconds))
            left -= self.beat_seconds
        self.tick()

    async def during(self, work: Coroutine[None, None, ResultT]) -> ResultT:
        """Await the work, ticking; when a tick raises, the work is cancelled and its connection closed."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=self.beat_seconds))[0]:
                self.tick()
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def insist(
        self, call: Callable[[], Coroutine[None, None, ResultT]], translate: Callable[[Exception], Failure | None]
    ) -> ResultT:
        """Call until it works, or until trying again is pointless; then raise the translated error.

        What ``translate`` knows nothing of (``None``) is raised as it is.
        """
        tries = 0
        while True:
            self.tick()
            tries += 1
            try:
                return await self.during(call())
            except Exception as error:
                failure = translate(error)
                if failure is None:
                    raise
            seconds = self.policy.delay(tries, failure.after_seconds) if failure.retry else None
            # Raised outside of the handler: a provider's exception holds its request, and with it the key.
            if seconds is None:
                raise failure.error
            await self.wait(seconds)


def parse_retry_after(value: str | None, now: Callable[[], datetime]) -> float | None:
    """Seconds from a ``Retry-After`` header: a number, or an HTTP date (RFC 9110 §10.2.3); ``None`` for neither."""
    if not value:
        return None
    seconds = _seconds(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(value) - now()).total_seconds())
    except (TypeError, ValueError):
        return None


def parse_duration(value: object) -> float | None:
    """Seconds from a protobuf duration as JSON writes it, ``"58s"`` or ``"58.93s"``."""
    return _seconds(value[:-1]) if isinstance(value, str) and value.endswith("s") else None


def _seconds(text: str) -> float | None:
    return max(0.0, float(text)) if _NUMBER.fullmatch(text) else None
