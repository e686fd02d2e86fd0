"""Words to times: what is understood, what is repeated back, and what is refused."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.schedules.firings import next_firings
from core.schedules.phrases import understand
from core.schedules.schedule import Missed, Schedule

ZONE = "Europe/Berlin"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
"""A Saturday, 13:00 in Berlin."""

# What is said | the cron text | what is repeated back | the next five, in Berlin.
UNDERSTOOD = """
every weekday at 9:00 | 0 9 * * 1-5 | every weekday at 09:00 | 11-23 09:00, 11-24 09:00, 11-25 09:00, 11-26 09:00, 11-27 09:00
every day at 7am and 19:30 | 0 7 * * *; 30 19 * * * | every day at 07:00 and 19:30 | 11-21 19:30, 11-22 07:00, 11-22 19:30, 11-23 07:00, 11-23 19:30
every Monday and Thursday at 8 | 0 8 * * 1,4 | every Monday and Thursday at 08:00 | 11-23 08:00, 11-26 08:00, 11-30 08:00, 12-03 08:00, 12-07 08:00
every 15 minutes | */15 * * * * | every 15 minutes | 11-21 13:15, 11-21 13:30, 11-21 13:45, 11-21 14:00, 11-21 14:15
every 2 hours between 9:00 and 17:00 on weekdays | 0 9-17/2 * * 1-5 | every 2 hours between 09:00 and 17:00 on weekdays | 11-23 09:00, 11-23 11:00, 11-23 13:00, 11-23 15:00, 11-23 17:00
hourly | 0 * * * * | every hour | 11-21 14:00, 11-21 15:00, 11-21 16:00, 11-21 17:00, 11-21 18:00
daily at noon | 0 12 * * * | every day at 12:00 | 11-22 12:00, 11-23 12:00, 11-24 12:00, 11-25 12:00, 11-26 12:00
on the 1st and 15th of each month at 6:00 | 0 6 1,15 * * | on the 1st and 15th of each month at 06:00 | 12-01 06:00, 12-15 06:00, 01-01 06:00, 01-15 06:00, 02-01 06:00
on the last day of the month at 18:00 | 0 18 L * * | on the last day of each month at 18:00 | 11-30 18:00, 12-31 18:00, 01-31 18:00, 02-28 18:00, 03-31 18:00
every first Monday of the month at 10 | 0 10 * * 1#1 | on the first Monday of each month at 10:00 | 12-07 10:00, 01-04 10:00, 02-01 10:00, 03-01 10:00, 04-05 10:00
last Friday of each month at 17:00 | 0 17 * * 5L | on the last Friday of each month at 17:00 | 11-27 17:00, 12-25 17:00, 01-29 17:00, 02-26 17:00, 03-26 17:00
every quarter at 9:00 | 0 9 1 1,4,7,10 * | on the 1st of January, April, July and October every year at 09:00 | 01-01 09:00, 04-01 09:00, 07-01 09:00, 10-01 09:00, 01-01 09:00
on the last day of every quarter at 18:00 | 0 18 L 3,6,9,12 * | on the last day of March, June, September and December every year at 18:00 | 12-31 18:00, 03-31 18:00, 06-30 18:00, 09-30 18:00, 12-31 18:00
every year on 24 December at 18:00 | 0 18 24 12 * | on the 24th of December every year at 18:00 | 12-24 18:00, 12-24 18:00, 12-24 18:00, 12-24 18:00, 12-24 18:00
weekends at 10 | 0 10 * * 0,6 | every Saturday and Sunday at 10:00 | 11-22 10:00, 11-28 10:00, 11-29 10:00, 12-05 10:00, 12-06 10:00
0 9 * * l5 | 0 9 * * 5L | 0 9 * * 5L | 11-27 09:00, 12-25 09:00, 01-29 09:00, 02-26 09:00, 03-26 09:00
every 45 minutes | 0,45 */3 * * *; 30 1-22/3 * * *; 15 2-23/3 * * * | every 45 minutes | 11-21 13:30, 11-21 14:15, 11-21 15:00, 11-21 15:45, 11-21 16:30
every 15 minutes between 9:30 and 10:30 | 30,45 9 * * *; 0-30/15 10 * * * | every 15 minutes between 09:30 and 10:30 | 11-22 09:30, 11-22 09:45, 11-22 10:00, 11-22 10:15, 11-22 10:30
every hour at :15 | 15 * * * * | at minute 15 of every hour | 11-21 13:15, 11-21 14:15, 11-21 15:15, 11-21 16:15, 11-21 17:15
every Monday in July and August at 9:00 | 0 9 * 7,8 1 | every Monday in July and August at 09:00 | 07-05 09:00, 07-12 09:00, 07-19 09:00, 07-26 09:00, 08-02 09:00
every weekday at 9:00; every Saturday at 11:00 | 0 9 * * 1-5; 0 11 * * 6 | every weekday at 09:00; every Saturday at 11:00 | 11-23 09:00, 11-24 09:00, 11-25 09:00, 11-26 09:00, 11-27 09:00
in 5 minutes |  | at 2026-11-21 13:05 | 11-21 13:05
in an hour and 30 minutes |  | at 2026-11-21 14:30 | 11-21 14:30
at 2026-12-24 18:00 |  | at 2026-12-24 18:00 | 12-24 18:00
tomorrow at 9:30 |  | at 2026-11-22 09:30 | 11-22 09:30
0 9 * * MON-FRI | 0 9 * * MON-FRI | 0 9 * * MON-FRI | 11-23 09:00, 11-24 09:00, 11-25 09:00, 11-26 09:00, 11-27 09:00
0 9 1 * 1 | 0 9 1 * 1 | 0 9 1 * 1 | 11-23 09:00, 11-30 09:00, 12-01 09:00, 12-07 09:00, 12-14 09:00
0 12 29 2 * | 0 12 29 2 * | 0 12 29 2 * | 02-29 12:00, 02-29 12:00, 02-29 12:00, 02-29 12:00, 02-29 12:00
@daily | 0 0 * * * | 0 0 * * * | 11-22 00:00, 11-23 00:00, 11-24 00:00, 11-25 00:00, 11-26 00:00
1,2,7 8-18,20 * * * | 1,2,7 8-18,20 * * * | 1,2,7 8-18,20 * * * | 11-21 13:01, 11-21 13:02, 11-21 13:07, 11-21 14:01, 11-21 14:02
"""  # noqa: E501 - a table

# What is said | other words for the same.
SAME = """
every weekday at 9:30 | Every Weekday At 9.30 A.M.
every weekday at 9:30 | monday to friday at 9:30am
every weekday at 9:30 | 09:30 on weekdays.
every weekday at 9:30 | every working day at 9h30
every day at 5:00 | at 5 o'clock every day
every day at 17:00 | 5pm each day
every day at 17:00 | each day at 5 p.m.
every day at 0:00 | daily at midnight
every day at 0:00 | every day at 12am
every day at 12:00 | every day at 12 pm
every Monday and Thursday at 8:00 | on Mondays and Thursdays at 8:00
every Monday and Thursday at 8:00 | at 8:00 every Monday and every Thursday
every Monday and Thursday at 8:00 | Mon, Thu at 8:00
every Friday, Saturday and Sunday at 9:00 | fri-sun at 9:00
every 2 hours | every 120 minutes
every hour | every 60 minutes
every hour between 9:00 and 17:00 | every hour from 9am to 5pm
at minute 15 of every hour | at 15 minutes past every hour
on the 1st of each month at 9:00 | on the first day of every month at 9:00
on the first and third Monday of each month at 9:00 | every 1st Monday and third Monday of the month at 9:00
on the second Monday of each month at 9:00 | every second Monday of the month at 9:00
on the 24th of December every year at 18:00 | every 24 December at 18:00
on the 24th of December every year at 18:00 | yearly on December 24th at 6pm
at 2026-12-24 18:00 | once on 2026-12-24 at 18:00
at 2026-12-24 18:00 | 2026-12-24T18:00+01:00
every day at 9:00 | every day at 9:00; every day at 9:00
"""

# What is said | words of the refusal.
REFUSED = """
every second | "every second" is not understood in a schedule: it is too often
every 30 seconds | "every 30 seconds" is not understood in a schedule: it is too often
every second Monday at 9:00 | a calendar does not count
every other day at 9:00 | a calendar does not count
every 2 days at 9:00 | a calendar does not count
every other week on Monday at 9:00 | a calendar does not count
every second weekday at 9:00 | a calendar does not count
every 2nd Monday at 9:00 | a calendar does not count
every third Monday at 9:00 | a calendar does not count
every 3rd day at 9:00 | a calendar does not count
every other Monday at 9:00 | a calendar does not count
biweekly at 9:00 | a calendar does not count
every 5th minute | "every 5th minute" is not understood
every half an hour | "every half an hour" is not understood
on the last weekday of the month at 9:00 | "on last weekday of month at 9:00" is not understood
every weekday at 9:00 and Saturday at 11:00 | joined by a semicolon
on the 1st at 9:00 and on the 15th at 10:00 | joined by a semicolon
every Monday in July and Friday in August at 9:00 | in august at 9:00" is not understood
at minutes 5 of hours 8 and at minutes 7 of hours 9 | and at minutes 7 of hours 9" is not understood
every blue moon at 9:00 | "every blue moon at 9:00" is not understood
every weekday at 9:00 unless it rains | "every weekday at 9:00 unless it rains" is not understood
every day around 9:00 | "every day around 9:00" is not understood
every | "every" is not understood
9:00 and and | "9:00 and and" is not understood
every weekday at 9:00 and and | "every weekday at 9:00 and and" is not understood
every weekday at 9:00 and | "every weekday at 9:00 and" is not understood
and every weekday at 9:00 | "and every weekday at 9:00" is not understood
every day at 9:00 and, and 10:00 | "every day at 9:00 and and 10:00" is not understood
daily and & at 9:00 | "daily and and at 9:00" is not understood
in 2 hours and | "in 2 hours and" is not understood
every weekday | does not say at what time
at 5 | does not say on which days
every month at 9:00 | name the day
every week at 9:00 | name the day
every year at 9:00 | name the day
24 December at 18:00 | "24 december at 18:00" is not understood
on 24 December 2026 at 18:00 | "on 24 december 2026 at 18:00" is not understood
on Friday the 13th at 9:00 | "on friday 13th at 9:00" is not understood
on the first Monday and 15th of each month at 9:00 | is not understood
every day on Mondays at 9:00 | "every day on mondays at 9:00" is not understood
every 15 minutes at 9:00 | "every 15 minutes at 9:00" is not understood
every 15 minutes every 20 minutes | "every 15 minutes every 20 minutes" is not understood
every 7 hours | does not come out even in a day
every 1500 minutes | does not come out even in a day
every 0 minutes | does not come out even in a day
every hour between 22:00 and 6:00 | goes past midnight
between 9:00 and 17:00 on weekdays | "between 9:00 and 17:00 on weekdays" is not understood
on the 15th of each quarter at 9:00 | "on 15th of each quarter at 9:00" is not understood
1 January and 15 July at 9:00 | "1 january and 15 july at 9:00" is not understood
every 30 February at 9:00 | no day 30 in February
on the 31st of April and June every year at 9:00 | no day 31 in April and June
on the 32nd of each month at 9:00 | no day 32 in any month
on the 0th of each month at 9:00 | no day 0 in any month
6th Monday of each month at 9:00 | "6th monday of each month" is no day of a month
every day at 25:00 | No clock shows "25:00"
every day at 9:60 | No clock shows "9:60"
every day at 13pm | No clock shows "13pm"
every day at 25 | No clock shows "25"
every hour at :60 | minutes are 0 to 59
every day at 9:00:30 | "every day at 9:00:30" is not understood
at 2026-02-30 9:00 | no moment "at 2026-02-30 9:00" (day
at 2026-12-24 25:00 | no moment "at 2026-12-24 25:00" (hour
at 2026-12-24 18:00:75 | no moment
at 2026-12-24 18:00 +99:99 | no moment
at 0001-01-01 18:00 | out of reach
at 2026-12-24 | one moment is written alone
at 2026-12-24 9:00 and 10:00 | one moment is written alone
at 2026-11-21 12:59 | is past
at 2026-12-24 18:00 every day | one moment is written alone
at 2026-12-24 18:00; every day at 9:00 | cannot be joined
at 2026-12-24 18:00 +05:00 | another offset
in 30 seconds | one moment is written alone
in 99999 weeks | between a minute and ten years
in 5 minutes at 9:00 | one moment is written alone
0 0 31 2 * | "0 0 31 2 *" is no cron expression that ever comes (bad day-of-month)
0 9 */2 * 1 | joined in different ways
0 9 1 * 0-6 | joined in different ways
0 0 9 * * * | has 6
* 0 9 * * * | has 6
0 0 9 * * MON | has 6
0 9 * * 1-5 2027 | has 6
* * * * | is not understood
60 * * * * | bad minute
* 24 * * * | bad hour
0 9 0 * * | bad day-of-month
0 9 * 13 * | bad month
0 9 * * 8 | bad day-of-week
0 9 * * 1#6 | bad day-of-week
*/0 * * * * | bad minute
5/15 * * * * | write 5-59/15
30-10 * * * * | bad minute
@reboot | "@reboot" is no schedule
; | is empty
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def said(words: str) -> Schedule:
    return understand(words, zone=ZONE, now=NOW).schedule


@pytest.mark.parametrize(("words", "cron", "back", "following"), rows(UNDERSTOOD))
def test_words_become_times_and_are_repeated_back(words: str, cron: str, back: str, following: str) -> None:
    schedule = said(words)
    assert (schedule.cron, schedule.words) == (cron, back)
    assert [f"{each:%m-%d %H:%M}" for each in next_firings(schedule, NOW)] == following.split(", ")
    assert understand(back, zone=ZONE).schedule == schedule
    assert schedule.once is (not cron)


@pytest.mark.parametrize(("words", "others"), rows(SAME))
def test_the_same_is_said_in_other_words(words: str, others: str) -> None:
    assert said(others) == said(words)


@pytest.mark.parametrize(("words", "complaint"), rows(REFUSED))
def test_anything_else_is_refused_with_the_words_in_question(words: str, complaint: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        understand(words, zone=ZONE, now=NOW)
    assert complaint in refused.value.message


def test_a_cron_expression_is_kept_as_it_is_written_and_explained() -> None:
    understood = understand("0 9 * * 1-5; every saturday at 11:00", zone=ZONE)
    assert understood.schedule.words == "0 9 * * 1-5; every Saturday at 11:00"
    assert understood.sentence.startswith("At 09:00 on Monday through Friday; every Saturday at 11:00, Europe/Berlin")


def test_the_forms_that_the_documentation_lists_are_understood() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "tasks.md").read_text(encoding="utf-8")
    section = page.split("## Schedules")[1]
    rows_of_page = [line.split("|") for line in section.splitlines()]
    forms = {row[1].strip(): re.findall("`([^`]+)`", row[2]) for row in rows_of_page if len(row) == 4}
    days = [f"{each} at 9:00" for each in forms["days"] + forms["days of the month"]]
    times = [f"every day {each}" for each in forms["a time on these days"]]
    others = [*forms["or how often"], *forms["one moment"], *forms["cron"][:2]]
    assert len(days) > 10
    assert len(others) > 10
    for words in (*days, *times, *others):
        assert said(words).words, words


def test_a_refusal_shows_two_examples_that_work() -> None:
    with pytest.raises(InvalidRequest) as refused:
        said("every blue moon")
    examples = refused.value.message.split('"')[3::2]
    assert len(examples) == 2
    assert all(said(example).crons for example in examples)


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("every day at 5", '"5" is read on the 24-hour clock as 05:00; write 17:00 if you mean the afternoon.'),
        ("every 2 hours", "It is counted from midnight."),
        ("on Monday at 9:00", '"monday" is read as every Monday; for one time only, write its date.'),
        ("every quarter at 9:00", "It is read as the first day of each quarter."),
        ("on the 29th of February every year at 9:00", "It comes in leap years alone."),
        ("at 2027-03-28 2:30", "The clock leaps over that time; it fires at 03:00."),
        ("at 2027-10-31 2:30", "The clock shows that time twice; it fires the first time."),
    ],
)
def test_what_was_assumed_is_told(words: str, note: str) -> None:
    understood = understand(words, zone=ZONE, now=NOW)
    assert understood.notes == (note,)
    assert understood.sentence == f"{understood.schedule.sentence} {note}"


