"""The lines of "## Schedule": read, written, and otherwise left alone."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.schedules.book import read_line, read_section, write_line, write_section
from core.schedules.phrases import understand
from core.schedules.schedule import Missed, Schedule

ZONE = "America/New_York"
BERLIN = "Europe/Berlin"


def made(words: str = "every weekday at 9:00", zone: str = BERLIN, missed: Missed = Missed.ONCE) -> Schedule:
    return understand(words, zone=zone, missed=missed).schedule


@pytest.mark.parametrize(
    ("line", "schedule"),
    [
        ("every weekday at 9:00 (Europe/Berlin), missed: once", made()),
        ("- every weekday at 9:00 (europe/berlin)", made()),
        ("  * Every weekday at 9.00 ( Europe/Berlin ); Missed: ALL", made(missed=Missed.ALL)),
        ("every weekday at 9:00, missed: skip", made(zone=ZONE, missed=Missed.SKIP)),
        ("every weekday at 9:00", made(zone=ZONE)),
        ("every weekday at 9:00\r", made(zone=ZONE)),
        (
            "every weekday at 9:00; every Saturday at 11:00 (UTC)",
            made("every weekday at 9:00; every Saturday at 11:00", "UTC"),
        ),
        ("`0 9 * * 1-5` (Europe/Berlin)", made("0 9 * * 1-5")),
        ("* * * * * (UTC), missed: skip", made("* * * * *", "UTC", Missed.SKIP)),
        ("- */15 * * * *", made("*/15 * * * *", ZONE)),
        ("* 5 minutes past every hour", made("at minute 5 of every hour", ZONE)),
        ("- at 2026-12-24 18:00 (Europe/Berlin), missed: skip", made("at 2026-12-24 18:00", missed=Missed.SKIP)),
    ],
)
def test_lines_are_read_as_people_write_them(line: str, schedule: Schedule) -> None:
    assert read_line(line, zone=ZONE).schedule == schedule
    found = read_section(["", "<!-- when", "to run -->", line, ""], zone=ZONE)
    assert found is not None
    assert found.schedule == schedule


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("every weekday at 9:00 (Europe/Berln)", "did you mean Europe/Berlin"),
        ("every weekday at 9:00, missed: never", "write skip, once or all"),
        ("every weekday at 9:00 (Europe/Berlin) (UTC)", "Write a schedule as"),
        ("when I feel like it", "is not understood"),
        ("in 5 minutes", "Write the moment itself"),
        ("(Europe/Berlin)", "is empty"),
        ("<!-- when --> every day at 9:00", "is not understood"),
        ("<!-- every day at 9:00", "is not closed"),
        ("* 0 9 * * *", "has 6"),
        ("* 0 9 * * 1-5; every Saturday at 11:00 (UTC)", "has 6"),
        ("* 0 9 * * 1-5 (Europe/Berlin), missed: once", "has 6"),
        ("* 0 0 9 * * 1", "has 7"),
    ],
)
def test_a_line_that_is_not_understood_is_refused(line: str, complaint: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_section([line], zone=ZONE)
    assert complaint in refused.value.message


def test_the_terminal_takes_the_same_line_with_relative_words() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert read_line("in 5 minutes (UTC)", zone=ZONE, now=now).schedule.words == "at 2026-11-21 12:05"


@pytest.mark.parametrize("lines", [[], [""], ["None."], ["- none"], ["<!-- every day at 9:00 -->"]])
def test_an_empty_section_has_no_schedule(lines: list[str]) -> None:
    assert read_section(lines, zone=ZONE) is None


def test_two_schedules_are_refused_with_the_way_to_join_them() -> None:
    lines = ["- every weekday at 9:00", "- every Saturday at 11:00"]
    for attempt in (lambda: read_section(lines, zone=ZONE), lambda: write_section(lines, made())):
        with pytest.raises(InvalidRequest, match="join several times with a semicolon"):
            attempt()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], ["{}"]),
        ([""], ["", "{}"]),
        (["", ""], ["", "{}", ""]),
        (["", "<!-- when -->", ""], ["", "<!-- when -->", "{}", ""]),
        (["", "- every day at 7:00", ""], ["", "- {}", ""]),
        (["", "  + None.\r", ""], ["", "  + {}\r", ""]),
        (["something by hand that is wrong"], ["{}"]),
        (["every weekday at 9:00"], ["{}"]),
    ],
)
def test_only_the_line_of_the_schedule_is_written(before: list[str], after: list[str]) -> None:
    assert write_section(before, made()) == [line.format(write_line(made())) for line in after]


def test_a_line_that_says_the_same_stays_as_it_was_written() -> None:
    lines = ["", "*  Weekdays at 9 o'clock (europe/berlin);  missed:once", ""]
    assert write_section(lines, made()) == lines


def test_a_schedule_is_taken_away_with_its_line_alone() -> None:
    assert write_section(["", "<!-- when -->", "- every day at 9:00", ""], None) == ["", "<!-- when -->", ""]
    assert write_section([""], None) == [""]


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(("every 15 minutes", "on the last day of the month at 18:00", "0 9 1 * 1", "at 2026-10-25 2:30")),
    st.sampled_from((BERLIN, ZONE, "UTC", "Etc/GMT+5")),
    st.sampled_from(Missed),
    st.lists(st.sampled_from(("", "  ", "<!-- a\nb -->", "<!-- c -->", "\r")), max_size=5),
)
def test_what_is_written_is_read_and_written_again_unchanged(
    words: str, zone: str, missed: Missed, between: list[str]
) -> None:
    around = "\n".join(between).split("\n")
    schedule = made(words, zone, missed)
    written = write_section(around, schedule)
    found = read_section(written, zone="Asia/Tokyo")
    assert found is not None
    assert found.schedule == schedule
    assert write_section(written, schedule) == written


@pytest.mark.parametrize(
    ("said", "display"),
    [
        ("", ""),
        (", display: private", "private"),
        (" display: Current.", "current"),
        (", missed: skip; display: :1", ":1"),
    ],
)
def test_a_line_may_tell_on_which_display(said: str, display: str) -> None:
    found = read_line(f"every weekday at 9:00 (UTC){said}", zone=ZONE)
    assert found.display == display
    assert found.schedule.missed is (Missed.SKIP if "skip" in said else Missed.ONCE)
    assert read_line(write_line(found.schedule, found.display), zone=ZONE) == found
    (line,) = write_section([write_line(found.schedule)], found.schedule, display)
    assert line == write_line(found.schedule, display)


def test_a_display_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="write private, current or one such as :1"):
        read_line("every weekday at 9:00, display: left", zone=ZONE)
