"""When a schedule fires, through changes of the clock, ends of years and leap days; croniter gives a second opinion."""

import itertools
import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Internal
from core.schedules.firings import firings_after, firings_until, next_firings
from core.schedules.phrases import understand
from core.schedules.schedule import Schedule

# The schedule | the zone | from, in UTC | what the clock shows when it fires.
CLOCK_CHANGES = """
30 2 * * *   | Europe/Berlin       | 2026-03-28T00:00 | 28 02:30+0100, 29 03:00+0200, 30 02:30+0200
*/20 2 * * * | Europe/Berlin       | 2026-03-28T12:00 | 29 03:00+0200, 30 02:00+0200, 30 02:20+0200
15 1-3 * * * | Europe/Berlin       | 2026-03-28T12:00 | 29 01:15+0100, 29 03:00+0200, 29 03:15+0200
0 2,3 * * *  | Europe/Berlin       | 2026-03-28T12:00 | 29 03:00+0200, 30 02:00+0200, 30 03:00+0200
0 * * * *    | Europe/Berlin       | 2026-03-28T23:00 | 29 01:00+0100, 29 03:00+0200, 29 04:00+0200
30 2 * * *   | Europe/Berlin       | 2026-10-24T12:00 | 25 02:30+0200, 26 02:30+0100, 27 02:30+0100
*/30 * * * * | Europe/Berlin       | 2026-10-25T00:00 | 25 02:30+0200, 25 02:00+0100, 25 02:30+0100, 25 03:00+0100
0 */2 * * *  | Europe/Berlin       | 2026-10-24T22:00 | 25 02:00+0200, 25 04:00+0100, 25 06:00+0100
30 2 * * *   | America/New_York    | 2026-03-07T12:00 | 08 03:00-0400, 09 02:30-0400
30 1 * * *   | America/New_York    | 2026-10-31T12:00 | 01 01:30-0400, 02 01:30-0500
0 * * * *    | America/New_York    | 2026-11-01T04:00 | 01 01:00-0400, 01 01:00-0500, 01 02:00-0500
15 2 * * *   | Australia/Lord_Howe | 2026-10-03T00:00 | 04 02:30+1100, 05 02:15+1100
45 1 * * *   | Australia/Lord_Howe | 2026-04-04T00:00 | 05 01:45+1100, 06 01:45+1030
15,45 * * * *| Australia/Lord_Howe | 2026-04-04T14:00 | 05 01:15+1100, 05 01:45+1100, 05 01:45+1030, 05 02:15+1030
0 9 * * *    | Pacific/Apia        | 2011-12-28T20:00 | 29 09:00-1000, 31 00:00+1400, 31 09:00+1400
0 9 30 12 *  | Pacific/Apia        | 2011-01-01T00:00 | 31 00:00+1400, 30 09:00+1400
0 0 * * *    | Pacific/Apia        | 2011-12-29T09:00 | 29 00:00-1000, 31 00:00+1400, 01 00:00+1400
0 * * * *    | Pacific/Apia        | 2011-12-30T08:00 | 29 23:00-1000, 31 00:00+1400, 31 01:00+1400
30 23 * * *  | America/Havana      | 2024-11-02T12:00 | 02 23:30-0400, 03 23:30-0500
30 0 * * *   | America/Havana      | 2024-11-02T12:00 | 03 00:30-0400, 04 00:30-0500
30 0 * * *   | America/Havana      | 2024-03-09T12:00 | 10 01:00-0400, 11 00:30-0400
45 * * * *   | Australia/Lord_Howe | 2026-04-04T14:00 | 05 01:45+1100, 05 01:45+1030, 05 02:45+1030
0 * * * 5    | Pacific/Apia        | 2011-12-28T20:00 | 06 00:00+1400, 06 01:00+1400
30 * * * 6   | America/Nuuk        | 2026-03-29T00:00 | 28 22:30-0200, 04 00:30-0100
30 * * * *   | Asia/Kathmandu      | 1985-12-31T18:00 | 01 00:30+0545, 01 01:30+0545
"""
MOMENTS = {
    "Europe/Berlin": ("2026-03-28T20:00", "2026-10-24T20:00"),
    "America/New_York": ("2026-03-08T02:00", "2026-11-01T02:00"),
    "Australia/Lord_Howe": ("2026-10-03T08:00", "2026-04-04T08:00"),
    "Pacific/Apia": ("2011-12-29T00:00",),
    "UTC": ("2026-12-30T00:00",),
}


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def first(schedule: Schedule, moment: datetime, count: int) -> list[datetime]:
    return list(itertools.islice(firings_after(schedule, moment), count))


def in_croniter(cron: str) -> str:
    """The expression as croniter writes it."""
    return re.sub(r"(\d)L", r"L\1", cron)


def by_croniter(cron: str, zone: str, moment: datetime, count: int) -> list[datetime]:
    """croniter's opinion, without the second showing of times that are to come once a day."""
    place = ZoneInfo(zone)
    opinions = croniter(in_croniter(cron), moment.astimezone(place), max_years_between_matches=60)
    found: list[datetime] = []
    while len(found) < count:
        one = opinions.get_next(datetime).astimezone(UTC)
        if cron.split()[1] == "*" or not one.astimezone(place).fold:
            found.append(one)
    return found


@pytest.mark.parametrize(("cron", "zone", "moment", "shown"), rows(CLOCK_CHANGES))
def test_a_leap_fires_once_after_it_and_a_time_shown_twice_fires_the_first_time(
    cron: str, zone: str, moment: str, shown: str
) -> None:
    expected = shown.split(", ")
    found = first(Schedule(crons=(cron,), zone=zone), utc(moment), len(expected))
    assert [f"{each.astimezone(ZoneInfo(zone)):%d %H:%M%z}" for each in found] == expected


