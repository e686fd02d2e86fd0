"""The phrases that say at what time, or name one moment; rules like those of ``phrases``."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.phrases import SECOND_WORDS, UNIT_MINUTES, set_date
from core.schedules.tokens import Kind

if TYPE_CHECKING:
    from core.schedules.clause import Clause
    from core.schedules.cursor import Cursor

_LONGER = {"day": 1, "days": 1, "week": 7, "weeks": 7}
_HALF_HOUR = 30
_MOST_DAYS_AHEAD = 3660
_FAR = 100_000


def date_and_time(cursor: Cursor, clause: Clause) -> bool:
    """``at 2026-12-24 18:00``, ``tomorrow at 9:00``; an offset from UTC may follow the time."""
    start = cursor.place
    cursor.word("once")
    cursor.word("on", "at")
    ahead = cursor.named({"today": 0, "tomorrow": 1})
    said = cursor.take(Kind.DATE) if ahead is None else None
    if said is not None:
        set_date(clause, said.text)
    elif ahead is not None:
        clause.ahead = ahead
    else:
        cursor.place = start
        return False
    place = cursor.place
    cursor.word("at")
    seconds = cursor.time(clause.notes)
    if seconds is None:
        cursor.place = place
        return True
    _set_time(clause, seconds)
    if offset := cursor.take(Kind.OFFSET):
        hours, minutes = int(offset.text[1:3]), int(offset.text[-2:])
        clause.offset = timedelta(hours=hours, minutes=minutes) * (-1 if offset.text[0] == "-" else 1)
        if minutes > 59 or hours > 23:  # noqa: PLR2004 - a clock's
            raise InvalidRequest(f'"{offset.text}" is no offset from UTC; write one such as +01:00.')
    return True


def from_now(cursor: Cursor, clause: Clause) -> bool:
    """``in 5 minutes``, ``in an hour``, ``in 2 hours and 30 minutes``."""

    def span() -> timedelta | None:
        if cursor.word("half"):
            cursor.word("an", "a")
            return timedelta(minutes=_HALF_HOUR) if cursor.word("hour") else None
        number = 1 if cursor.word("a", "an") else (said.value if (said := cursor.take(Kind.NUMBER)) else None)
        if number is None:
            return None
        if cursor.word(*SECOND_WORDS):
            return timedelta(seconds=min(number, _FAR))
        if (minutes := cursor.named(UNIT_MINUTES)) is not None:
            return timedelta(minutes=min(number, _FAR) * minutes)
        days = cursor.named(_LONGER)
        return None if days is None else timedelta(days=min(number, _FAR) * days)

    start = cursor.place
    spans = cursor.listed(span) if cursor.word("in") else []
    if not spans:
        cursor.place = start
        return False
    total = sum(spans, timedelta())
    if not timedelta(minutes=1) <= total <= timedelta(days=_MOST_DAYS_AHEAD):
        raise InvalidRequest(f'"{cursor.text(start)}" must be between a minute and ten years ahead.')
    clause.relative = total
    return True


def at_minutes(cursor: Cursor, clause: Clause) -> bool:
    """``at minutes 5 and 35 of every hour``, ``at :15``, ``at 15 minutes past the hour``, ``of hours 8 and 9``."""

    def number() -> int | None:
        said = cursor.take(Kind.NUMBER)
        return said.value if said else None

    def mark() -> int | None:
        said = cursor.take(Kind.MARK)
        return said.value if said else None

    start = cursor.place
    cursor.word("at")
    minutes = cursor.listed(number if cursor.word("minute", "minutes") else mark)
    hours: list[int] = []
    if not minutes:
        minutes = cursor.listed(number)
        cursor.word("minutes", "minute")
        if not minutes or not cursor.word("past", "after"):
            cursor.place = start
            return False
        cursor.word("every", "each")
        if not cursor.word("hour"):
            cursor.place = start
            return False
    elif cursor.word("of", "past"):
        if cursor.word("hour", "hours"):
            hours = cursor.listed(number)
        elif not (cursor.word("every", "each") and cursor.word("hour")):
            cursor.place = start
            return False
    if any(each > 59 for each in minutes) or any(each > 23 for each in hours):  # noqa: PLR2004 - a clock's
        raise InvalidRequest(f'"{cursor.text(start)}" is no time; minutes are 0 to 59, hours 0 to 23.')
    clause.minutes |= set(minutes)
    clause.hours |= set(hours)
    return True


def between(cursor: Cursor, clause: Clause) -> bool:
    """``between 9:00 and 17:00``, ``from 9am to 5pm``; both ends are included."""
    start, notes = cursor.place, list[str]()
    opening = cursor.word("between", "from")
    first = cursor.time(notes) if opening else None
    joined = first is not None and (cursor.take(Kind.AND, Kind.DASH) or cursor.word("to", "until", "till", "through"))
    last = cursor.time(notes) if joined else None
    if first is None or last is None:
        cursor.place = start
        return False
    if clause.window is not None or first % 60 or last % 60:
        raise InvalidRequest('Write one pair of times in full minutes, as in "every hour between 9:00 and 17:00".')
    clause.window = (first // 60, last // 60)
    clause.notes += notes
    return True


def at_times(cursor: Cursor, clause: Clause) -> bool:
    """``at 9:00``, ``at 7am and 19:30``, ``at 5`` (a bare hour only after "at")."""
    start, notes = cursor.place, list[str]()
    if not cursor.word("at") and (cursor.is_done or cursor.tokens[cursor.place].kind is not Kind.CLOCK):
        return False

    def one() -> int | None:
        cursor.word("at")
        return cursor.time(notes)

    found = cursor.listed(one)
    if not found:
        cursor.place = start
        return False
    clause.notes += notes
    for seconds in found:
        _set_time(clause, seconds)
    return True


def _set_time(clause: Clause, seconds: int) -> None:
    clause.times.add(seconds // 60)
    clause.seconds = clause.seconds or seconds % 60
