"""The scheduler's turns: each moment fires once or is told, whatever happens to clocks, files and the process."""

import asyncio
import contextlib
import itertools
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Conflict, StorageFailed
from core.schedules.firings import firings_after
from core.schedules.phrases import understand
from core.schedules.ports import Outcome, State
from core.schedules.schedule import Missed
from storage.schedules import SqlSchedules
from tests.fakes.schedules.scheduled_runs import KilledHere
from tests.fakes.schedules.scheduling_scene import Scene

BERLIN = "Europe/Berlin"


@pytest.fixture
def scene(tmp_path: Path) -> Generator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    scene.database.close()


def test_a_time_fires_once_at_its_moment_and_is_logged(scene: Scene) -> None:
    scene.put("every day at 9:00")
    assert scene.turn() == datetime(2026, 11, 23, 9, tzinfo=UTC)
    scene.turns("2026-11-23T09:05:00+00:00", seconds=15)

    assert scene.runs.started == [("report", "private", "report@2026-11-23T09:00:00Z")]
    assert [(e.moment, e.outcome, e.reason, e.job_id, e.decided_at) for e in scene.log] == [
        (
            "2026-11-23T09:00:00Z",
            Outcome.FIRED,
            "It is time.",
            "report@2026-11-23T09:00:00Z",
            "2026-11-23T09:00:00Z",
        )
    ]


def test_nothing_of_the_past_fires_when_a_schedule_is_made_or_changed(scene: Scene) -> None:
    scene.put("every hour", Missed.ALL)
    scene.clock.go(hours=3, minutes=30)
    scene.put("every 30 minutes", Missed.ALL)
    scene.clock.go(seconds=20)
    scene.turn()

    assert not scene.runs.started


def test_a_schedule_that_was_removed_and_made_again_makes_up_for_nothing(scene: Scene) -> None:
    scene.put("every hour", Missed.ALL)
    scene.write("")
    scene.clock.go(hours=3, minutes=30)
    scene.put("every hour", Missed.ALL)
    scene.turn()

    assert not scene.runs.started


def test_putting_the_same_schedule_again_loses_no_time(scene: Scene) -> None:
    scene.put("every hour")
    scene.clock.set("2026-11-23T09:00:10+00:00")
    scene.put("hourly")
    scene.turn()

    assert scene.fired == ["09:00"]


@pytest.mark.parametrize(
    ("missed", "fired", "told"),
    [
        (Missed.SKIP, [], ["09:00", "10:00", "11:00"]),
        (Missed.ONCE, ["11:00"], ["09:00", "10:00"]),
        (Missed.ALL, ["09:00", "10:00", "11:00"], []),
    ],
)
def test_what_was_missed_while_no_daemon_ran_follows_the_rule(
    scene: Scene, missed: Missed, fired: list[str], told: list[str]
) -> None:
    scene.put("every hour", missed)
    scene.turn()
    scene.clock.set("2026-11-23T11:20:00+00:00")
    scene.restart()
    scene.turn()
    scene.turn()

    assert scene.fired == fired
    assert [moment for moment, _ in scene.missed] == told
    assert all("It was missed by" in reason for _, reason in scene.missed)


def test_all_missed_times_are_made_up_for_one_after_the_other_and_at_most_a_hundred(scene: Scene) -> None:
    scene.put("every hour", Missed.ALL)
    scene.clock.go(days=30, minutes=1)
    scene.turn()
    assert len(scene.runs.started) == 100
    scene.clock.go(hours=2)
    scene.runs.unfinished = {"job-by-hand": scene.task}
    waits = scene.turn()
    assert waits is not None
    assert waits < scene.clock.now
    assert len(scene.runs.started) == 100
    scene.runs.unfinished = {}
    scene.turn()

    assert len(scene.runs.started) == len(set(scene.runs.moments)) == 102
    assert not scene.missed


