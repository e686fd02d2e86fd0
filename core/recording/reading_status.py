"""How far the recording has been read."""

from __future__ import annotations

from datetime import datetime

from core.values import Value


class ReadingStatus(Value):
    """The truth about the reading; numbers count from the start of the daemon."""

    reading: tuple[str, ...] = ()
    """The segments that are being read, the oldest first."""
    waiting: int = 0
    """Segments that are complete, and are read one after the other."""
    left_out: int = 0
    """Segments that were left unread because too many waited."""
    failed: int = 0
    """Segments that could not be read."""
    read_until: datetime | None = None
    """The moment up to which the newest of what was seen has been remembered; after it nothing new was seen so far."""
    problem: str | None = None
    """What went wrong last, if nothing has gone well since."""
