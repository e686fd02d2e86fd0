"""Cron expressions of five fields: checked, explained and followed from time to time, by ``cronsim``.

The fields are those of crontab(5): minute, hour, day of the month, month, day of the week, with lists, ranges, steps
and English names. Beyond it: ``L`` is the last day of the month, ``1#1`` its first Monday, ``5L`` its last Friday.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from cronsim import CronSim, CronSimError

from core.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    told = CronSim(expression, _SOME_MOMENT).explain()
    return f"{told[0].lower()}{told[1:]}"


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
