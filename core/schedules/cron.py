"""Cron expressions of five fields: checked, explained and turned into moments, by ``cronsim``.

The fields are those of crontab(5): minute, hour, day of the month, month, day of the week, with lists, ranges, steps
and English names. Beyond it: ``L`` is the last day of the month, ``1#1`` its first Monday, ``5L`` its last Friday.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from cronsim import CronSim, CronSimError

from core.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

_FIELDS: Final = 5
_HOURS: Final = 24
_NO_MINUTE: Final = 60
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
_SECOND: Final = timedelta(seconds=1)
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
    told = CronSim(expression, _SOME_MOMENT).explain()
    return f"{told[0].lower()}{told[1:]}"


def cron_moments(expression: str, moment: datetime, zone: ZoneInfo, *, backward: bool) -> Iterator[datetime]:
    """The moments (UTC) around and after ``moment``, or around and before it; it ends with the calendar.

    A few on the other side of ``moment`` may come first.
    """
    start = moment.astimezone(zone)
    if backward:
        # The library looks at what is earlier than the start, and goes by the first of two equal times.
        start = (moment.replace(microsecond=0) + _SECOND).astimezone(zone)
        start += (start.replace(fold=0).utcoffset() or timedelta()) - (start.utcoffset() or timedelta())
    times = _simulated(expression, start, backward=backward)
    with suppress(OverflowError):
        for each in times:
            yield each.astimezone(UTC)


def _simulated(expression: str, start: datetime, *, backward: bool) -> CronSim:
    """The library's times, by the clock on the wall, or by time as it passes for what comes in every hour.

    It and Debian's cron tell the two by a star in minute or hour: ``*/20 2 * * *`` would be left out on the day on
    which the clock leaps over it.
    """
    minute, hour, *days = expression.split()
    if len(CronSim(expression, start).hours) < _HOURS:
        return CronSim(" ".join((minute.replace("*", "0-59"), hour.replace("*", "0-23"), *days)), start, backward)
    times = CronSim(" ".join((minute, "*", *days)), start, backward)
    # To the one minute of an hour it would jump, and past it where the clock changes by a part of an hour.
    times.minutes.add(_NO_MINUTE)
    return times
