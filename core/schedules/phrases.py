"""From phrases or cron expressions to a schedule: unclear input is refused, assumptions are reported.

``docs/tasks.md`` lists the forms. A phrase names the days, and then at what time or how often; or the other way round.
"""

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from core.errors import InvalidRequest
from core.schedules.cron import DAYS, ORDINAL, listed, looks_like_cron, read_cron, read_days
from core.schedules.schedule import Missed, Schedule, once_at, reached, recurring, showings, zone_named
from core.values import Value

EXAMPLES: Final = '"every weekday at 9:00" or "every 2 hours between 9:00 and 17:00"'
_HOUR: Final = 60
_DAY: Final = 24 * _HOUR
_NOON: Final = 12
_FEWEST_IN_A_RANGE: Final = 3
_QUOTED: Final = 80

_CLOCK: Final = r"(?:\d{1,2}[:.h]\d{2}(?:[ap]m)?|\d{1,2}[ap]m|noon|midnight)"
TIME: Final = rf"(?:{_CLOCK}|\d{{1,2}})"
_NUMBERS: Final = r"\d{1,2}(?: and \d{1,2})*"
# at 9:00 and 17:00 · 5pm · at 5 (a bare hour only behind "at")
_AT: Final = rf"(?P<times>at {TIME}(?: and (?:at )?{TIME})*|{_CLOCK}(?: and {_CLOCK})*)"
# every 15 minutes · hourly · every 2 hours between 9:00 and 17:00
_EVERY: Final = (
    r"(?:hourly|every (?:(?P<number>\d{1,4}) )?(?P<unit>minutes?|hours?))"
    rf"(?: (?:between|from) (?P<first>{TIME}) (?:and|to|until) (?P<last>{TIME}))?"
)
# every hour at :15 · at minutes 5 and 35 of every hour · 15 minutes past every hour · at minute 5 of hours 8 and 9
_OF_HOURS: Final = (
    rf"(?:every hour at (?P<marks>:\d\d(?: and :\d\d)*)|(?:at )?(?:minutes? )?(?P<minutes>{_NUMBERS})(?: minutes?)? "
    rf"(?:of|past) (?:every hour|hours? (?P<hours>{_NUMBERS})))"
)

# What people write that has no meaning here, or several | why it is refused.
_REFUSED: Final = {
    r"^every (\d+ )?seconds?$": f"it is too often, once a minute at most; write for example {EXAMPLES}.",
    r"^every (other|second|third|fourth|fifth|\d+(st|nd|rd|th)?) (?!minute|hour)|^(biweekly|fortnightly|bimonthly)": (
        "a calendar does not count days, weeks or years through, so it could begin on either; name the days, as in "
        '"every Monday, Wednesday and Friday at 9:00" or "on the 1st and 15th of each month at 9:00".'
    ),
    r"^(every (week|month|year)|weekly|monthly|yearly)\b": (
        'name the day, as in "every Monday at 9:00", "on the 1st of each month at 9:00" or '
        '"every year on 24 December at 18:00".'
    ),
    r"\d{4}-\d\d?-\d\d?|^(today|tomorrow|in)\b": (
        'one moment is written alone, as in "at 2026-12-24 18:00", "tomorrow at 9:00" or "in 20 minutes".'
    ),
    rf"\d([ap]m)? and (every |on )*({DAYS}|{ORDINAL})": (
        "it is not plain which times belong to which days; write two schedules, joined by a semicolon: "
        '"every weekday at 9:00; every Saturday at 11:00".'
    ),
}


class Phrase(NamedTuple):
    """What a phrase stands for."""

    crons: tuple[str, ...]
    words: str
    """The phrase in the one form in which it is kept and repeated back."""
    notes: tuple[str, ...]
    """What was assumed."""


class _Times(NamedTuple):
    """The first two fields of cron expressions, and how a phrase says them."""

    fields: tuple[str, ...]
    words: str
    is_interval: bool = True


def plain(text: str) -> str:
    """The text in lower case, with "and" for each comma, without what says nothing."""
    lowered = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")
    lowered = re.sub(r"(?<=\d)\s?([ap])\.?\s?m\b\.?", r"\1m", lowered)
    lowered = re.sub(r"\bthe\b|\bo'clock\b", " ", lowered)
    lowered = re.sub(r"\s*(?:,(?:\s*and\b)?|&)\s*", " and ", lowered)
    return " ".join(lowered.strip(" .!").split())


def read_phrase(said: str) -> Phrase:
    """What a phrase stands for that comes again and again; ``said`` is as ``plain`` makes it.

    Raises:
        InvalidRequest: no pattern fits; the message quotes the phrase, and shows what is understood.

    """
    notes: list[str] = []
    for pattern, read in _TABLE.items():
        found = re.fullmatch(rf"(?:(?P<before>.+?) )??{pattern}(?: (?P<after>.+))?", said)
        if found is None or (found["before"] and found["after"]):
            continue
        named = found["before"] or found["after"] or ""
        days = read_days(named, notes)
        if days is None:
            continue
        times = read(found, notes)
        if not times.is_interval and not named:
            raise InvalidRequest(
                'It does not say on which days; write "every day at 9:00", or for once "at 2026-12-24 18:00".'
            )
        words = f"{times.words} {days.on}".strip() if times.is_interval else f"{days.each} {times.words}"
        return Phrase(tuple(f"{each} {days.fields}" for each in times.fields), words, tuple(notes))
    raise _not_understood(said)


