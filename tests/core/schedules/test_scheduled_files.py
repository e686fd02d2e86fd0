"""Schedules in files that people write, break, take away and put back: nothing is lost, and nothing guessed."""

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import StorageFailed
from core.schedules.book import ScheduleWish
from core.tasks.heartbeat import Heartbeat
from tests.fakes.schedules.scheduling_scene import Scene

BERLIN = "Europe/Berlin"


@pytest.fixture
def scene(tmp_path: Path) -> Generator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    scene.database.close()


def test_what_is_written_by_hand_is_noticed_and_kept_as_a_version(scene: Scene) -> None:
    scene.turn()
    scene.write("- every day at 9:00 (UTC), missed: skip, display: :7")
    scene.turn()
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()
    scene.write("- every day at 10:00 (UTC)")
    scene.clock.go(minutes=1)
    scene.turn()
    scene.clock.set("2026-11-23T10:00:00+00:00")
    scene.turn()
    scene.write("")
    scene.clock.go(days=1)
    assert scene.turn() is None

    assert [display for _, display, _ in scene.runs.started] == [":7", "private"]
    assert scene.fired == ["09:00", "10:00"]
    assert [version.by for version in scene.tasks.history(scene.task)].count("hand") == 3


def test_a_moment_between_writing_and_noticing_is_not_lost(scene: Scene) -> None:
    scene.clock.now = datetime.now(UTC)
    moment = (scene.clock.now + timedelta(seconds=5)).replace(microsecond=0)
    scene.write(f"at {moment:%Y-%m-%d %H:%M:%S} (UTC)")
    scene.clock.go(seconds=14)
    scene.turn()

    assert scene.runs.moments == [f"{moment:%Y-%m-%dT%H:%M:%SZ}"]


@pytest.mark.parametrize(
    "line", ["when I feel like it", "every second", "every day at 9:00 (Europe/Berln)", "every day at 9:00\nand more"]
)
def test_a_line_that_is_not_understood_fires_nothing_is_told_and_loses_nothing(scene: Scene, line: str) -> None:
    scene.put("every day at 9:00")
    scene.turn()
    scene.write(line)
    scene.clock.set("2026-11-23T09:00:00+00:00")
    assert scene.turn() is None
    assert not scene.runs.started
    assert scene.book.show(scene.task).fault.startswith("The schedule is not understood, and nothing fires: ")
    scene.write("every day at 9:00")
    scene.turn()

    assert scene.fired == ["09:00"]


@pytest.mark.parametrize("content", [b"\0\1binary", b"# Task\nReport\n" + b"x" * 9_000_000, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_fires_nothing_stops_no_other_task_and_loses_nothing(
    scene: Scene, content: bytes
) -> None:
    scene.put("every hour")
    other = scene.tasks.add(Heartbeat.new("Other"), by="test", why="made").id
    scene.book.put(other, ScheduleWish(words="every hour"), by="test")
    scene.turn()
    text = scene.file.read_bytes()
    scene.file.write_bytes(content)
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()
    assert [task for task, _, _ in scene.runs.started] == [other]
    scene.file.write_bytes(text)
    scene.turn()

    assert [task for task, _, _ in scene.runs.started] == [other, scene.task]


def test_a_second_section_is_told_and_not_passed_over(scene: Scene) -> None:
    scene.write("every day at 9:00\n\n## schedule\nevery day at 10:00")
    assert scene.turn() is None
    assert 'There are 2 sections "## Schedule"' in scene.book.show(scene.task).fault


def test_a_task_that_is_removed_fires_no_more_and_leaves_nothing(scene: Scene) -> None:
    scene.put("every hour")
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()
    scene.tasks.remove(scene.task)
    scene.clock.go(hours=1)
    assert scene.turn() is None
    scene.turn()

    assert scene.fired == ["09:00"]
    assert not scene.schedules.task_ids()


def test_tasks_that_cannot_be_listed_for_a_while_are_not_taken_for_removed(scene: Scene) -> None:
    scene.put("every hour")
    scene.turn()
    away = scene.tasks.root.rename(scene.tasks.root.with_name("away"))
    scene.tasks.root.touch()
    for _ in range(3):
        with pytest.raises(StorageFailed):
            scene.turn()
    scene.tasks.root.unlink()
    away.rename(scene.tasks.root)
    scene.clock.set("2026-11-23T09:20:00+00:00")
    scene.turn()

    assert scene.fired == ["09:00"]


def test_an_editor_that_takes_the_file_away_before_it_writes_loses_nothing(scene: Scene) -> None:
    scene.put("every hour")
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()
    text = scene.file.read_bytes()
    scene.file.unlink()
    scene.turn()
    scene.file.write_bytes(text)
    scene.clock.go(hours=1)
    scene.turn()

    assert scene.fired == ["09:00", "10:00"]
    assert len(scene.log) == 2


def test_a_task_that_is_removed_while_it_is_scheduled_elsewhere_is_no_fault(scene: Scene) -> None:
    scene.put("every hour")
    other = scene.tasks.add(Heartbeat.new("Other"), by="test", why="made").id
    scene.book.put(other, ScheduleWish(words="every hour"), by="test")
    scene.turn()
    scene.tasks.remove(scene.task)
    scene.clock.set("2026-11-23T09:00:00+00:00")
    scene.turn()

    assert [task for task, _, _ in scene.runs.started] == [other]


def test_values_that_no_schedule_can_give_are_told_when_it_is_made(scene: Scene) -> None:
    text = '# Task\nReport\nSuggestedPlan:\n1. Type "{Password}" into the "Password" field.\n'
    scene.tasks.change(scene.task, lambda _: Heartbeat(text), by="test", why="")
    scene.put("every day at 9:00")

    assert scene.book.show(scene.task).needs == ("Password",)
