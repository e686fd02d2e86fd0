"""Cron expressions of five fields, by ``cronsim``; and the days that a phrase names, as the last three of them.

The fields are those of crontab(5): minute, hour, day of the month, month, day of the week, with lists, ranges, steps
and English names. Beyond it: ``L`` is the last day of the month, ``1#1`` its first Monday, ``5L`` its last Friday.

Its texts are as ``phrases.plain`` makes them: in lower case, without "the", with "and" for each comma.
"""

import calendar
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple

from cronsim import CronSim, CronSimError

from core.errors import InvalidRequest

_FIELDS: Final = 5
_HOURS: Final = 24
_LAST: Final = (59, 23, 31, 12, 7)
_NAMED: Final = {
    "@HOURLY": "0 * * * *",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@WEEKLY": "0 0 * * 0",
    "@MONTHLY": "0 0 1 * *",
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
}
_SOME_MOMENT: Final = datetime(2000, 1, 1, tzinfo=UTC)
_SHOWN: Final = 80


def looks_like_cron(text: str) -> bool:
    """Whether a cron expression is meant: ``@…``, or fields the first two of which are no words."""
    fields = text.split()
    if fields[:1] and fields[0].startswith("@"):
        return True
    return len(fields) >= _FIELDS and set(fields[0] + fields[1]) <= set("0123456789*/,-")


def read_cron(text: str) -> str:
    """The expression in upper case, five fields with a space between.

    Raises:
        InvalidRequest: it is malformed, is read in different ways by different crons, or can never come.

    """
    expression = " ".join(text.upper().split())
    if expression.startswith("@") and expression not in _NAMED:
        raise InvalidRequest(f'"{text.strip()[:40]}" is no schedule; write one of {", ".join(_NAMED).lower()}.')
    fields = _NAMED.get(expression, expression).split()
    if len(fields) != _FIELDS:
        raise InvalidRequest(
            f'A cron expression has five fields (minute hour day month weekday), "{expression[:_SHOWN]}" has '
            f"{len(fields)}; there are none for seconds or years."
        )
    # croniter writes the last Friday as L5.
    fields[4] = re.sub(r"\bL([0-7])\b", r"\1L", fields[4])
    expression = " ".join(fields)
    for field, last in zip(fields, _LAST, strict=True):
        if found := re.search(r"(?:^|,)(\w+)/(\d+)", field):
            raise InvalidRequest(
                f'"{found[0].lstrip(",")}" is read in different ways; write {found[1]}-{last}/{found[2]} instead.'
            )
    try:
        read = CronSim(expression, _SOME_MOMENT)
    except CronSimError as error:
        raise InvalidRequest(
            f'"{expression[:_SHOWN]}" is no cron expression that ever comes ({str(error).lower()}); write minute, '
            'hour, day, month and weekday, as in "0 9 * * 1-5", "*/15 8-18 * * *" or "30 18 L * *".'
        ) from error
    of_month, of_week = fields[2], fields[4]
    has_all = "*" in of_month + of_week or len(read.days) >= _LAST[2] or len(read.weekdays) >= _LAST[4]
    if of_month != "*" and of_week != "*" and has_all:
        raise InvalidRequest(
            f'The days "{of_month}" of the month and "{of_week}" of the week are joined in different ways by different '
            'crons; write two expressions, joined by ";", with * in one of the two.'
        )
    return expression


def explain_cron(expression: str) -> str:
    """What it says in English, such as ``at 09:00 every day``."""
    text = CronSim(expression, _SOME_MOMENT).explain()
    return f"{text[0].lower()}{text[1:]}"


def comes_hourly(expression: str) -> bool:
    """Whether it comes in every hour: then it follows time as it passes, not the clock on the wall."""
    return len(CronSim(expression, _SOME_MOMENT).hours) == _HOURS


def cron_times(expression: str, start: datetime, *, backward: bool) -> Iterator[datetime]:
    """The times after ``start``, or before it, as a clock shows them that is never changed; until the calendar ends.

    The library is not asked about zones: in those that leap over 23:59 (America/Nuuk) its search back never ends, and
    where a clock changes by half an hour it jumps past minutes.
    """
    with suppress(OverflowError):
        yield from CronSim(expression, start, backward)