def minutes_of(time: str, notes: list[str]) -> int:
    """Minutes after midnight; a bare hour is noted.

    Raises:
        InvalidRequest: no clock shows it.

    """
    if time in {"noon", "midnight"}:
        return _NOON * _HOUR if time == "noon" else 0
    number, minute, half = re.findall(r"(\d+)(?:[:.h](\d+))?([ap]m)?", time)[0]
    hour = int(number)
    if int(minute or 0) >= _HOUR or not (1 <= hour <= _NOON if half else hour * _HOUR < _DAY):
        raise InvalidRequest(f'No clock shows "{time}"; write a time such as 9:00, 17:30 or 5pm.')
    if half:
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    elif not minute and 1 <= hour <= _NOON:
        other = f"; write {hour + _NOON}:00 if you mean the afternoon" if hour < _NOON else ""
        notes.append(f'"{time}" is read on the 24-hour clock as {hour:02}:00{other}.')
    return hour * _HOUR + int(minute or 0)


def _not_understood(said: str) -> InvalidRequest:
    if read_days(said, []) is not None:
        return InvalidRequest('It does not say at what time; add one, as in "every weekday at 9:00".')
    quoted = f'"{said[:_QUOTED]}" is not understood in a schedule'
    reason = next((reason for pattern, reason in _REFUSED.items() if re.search(pattern, said)), "")
    return InvalidRequest(f"{quoted}: {reason}" if reason else f"{quoted}; write for example {EXAMPLES}.")


def _at(found: re.Match[str], notes: list[str]) -> _Times:
    times = sorted({minutes_of(each, notes) for each in re.findall(TIME, found["times"])})
    return _Times(_fields(times), f"at {listed(map(_clock, times))}", is_interval=False)


def _every(found: re.Match[str], notes: list[str]) -> _Times:
    step = int(found["number"] or 1) * (1 if (found["unit"] or "").startswith("minute") else _HOUR)
    size = f"{step // _HOUR} hours" if step % _HOUR == 0 else f"{step} minutes"
    words = {"1 hours": "every hour", "1 minutes": "every minute"}.get(size, f"every {size}")
    if not 0 < step <= _DAY or (found["first"] is None and _DAY % step):
        raise InvalidRequest(
            f'"{found[0][:_QUOTED]}" does not come out even in a day; choose an interval that does, or say between '
            'which times: "every 50 minutes between 9:00 and 17:00".'
        )
    if found["first"] is None:
        if step > _HOUR and not (found["before"] or found["after"]):
            notes.append("It is counted from midnight.")
        return _Times(_fields(range(0, _DAY, step)), words)
    first, last = minutes_of(found["first"], notes), minutes_of(found["last"], notes)
    if last < first:
        raise InvalidRequest(
            f"{_clock(first)} to {_clock(last)} goes past midnight; write it as two, joined by a semicolon: "
            f'"every hour between {_clock(first)} and 23:00; every hour between 00:00 and {_clock(last)}".'
        )
    return _Times(_fields(range(first, last + 1, step)), f"{words} between {_clock(first)} and {_clock(last)}")


def _of_hours(found: re.Match[str], _notes: list[str]) -> _Times:
    minutes = _numbers(found["minutes"] or found["marks"])
    hours = _numbers(found["hours"]) if found["hours"] else list(range(_DAY // _HOUR))
    if minutes[-1] >= _HOUR or hours[-1] * _HOUR >= _DAY:
        raise InvalidRequest(f'"{found[0][:_QUOTED]}" is no time; minutes are 0 to 59, hours 0 to 23.')
    of_hours = f"hour{'s' * (len(hours) > 1)} {listed(map(str, hours))}" if found["hours"] else "every hour"
    words = f"at minute{'s' * (len(minutes) > 1)} {listed(map(str, minutes))} of {of_hours}"
    return _Times(_fields(hour * _HOUR + minute for hour in hours for minute in minutes), words)


_TABLE: Final[dict[str, Callable[[re.Match[str], list[str]], _Times]]] = {
    _AT: _at,
    _EVERY: _every,
    _OF_HOURS: _of_hours,
}


def _fields(times: Iterable[int]) -> tuple[str, ...]:
    """The fewest pairs of minutes and hours for the times of the day."""
    minutes_of_hour: dict[int, list[int]] = {}
    for time in sorted(times):
        minutes_of_hour.setdefault(time // _HOUR, []).append(time % _HOUR)
    hours_of_minutes: dict[tuple[int, ...], list[int]] = {}
    for hour, minutes in minutes_of_hour.items():
        hours_of_minutes.setdefault(tuple(minutes), []).append(hour)
    return tuple(
        f"{_field(minutes, _HOUR)} {_field(hours, _DAY // _HOUR)}" for minutes, hours in hours_of_minutes.items()
    )


def _field(numbers: Sequence[int], size: int) -> str:
    """Numbers in order, from 0 to ``size`` - 1, in the shortest usual text."""
    if len(numbers) == size:
        return "*"
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    if len(steps) == 1:
        (step,) = steps
        if numbers[0] == 0 and step * len(numbers) == size:
            return f"*/{step}"
        if len(numbers) >= _FEWEST_IN_A_RANGE:
            return f"{numbers[0]}-{numbers[-1]}{f'/{step}' if step > 1 else ''}"
    return ",".join(map(str, numbers))


def _numbers(text: str) -> list[int]:
    return sorted({int(each) for each in re.findall(r"\d+", text)})


def _clock(minutes: int) -> str:
    return f"{minutes // _HOUR:02}:{minutes % _HOUR:02}"


MOST_CHARACTERS: Final = 2000
_MOST_AHEAD: Final = timedelta(days=3660)
_LAST_YEAR: Final = 9000
_DATED: Final = re.compile(
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
    near, found = _NEAR.fullmatch(said), _DATED.fullmatch(said)
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
