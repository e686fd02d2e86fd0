"""When schedules fire at changes of the clock, beside croniter: ``python -m bench.schedules``.

First the daylight-saving cases of croniter's own tests (release 7.0), then every change of a clock from 2024 to 2030 in
every zone of the IANA database. What is right there is counted without either: a time of day comes once a day, and what
comes in every hour comes whenever the clock shows it, minute by minute.
"""

import itertools
import zoneinfo
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from croniter import croniter
from rich.progress import track

from bench.table import Table
from core.schedules.firings import due, firings_after
from core.schedules.schedule import Missed, Schedule

# The test of croniter's | the schedule | the zone | from when the clock shows.
CASES = """
std_dst         | 0 0 * * *  | Europe/Warsaw       | 2017-03-26T00:00
std_dst         | 0 * * * *  | Europe/Warsaw       | 2017-03-26T01:00
std_dst         | 0 0 * * *  | Europe/Warsaw       | 2017-10-29T00:00
std_dst         | 0 * * * *  | Europe/Warsaw       | 2017-10-29T01:59
std_dst2        | 0 0 * * *  | America/Sao_Paulo   | 2018-02-17T21:00
std_dst2        | 0 0 * * *  | America/Sao_Paulo   | 2018-02-17T23:05
std_dst2        | 0 0 * * *  | America/Sao_Paulo   | 2018-02-18T00:05
std_dst3        | 0 0 24 * * | Australia/Adelaide  | 2020-04-15T00:00
dst_daily       | 7 0 * * *  | Europe/London       | 2025-03-30T00:00
dst_hourly      | 7 * * * *  | Europe/London       | 2025-03-30T00:00
issue90_st31ny  | 1 2 * * *  | Europe/Paris        | 2020-03-29T01:59
dst_iter        | 0 0 * * *  | Asia/Hebron         | 2022-03-25T00:00
negative_dst    | 0 1 * * *  | Europe/Dublin       | 2019-10-26T12:00
gap_shift       | 0 * * * *  | Australia/Lord_Howe | 2019-10-06T01:03
gap_shift       | 0 * * * *  | Australia/Lord_Howe | 2019-10-06T01:43
"""
FIRST, LAST = datetime(2024, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)
AROUND_DAYS, AROUND_HOURS = timedelta(hours=36), timedelta(hours=6)
"""How long is looked at before and after a change, for what comes once a day and for what comes in every hour."""
LATE = timedelta(seconds=7)
"""The scheduler is never quite in time."""
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_SHOWN = 4
_LEAPED, _TWICE = "a daily time that the clock leaps over", "a daily time that it shows twice"


@dataclass(frozen=True)
class Change:
    """A change of a zone's clock."""

    zone: str
    moment: datetime
    before: timedelta
    after: timedelta

    @property
    def leaps(self) -> bool:
        """Whether the clock leaps forward."""
        return self.after > self.before

    @property
    def middle(self) -> datetime:
        """A time in full minutes that the clock leaps over, or shows twice."""
        early = self.moment.replace(tzinfo=None) + min(self.before, self.after)
        middle = early + abs(self.after - self.before) / 2
        return middle.replace(second=0, microsecond=0)


def run() -> list[Table]:
    """Measure."""
    return [_own_cases(), _sweep()]


def fired(cron: str, zone: str, start: datetime, end: datetime) -> list[datetime]:
    """What our scheduler fires: it looks again when something is due, and keeps how far it has decided."""
    schedule = Schedule(crons=(cron,), zone=zone, missed=Missed.ONCE)
    found: list[datetime] = []
    handled = start
    while (now := next(firings_after(schedule, handled)) + LATE) < end + LATE:
        decided = due(schedule, handled=handled, now=now)
        handled = decided.handled
        found += [decision.moment for decision in decided.firing]
    return found


def by_croniter(cron: str, zone: str, start: datetime, end: datetime) -> list[datetime]:
    """What croniter tells."""
    times = croniter(cron, start.astimezone(ZoneInfo(zone)))
    reported = (times.get_next(datetime).astimezone(UTC) for _ in itertools.count())
    return list(itertools.takewhile(lambda each: each < end, reported))


def is_hourly(cron: str) -> bool:
    """Whether it comes in every hour."""
    return cron.split()[1] == "*"


def _own_cases() -> Table:
    rows: list[tuple[str, ...]] = []
    same = 0
    for line in CASES.strip().splitlines():
        name, cron, zone, begin = (cell.strip() for cell in line.split("|"))
        start = datetime.fromisoformat(begin).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        end = start + timedelta(days=62 if "24" in cron else 4)
        theirs, ours = (each(cron, zone, start, end)[:_SHOWN] for each in (by_croniter, fired))
        same += theirs == ours
        text = "the same" if theirs == ours else f"{_times(ours, zone)}"
        rows.append((f"{name}: `{cron}`, {zone}", _times(theirs, zone), text))
    return Table(
        "Schedules in croniter's daylight-saving cases",
        ("case of croniter's tests", "croniter", "Vaider"),
        rows,
        f"The next four times. {same} of {len(rows)} are the same; where they differ, croniter fires a daily time "
        "twice, as often as the clock shows it, and we fire it once.",
    )


