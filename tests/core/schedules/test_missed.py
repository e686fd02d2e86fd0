"""What is due, and what becomes of missed times, whatever the clock does."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.schedules.firings import GRACE, MOST_DECISIONS, due
from core.schedules.phrases import understand
from core.schedules.schedule import Missed, Schedule

DAILY = "every day at 9:00"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def made(words: str, missed: Missed = Missed.ONCE, zone: str = "UTC") -> Schedule:
    return understand(words, zone=zone, missed=missed).schedule


@pytest.mark.parametrize(
    ("missed", "fired", "reasons"),
    [
        (Missed.SKIP, [], ["missed times are left out"] * 3),
        (
            Missed.ONCE,
            [21],
            ["the time at 2026-11-21 09:00:00 UTC stands for it"] * 2 + ["the latest missed time is made up"],
        ),
        (Missed.ALL, [19, 20, 21], ["each missed time is made up for"] * 3),
    ],
)
def test_what_was_slept_through_follows_the_policy(missed: Missed, fired: list[int], reasons: list[str]) -> None:
    found = due(made(DAILY, missed), handled=utc("2026-11-18T12:00"), now=utc("2026-11-21T12:05"))
    assert [each.moment.day for each in found.decisions] == [19, 20, 21]
    assert [each.moment.day for each in found.firing] == fired
    assert all(reason in each.reason for each, reason in zip(found.decisions, reasons, strict=True))
    assert "missed by 3 h 5 min" in found.decisions[-1].reason
    assert found.handled == utc("2026-11-21T09:00")


def test_a_minute_late_is_missed() -> None:
    schedule = made(DAILY, Missed.SKIP)
    handled = utc("2026-11-21T08:00")
    assert due(schedule, handled=handled, now=utc("2026-11-21T09:00:59.999999")).firing
    assert not due(schedule, handled=handled, now=utc("2026-11-21T09:01")).firing


def test_a_clock_that_is_put_back_fires_nothing_and_says_so() -> None:
    found = due(made("every minute", Missed.ALL), handled=utc("2026-11-21T09:00"), now=utc("2026-11-21T08:00"))
    assert (found.decisions, found.handled) == ((), utc("2026-11-21T09:00"))
    assert "stands before 2026-11-21 09:00:00 UTC" in found.note


def test_years_of_missed_minutes_are_bounded_and_told() -> None:
    found = due(made("every minute", Missed.ALL), handled=utc("2006-01-01T00:00"), now=utc("2026-11-21T09:00"))
    assert len(found.firing) == MOST_DECISIONS
    assert found.firing[-1].moment == utc("2026-11-21T09:00")
    assert found.note == "What was missed before 2026-11-21 07:21:00 UTC is left out."


@pytest.mark.parametrize(("missed", "fires"), [(Missed.SKIP, False), (Missed.ONCE, True), (Missed.ALL, True)])
def test_one_moment_that_was_missed_follows_the_policy_too(missed: Missed, fires: bool) -> None:
    schedule = made("at 2026-11-21 09:00", missed)
    found = due(schedule, handled=utc("2026-11-20T00:00"), now=utc("2026-11-22T00:00"))
    assert [each.fires for each in found.decisions] == [fires]
    assert not due(schedule, handled=found.handled, now=utc("2026-11-23T00:00")).decisions


readings = st.lists(st.integers(-4000, 4000), max_size=20)


@settings(max_examples=80, deadline=None)
@given(readings, st.sampled_from(Missed), st.sampled_from(("every 15 minutes", DAILY, "every hour; every day at 9:30")))
def test_no_moment_fires_twice_or_early_however_the_clock_jumps(jumps: list[int], missed: Missed, words: str) -> None:
    schedule = made(words, missed, "Europe/Berlin")
    now = handled = utc("2026-10-24T12:00")
    decided: list[datetime] = []
    for jump in jumps:
        now += timedelta(minutes=jump)
        found = due(schedule, handled=handled, now=now)
        assert found.handled >= handled
        handled = found.handled
        assert all(each.moment <= now and each.reason for each in found.decisions)
        assert missed is Missed.ALL or len(found.firing) <= 1
        assert missed is not Missed.SKIP or all(now - each.moment < GRACE for each in found.firing)
        decided += [each.moment for each in found.decisions]
    assert decided == sorted(set(decided))
