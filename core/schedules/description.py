"""Times in plain English, in words that ``parser`` understands as the same times."""

from __future__ import annotations

import calendar
from datetime import UTC
from typing import TYPE_CHECKING

from core.schedules.cron import DAY_MINUTES, HOUR_MINUTES, by_days, times_of_day
from core.schedules.days import LAST_DAY, LAST_WEEK
from core.schedules.fields import MONTH
from core.schedules.zones import reached

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from core.schedules.cron import Cron
    from core.schedules.days import Days

WEEKDAYS = frozenset({1, 2, 3, 4, 5})
DAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
NTH_NAMES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", LAST_WEEK: "last"}
_LONGEST_LIST = 24
_FEWEST_STEPS = 5
_TEENS = range(11, 14)


def describe(crons: Iterable[Cron]) -> str:
    """When they come, one clause for each kind of days and times, joined by ``; ``."""
    return "; ".join(clause for days, times in by_days(crons).items() for clause in _clauses(times, days))


def describe_moment(moment: datetime, zone: ZoneInfo) -> str:
    """``at 2026-12-24 18:00``, with the offset from UTC when the clock shows that time for the second time."""
    local = moment.astimezone(zone)
    wall = local.replace(tzinfo=None, fold=0)
    seconds = f":{local:%S}" if local.second else ""
    offset = "" if reached(wall, zone) == moment.astimezone(UTC) else f" {local:%z}"
    return f"at {local:%Y-%m-%d %H:%M}{seconds}{offset}"


def clock(minutes: int) -> str:
    """Minutes after midnight as ``09:05``."""
    return f"{minutes // HOUR_MINUTES:02}:{minutes % HOUR_MINUTES:02}"


def ordinal(number: int) -> str:
    """As in ``1st``, ``22nd`` and ``last day``."""
    if number == LAST_DAY:
        return "last day"
    return f"{number}{'th' if number in _TEENS else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def listed(words: Iterable[str]) -> str:
    """``a, b and c``."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _clauses(times: frozenset[int], days: Days) -> list[str]:
    if whole := _stepped(sorted(times)):
        return [_with_days(whole, days)]
    clauses: list[str] = []
    others: list[Cron] = []
    for cron in times_of_day(times, days):
        if cron.is_hourly:
            clauses.append(_with_days(_stepped(sorted(cron.times)) or _minutes_of_hours(cron), days))
        else:
            others.append(cron)
    rest = sorted(time for cron in others for time in cron.times)
    if stepped := _stepped(rest):
        clauses.append(_with_days(stepped, days))
    elif len(rest) > _LONGEST_LIST:
        clauses += [_with_days(_minutes_of_hours(cron), days) for cron in others]
    elif rest:
        clauses.append(f"{_each_of(days)} at {listed(map(clock, rest))}")
    return clauses


def _with_days(told: str, days: Days) -> str:
    return f"{told} {_on_days(days)}".strip()


def _stepped(times: list[int]) -> str:
    """``every 2 hours between 09:00 and 17:00``, if the times are evenly spaced and not few; else nothing."""
    if len(times) < 2:  # noqa: PLR2004 - one time has no spacing
        return ""
    step = times[1] - times[0]
    if times != list(range(times[0], times[-1] + 1, step)):
        return ""
    unit = f"{step // HOUR_MINUTES} hours" if step % HOUR_MINUTES == 0 else f"{step} minutes"
    every = {"1 hours": "every hour", "1 minutes": "every minute"}.get(unit, f"every {unit}")
    if len(times) * step == DAY_MINUTES:
        return every if times[0] == 0 else ""
    return f"{every} between {clock(times[0])} and {clock(times[-1])}" if len(times) >= _FEWEST_STEPS else ""


def _minutes_of_hours(cron: Cron) -> str:
    minutes, hours = sorted(cron.minutes), sorted(cron.hours)
    of_hours = "every hour" if cron.is_hourly else f"hour{'s' * (len(hours) > 1)} {listed(map(str, hours))}"
    return f"at minute{'s' * (len(minutes) > 1)} {listed(map(str, minutes))} of {of_hours}"


def _each_of(days: Days) -> str:
    """Before a time: ``every weekday``, ``on the 1st of each month``."""
    if days.of_month or days.nth:
        return _on_days(days)
    if not days.of_week:
        named = "day"
    elif days.of_week == WEEKDAYS:
        named = "weekday"
    else:
        named = listed(DAY_NAMES[day] for day in _from_monday(days.of_week))
    return f"every {named}{_in_months(days)}"


def _on_days(days: Days) -> str:
    """After an interval: ``on weekdays``, ``on Mondays and Thursdays in July``; nothing for each day."""
    if days.of_month:
        ordered = [f"{ordinal(number)}" for number in sorted(days.of_month)]
        return f"on the {listed(ordered)} {_of_months(days)}"
    if days.nth:
        ordered = sorted(days.nth, key=lambda each: (each[1], each[0]))
        return f"on the {listed(f'{NTH_NAMES[week]} {DAY_NAMES[day]}' for day, week in ordered)} {_of_months(days)}"
    if not days.of_week:
        return _in_months(days).strip()
    if days.of_week == WEEKDAYS:
        return f"on weekdays{_in_months(days)}"
    return f"on {listed(f'{DAY_NAMES[day]}s' for day in _from_monday(days.of_week))}{_in_months(days)}"


def _from_monday(days: frozenset[int]) -> list[int]:
    return sorted(days, key=lambda day: (day - 1) % 7)


def _of_months(days: Days) -> str:
    return "of each month" if days.months == MONTH.all else f"of {_months(days)} every year"


def _in_months(days: Days) -> str:
    return "" if days.months == MONTH.all else f" in {_months(days)}"


def _months(days: Days) -> str:
    return listed(calendar.month_name[month] for month in sorted(days.months))