def test_the_31st_is_told_to_leave_months_out() -> None:
    (note,) = understand("on the 31st of each month at 6:00", zone=ZONE).notes
    assert "without a day 31 is left out" in note


def test_the_sentence_tells_zone_and_missed_times() -> None:
    understood = understand("weekdays at 9:00", zone="europe/berlin", missed=Missed.SKIP)
    assert understood.sentence == "Every weekday at 09:00, Europe/Berlin time; times that are missed are left out."


def test_words_in_a_file_may_be_past_but_not_relative() -> None:
    assert understand("at 2020-02-28 9:00", zone=ZONE).schedule.once
    for words in ("in 5 minutes", "tomorrow at 9:00"):
        with pytest.raises(InvalidRequest, match="at 2026-12-24 18:00"):
            understand(words, zone=ZONE)


def test_a_moment_in_the_second_of_two_equal_hours_keeps_its_offset() -> None:
    late = datetime(2026, 10, 25, 0, 50, tzinfo=UTC)
    schedule = understand("in 15 minutes", zone=ZONE, now=late).schedule
    assert schedule.words == "at 2026-10-25 02:05 +0100"
    assert understand(schedule.words, zone=ZONE).schedule == schedule


@pytest.mark.parametrize(
    ("zone", "offer"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Lord Howe", "Australia/Lord_Howe"),
        ("+02:00", "a name such as Europe/Berlin"),
        ("../../etc/passwd", "no time zone"),
        ("localtime", "no time zone"),
        ("", "no time zone"),
        ("Europe", "no time zone"),
    ],
)
def test_a_zone_that_does_not_exist_is_refused_with_names_that_are_near(zone: str, offer: str) -> None:
    with pytest.raises(InvalidRequest, match="There is no time zone") as refused:
        understand("every day at 9:00", zone=zone)
    assert offer in refused.value.message


