"""The moments at which a schedule fires, and what becomes of those at which nothing could run.

What the clock does to them, after cron(8) of Debian and Vixie cron ("jobs that run at a specific time and jobs that are
run with a granularity greater than one hour" are handled specially, "jobs that run more frequently are scheduled
normally"), with croniter's reading of the latter as all that come in every hour:

- A time that the clock leaps over fires once, at the moment of the leap, with all others that it leapt over there. This
  holds for a whole day that a zone left out (Apia, 30 December 2011) as well.
- A time that the clock shows twice fires the first time.
- What comes in every hour (``*/15 * * * *``) fires whenever the clock shows such a time: in both of two equal hours,
  and not for an hour that never was.

Moments are in UTC: two of one zone compare by the clock on the wall in Python, wrongly in the hour that comes twice.

A moment is decided once: only moments later than the last decided one are looked at, whatever the clock does. A clock
that is put back therefore fires nothing twice, and one that leaps forward leaves missed times behind, like a machine
that slept.
"""

import heapq
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime

from core.errors import Internal
from core.schedules.cron import comes_hourly, cron_times
from core.schedules.schedule import Missed, Schedule, reached
from core.values import Value

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


GRACE = timedelta(minutes=1)
"""What is less late than this is on time."""
MOST_DECISIONS = 100
"""The most missed times that are made up for or listed; the latest ones."""


class Decision(Value):
    """What becomes of one moment."""

    moment: AwareDatetime
    fires: bool
    reason: str
    """One line, for the log and for people."""

    @property
    def key(self) -> str:
        """Names the moment, the same in every process: who starts a run under it starts it once."""
        return f"{self.moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


class Due(Value):
    """What was decided, the earliest first. ``handled`` is to be kept, and given the next time."""

    decisions: tuple[Decision, ...] = ()
    handled: AwareDatetime
    note: str = ""
    """What else is to be logged: that the clock was put back, that older moments were dropped."""

    @property
    def firing(self) -> tuple[Decision, ...]:
        """Those that fire."""
        return tuple(decision for decision in self.decisions if decision.fires)


def due(schedule: Schedule, *, handled: datetime, now: datetime) -> Due:
    """Decide on every moment after ``handled`` up to ``now``.

    Args:
        schedule: its ``missed`` says what becomes of moments that are a minute late or more.
        handled: the last moment that was decided; at first, when the schedule was made or changed.
        now: what the clock shows.

    """
    if now < handled:
        return Due(
            handled=handled,
            note=f"The clock stands before {_format_moment(handled)}, up to which all is decided; nothing fires.",
        )
    later = itertools.takewhile(lambda moment: moment > handled, firings_until(schedule, now))
    found = list(itertools.islice(later, MOST_DECISIONS + 1))
    if not found:
        return Due(handled=handled)
    moments = found[:MOST_DECISIONS][::-1]
    older = f"What was missed before {_format_moment(moments[0])} is left out." if len(found) > MOST_DECISIONS else ""
    return Due(
        decisions=tuple(_decision(schedule.missed, moment, moments[-1], now) for moment in moments),
        handled=moments[-1],
        note=older,
    )


def _decision(missed: Missed, moment: datetime, latest: datetime, now: datetime) -> Decision:
    late = now - moment
    if late < GRACE and (moment == latest or missed is Missed.ALL):
        return Decision(moment=moment, fires=True, reason="It is time.")
    said = f"It was missed by {_span(late)}"
    if missed is Missed.ALL:
        return Decision(moment=moment, fires=True, reason=f"{said}, and each missed time is made up for.")
    if missed is Missed.SKIP:
        return Decision(moment=moment, fires=False, reason=f"{said}, and missed times are left out.")
    if moment == latest:
        return Decision(moment=moment, fires=True, reason=f"{said}, and the latest missed time is made up for.")
    return Decision(
        moment=moment, fires=False, reason=f"{said}, and the time at {_format_moment(latest)} stands for it."
    )


def _format_moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _span(late: timedelta) -> str:
    minutes = late // timedelta(minutes=1)
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "less than a minute"
