"""From words, or cron expressions, to a schedule; what is not understood is refused, what was assumed is told."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from core.errors import InvalidRequest
from core.schedules.cron import looks_like_cron, read_cron
from core.schedules.phrases import EXAMPLES, TIME, minutes_of, plain, read_phrase
from core.schedules.schedule import Missed, Schedule, once_at, recurring
from core.schedules.zones import reached, showings, zone_named
from core.values import Value

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

MOST_CHARACTERS: Final = 2000
_MOST_AHEAD: Final = timedelta(days=3660)
_LAST_YEAR: Final = 9000
_AT: Final = re.compile(
    r"(?:once )?(?:(?:on|at) )?(?P<date>\d{4}-\d\d?-\d\d?)(?: at |t| )(?P<time>\d\d?:\d\d)(?::(?P<second>\d\d))?"
    r" ?(?P<offset>[+-]\d\d:?\d\d)?"
)
_NEAR: Final = re.compile(rf"(?P<day>today|tomorrow)(?: at)? (?P<time>{TIME})")
_SPAN: Final = r"(?:an?|\d{1,5}) (?:minute|hour|day|week)s?"
_IN: Final = re.compile(rf"in {_SPAN}(?: and {_SPAN})*")


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
    """What ``text`` says: a phrase or a five-field cron expression, several of them joined by semicolons.

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
    crons, words, notes = list[str](), list[str](), list[str]()
    for part in parts:
        if looks_like_cron(part):
            crons.append(read_cron(part))
            words.append(crons[-1])
            continue
        said = plain(part)
        if (moment := _moment(said, place, now, notes)) is not None:
            if len(parts) > 1:
                raise InvalidRequest("One moment cannot be joined with other times; make it a schedule of its own.")
            return Understood(schedule=once_at(moment, place, missed), notes=tuple(notes))
        phrase = read_phrase(said)
        crons += phrase.crons
        words.append(phrase.words)
        notes += phrase.notes
    phrases = "; ".join(dict.fromkeys(words))
    if len(phrases) > MOST_CHARACTERS:
        raise InvalidRequest("A schedule of so many parts cannot be kept in one line; leave some of them out.")
    return Understood(schedule=recurring(crons, phrases, place, missed), notes=tuple(dict.fromkeys(notes)))


def _moment(said: str, zone: ZoneInfo, now: datetime | None, notes: list[str]) -> datetime | None:
    """The one moment that is named, or ``None``."""
    near, found = _NEAR.fullmatch(said), _AT.fullmatch(said)
    if near or _IN.fullmatch(said):
        if now is None:
            raise InvalidRequest(
                'Write the moment itself, as in "at 2026-12-24 18:00": it is not known from when to count.'
            )
        if near is None:
            return _ahead(said, now)
        today = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        days = timedelta(days=near["day"] == "tomorrow", minutes=minutes_of(near["time"], notes))
        moment = _shown(today + days, zone, notes)
    elif found:
        moment = _dated(found, zone, notes)
    else:
        return None
    if now is not None and moment <= now.astimezone(UTC):
        raise InvalidRequest(f"{moment.astimezone(zone):%Y-%m-%d %H:%M} in {zone.key} is past; write a moment to come.")
    return moment


def _ahead(said: str, now: datetime) -> datetime:
    total = timedelta()
    for number, unit in re.findall(r"(an?|\d+) (minute|hour|day|week)", said):
        total += timedelta(**{f"{unit}s": int(number) if number.isdecimal() else 1})
    if not timedelta(minutes=1) <= total <= _MOST_AHEAD:
        raise InvalidRequest(f'"{said}" must be between a minute and ten years ahead.')
    moment = now.astimezone(UTC) + total
    return moment.replace(microsecond=0) + timedelta(seconds=bool(moment.microsecond))


def _dated(found: re.Match[str], zone: ZoneInfo, notes: list[str]) -> datetime:
    day = "-".join(each.zfill(2) for each in found["date"].split("-"))
    try:
        moment = datetime.fromisoformat(
            f"{day}T{found['time'].zfill(5)}:{found['second'] or '00'}{found['offset'] or ''}"
        )
    except ValueError as error:
        raise InvalidRequest(
            f'There is no moment "{found[0]}" ({error}); write it as in "at 2026-12-24 18:00".'
        ) from error
    if not 1 < moment.year <= _LAST_YEAR:
        raise InvalidRequest(f"The year {moment.year} is out of reach; write a moment to come.")
    local = moment.replace(tzinfo=None)
    if moment.tzinfo is None:
        return _shown(local, zone, notes)
    if moment.astimezone(zone).replace(tzinfo=None) != local:
        raise InvalidRequest(f"{local:%Y-%m-%d %H:%M} has another offset from UTC in {zone.key}; leave the offset out.")
    return moment.astimezone(UTC)


def _shown(local: datetime, zone: ZoneInfo, notes: list[str]) -> datetime:
    """When the clock shows that time."""
    moment, shown = reached(local, zone), showings(local, zone)
    if not shown:
        notes.append(f"The clock leaps over that time; it fires at {moment.astimezone(zone):%H:%M}.")
    elif len(shown) > 1:
        notes.append("The clock shows that time twice; it fires the first time.")
    return moment