def test_a_run_that_still_goes_on_makes_the_next_time_missed(scene: Scene) -> None:
    scene.put("every minute")
    scene.clock.set("2026-11-23T08:01:00+00:00")
    scene.turn()
    scene.runs.unfinished = {"job-1": scene.task}
    scene.clock.go(minutes=1)
    scene.turn()
    scene.runs.unfinished = {}
    scene.clock.go(minutes=1)
    scene.turn()

    assert scene.fired == ["08:01", "08:03"]
    assert scene.missed == [("08:02", "A run of the task was still going on (job-1).")]


def test_a_display_that_cannot_be_had_and_a_run_that_is_refused_are_told_as_missed(scene: Scene) -> None:
    scene.put("every hour", display="current")
    scene.obstacles["current"] = "Somebody was at the display :0 2 s before; it must be idle for 60 s."
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()
    scene.obstacles.clear()
    scene.runs.refusal = Conflict("Display 'current' cannot be used: there is none.")
    scene.clock.go(hours=1)
    scene.turn()
    scene.runs.refusal = None
    scene.clock.go(hours=1)
    scene.turn()

    assert scene.missed == [
        ("09:00", "Somebody was at the display :0 2 s before; it must be idle for 60 s."),
        ("10:00", "Display 'current' cannot be used: there is none."),
    ]
    assert scene.runs.started == [("report", "current", "report@2026-11-23T11:00:00Z")]


def test_a_start_that_fails_for_want_of_room_is_tried_again(scene: Scene) -> None:
    scene.put("every hour")
    scene.runs.refusal = StorageFailed("The disk is full.")
    scene.clock.set("2026-11-23T09:00:00+00:00")
    assert scene.turn() == datetime(2026, 11, 23, 9, tzinfo=UTC)
    scene.runs.refusal = None
    scene.clock.go(seconds=5)
    scene.turn()

    assert scene.fired == ["09:00"]
    assert not scene.missed


@pytest.mark.parametrize("missed", list(Missed))
@pytest.mark.parametrize("late", [{"seconds": 5}, {"hours": 5}])
def test_a_death_between_start_and_note_starts_nothing_twice(
    scene: Scene, missed: Missed, late: dict[str, float]
) -> None:
    scene.put("at 2026-11-23 09:00", missed)
    scene.runs.dies_after_start = True
    scene.clock.set("2026-11-23T09:00:00+00:00")
    with pytest.raises(KilledHere):
        scene.turn()
    assert not scene.log
    scene.clock.go(**late)
    scene.restart()
    scene.turn()
    scene.turn()

    assert scene.fired == ["09:00"]
    assert [(entry.outcome, entry.reason) for entry in scene.log] == [
        (Outcome.FIRED, "It was started before Vaider's daemon ended.")
    ]


def test_two_turns_at_once_start_a_run_once(scene: Scene) -> None:
    scene.put("every hour", Missed.ALL)
    scene.clock.set("2026-11-23T10:00:00+00:00")
    other = scene.scheduling

    async def both() -> None:
        await asyncio.gather(*(each.turn() for each in (other, scene.restart(), other)))

    asyncio.run(both())
    assert scene.fired == ["09:00", "10:00"]
    assert [entry.outcome for entry in scene.log].count(Outcome.FIRED) == 2


def test_a_clock_that_was_years_ahead_does_not_hold_up_the_schedule_for_years(scene: Scene) -> None:
    scene.put("every day at 9:00")
    scene.clock.set("2050-01-01T12:00:00+00:00")
    scene.turn()
    scene.clock.set("2026-11-24T08:00:00+00:00")
    assert scene.turn() == datetime(2026, 11, 24, 9, tzinfo=UTC)
    scene.clock.set("2026-11-24T09:00:00+00:00")
    scene.turn()

    assert scene.runs.moments == ["2050-01-01T09:00:00Z", "2026-11-24T09:00:00Z"]


