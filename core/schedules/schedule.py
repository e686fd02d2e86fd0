"""A schedule: when something is to happen, in which time zone, and what becomes of times that were missed.

On systems without a time zone database (Windows), ``zoneinfo`` takes the one of the package ``tzdata``.
"""

import difflib
import functools
import zoneinfo
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, field_validator, model_validator

from core.errors import InvalidRequest
from core.schedules.cron import explain_cron, looks_like_cron, read_cron
from core.values import Value

_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})
_SHOWN = 60
_NEAREST = 3


def zone_named(name: str) -> zoneinfo.ZoneInfo:
    """The zone of that name, in any case.

    Raises:
        InvalidRequest: there is none; the message offers names that are near.

    """
    known = _known()
    exact = known.get(name.strip().lower())
    if exact is None:
        near = _near(name.strip().lower()[:_SHOWN], known)
        offer = f"did you mean {' or '.join(near)}?" if near else "write a name such as Europe/Berlin, or UTC."
        raise InvalidRequest(f'There is no time zone "{name.strip()[:_SHOWN]}"; {offer}')
    return zoneinfo.ZoneInfo(exact)


@functools.cache
def _known() -> dict[str, str]:
    return {name.lower(): name for name in sorted(zoneinfo.available_timezones() - _NO_PLACES)}


def _near(name: str, known: dict[str, str]) -> list[str]:
    wanted = name.replace(" ", "_")
    places: dict[str, list[str]] = {}
    # A place without its continent; names in the backward file ("Asia/Calcutta") are as good.
    for each in known:
        if "/" in each:
            places.setdefault(each.rsplit("/", 1)[-1], []).append(each)
    whole = difflib.get_close_matches(wanted, known, n=_NEAREST, cutoff=0.75)
    place = difflib.get_close_matches(wanted.rsplit("/", 1)[-1], places, n=_NEAREST, cutoff=0.75)
    named = [each for one in place for each in places[one]]
    best = named if wanted.rsplit("/", 1)[-1] in places else whole + named
    return [known[each] for each in dict.fromkeys(best)][:_NEAREST]


def reached(local: datetime, zone: zoneinfo.ZoneInfo) -> datetime:
    """The moment (UTC) at which the clock first shows ``local``; where it leaps over it, the moment of the leap."""
    before, after = _offsets(local, zone)
    if before >= after:
        return (local - before).replace(tzinfo=UTC)
    early, late = local - after, local - before
    while late - early > timedelta(seconds=1):
        middle = early + timedelta(seconds=(late - early) // timedelta(seconds=1) // 2)
        early, late = (middle, late) if _offset_at(middle, zone) == before else (early, middle)
    return late.replace(tzinfo=UTC)


def showings(local: datetime, zone: zoneinfo.ZoneInfo) -> tuple[datetime, ...]:
    """The moments (UTC) at which the clock shows ``local``: none where it leaps over it, two where it is put back."""
    before, after = _offsets(local, zone)
    if before < after:
        return ()
    return tuple((local - offset).replace(tzinfo=UTC) for offset in dict.fromkeys((before, after)))


def _offsets(local: datetime, zone: zoneinfo.ZoneInfo) -> tuple[timedelta, timedelta]:
    """Before and after a change of the clock that concerns ``local``; else the same (PEP 495)."""
    first = local.replace(tzinfo=zone, fold=0).utcoffset()
    second = local.replace(tzinfo=zone, fold=1).utcoffset()
    return first or timedelta(), second or timedelta()


def _offset_at(moment: datetime, zone: zoneinfo.ZoneInfo) -> timedelta:
    return moment.replace(tzinfo=UTC).astimezone(zone).utcoffset() or timedelta()


MOST_EXPRESSIONS = 100


class Missed(StrEnum):
    """What becomes of the times at which nothing could run: the machine slept, the daemon was down."""

    SKIP = "skip"
    """They are left out."""
    ONCE = "once"
    """The latest of them is made up for."""
    ALL = "all"
    """Each of them is made up for."""


class Schedule(Value):
    """Either cron expressions, or one moment."""

    crons: tuple[str, ...] = ()
    """A time belongs to the schedule when it belongs to one of them."""
    phrases: str = ""
    """What they were understood from: phrases in their one form, and expressions, joined by ``; ``."""
    at: AwareDatetime | None = None
    zone: str
    """Its IANA name."""
    missed: Missed = Missed.ONCE

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            return zone_named(name).key
        except InvalidRequest as error:
            raise ValueError(error.message) from error

    @field_validator("crons")
    @classmethod
    def _valid(cls, crons: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(dict.fromkeys(map(read_cron, crons)))
        except InvalidRequest as error:
            raise ValueError(error.message) from error

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.crons) == (self.at is not None):
            raise ValueError("A schedule has either cron expressions or one moment.")
        return self

    @property
    def cron(self) -> str:
        """The expressions, joined by ``; ``; empty when it is for one moment."""
        return "; ".join(self.crons)

    @property
    def once(self) -> bool:
        """Whether it is for one moment."""
        return self.at is not None

    @property
    def place(self) -> ZoneInfo:
        """The zone as a ``ZoneInfo``."""
        return ZoneInfo(self.zone)

    @property
    def words(self) -> str:
        """What it was made from, in one form; these words are understood as this schedule."""
        return _moment_in_words(self.at, self.place) if self.at else self.phrases or self.cron

    @property
    def description(self) -> str:
        """In plain English, when it happens."""
        return "; ".join(explain_cron(each) if looks_like_cron(each) else each for each in self.words.split("; "))

    @property
    def sentence(self) -> str:
        """What is repeated back: when, the zone, and what becomes of missed times."""
        return f"{self.description[0].upper()}{self.description[1:]}, {self.zone} time; {_MISSED[self.missed]}."


_MISSED = {
    Missed.SKIP: "times that are missed are left out",
    Missed.ONCE: "of times that are missed, the latest is made up for",
    Missed.ALL: "each time that is missed is made up for",
}


def _moment_in_words(moment: datetime, zone: ZoneInfo) -> str:
    """``at 2026-12-24 18:00``, with the offset from UTC when the clock shows that time for the second time."""
    local = moment.astimezone(zone)
    wall = local.replace(tzinfo=None, fold=0)
    seconds = f":{local:%S}" if local.second else ""
    offset = "" if reached(wall, zone) == moment.astimezone(UTC) else f" {local:%z}"
    return f"at {local:%Y-%m-%d %H:%M}{seconds}{offset}"


def recurring(crons: Iterable[str], phrases: str, zone: ZoneInfo, missed: Missed) -> Schedule:
    """A schedule of those times.

    Raises:
        InvalidRequest: there are too many expressions, or one is never.

    """
    texts = tuple(dict.fromkeys(map(read_cron, crons)))
    if len(texts) > MOST_EXPRESSIONS:
        raise InvalidRequest(f"These are {len(texts)} cron expressions; at most {MOST_EXPRESSIONS} make one schedule.")
    return Schedule(crons=texts, phrases=phrases, zone=zone.key, missed=missed)


def once_at(moment: datetime, zone: ZoneInfo, missed: Missed) -> Schedule:
    """A schedule for one moment."""
    return Schedule(at=moment.astimezone(zone), zone=zone.key, missed=missed)
