"""Which windows are never recorded, and what is kept of a recording."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recording.recorder import Exclusions, RecorderOptions, Retention, WindowFacts, exclusion_of, segments_to_prune
from core.recording.recordings import Segment

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def facts(application: str = "", title: str = "", command: str = "") -> WindowFacts:
    return WindowFacts(application, title, command)


@pytest.mark.parametrize(
    ("window", "lasts"),
    [
        (facts("keepassxc\0KeePassXC", "Passwords"), "program"),
        (facts("1password\01Password", "All items"), "program"),
        (facts("Xterm", "bitwarden vault"), "title"),
        (facts(title="unlock", command="/usr/bin/keepassxc\0/home/me/db.kdbx"), "program"),
        (facts("Navigator\0firefox", "Mail — Mozilla Firefox Private Browsing"), "window"),
        (facts("Navigator\0firefox", "Post — Mozilla Firefox Privater Modus"), "window"),
        (facts("Navigator\0firefox", "Courrier — Navigation privée de Mozilla Firefox"), "window"),
        (facts("Navigator\0firefox", "メール — Mozilla Firefox プライベートブラウジング"), "window"),
        (facts("google-chrome\0Google-chrome", "New Incognito Tab - Google Chrome"), "window"),
        (facts("google-chrome\0Google-chrome", "新しいシークレット タブ - Google Chrome"), "window"),
        (facts("microsoft-edge\0Microsoft-edge", "Inbox - [InPrivate] - Microsoft Edge"), "window"),
        (facts("chromium\0Chromium", "a page", "/usr/lib/chromium/chromium --no-first-run --incognito"), "program"),
        (facts("Navigator\0firefox", "a page", "/usr/lib/firefox/firefox\0--private-window"), "program"),
        (facts("microsoft-edge\0Microsoft-edge", "a page", "/opt/msedge\0--inprivate\0https://x.test"), "program"),
        (facts("chromium\0Chromium", "Vaider - Chromium"), "title"),
    ],
)
def test_what_is_usually_private_is_excluded_and_for_as_long_as_it_is(window: WindowFacts, lasts: str) -> None:
    found = exclusion_of(window, Exclusions())

    assert found is not None
    assert found.lasts == lasts
    assert exclusion_of(window, Exclusions(usual=False)) is None


@pytest.mark.parametrize(
    "window",
    [
        facts("XTerm", "vim incognito.py"),
        facts("chromium\0Chromium", "How Vaider works - Chromium", "/usr/lib/chromium/chromium --no-first-run"),
        facts("code\0Code", "privater modus.md - Visual Studio Code"),
        facts("chromium\0Chromium", "News - Chromium", "/usr/bin/chromium\0--incognito-something-else"),
        facts(),
    ],
)
def test_words_alone_exclude_nothing(window: WindowFacts) -> None:
    assert exclusion_of(window, Exclusions()) is None


def test_patterns_regard_no_case_and_those_with_stars_are_whole() -> None:
    chosen = Exclusions(applications=("SIGNAL", "*mail"), titles=("salary",), urls=("https://www.bank.example/*",))

    assert exclusion_of(facts("signal\0Signal"), chosen)
    assert exclusion_of(facts("geary\0Webmail"), chosen)
    assert not exclusion_of(facts("mailer\0Mailer"), chosen)
    assert exclusion_of(facts("soffice", "Salary 2026.ods"), chosen)
    assert exclusion_of(facts("firefox", "bank.example/accounts - Firefox"), chosen)
    assert exclusion_of(facts("chromium", "Accounts", "chromium --app=https://www.bank.example/accounts"), chosen)
    assert not exclusion_of(facts("firefox", "A bank"), chosen)
    assert exclusion_of(facts("signal"), Exclusions(applications=("", " "))) is None


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=50), st.lists(st.text(max_size=10), max_size=3))
def test_no_window_and_no_pattern_makes_it_fail(one: str, two: str, three: str, patterns: list[str]) -> None:
    named = tuple(patterns)
    found = exclusion_of(WindowFacts(one, two, three), Exclusions(applications=named, titles=named, urls=named))

    assert found is None or found.why


def segments(*minutes_ago: int, size: int = 10, growing: bool = True) -> list[Segment]:
    return [
        Segment(
            id=f"{minutes}",
            started_at=NOON - timedelta(minutes=minutes),
            path=Path("x"),
            log=None,
            duration_ms=60_000,
            width=2,
            height=2,
            size_bytes=size,
            complete=not growing or minutes != min(minutes_ago),
        )
        for minutes in sorted(minutes_ago, reverse=True)
    ]


def test_the_oldest_go_by_count_by_age_and_by_bytes() -> None:
    kept = segments(90, 60, 30, 0)

    assert segments_to_prune(kept, Retention(segments=3), NOON) == ("90",)
    assert segments_to_prune(kept, Retention(segments=0, hours=1), NOON) == ("90",)
    assert segments_to_prune(kept, Retention(segments=0, size_bytes=25), NOON) == ("90", "60")
    assert segments_to_prune(kept, Retention(segments=0), NOON) == ()


def test_what_is_being_recorded_and_the_newest_stay_whatever_the_limits() -> None:
    assert segments_to_prune(segments(30, 0), Retention(segments=1, hours=0.001, size_bytes=1), NOON) == ("30",)
    assert segments_to_prune(segments(600, growing=False), Retention(segments=1, hours=1, size_bytes=1), NOON) == ()


@pytest.mark.parametrize(
    ("screen", "monitor", "size", "film"),
    [
        ((1280, 720), (1280, 720), "1280x720", (1280, 720)),
        ((1920, 1080), (1920, 1080), "1280x720", (1280, 720)),
        ((3840, 1080), (1920, 1080), "1280x720", (2560, 720)),
        ((800, 600), (800, 600), "1280x720", (800, 600)),
        ((1366, 767), (1366, 767), "native", (1366, 768)),
        ((1080, 1920), (1080, 1920), "1280x720", (406, 720)),
    ],
)
def test_a_film_fits_its_largest_monitor_and_is_never_larger(
    screen: tuple[int, int], monitor: tuple[int, int], size: str, film: tuple[int, int]
) -> None:
    assert RecorderOptions(size=size).fitted(screen, monitor) == film
