"""The days on which something happens: of the week, of the month, or the first Monday of it."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.fields import DAY_OF_MONTH, DAY_OF_WEEK, MONTH, read_field, write_field

if TYPE_CHECKING:
    from collections.abc import Iterator

LAST_DAY = 32
"""Stands for the last day of a month among the days of a month."""
LAST_WEEK = 6
"""Stands for the last one among the first, second, … Monday of a month."""
LAST_YEAR = 9998
"""No day after it is looked at, so that its neighbours in every zone can still be told."""
_FIRST_YEAR = 1
_LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NTH = re.compile(r"(?P<day>[a-z0-9]+)#(?P<week>[1-5])|l(?P<before>[a-z0-9]+)|(?P<after>[a-z0-9]+)l")
_WEEK = 7


@dataclass(frozen=True)
class Days:
    """Days of the given months. At most one of the other three is given; without, it is every day."""

    months: frozenset[int] = MONTH.all
    of_month: frozenset[int] = frozenset()
    """1 to 31, or ``LAST_DAY``."""
    of_week: frozenset[int] = frozenset()
    """0 (Sunday) to 6."""
    nth: frozenset[tuple[int, int]] = field(default=frozenset())
    """(day of the week, which one of the month: 1 to 5, or ``LAST_WEEK``)."""

    @property
    def are_all(self) -> bool:
        """Whether it is every day of the year."""
        return self == Days()

    @property
    def are_possible(self) -> bool:
        """Whether there ever is such a day. A fifth Monday of February comes, if seldom; its 30th does not."""
        if not self.of_month:
            return True
        return LAST_DAY in self.of_month or any(
            min(self.of_month) <= _LONGEST_MONTHS[month - 1] for month in self.months
        )

    @property
    def text(self) -> str:
        """The last three fields of a cron expression, with ``L``, ``1#1`` and ``L5``."""
        numbers = self.of_month - {LAST_DAY}
        of_month = [write_field(numbers, DAY_OF_MONTH)] if numbers else []
        of_month += ["L"] if LAST_DAY in self.of_month else []
        if self.nth:
            ordered = sorted(self.nth, key=lambda each: (each[1], each[0]))
            of_week = ",".join(f"L{day}" if week == LAST_WEEK else f"{day}#{week}" for day, week in ordered)
        else:
            of_week = write_field(self.of_week, DAY_OF_WEEK) if self.of_week else "*"
        return f"{','.join(of_month) or '*'} {write_field(self.months, MONTH)} {of_week}"

    def dates(self, start: date, *, backward: bool = False) -> Iterator[date]:
        """Each such day from ``start`` on, later ones first when ``backward``; it ends with the calendar."""
        step = -1 if backward else 1
        year, month = start.year, start.month
        while _FIRST_YEAR < year <= LAST_YEAR:
            if month in self.months:
                for number in self._numbers(year, month)[::step]:
                    day = date(year, month, number)
                    if (day <= start) if backward else (day >= start):
                        yield day
            year, month = (year + (month - 1 + step) // 12, (month - 1 + step) % 12 + 1)

    def _numbers(self, year: int, month: int) -> list[int]:
        first, length = calendar.monthrange(year, month)
        numbers = range(1, length + 1)
        if self.of_month:
            return [each for each in numbers if each in self.of_month or (LAST_DAY in self.of_month and each == length)]
        # Python's weeks begin on Monday, cron's on Sunday.
        weekdays = [(first + number) % _WEEK for number in numbers]
        if self.of_week:
            return [each for each, weekday in zip(numbers, weekdays, strict=True) if weekday in self.of_week]
        if self.nth:
            return [
                each
                for each, weekday in zip(numbers, weekdays, strict=True)
                if (weekday, (each + 6) // _WEEK) in self.nth
                or (each + _WEEK > length and (weekday, LAST_WEEK) in self.nth)
            ]
        return list(numbers)


def read_days(of_month: str, month: str, of_week: str) -> tuple[Days, ...]:
    """The days of a cron expression's last three fields, in lower case.

    Where both a day of the month and a day of the week are given, cron means either (POSIX, crontab): two values.

    Raises:
        InvalidRequest: a field is malformed, no such day ever comes, or crons differ in how they read it.

    """
    months = read_field(month, MONTH)
    named = _read_of_month("*" if of_month == "?" else of_month)
    weekdays, nth = _read_of_week("*" if of_week == "?" else of_week)
    if (named and (weekdays or nth) and "*" in of_month + of_week) or (
        (of_month not in "*?" and not named and (weekdays or nth))
        or (of_week not in "*?" and named and not weekdays and not nth)
    ):
        raise InvalidRequest(
            f'The days "{of_month}" of the month and "{of_week}" of the week are joined in different ways by different '
            'crons; write two expressions, joined by ";", with * in one of the two.'
        )
    found = [Days(months=months, of_month=named)] if named else []
    found += [Days(months=months, of_week=weekdays)] if weekdays else []
    found += [Days(months=months, nth=nth)] if nth else []
    for days in found:
        demand_possible(days)
    return tuple(found) or (Days(months=months),)


def demand_possible(days: Days) -> None:
    """Refuse days that never come.

    Raises:
        InvalidRequest: such as 30 February.

    """
    if not days.are_possible:
        names = " or ".join(calendar.month_name[month] for month in sorted(days.months))
        raise InvalidRequest(
            f"There is no day {min(days.of_month)} in {names}, so this would never run; "
            'write another day, or "the last day of the month".'
        )


def _read_of_month(text: str) -> frozenset[int]:
    parts = text.split(",")
    plain = [part for part in parts if part != "l"]
    numbers = read_field(",".join(plain), DAY_OF_MONTH) if plain else frozenset[int]()
    if numbers == DAY_OF_MONTH.all:
        return frozenset()
    return numbers | {LAST_DAY} if len(plain) < len(parts) else numbers


def _read_of_week(text: str) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
    plain: list[str] = []
    nth: set[tuple[int, int]] = set()
    for part in text.split(","):
        found = _NTH.fullmatch(part)
        if found is None:
            plain.append(part)
        else:
            day = DAY_OF_WEEK.number(found["day"] or found["before"] or found["after"]) % _WEEK
            nth.add((day, int(found["week"] or LAST_WEEK)))
    numbers = read_field(",".join(plain), DAY_OF_WEEK) if plain else frozenset[int]()
    if numbers == DAY_OF_WEEK.all:
        return frozenset(), frozenset()
    return numbers, frozenset(nth)
