"""A stretch of time as somebody says it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from core.errors import InvalidRequest


def stretch(*, last: str | None, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """The stretch that somebody means: ``10m``, ``2h``, ``90s``, ``1d``, or two moments; the second one may be now.

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
