"""The phrases that say on which days and how often, one rule each.

A rule takes its phrase from the cursor and notes in the clause what it says; without its phrase it takes nothing.
"""

from __future__ import annotations

import calendar
from datetime import date
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.cursor import EXAMPLES
from core.schedules.days import LAST_DAY, LAST_WEEK
from core.schedules.description import DAY_NAMES, NTH_NAMES, WEEKDAYS
from core.schedules.fields import MONTH
from core.schedules.tokens import Kind

if TYPE_CHECKING:
    from core.schedules.clause import Clause
    from core.schedules.cursor import Cursor

UNIT_MINUTES = {"minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60, "hr": 60, "h": 60}
SECOND_WORDS = ("second", "seconds", "sec", "secs", "millisecond", "milliseconds")
_PERIODS = ("day", "week", "month", "quarter", "year")
_ADVERBS = {
    "daily": "day",
    "everyday": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}
_EITHER = {"biweekly": "week", "fortnightly": "week", "bimonthly": "month", "fortnight": "week", "biannually": "year"}
_SHORT_DAYS = {"tues": 2, "wednes": 3, "thur": 4, "thurs": 4}
_ONE_DAY = {
    short: number for number, name in enumerate(DAY_NAMES) for short in (name.lower(), name[:3].lower())
} | _SHORT_DAYS
_EACH_DAY = {f"{name}s": number for name, number in _ONE_DAY.items()}
_DAY = _ONE_DAY | _EACH_DAY
_WORKING = ("weekday", "weekdays", "workday", "workdays")
_WEEKEND = ("weekend", "weekends")
_LAST = -1
_FIRST_YEAR = 1000
_ORDINALS = {name: _LAST if week == LAST_WEEK else week for week, name in NTH_NAMES.items()}
_MONTHS = {
    name.lower(): month for month in MONTH.all for name in (calendar.month_name[month], calendar.month_abbr[month])
}
_HALF_HOUR = 30
_MONTHS_A_YEAR = 12
_FAR = 100_000


def every(cursor: Cursor, clause: Clause) -> bool:
    """``every day``, ``every 15 minutes``, ``every Monday and Thursday``, ``every first Monday of the month``."""
    if not cursor.word("every", "each"):
        return False
    start = cursor.place - 1
    if _too_often(cursor):
        raise InvalidRequest(
            f'"{cursor.text(start)}" is too often: a schedule fires once a minute at most; '
            f"write for example {EXAMPLES}."
        )
    if _every_interval(cursor, clause, start) or _every_period(cursor, clause, start) or _every_named(cursor, clause):
        return True
    cursor.place = start
    return False


def _too_often(cursor: Cursor) -> bool:
    """Whether seconds are meant: in "every second Monday" they are not."""
    place = cursor.place
    cursor.take(Kind.NUMBER)
    cursor.word("few")
    found = cursor.word(*SECOND_WORDS) is not None
    following = "" if cursor.is_done else cursor.tokens[cursor.place].text
    if found and following not in {*UNIT_MINUTES, *_DAY, *_PERIODS, *_WORKING, *_WEEKEND, "and", ","}:
        return True
    cursor.place = place
    return False


def _every_interval(cursor: Cursor, clause: Clause, start: int) -> bool:
    def interval() -> int | None:
        if cursor.word("half"):
            cursor.word("an", "a")
            return _HALF_HOUR if cursor.word("hour") else None
        if cursor.word("quarter"):
            cursor.word("of")
            cursor.word("an")
            return _HALF_HOUR // 2 if cursor.word("hour") else None
        other = cursor.word("other", "second")
        number = None if other else cursor.take(Kind.NUMBER)
        unit = cursor.named(UNIT_MINUTES)
        return unit and unit * (2 if other else number.value if number else 1)

    place = cursor.place
    found = interval()
    if found is None:
        cursor.place = place
        return False
    if not 1 <= found <= _FAR:
        raise InvalidRequest(f'"{cursor.text(start)}" is no interval; write for example {EXAMPLES}.')
    _set_interval(clause, found)
    return True


def _set_interval(clause: Clause, minutes: int) -> None:
    if clause.every not in {None, minutes}:
        raise InvalidRequest(f"It says twice how often; write one of them, as in {EXAMPLES}.")
    clause.every = minutes


def _every_period(cursor: Cursor, clause: Clause, start: int) -> bool:
    cursor.word("single")
    other = cursor.word("other", "second")
    number = 2 if other else (said.value if (said := cursor.take(Kind.NUMBER)) else 1)
    period = cursor.word(*_PERIODS, *(f"{each}s" for each in _PERIODS))
    if period is None:
        cursor.place = start + 1
        _refuse_nth(cursor, start)
        return False
    period = period.removesuffix("s")
    if number == 1:
        clause.periods.add(period)
    elif period == "month" and number and _MONTHS_A_YEAR % number == 0:
        clause.months |= set(range(1, _MONTHS_A_YEAR + 1, number))
        clause.periods.add("month")
        clause.notes.append(f"Every {number} months are counted from January.")
    else:
        _refuse_counting(cursor.text(start))
    return True


def _refuse_nth(cursor: Cursor, start: int) -> None:
    """Refuse "every second Monday" and "every 3rd day", unless a month follows of which it is the second or third."""
    place = cursor.place
    other = cursor.word("other")
    said = cursor.take(Kind.ORDINAL)
    number = said.value if said else cursor.named(_ORDINALS)
    day = cursor.named(_DAY) is not None or cursor.word("day", *_WORKING, *_WEEKEND, *UNIT_MINUTES) is not None
    if day and not cursor.word("of", "in") and (other or number not in {None, 1, _LAST}):
        _refuse_counting(cursor.text(start))
    cursor.place = place


def _refuse_counting(said: str) -> None:
    raise InvalidRequest(
        f'"{said}" is not understood: a calendar does not count days, weeks or years through, so it could begin on '
        'either; name the days, as in "every Monday, Wednesday and Friday at 9:00" '
        'or "on the 1st and 15th of each month at 9:00".'
    )


def _every_named(cursor: Cursor, clause: Clause) -> bool:
    if days_of_week(cursor, clause, said_every=True):
        return True
    if date_of_year(cursor, clause):
        clause.periods.add("year")
        return True
    if days_of_month(cursor, clause):
        clause.says_each = True
        return True
    months = cursor.listed(lambda: cursor.named(_MONTHS))
    clause.months |= set(months)
    if months:
        clause.periods.add("year")
    return bool(months)


def adverb(cursor: Cursor, clause: Clause) -> bool:
    """``hourly``, ``daily``, ``monthly`` …; ``biweekly`` means two things."""
    if cursor.word("hourly"):
        _set_interval(clause, 60)
        return True
    if unclear := cursor.word(*_EITHER):
        raise InvalidRequest(
            f'"{unclear}" can mean two things; name the days, as in "every Monday at 9:00" '
            'or "on the 1st and 15th of each month at 9:00".'
        )
    period = cursor.named(_ADVERBS)
    if period:
        clause.periods.add(period)
    return period is not None


def days_of_week(cursor: Cursor, clause: Clause, *, said_every: bool = False) -> bool:
    """``on Mondays``, ``Monday to Friday``, ``weekends``, ``every Monday and Thursday``."""
    start = cursor.place
    cursor.word("from", "on")
    first = cursor.place
    found = cursor.listed(lambda: _some_days(cursor))
    if not found:
        cursor.place = start
        return False
    clause.of_week |= set[int]().union(*found)
    said = cursor.text(first)
    if said in _ONE_DAY and not said_every:
        clause.notes.append(
            f'"{said}" is read as every {DAY_NAMES[_ONE_DAY[said]]}; for one time only, write its date.'
        )
    return True


def _some_days(cursor: Cursor) -> set[int] | None:
    cursor.word("on", "every", "each")
    if cursor.word(*_WORKING) or cursor.attempt(
        lambda: cursor.word("working", "business") and cursor.word("day", "days")
    ):
        return set(WEEKDAYS)
    if cursor.word(*_WEEKEND):
        cursor.word("day", "days")
        return {0, 6}
    first = cursor.named(_DAY)
    if first is None:
        return None
    place = cursor.place
    last = cursor.named(_DAY) if cursor.take(Kind.DASH) or cursor.word("to", "through", "thru", "until") else None
    if last is None:
        cursor.place = place
        return {first}
    return {(first + each) % 7 for each in range((last - first) % 7 + 1)}


def days_of_month(cursor: Cursor, clause: Clause) -> bool:
    """``on the 1st and 15th``, ``on the last day``, ``on the first and third Monday``."""
    start = cursor.place
    cursor.word("on")
    found = cursor.listed(lambda: _numbered_day(cursor))
    if not found:
        cursor.place = start
        return False
    waiting: list[int] = []
    for number, day in found:
        waiting.append(number)
        if day is not None:
            clause.nth |= {(day, LAST_WEEK if each == _LAST else each) for each in waiting}
            waiting = []
    clause.of_month |= {LAST_DAY if each == _LAST else each for each in waiting}
    wrong = any(not 1 <= week <= LAST_WEEK for _, week in clause.nth) or any(
        not (1 <= each < LAST_DAY or each == _LAST) for each in waiting
    )
    if cursor.word(*_WORKING):
        raise InvalidRequest(
            f'"{cursor.text(start)}" is not understood; name it, as in "on the last Friday of each month at 17:00".'
        )
    if wrong or any(week == LAST_WEEK and _LAST not in dict(found) for _, week in clause.nth):
        raise InvalidRequest(
            f'"{cursor.text(start)}" is no day of a month; write 1st to 31st, the last day, or first to fifth Monday.'
        )
    return True


def _numbered_day(cursor: Cursor) -> tuple[int, int | None] | None:
    cursor.word("on")
    said = cursor.take(Kind.ORDINAL)
    number = said.value if said else cursor.named(_ORDINALS)
    if number is None:
        return None
    day = cursor.named(_DAY)
    if day is None:
        cursor.word("day")
    return number, day


def date_of_year(cursor: Cursor, clause: Clause) -> bool:
    """``24 December``, ``December 24th``, ``the 24th of December 2026``."""

    def day() -> int | None:
        said = cursor.take(Kind.ORDINAL, Kind.NUMBER)
        return said.value if said else None

    start = cursor.place
    cursor.word("once")
    cursor.word("on")
    number = day()
    if number is not None:
        cursor.word("of")
    months = cursor.listed(lambda: cursor.named(_MONTHS))
    if number is None:
        number = day()
    if not months or number is None:
        cursor.place = start
        return False
    year = cursor.attempt(lambda: _year(cursor))
    if year is not None and len(months) == 1:
        set_date(clause, f"{year:04}-{months[0]:02}-{number:02}")
        return True
    if not 1 <= number < LAST_DAY or clause.of_month not in (set[int](), {number}):
        raise InvalidRequest(
            f'"{cursor.text(start)}" does not fit; write several dates as several schedules, joined by a semicolon.'
        )
    clause.of_month.add(number)
    clause.months |= set(months)
    return True


def _year(cursor: Cursor) -> int | None:
    cursor.take(Kind.AND)
    said = cursor.take(Kind.NUMBER)
    return said.value if said and said.value >= _FIRST_YEAR else None


def of_period(cursor: Cursor, clause: Clause) -> bool:
    """``of each month``, ``in July``, ``of January and July``, ``every year``."""
    start = cursor.place
    if not cursor.word("of", "in", "during", "a", "per"):
        return False
    months = cursor.listed(lambda: cursor.named(_MONTHS))
    if months:
        clause.months |= set(months)
        return True
    cursor.word("every", "each", "a")
    period = cursor.word(*_PERIODS)
    if period is None or period == "day":
        cursor.place = start
        return False
    clause.periods.add(period)
    return True


def set_date(clause: Clause, text: str) -> None:
    """Note the one day that is meant.

    Raises:
        InvalidRequest: there is no such day, or another one was named.

    """
    year, month, day = map(int, text.split("-"))
    try:
        found = date(year, month, day)
    except ValueError:
        raise InvalidRequest(f'There is no day "{text}"; write year, month and day as in 2026-12-24.') from None
    if clause.date not in {None, found}:
        raise InvalidRequest("It names two dates; write each as a schedule of its own.")
    clause.date = found