_NAMES: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NTH: Final = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "L": "last"}
_WORKING: Final = {1, 2, 3, 4, 5}
_WEEKEND: Final = {0, 6}
_YEAR: Final = tuple(range(1, 13))
_QUARTER_STARTS: Final = (1, 4, 7, 10)
_QUARTER_ENDS: Final = (3, 6, 9, 12)
_COMMON_YEAR: Final = 2027
_LEAP_YEAR: Final = 2028
_TEENS: Final = range(11, 14)

_DAY: Final = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?"
DAYS: Final = (
    rf"(?:weekdays?|workdays?|(?:working|business) days?|weekends?"
    rf"|{_DAY}(?: ?(?:-|\u2013|to|through) ?{_DAY})?)"
)
ORDINAL: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(_NTH.values())})"
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_MONTHS: Final = rf"{_MONTH}(?: and {_MONTH})*"
_DATE: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_EACH: Final = "(?:(?:every|each|on) )?"

# every day · daily
_EVERY_DAY: Final = "(?:(?:every|each) day|daily)?"
# every weekday · weekends · on Mondays and Thursdays · Monday to Friday
_OF_WEEK: Final = rf"{_EACH}{DAYS}(?: and {_EACH}{DAYS})*"
# (every day) in July and August
_IN_MONTHS: Final = rf"(?P<days>.*?)(?: ?\bin (?P<months>{_MONTHS}))?"
# on the 1st and last day of each month · every first Monday of the month · on the 24th of December every year
_OF_MONTH: Final = (
    rf"{_EACH}(?P<items>{ORDINAL}(?: (?:and (?:on )?{ORDINAL}|day|{_DAY}))*) of "
    rf"(?:(?:(?:each|every) )?month|(?P<quarter>(?:each|every) quarter)|(?P<months>{_MONTHS}) every year)"
)
# every year on 24 December · every December 24th
_OF_YEAR: Final = rf"(?:every year on|yearly on|every) (?:{_DATE} (?:of )?({_MONTH})|({_MONTH}) {_DATE})"
_OF_QUARTER: Final = "every quarter|quarterly"


class Days(NamedTuple):
    """The last three fields of a cron expression, and how a phrase says them."""

    fields: str = "* * *"
    each: str = "every day"
    """Before a time of the day."""
    on: str = ""
    """Behind an interval."""


def read_days(text: str, notes: list[str]) -> Days | None:
    """The days that a text names, every day if it is empty; ``None`` when no pattern fits. What is assumed is noted.

    Raises:
        InvalidRequest: there is no such day.

    """
    found = re.fullmatch(_IN_MONTHS, text)
    days = _of_week(found["days"], notes) if found else None
    if found is None or days is None:
        return _of_month(text, notes)
    if not found["months"]:
        return days
    months = _months(found["months"])
    inside = f"in {_month_names(months)}"
    fields = f"* {_month_field(months)} {days.fields.split()[2]}"
    return Days(fields, f"{days.each} {inside}", f"{days.on} {inside}".strip())