def _times(moments: list[datetime], zone: str) -> str:
    return ", ".join(f"{each.astimezone(ZoneInfo(zone)):%d %H:%M%z}" for each in moments)


def _sweep() -> Table:
    changes = list(_changes())
    counts = {
        kind: Counter[str]() for kind in (_LEAPED, _TWICE, "a daily time at noon", "every hour", "every 15 minutes")
    }
    for change in track(changes, description="Changes of clocks", transient=True):
        middle = change.middle
        for kind, cron in (
            (_LEAPED if change.leaps else _TWICE, f"{middle.minute} {middle.hour} * * *"),
            ("a daily time at noon", "0 12 * * *"),
            ("every hour", "0 * * * *"),
            ("every 15 minutes", "*/15 * * * *"),
        ):
            count = counts[kind]
            count["cases"] += 1
            around = AROUND_HOURS if is_hourly(cron) else AROUND_DAYS
            start, end = change.moment - around, change.moment + around
            for who, times in (("ours", fired), ("croniter", by_croniter)):
                found = times(cron, change.zone, start, end)
                twice, lost = _wrong(found, cron, change, start, end)
                count[f"{who} twice"] += twice
                count[f"{who} lost"] += lost
                count[f"{who} right"] += not twice and not lost
    rows = [
        (
            kind,
            str(count["cases"]),
            *(str(count[f"{who} {what}"]) for who in ("ours", "croniter") for what in ("right", "twice", "lost")),
        )
        for kind, count in counts.items()
    ]
    return Table(
        "Schedules at every change of a clock",
        (
            "schedule",
            "changes",
            *("Vaider: right", "fired twice", "lost"),
            *("croniter: right", "fired twice", "lost"),
        ),
        rows,
        f"{len(changes)} different changes in {len(zoneinfo.available_timezones())} zones, {FIRST:%Y} to "
        f"{LAST - _DAY:%Y}. Right is: a daily time fires once on each day, one that is leaped over at the leap; what "
        "comes in every hour fires whenever the clock shows it, in both of two equal hours.",
    )


def _wrong(found: list[datetime], cron: str, change: Change, start: datetime, end: datetime) -> tuple[int, int]:
    """How many times too many, and how many too few."""
    zone = ZoneInfo(change.zone)
    if not is_hourly(cron):
        # At midnight the leap is on the next day, and the time that was leaped over was still to come on this one.
        leap = {change.moment: change.middle.date()} if change.leaps else {}
        days = Counter(leap.get(each) or each.astimezone(zone).date() for each in found)
        # The days at both ends are not whole.
        whole = _dates(zone, start + _DAY, end - _DAY)
        return sum(days[day] > 1 for day in days), sum(days[day] == 0 for day in whole)
    minutes = {0} if cron.startswith("0") else {0, 15, 30, 45}
    wanted = Counter(each for each in _minutes(start, end) if each.astimezone(zone).minute in minutes)
    got = Counter(found)
    return (got - wanted).total(), (wanted - got).total()


def _dates(zone: ZoneInfo, start: datetime, end: datetime) -> set[date]:
    return {each.astimezone(zone).date() for each in _minutes(start, end)}


def _minutes(start: datetime, end: datetime) -> Iterator[datetime]:
    moment = start.replace(second=0, microsecond=0) + _MINUTE
    while moment < end:
        yield moment
        moment += _MINUTE


def _changes() -> Iterator[Change]:
    """Each change once, though many zones have it."""
    seen: set[tuple[datetime, timedelta, timedelta]] = set()
    for name in sorted(zoneinfo.available_timezones()):
        zone = ZoneInfo(name)
        day = FIRST
        while day < LAST:
            if _offset(day, zone) != _offset(day + _DAY, zone):
                moment = _moment(day, zone)
                change = Change(name, moment, _offset(moment - _MINUTE, zone), _offset(moment, zone))
                if (moment, change.before, change.after) not in seen:
                    seen.add((moment, change.before, change.after))
                    yield change
            day += _DAY


def _moment(day: datetime, zone: ZoneInfo) -> datetime:
    early, late = day, day + _DAY
    while late - early > _MINUTE:
        middle = early + (late - early) // (2 * _MINUTE) * _MINUTE
        early, late = (middle, late) if _offset(middle, zone) == _offset(day, zone) else (early, middle)
    return late


@cache
def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


if __name__ == "__main__":
    for table in run():
        table.show()