@pytest.mark.parametrize(
    "words", ["x" * 2001, "1 " * 1000, "every " * 300, "\x00", "9" * 400, "at " * 600, "1-1 1 1 1 1 1"]
)
def test_odd_text_is_refused(words: str) -> None:
    with pytest.raises(InvalidRequest):
        said(words)


def test_a_schedule_survives_json_and_refuses_what_is_none() -> None:
    for words in ("every weekday at 9:00", "at 2026-12-24 18:00"):
        schedule = said(words)
        assert Schedule.model_validate_json(schedule.model_dump_json()) == schedule
    for wrong in (
        {"zone": ZONE},
        {"zone": "Mars/Olympus", "crons": ["0 9 * * *"]},
        {"zone": ZONE, "crons": ["0 0 30 2 *"]},
    ):
        with pytest.raises(ValueError, match=r"zone|either|day-of-month"):
            Schedule.model_validate(wrong)


WORDS = """
every each day weekday weekends Monday Mondays and , on the 1st 15th 31st first second last of month each at 9:00 5 5pm
noon 15 minutes 2 hours hour between 17:00 from to in July February year quarter hourly daily weekly minute of past
2026-12-24 24 December tomorrow once other - ; 0 * */2 last Friday +01:00 :15
"""
words = st.lists(st.sampled_from(sorted(set(WORDS.split()))), min_size=1, max_size=9).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(words)
def test_any_words_are_refused_or_understood_as_they_are_repeated_back(text: str) -> None:
    try:
        schedule = said(text)
    except InvalidRequest as refused:
        assert refused.message.endswith((".", "?"))  # noqa: PT017 - either is right
    else:
        assert understand(schedule.words, zone=ZONE).schedule == schedule
        assert next_firings(schedule, NOW)


@pytest.mark.nightly
@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_refused_or_understood(text: str) -> None:
    try:
        assert said(text).words
    except InvalidRequest as refused:
        assert refused.message  # noqa: PT017 - either is right