def listed(words: Iterable[str]) -> str:
    """``a, b and c``."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _of_week(text: str, notes: list[str]) -> Days | None:
    if re.fullmatch(_EVERY_DAY, text):
        return Days()
    if not re.fullmatch(_OF_WEEK, text):
        return None
    days: set[int] = set()
    for some in re.findall(DAYS, text):
        if named := [_day(each) for each in re.findall(_DAY, some)]:
            days |= {(named[0] + each) % 7 for each in range((named[-1] - named[0]) % 7 + 1)}
        else:
            days |= _WEEKEND if some.startswith("weekend") else _WORKING
    if len(days) == len(_NAMES):
        return Days()
    if days == _WORKING:
        return Days("* * 1-5", "every weekday", "on weekdays")
    names = [_NAMES[day] for day in sorted(days, key=lambda day: (day - 1) % 7)]
    if re.fullmatch(rf"(?:on )?{_DAY}", text) and not text.endswith("days"):
        notes.append(f'"{text.removeprefix("on ")}" is read as every {names[0]}; for one time only, write its date.')
    fields = f"* * {','.join(map(str, sorted(days)))}"
    return Days(fields, f"every {listed(names)}", f"on {listed(f'{name}s' for name in names)}")


def _of_month(text: str, notes: list[str]) -> Days | None:
    if re.fullmatch(_OF_QUARTER, text):
        notes.append("It is read as the first day of each quarter.")
        return _numbered({"1"}, _QUARTER_STARTS, notes)
    if found := re.fullmatch(_OF_YEAR, text):
        return _numbered({found[1] or found[4]}, _months(found[2] or found[3]), notes)
    if (found := re.fullmatch(_OF_MONTH, text)) is None:
        return None
    months = _months(found["months"]) if found["months"] else _YEAR
    numbers: list[str] = []
    nth: list[tuple[str, int]] = []
    for word in re.findall(rf"{ORDINAL}|{_DAY}", found["items"]):
        if re.fullmatch(ORDINAL, word):
            numbers.append(_number(word))
        else:
            nth += [(number, _day(word)) for number in numbers]
            numbers = []
    if found["quarter"]:
        months = _QUARTER_STARTS if numbers == ["1"] else _QUARTER_ENDS if numbers == ["L"] else ()
    # Days of the week and of the month together mean both to some, and either to others.
    if not months or bool(numbers) == bool(nth):
        return None
    return _nth(nth, months, text) if nth else _numbered(set(numbers), months, notes)


def _numbered(numbers: set[str], months: tuple[int, ...], notes: list[str]) -> Days:
    ordered = sorted(int(each) for each in numbers - {"L"})
    wrong = [each for each in ordered if not 1 <= each <= max(_lengths(_LEAP_YEAR, _YEAR))]
    if wrong or (ordered and ordered[0] > max(_lengths(_LEAP_YEAR, months))):
        inside = "any month" if months == _YEAR else _month_names(months)
        raise InvalidRequest(
            f"There is no day {(wrong or ordered)[0]} in {inside}, so this would never run; "
            'write another day, or "the last day of each month".'
        )
    if ordered and ordered[-1] > min(_lengths(_COMMON_YEAR, months)):
        notes.append(
            "It comes in leap years alone."
            if months == (2,)
            else f"A month without a day {ordered[-1]} is left out; "
            'for the end of each month write "on the last day of each month at 9:00".'
        )
    last = ["L"] if "L" in numbers else []
    names = [*map(_ordinal, ordered), *("last day" for _ in last)]
    words = f"on the {listed(names)} {_of_months(months)}"
    return Days(f"{','.join([*map(str, ordered), *last])} {_month_field(months)} *", words, words)


def _nth(nth: Iterable[tuple[str, int]], months: tuple[int, ...], text: str) -> Days:
    ordered = sorted(set(nth))
    if any(number not in _NTH for number, _ in ordered):
        raise InvalidRequest(
            f'"{text[:80]}" is no day of a month; write 1st to 31st, the last day, or first to fifth Monday.'
        )
    fields = ",".join(f"{day}L" if number == "L" else f"{day}#{number}" for number, day in ordered)
    words = f"on the {listed(f'{_NTH[number]} {_NAMES[day]}' for number, day in ordered)} {_of_months(months)}"
    return Days(f"* {_month_field(months)} {fields}", words, words)


def _lengths(year: int, months: Iterable[int]) -> list[int]:
    return [calendar.monthrange(year, month)[1] for month in months]


def _day(name: str) -> int:
    return [each[:3].lower() for each in _NAMES].index(name[:3])


def _months(text: str) -> tuple[int, ...]:
    names = [name.lower() for name in calendar.month_abbr]
    return tuple(sorted({names.index(each[:3]) for each in re.findall(_MONTH, text)}))


def _number(ordinal: str) -> str:
    """``3`` for "3rd" and "third", ``L`` for "last"."""
    return next((number for number, name in _NTH.items() if name == ordinal), "") or str(int(ordinal[:-2]))


def _ordinal(number: int) -> str:
    return f"{number}{'th' if number in _TEENS else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _of_months(months: tuple[int, ...]) -> str:
    return "of each month" if months == _YEAR else f"of {_month_names(months)} every year"


def _month_names(months: Iterable[int]) -> str:
    return listed(calendar.month_name[month] for month in months)


def _month_field(months: tuple[int, ...]) -> str:
    return "*" if months == _YEAR else ",".join(map(str, months))
