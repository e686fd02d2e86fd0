"""Timestamps as files really hold them, made into a time that only goes forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

_SLACK_MS = 1_000


class Clock:
    """Tells the milliseconds since the first frame.

    Missing timestamps, steps backwards, and leaps over the clip's end are broken: then the frame is placed one
    nominal frame after the one before, and time goes on from there.

    Args:
        time_base: seconds of one unit of a timestamp.
        nominal_ms: the time from frame to frame where nothing else is known.
        end_ms: beyond which the clip cannot go by its own account, ``None`` when that is not known.

    """

    def __init__(self, *, time_base: Fraction | None, nominal_ms: float, end_ms: float | None) -> None:
        self._unit_ms = float(time_base or 0) * 1000
        self.nominal_ms = nominal_ms
        self._end_ms = end_ms
        self._offset_ms: float | None = None
        self._now_ms = 0.0
        self.repaired = 0
        """How many timestamps were broken."""

    def at(self, timestamp: int | None) -> float:
        """Milliseconds of a frame with this timestamp; call it in the order of presentation."""
        raw = None if timestamp is None or self._unit_ms <= 0 else timestamp * self._unit_ms
        if self._offset_ms is None:
            self._offset_ms = -(raw or 0.0)
            return 0.0
        told = None if raw is None else raw + self._offset_ms
        if told is not None and not self._is_broken(told):
            self._now_ms = told
            return told
        self.repaired += 1
        self._now_ms += self.nominal_ms
        if raw is not None:
            self._offset_ms = self._now_ms - raw
        return self._now_ms

    def _is_broken(self, told: float) -> bool:
        if told < self._now_ms:
            return True
        leaps = told - self._now_ms > max(_SLACK_MS, 10 * self.nominal_ms)
        return leaps and self._end_ms is not None and told > self._end_ms + _SLACK_MS