@pytest.mark.parametrize("between", [[], ["2050-01-01T12:00:00+00:00"]])
def test_a_clock_that_starts_in_1970_and_is_set_right_later_makes_up_for_nothing_old(
    scene: Scene, between: list[str]
) -> None:
    scene.put("every day at 9:00", Missed.SKIP if between else Missed.ALL)
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()
    for now in [*between, "1970-01-01T00:00:03+00:00"]:
        scene.clock.set(now)
        scene.restart()
        scene.turn()
        scene.turn()
    scene.clock.set("2026-11-24T09:00:20+00:00")
    scene.turn()
    scene.clock.set("2026-11-25T08:00:00+00:00")
    assert scene.turn() == datetime(2026, 11, 25, 9, tzinfo=UTC)

    assert scene.runs.moments == ["2026-11-23T09:00:00Z", "2026-11-24T09:00:00Z"]


def test_what_had_fired_before_the_clock_was_put_back_by_days_does_not_fire_again(scene: Scene) -> None:
    scene.put("every day at 9:00")
    scene.turns("2026-11-27T12:00:00+00:00", hours=1)
    assert len(scene.runs.moments) == 5
    scene.clock.set("2026-11-24T08:00:00+00:00")
    scene.restart()
    scene.turns("2026-11-28T12:00:00+00:00", hours=1)

    assert [moment[:10] for moment in scene.runs.moments] == [f"2026-11-{day}" for day in (23, 24, 25, 26, 27, 28)]
    assert [e.outcome for e in scene.log if e.moment.startswith("2026-11-25")] == [Outcome.FIRED, Outcome.DUPLICATE]


def test_a_line_without_a_zone_follows_the_machine_to_another_zone(scene: Scene) -> None:
    scene.zone = BERLIN
    scene.write("every day at 12:00")
    assert scene.turn() == datetime(2026, 11, 23, 11, tzinfo=UTC)
    scene.zone = "America/New_York"
    assert scene.turn() == datetime(2026, 11, 23, 17, tzinfo=UTC)
    scene.zone = ""
    assert scene.turn() is None
    assert "no time zone" in scene.book.show(scene.task).fault


def test_installations_that_share_a_database_do_not_know_each_others_schedules(scene: Scene) -> None:
    scene.put("every hour")
    there = SqlSchedules(scene.database, "there")
    assert not there.task_ids()
    there.forget(scene.task)
    there.end(scene.task)
    now = scene.clock.now
    assert there.begin(scene.task, "another", now) == State(key="another", handled=now)
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()

    assert scene.fired == ["09:00"]
    assert not there.log(scene.task, 10)


def test_the_log_keeps_the_newest_decisions(scene: Scene) -> None:
    scene.put("every minute", Missed.SKIP)
    scene.turn()
    for _ in range(12):
        scene.clock.go(minutes=99, seconds=30)
        scene.turn()

    assert len(scene.log) == 1000
    assert scene.log[-1].moment > scene.log[0].moment


@pytest.mark.nightly
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_moment_is_decided_and_none_ever_fires_twice(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    scene = Scene(tmp_path_factory.mktemp("s"), now="2026-10-24T22:01:00+00:00", zone=BERLIN)
    # Hypothesis may end an example at any draw; the database is closed then too.
    with contextlib.closing(scene.database):
        scene.put("every 15 minutes; every day at 2:30", data.draw(st.sampled_from(Missed)))
        begin = latest = scene.clock.now
        for _ in range(data.draw(st.integers(1, 10))):
            scene.clock.go(seconds=data.draw(st.sampled_from([1, 15, 30, 900, 7000, 12000, -1, -900, -5000])))
            if data.draw(st.booleans()):
                scene.runs.dies_after_start = True
                with contextlib.suppress(KilledHere):
                    scene.turn()
                scene.restart()
            scene.turn()
            latest = max(latest, scene.clock.now)
        log = scene.log

    made = understand("every 15 minutes; every day at 2:30", zone=BERLIN).schedule
    due = itertools.takewhile(lambda moment: moment <= latest, firings_after(made, begin))
    assert [entry.moment for entry in log] == [f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in due]
    assert not scene.runs.asked_again
    assert len(scene.runs.moments) == len(set(scene.runs.moments))
    fired = [entry.moment for entry in log if entry.outcome is Outcome.FIRED]
    assert sorted(scene.runs.moments) == fired
