"""From words, or a cron expression, to a schedule; what is not understood is refused, what was assumed is told."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.schedules.clause import Clause
from core.schedules.cron import looks_like_cron, read_cron
from core.schedules.cursor import EXAMPLES, Cursor
from core.schedules.phrases import (
    adverb,
    date_of_year,
    days_of_month,
    days_of_week,
    every,
    of_period,
)
from core.schedules.schedule import Missed, Schedule, once_at, recurring
from core.schedules.time_phrases import at_minutes, at_times, between, date_and_time, from_now
from core.schedules.tokens import MOST_CHARACTERS, Kind, Token, tokens
from core.schedules.zones import reached, showings, zone_named
from core.values import Value

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from core.schedules.cron import Cron

# The first that matches is taken, so a longer phrase stands before one that begins like it.
_RULES = (
    every,
    adverb,
    from_now,
    date_and_time,
    at_minutes,
    between,
    date_of_year,
    days_of_month,
    days_of_week,
    of_period,
    at_times,
)
_QUOTED = 80
_LAST_YEAR = 9000


class Understood(Value):
    """A schedule, and what was assumed to understand it; both are to be repeated back."""

    schedule: Schedule
    notes: tuple[str, ...] = ()
    display: str = ""
    """On which display, where a line of HEARTBEAT.md says so: ``private``, ``current`` or ``:N``."""

    @property
    def sentence(self) -> str:
        """What is repeated back, in one line."""
        return " ".join((self.schedule.sentence, *self.notes))


def understand(text: str, *, zone: str, missed: Missed = Missed.ONCE, now: datetime | None = None) -> Understood:
    """What ``text`` says: plain English or five-field cron expressions, several of them joined by semicolons.

    Args:
        text: such as "every weekday at 9:00", "0 9 * * 1-5", "at 2026-12-24 18:00", "in 5 minutes".
        zone: the IANA name of the zone that it is meant in.
        missed: what becomes of missed times.
        now: without it nothing relative ("in 5 minutes") is understood, and a moment may be past: for words that were
            understood before, as those in a file.

    Raises:
        InvalidRequest: the words are not understood, ambiguous, too often, never or past, or there is no such zone; the
            message quotes what was not understood, and shows what is.

    """
    place = zone_named(zone)
    if len(text) > MOST_CHARACTERS:
        raise InvalidRequest(f"A schedule has at most {MOST_CHARACTERS:,} characters, this has {len(text):,}.")
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if not parts:
        raise InvalidRequest(f"The schedule is empty; write for example {EXAMPLES}.")
    crons: list[Cron] = []
    notes: list[str] = []
    for part in parts:
        if looks_like_cron(part):
            crons += read_cron(part)
            continue
        clause = _read_clause(part)
        if clause.is_once:
            if len(parts) > 1:
                raise InvalidRequest("One moment cannot be joined with other times; make it a schedule of its own.")
            moment = _moment(clause, place, now)
            return Understood(schedule=once_at(moment, place, missed), notes=tuple(dict.fromkeys(clause.notes)))
        crons += clause.crons()
        notes += clause.notes
    return Understood(schedule=recurring(crons, place, missed), notes=tuple(dict.fromkeys(notes)))


def _read_clause(text: str) -> Clause:
    cursor, clause = Cursor(tokens(text)), Clause()
    _demand_joined(cursor.tokens)
    while not cursor.is_done:
        before, start = clause.said, cursor.place
        if not any(rule(cursor, clause) for rule in _RULES) and not cursor.take(Kind.AND):
            raise InvalidRequest(f'"{_strange(cursor)}" is not understood in a schedule; write for example {EXAMPLES}.')
        # "every weekday at 9:00 and Saturday at 11:00" is not each of the days at both of the times.
        if not clause.is_once and any(one and one != now for one, now in zip(before, clause.said, strict=True)):
            raise InvalidRequest(
                f'It is not plain what "{cursor.text(start)[:_QUOTED]}" belongs to; '
                'write two schedules, joined by a semicolon: "every weekday at 9:00; every Saturday at 11:00".'
            )
    return clause


def _demand_joined(found: list[Token]) -> None:
    """Refuse an "and" with nothing before it or nothing after it; a comma beside it is no word."""
    said = [token for token in found if token.text != ","]
    for before, token, after in zip([None, *said], said, [*said[1:], None], strict=False):
        if token.kind is Kind.AND and (before is None or after is None or after.kind is Kind.AND):
            words = " ".join(each.text for each in (before, token, after) if each is not None)
            raise InvalidRequest(f'"{words[:_QUOTED]}" is not understood in a schedule; write for example {EXAMPLES}.')


def _strange(cursor: Cursor) -> str:
    """The words up to the next that are understood."""
    start = cursor.place
    cursor.place += 1
    while not cursor.is_done and not _is_understood(cursor):
        cursor.place += 1
    return cursor.text(start)[:_QUOTED]


def _is_understood(cursor: Cursor) -> bool:
    place = cursor.place
    try:
        return any(rule(cursor, Clause()) for rule in _RULES)
    except InvalidRequest:
        return True
    finally:
        cursor.place = place


def _moment(clause: Clause, zone: ZoneInfo, now: datetime | None) -> datetime:
    if (
        clause.recurs
        or clause.window
        or (clause.relative is not None and (clause.times or clause.date or clause.ahead is not None))
    ):
        raise InvalidRequest(
            'It names one moment and says something else as well; write it alone, as in "at 2026-12-24 18:00".'
        )
    if clause.relative is not None:
        if now is None:
            raise InvalidRequest(
                'Write the moment itself, as in "at 2026-12-24 18:00": it is not known from when to count.'
            )
        return _full_second(now.astimezone(UTC) + clause.relative)
    if clause.ahead is not None:
        if now is None or clause.date is not None:
            raise InvalidRequest('Write one date and no other day, as in "at 2026-12-24 18:00".')
        clause.date = now.astimezone(zone).date() + timedelta(days=clause.ahead)
    moment = _dated(clause, zone)
    if now is not None and moment <= now.astimezone(UTC):
        raise InvalidRequest(f"{moment.astimezone(zone):%Y-%m-%d %H:%M} in {zone.key} is past; write a moment to come.")
    return moment


def _full_second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0) + timedelta(seconds=bool(moment.microsecond))


def _dated(clause: Clause, zone: ZoneInfo) -> datetime:
    if clause.date is None or len(clause.times) != 1:
        raise InvalidRequest('One moment has one date and one time, as in "at 2026-12-24 18:00".')
    if not 1 < clause.date.year <= _LAST_YEAR:
        raise InvalidRequest(f"The year {clause.date.year} is out of reach; write a moment to come.")
    local = datetime.combine(clause.date, time()) + timedelta(minutes=min(clause.times), seconds=clause.seconds)
    if clause.offset is not None:
        moment = (local - clause.offset).replace(tzinfo=UTC)
        if moment.astimezone(zone).replace(tzinfo=None) != local:
            raise InvalidRequest(
                f"{local:%Y-%m-%d %H:%M} has another offset from UTC in {zone.key}; leave the offset out."
            )
        return moment
    shown = showings(local, zone)
    moment = reached(local, zone)
    if not shown:
        clause.notes.append(f"The clock leaps over that time; it fires at {moment.astimezone(zone):%H:%M}.")
    elif len(shown) > 1:
        clause.notes.append("The clock shows that time twice; it fires the first time.")
    return moment
