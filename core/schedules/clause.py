"""One clause of a schedule's words ("every weekday at 9:00"): what it has said, and the times which that makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.cron import DAY_MINUTES, HOUR_MINUTES, times_of_day
from core.schedules.days import LAST_DAY, Days, demand_possible
from core.schedules.description import clock
from core.schedules.fields import HOUR, MONTH

if TYPE_CHECKING:
    from datetime import date, timedelta

    from core.schedules.cron import Cron

_QUARTER_STARTS = frozenset({1, 4, 7, 10})
_QUARTER_ENDS = frozenset({3, 6, 9, 12})
_SHORTEST = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass
class Clause:
    """What was said so far."""

    times: set[int] = field(default_factory=set[int])
    """Minutes after midnight."""
    seconds: int = 0
    """Beyond the minute, of the time that was said; only for one moment."""
    minutes: set[int] = field(default_factory=set[int])
    """Of each hour, or of ``hours``."""
    hours: set[int] = field(default_factory=set[int])
    every: int | None = None
    """Minutes between two times."""
    window: tuple[int, int] | None = None
    of_week: set[int] = field(default_factory=set[int])
    of_month: set[int] = field(default_factory=set[int])
    nth: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    months: set[int] = field(default_factory=set[int])
    periods: set[str] = field(default_factory=set[str])
    """``day``, ``week``, ``month``, ``quarter``, ``year``: each of them was named."""
    date: date | None = None
    ahead: int | None = None
    """Days from today to the one that is meant."""
    offset: timedelta | None = None
    relative: timedelta | None = None
    says_each: bool = False
    """Whether "every" stood before a day of the month."""
    notes: list[str] = field(default_factory=list[str])

    @property
    def is_once(self) -> bool:
        """Whether it names one moment."""
        return self.date is not None or self.ahead is not None or self.relative is not None

    @property
    def recurs(self) -> bool:
        """Whether it says anything that comes again."""
        return bool(
            self.minutes or self.every or self.of_week or self.of_month or self.nth or self.months or self.periods
        )

    @property
    def said(self) -> tuple[frozenset[object], ...]:
        """The times, days and months so far: each of these is to be said in one phrase."""
        kinds = (self.times, self.minutes, self.hours, self.of_week, self.of_month, self.nth, self.months)
        return tuple(frozenset[object](kind) for kind in kinds)

    def crons(self) -> tuple[Cron, ...]:
        """The times that come again.

        Raises:
            InvalidRequest: something is missing, contradicts itself or never comes; the message says what to write.

        """
        if self.seconds:
            raise InvalidRequest("A schedule fires on full minutes; leave out the seconds.")
        if not self.recurs and self.times:
            raise InvalidRequest(
                'It does not say on which days; write "every day at 9:00", or for once "at 2026-12-24 18:00".'
            )
        days = self._days()
        demand_possible(days)
        return times_of_day(self._times(days), days)

    def _times(self, days: Days) -> set[int]:
        if self.minutes:
            return self._times_of_hours()
        if self.every is None:
            if self.window is not None:
                raise InvalidRequest('Say how often within these hours, as in "every 2 hours between 9:00 and 17:00".')
            if not self.times:
                raise InvalidRequest('It does not say at what time; add one, as in "every weekday at 9:00".')
            return self.times
        if self.times:
            raise InvalidRequest(
                "It says both how often and at what time; write one of them, "
                'as in "every 2 hours between 9:00 and 17:00" or "every day at 9:00 and 11:00".'
            )
        if self.every > DAY_MINUTES:
            raise InvalidRequest('That is longer than a day; name the days, as in "every Monday at 9:00".')
        first, last = self.window or (0, DAY_MINUTES - 1)
        if last < first:
            raise InvalidRequest(
                f"{clock(first)} to {clock(last)} goes past midnight; write it as two, joined by a semicolon: "
                f'"every hour between {clock(first)} and 23:00; every hour between 00:00 and {clock(last)}".'
            )
        if self.window is None and DAY_MINUTES % self.every:
            raise InvalidRequest(
                f"Every {_interval(self.every)} does not come out even in a day; choose one that does, or say between "
                f'which times: "every {_interval(self.every)} between 9:00 and 17:00".'
            )
        if self.every > HOUR_MINUTES and self.window is None and days.are_all:
            self.notes.append("It is counted from midnight.")
        return set(range(first, last + 1, self.every))

    def _times_of_hours(self) -> set[int]:
        if self.times or self.window or self.every not in {None, HOUR_MINUTES}:
            raise InvalidRequest(
                'Minutes of an hour go with "every hour" or with hours, as in "at minutes 5 and 35 of every hour".'
            )
        return {hour * HOUR_MINUTES + minute for hour in self.hours or HOUR.all for minute in self.minutes}

    def _days(self) -> Days:
        said = [name for name, given in (("week", self.of_week), ("month", self.of_month), ("nth", self.nth)) if given]
        if len(said) > 1:
            raise InvalidRequest(
                "It names days of the week and days of the month together, which can mean both or either; "
                'write "every Monday at 9:00; on the 1st of each month at 9:00" if you mean either.'
            )
        if "day" in self.periods and said and not (self.every or self.minutes):
            raise InvalidRequest('It says "every day" and names some days; leave one of them out.')
        if "week" in self.periods and not self.of_week:
            raise InvalidRequest('It does not say on which day of the week; add one, as in "every Monday at 9:00".')
        months = self._months(said)
        latest = max(self.of_month - {LAST_DAY}, default=0)
        if months == {2} and latest > _SHORTEST[1]:
            self.notes.append("It comes in leap years alone.")
        elif any(latest > _SHORTEST[month - 1] for month in months):
            self.notes.append(
                f"A month without a day {latest} is left out; "
                'for the end of each month write "on the last day of each month at 9:00".'
            )
        return Days(frozenset(months), frozenset(self.of_month), frozenset(self.of_week), frozenset(self.nth))

    def _months(self, said: list[str]) -> set[int] | frozenset[int]:
        of_month = bool(self.of_month or self.nth)
        if "quarter" in self.periods:
            return self._months_of_quarters(said)
        if "month" in self.periods and not said:
            raise InvalidRequest(
                'It does not say on which day of the month; add it, as in "on the 1st of each month at 9:00".'
            )
        if "year" in self.periods and not (self.months and of_month):
            raise InvalidRequest('It does not say on which date; add it, as in "every year on 24 December at 18:00".')
        if of_month and not self.periods & {"month", "year"}:
            if len(self.months) == 1 and not self.says_each:
                raise InvalidRequest(
                    "It does not say whether this is once or each year; "
                    'write "every year on 24 December at 18:00", or for once "at 2026-12-24 18:00".'
                )
            if not self.months:
                self.notes.append("It is read as each month.")
        return self.months or MONTH.all

    def _months_of_quarters(self, said: list[str]) -> frozenset[int]:
        if self.months or not (not said or self.of_month in ({1}, {LAST_DAY})):
            raise InvalidRequest(
                "Of a quarter, only its first and its last day are understood; name the months for others, "
                'as in "on the 15th of January, April, July and October every year at 9:00".'
            )
        if not said:
            self.of_month = {1}
            self.notes.append("It is read as the first day of each quarter.")
        return _QUARTER_ENDS if self.of_month == {LAST_DAY} else _QUARTER_STARTS


def _interval(minutes: int) -> str:
    return f"{minutes // HOUR_MINUTES} hours" if minutes % HOUR_MINUTES == 0 else f"{minutes} minutes"