def test_a_leap_day_comes_every_four_years_but_for_full_centuries() -> None:
    found = first(Schedule(crons=("0 9 29 2 *",), zone="UTC"), utc("2088-03-01T00:00"), 4)
    assert [each.year for each in found] == [2092, 2096, 2104, 2108]


def test_a_fifth_monday_of_february_is_found() -> None:
    (found,) = first(Schedule(crons=("0 9 * 2 1#5",), zone="UTC"), utc("2026-01-01T00:00"), 1)
    assert found == utc("2044-02-29T09:00")


def test_it_ends_with_the_calendar() -> None:
    schedule = Schedule(crons=("0 9 29 2 *",), zone="Pacific/Apia")
    assert len(list(firings_after(schedule, utc("9990-01-01T00:00")))) == 2
    assert len(list(firings_until(schedule, utc("0010-01-01T00:00")))) == 2


@pytest.mark.parametrize(
    ("zone", "skipped"), [("America/Nuuk", "2026-03-29T02:00"), ("Pacific/Apia", "2011-12-31T02:00")]
)
def test_looking_back_over_hours_that_never_were_ends(zone: str, skipped: str) -> None:
    schedule = Schedule(crons=("0 * * * 5,6",), zone=zone)
    found = list(itertools.islice(firings_until(schedule, utc(skipped)), 40))
    assert found == sorted(set(found), reverse=True)
    assert set(found) == set(first(schedule, found[-1] - timedelta(minutes=1), 40))


def test_one_moment_fires_once() -> None:
    schedule = understand("at 2026-12-24 18:00", zone="Europe/Berlin").schedule
    moment = utc("2026-12-24T17:00")
    assert list(firings_after(schedule, utc("2026-01-01T00:00"))) == [moment]
    assert list(firings_after(schedule, moment)) == []
    assert list(firings_until(schedule, moment)) == [moment]
    assert [f"{each:%H:%M %Z}" for each in next_firings(schedule, utc("2026-01-01T00:00"))] == ["18:00 CET"]


def test_a_moment_without_a_zone_is_not_taken() -> None:
    with pytest.raises(Internal):
        next_firings(Schedule(crons=("0 9 * * *",), zone="UTC"), datetime(2026, 1, 1))  # noqa: DTZ001 - the case


zones = st.sampled_from(
    (
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "America/Havana",
        "Asia/Kolkata",
    )
)
moments = st.one_of(
    st.datetimes(
        utc("1971-01-01T00:00").replace(tzinfo=None),
        utc("2090-01-01T00:00").replace(tzinfo=None),
        timezones=st.just(UTC),
    ),
    st.sampled_from([moment for each in MOMENTS.values() for moment in map(utc, each)]),
)


def field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    return st.one_of(
        st.just("*"),
        st.sets(number, min_size=1, max_size=4).map(lambda each: ",".join(map(str, sorted(each)))),
        st.sets(number, min_size=2, max_size=2).map(lambda pair: f"{min(pair)}-{max(pair)}"),
        st.integers(2, 12).map(lambda step: f"*/{step}"),
    )


month = field(1, 12)
dated = st.tuples(st.one_of(field(1, 28), st.sampled_from(("L", "31", "1,L", "30,31"))), st.just("*"), st.just("*"))
weekly = st.tuples(st.just("*"), month, st.one_of(field(0, 7), st.sampled_from(("1#1", "L5", "1#1,3#3", "0#5"))))


def _cron(minute: str, hour: str, days: tuple[str, str, str]) -> str:
    return " ".join((minute, hour, *days))


def _schedule(texts: list[str], zone: str) -> Schedule:
    return Schedule(crons=tuple(texts), zone=zone)


crons = st.builds(_cron, field(0, 59), field(0, 23), st.one_of(dated, weekly))
schedules = st.builds(_schedule, st.lists(crons, min_size=1, max_size=2), zones)
light = settings(max_examples=60, deadline=None)


@light
@given(schedules, moments)
def test_the_next_moments_are_ahead_in_order_and_the_same_backward(schedule: Schedule, moment: datetime) -> None:
    found = first(schedule, moment, 6)
    assert all(before < after for before, after in itertools.pairwise([moment, *found]))
    back = itertools.takewhile(lambda each: each > moment, firings_until(schedule, found[-1]))
    assert list(back) == found[::-1]


@light
@given(schedules, moments)
def test_each_moment_matches_the_fields_but_at_a_leap_of_the_clock(schedule: Schedule, moment: datetime) -> None:
    place = schedule.place
    for each in first(schedule, moment, 6):
        local = each.astimezone(place)
        before = (each - timedelta(seconds=1)).astimezone(place)
        leapt = (local.utcoffset() or timedelta()) > (before.utcoffset() or timedelta())
        matching = any(croniter.match(in_croniter(cron), local.replace(tzinfo=None)) for cron in schedule.crons)
        assert matching or leapt
        assert not local.second


@light
@given(crons)
def test_croniter_finds_the_same_times_in_utc(cron: str) -> None:
    moment = utc("2026-11-21T12:00")
    schedule = Schedule(crons=(cron,), zone="UTC")
    (kept,) = schedule.crons
    assert first(schedule, moment, 6) == by_croniter(kept, "UTC", moment, 6)


@light
@given(st.lists(crons, min_size=1, max_size=3), zones)
def test_the_words_that_are_repeated_back_say_the_same(texts: list[str], zone: str) -> None:
    schedule = Schedule(crons=tuple(texts), zone=zone)
    assert understand(schedule.words, zone=zone).schedule.crons == schedule.crons
    assert schedule.sentence
