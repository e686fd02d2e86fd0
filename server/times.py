"""The time zone of this machine, by its IANA name, and stretches of time as users write them."""

import os
import zoneinfo
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from core.errors import InvalidRequest

_SYSTEM: Final = Path("/etc")
_FOLDER: Final = "zoneinfo/"


def ago(moment: datetime | str) -> str:
    """How long ago it was, as people say it: ``5 minutes ago``; a text is ISO 8601, and stays if it is none."""
    try:
        then = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    except ValueError:
        return str(moment)
    seconds = max(0.0, (datetime.now(UTC) - then).total_seconds())
    for length, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        count = int(seconds // length)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def machine_zone(environment: Mapping[str, str] = os.environ, system: Path = _SYSTEM) -> str:
    """The zone's name as the system's own programs find it; empty when it has none that others would know.

    Args:
        environment: its ``TZ`` comes first, as in tzset(3).
        system: the folder with ``localtime`` (a link into the zone database, localtime(5)) and Debian's ``timezone``.

    """
    text = environment.get("TZ")
    if text is not None:
        return _known(text.removeprefix(":")) if text else "UTC"
    place = system / "localtime"
    if not place.exists():
        return "UTC"
    target = str(place.resolve())
    if _FOLDER in target and (name := _known(target.rpartition(_FOLDER)[2])):
        return name
    try:
        return _known((system / "timezone").read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError):
        return ""


def _known(name: str) -> str:
    """The name if there is such a zone; a path to its file counts as its name."""
    name = name.rpartition(_FOLDER)[2] if name.startswith("/") else name
    try:
        return zoneinfo.ZoneInfo(name).key
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return ""


def stretch(*, last: str | None, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """The stretch of a text: ``10m``, ``2h``, ``90s``, ``1d``, or two moments; the second one may be now.

    Raises ``InvalidRequest``.
    """
    now = datetime.now(UTC)
    if (last is None) is (since is None):
        raise InvalidRequest('Say what to forget: "last", such as 10m, 2h or 1d, or "since", and "until" if not now.')
    if last is not None:
        unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(last[-1:].lower())
        number = last[:-1].strip()
        if unit is None or not number.isascii() or not number.isdigit() or len(number) > 6:  # noqa: PLR2004 - digits
            raise InvalidRequest(f"{last[:40]!r} is no stretch of time: say a number and s, m, h or d, such as 10m.")
        return now - timedelta(seconds=int(number) * unit), now
    begin, end = (_in_utc(each) for each in (since or now, until or now))
    if begin >= end:
        raise InvalidRequest('There is nothing between: "since" has to come before "until".')
    return begin, end


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise InvalidRequest(f"{moment.isoformat()} has no time zone: add Z, or +01:00 and the like.")
    return moment.astimezone(UTC)
