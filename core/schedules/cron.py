"""Cron expressions: five fields, read, written and brought into one form.

The fields are those of crontab(5): minute, hour, day of the month, month, day of the week, with lists, ranges, steps
and English names. Beyond it, and as croniter writes it: ``L`` is the last day of the month, ``1#1`` its first Monday,
``L5`` its last Friday.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.days import Days, read_days
from core.schedules.fields import HOUR, MINUTE, read_field, write_field

if TYPE_CHECKING:
    from collections.abc import Iterable

HOUR_MINUTES = 60
DAY_MINUTES = 24 * HOUR_MINUTES
_FIELDS = 5
_NAMED = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


@dataclass(frozen=True)
class Cron:
    """Each of the minutes of each of the hours, on the days."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: Days

    @property
    def is_hourly(self) -> bool:
        """Whether it comes in every hour: then it follows time as it passes, not the clock on the wall."""
        return self.hours == HOUR.all

    @property
    def text(self) -> str:
        """The five fields, always the same for the same times."""
        return f"{write_field(self.minutes, MINUTE)} {write_field(self.hours, HOUR)} {self.days.text}"

    @property
    def times(self) -> frozenset[int]:
        """The times of the day, in minutes after midnight."""
        return frozenset(hour * HOUR_MINUTES + minute for hour in self.hours for minute in self.minutes)


def read_cron(text: str) -> tuple[Cron, ...]:
    """What a five-field expression or ``@daily`` stands for: two values where both kinds of day are given.

    Raises:
        InvalidRequest: it is malformed, or can never come.

    """
    lowered = text.strip().lower()
    if lowered.startswith("@") and lowered not in _NAMED:
        raise InvalidRequest(f'"{lowered[:40]}" is no schedule; write one of {", ".join(_NAMED)}.')
    fields = _NAMED.get(lowered, lowered).split()
    if len(fields) != _FIELDS:
        raise InvalidRequest(
            f'A cron expression has five fields (minute hour day month weekday), "{text.strip()[:80]}" has '
            f"{len(fields)}; there are none for seconds or years."
        )
    minute, hour, of_month, month, of_week = fields
    minutes, hours = read_field(minute, MINUTE), read_field(hour, HOUR)
    return tuple(Cron(minutes, hours, days) for days in read_days(of_month, month, of_week))


def looks_like_cron(text: str) -> bool:
    """Whether somebody meant a cron expression: ``@…``, or fields the first two of which are no words."""
    fields = text.split()
    if fields[:1] and fields[0].startswith("@"):
        return True
    return len(fields) >= _FIELDS and set(fields[0] + fields[1]) <= set("0123456789*/,-")


def times_of_day(times: Iterable[int], days: Days) -> tuple[Cron, ...]:
    """The fewest expressions for the times (minutes after midnight): hourly ones first, then by the time of day."""
    by_hour: dict[int, set[int]] = {hour: set() for hour in HOUR.all}
    for time in times:
        by_hour[time // HOUR_MINUTES].add(time % HOUR_MINUTES)
    hourly = frozenset(set[int].intersection(*by_hour.values()))
    found = [Cron(hourly, HOUR.all, days)] if hourly else []
    together: dict[frozenset[int], set[int]] = {}
    for hour, minutes in sorted(by_hour.items()):
        if rest := frozenset(minutes - hourly):
            together.setdefault(rest, set()).add(hour)
    return (*found, *(Cron(minutes, frozenset(hours), days) for minutes, hours in together.items()))


def by_days(crons: Iterable[Cron]) -> dict[Days, frozenset[int]]:
    """The times of the day (minutes after midnight) at which something comes, by the days on which it does."""
    found: dict[Days, frozenset[int]] = {}
    for cron in crons:
        found[cron.days] = found.get(cron.days, frozenset()) | cron.times
    return found


def in_one_form(crons: Iterable[Cron]) -> tuple[Cron, ...]:
    """The same times in the one form in which they are kept, compared and told."""
    return tuple(cron for days, times in by_days(crons).items() for cron in times_of_day(times, days))
