"""The moments at which a schedule fires, forward and backward from any moment, lazily.

What the clock does to them, after cron(8) of Debian and Vixie cron ("jobs that run at a specific time and jobs that are
run with a granularity greater than one hour" are handled specially, "jobs that run more frequently are scheduled
normally"), with croniter's reading of the latter as all that come in every hour:

- A time that the clock leaps over fires once, at the moment of the leap, with all others that it leapt over there. This
  holds for a whole day that a zone left out (Apia, 30 December 2011) as well.
- A time that the clock shows twice fires the first time.
- What comes in every hour (``*/15 * * * *``) fires whenever the clock shows such a time: in both of two equal hours,
  and not for an hour that never was.

Moments are in UTC: two of one zone compare by the clock on the wall in Python, wrongly in the hour that comes twice.
"""

from __future__ import annotations

import heapq
import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from core.errors import Internal
from core.schedules.cron import comes_hourly, cron_times
from core.schedules.zones import reached

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

    from core.schedules.schedule import Schedule

_SHOWN = 5


def firings_after(schedule: Schedule, moment: datetime) -> Iterator[datetime]:
    """Each moment (UTC) later than ``moment``, the earliest first; it ends with the calendar, or after the one."""
    start = _in_utc(moment)
    for each in _firings(schedule, start, backward=False):
        if each > start:
            yield each


def firings_until(schedule: Schedule, moment: datetime) -> Iterator[datetime]:
    """Each moment (UTC) not later than ``moment``, the latest first."""
    start = _in_utc(moment)
    for each in _firings(schedule, start, backward=True):
        if each <= start:
            yield each


def next_firings(schedule: Schedule, moment: datetime, count: int = _SHOWN) -> tuple[datetime, ...]:
    """The next few moments after ``moment``, as the clock in the schedule's zone shows them."""
    found = itertools.islice(firings_after(schedule, moment), count)
    return tuple(each.astimezone(schedule.place) for each in found)


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise Internal("A moment without a time zone was given to a schedule; report this.")
    return moment.astimezone(UTC)


def _firings(schedule: Schedule, moment: datetime, *, backward: bool) -> Iterator[datetime]:
    if schedule.at is not None:
        yield schedule.at.astimezone(UTC)
        return
    streams = (
        stream for cron in schedule.crons for stream in _of_cron(cron, moment, schedule.place, backward=backward)
    )
    for each, _ in itertools.groupby(heapq.merge(*streams, reverse=backward)):
        yield each


def _of_cron(cron: str, moment: datetime, zone: ZoneInfo, *, backward: bool) -> Iterator[Iterator[datetime]]:
    """The moments from about ``moment`` on, each stream in order; the same moment may be in both."""
    local = moment.astimezone(zone)
    # How much the clock is put back, where it shows this time twice.
    twice = (local.replace(fold=0).utcoffset() or timedelta()) - (local.replace(fold=1).utcoffset() or timedelta())
    wall = local.replace(tzinfo=None, microsecond=0)
    start = wall + twice + timedelta(seconds=1) if backward else wall - twice
    if not comes_hourly(cron):
        yield (reached(each, zone) for each in cron_times(cron, start, backward=backward))
        return
    for fold in (0, 1):
        yield _showings(cron_times(cron, start, backward=backward), zone, fold)


def _showings(times: Iterator[datetime], zone: ZoneInfo, fold: int) -> Iterator[datetime]:
    """The first or the second moment at which the clock shows each time; none where it leaps over it."""
    for each in times:
        moment = each.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None) == each:
            yield moment
