"""Time zones by their IANA names, and the moments at which a clock in one of them shows a time.

On systems without a time zone database (Windows), ``zoneinfo`` takes the one of the package ``tzdata``.
"""

from __future__ import annotations

import difflib
import functools
import zoneinfo
from datetime import UTC, datetime, timedelta

from core.errors import InvalidRequest

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
    # A place that is told without its continent; names in the backward file ("Asia/Calcutta") are as good.
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
