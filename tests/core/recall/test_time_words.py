from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recall.ports import Clock
from core.recall.question import find_span

BERLIN = ZoneInfo("Europe/Berlin")
SATURDAY = datetime(2026, 11, 21, 22, 30, tzinfo=BERLIN)


def read_reports(text: str, now: datetime = SATURDAY, zone: ZoneInfo = BERLIN) -> tuple[str, str]:
    span, _ = find_span(text, Clock(now, zone))
    assert span is not None, text
    since, until = (each.astimezone(zone).isoformat()[:16] for each in span)
    return since, until


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("today", "2026-11-21T00:00", "2026-11-22T00:00"),
        ("yesterday", "2026-11-20T00:00", "2026-11-21T00:00"),
        ("yesterday afternoon", "2026-11-20T12:00", "2026-11-20T18:00"),
        ("Yesterday, in the evening", "2026-11-20T17:00", "2026-11-21T00:00"),
        ("yesterday at 3pm", "2026-11-20T14:15", "2026-11-20T16:15"),
        ("yesterday at ten", "2026-11-20T09:15", "2026-11-20T11:15"),
        ("yesterday about two", "2026-11-20T00:00", "2026-11-21T00:00"),
        ("yesterday after 16:30", "2026-11-20T16:30", "2026-11-21T00:00"),
        ("the day before yesterday", "2026-11-19T00:00", "2026-11-20T00:00"),
        ("last night", "2026-11-20T18:00", "2026-11-21T05:00"),
        ("this morning", "2026-11-21T04:00", "2026-11-21T12:00"),
        ("today before lunch", "2026-11-21T04:00", "2026-11-21T13:00"),
        ("this week", "2026-11-16T00:00", "2026-11-23T00:00"),
        ("last week", "2026-11-09T00:00", "2026-11-16T00:00"),
        ("last weekend", "2026-11-14T00:00", "2026-11-16T00:00"),
        ("last month", "2026-10-01T00:00", "2026-11-01T00:00"),
        ("in March", "2026-03-01T00:00", "2026-04-01T00:00"),
        ("in December", "2025-12-01T00:00", "2026-01-01T00:00"),
        ("in March 2024", "2024-03-01T00:00", "2024-04-01T00:00"),
        ("in 2025", "2025-01-01T00:00", "2026-01-01T00:00"),
        ("on Tuesday", "2026-11-17T00:00", "2026-11-18T00:00"),
        ("on Saturday", "2026-11-21T00:00", "2026-11-22T00:00"),
        ("last Saturday", "2026-11-14T00:00", "2026-11-15T00:00"),
        ("Monday morning", "2026-11-16T04:00", "2026-11-16T12:00"),
        ("2026-11-20", "2026-11-20T00:00", "2026-11-21T00:00"),
        ("on 20.11.2026", "2026-11-20T00:00", "2026-11-21T00:00"),
        ("on 3 December", "2025-12-03T00:00", "2025-12-04T00:00"),
        ("on the 12th of October", "2026-10-12T00:00", "2026-10-13T00:00"),
        ("Nov 3rd, 2025", "2025-11-03T00:00", "2025-11-04T00:00"),
        ("3 days ago", "2026-11-18T00:00", "2026-11-19T00:00"),
        ("two hours ago", "2026-11-21T19:48", "2026-11-21T21:12"),
        ("half an hour ago", "2026-11-21T21:49", "2026-11-21T22:10"),
        ("in the last 3 days", "2026-11-18T22:30", "2026-11-21T22:30"),
        ("since Monday", "2026-11-16T00:00", "2026-11-21T22:30"),
        ("just now", "2026-11-21T22:10", "2026-11-21T22:30"),
    ],
)
def test_words_of_time_are_meant_by_the_clock_of_the_person_who_asks(words: str, since: str, until: str) -> None:
    assert read_reports(f"what did I do {words}?") == (since, until)


@pytest.mark.parametrize(
    "text",
    ["the Monday meeting", "mail about yesterday's numbers", "the call at 3pm", "may I", "31 February", "9999-12-31"],
)
def test_what_may_as_well_be_the_matter_is_left_in_the_question(text: str) -> None:
    assert find_span(text, Clock(SATURDAY, BERLIN)) == (None, text)


def test_the_words_that_say_when_are_taken_out_of_the_question() -> None:
    _, rest = find_span("how did I export an icon last week in Figma", Clock(SATURDAY, BERLIN))
    assert rest.split() == ["how", "did", "I", "export", "an", "icon", "in", "Figma"]


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-11-20", 24)])
def test_a_day_is_as_long_as_the_clock_makes_it(day: str, hours: int) -> None:
    span, _ = find_span(day, Clock(SATURDAY, BERLIN))
    assert span is not None
    assert span.until - span.since == timedelta(hours=hours)


def test_an_hour_that_comes_twice_is_meant_both_times() -> None:
    span, _ = find_span("on 2026-10-25 before 2:30 am", Clock(SATURDAY, BERLIN))
    assert span is not None
    assert span.until == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


_WORDS = """
last past this on in since ago the a few two 0 9999 99 days hours weeks months years Monday May March 31 2026-02-30
2026-11-20 0001-01-01 31.12.1999 yesterday today morning night at before after 12 13 25 pm am , -
""".split()  # noqa: SIM905 - a list of words reads better as text


@given(
    text=st.lists(
        st.sampled_from(_WORDS),
        max_size=8,
    ).map(" ".join),
    now=st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)),  # noqa: DTZ001 - hypothesis wants them bare
    zone=st.sampled_from(["Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kolkata", "UTC"]),
)
def test_no_words_make_it_fail_and_a_stretch_has_a_begin_before_its_end(text: str, now: datetime, zone: str) -> None:
    span, _ = find_span(text, Clock(now.replace(tzinfo=UTC), ZoneInfo(zone)))
    assert span is None or span.since <= span.until
