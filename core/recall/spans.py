"""A stretch of time, and where the clock of a zone puts its ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import tzinfo

DAY = timedelta(days=1)


class Span(NamedTuple):
    """From ``since`` until before ``until``, both in UTC."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies in it."""
        return self.since <= moment < self.until


class Clock(NamedTuple):
    """The moment of the question, as a clock on the wall of the person who asks shows it."""

    now: datetime
    """Aware."""
    zone: tzinfo

    @property
    def today(self) -> date:
        """The day there."""
        return self.now.astimezone(self.zone).date()

    def days(self, first: date, count: int = 1) -> Span:
        """Whole days from midnight to midnight, which are not always 24 hours long."""
        return self.between(first, time.min, first + count * DAY, time.min)

    def between(self, first: date, since: time, last: date, until: time) -> Span:
        """From a time of one day to a time of another; of a time that is shown twice all of it."""
        begin = datetime.combine(first, since, tzinfo=self.zone)
        end = datetime.combine(last, until, tzinfo=self.zone).replace(fold=1 if until != time.min else 0)
        return Span(begin.astimezone(UTC), end.astimezone(UTC))

    def ago(self, longest: timedelta, shortest: timedelta = timedelta()) -> Span:
        """From so long ago to so long ago; until now includes what began at this very moment."""
        now = self.now.astimezone(UTC)
        return Span(now - longest, now - shortest if shortest else now + timedelta(seconds=1))
