from pathlib import Path

from core.errors import InvalidVideo
from core.memories.reading import MOST_TRIES
from storage.memories.ledgers import ReadingMarkFile
from tests.fakes.recordings.reading_desk import Desk, FullMemories, pass_time, saw


def test_a_broken_input_log_is_told_and_the_picture_is_read_without_it(desk: Desk) -> None:
    segment = desk.live(0, log=True)
    assert segment.log is not None
    segment.log.write_bytes(b"nonsense\n{}\n")
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    assert "no input log" in (desk.reading.status().problem or "")


def test_after_a_kill_what_was_not_read_to_its_end_is_read_the_oldest_first_one_at_a_time(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    done, half = desk.live(0), desk.segment(1)
    desk.close(done)
    desk.wait(lambda: desk.marks.is_read(done.id))
    desk.reader.held.add(half.id)
    desk.reading.opened(half)
    desk.reading.changed(half.id)
    desk.wait(lambda: half.id in desk.reader.begun)
    desk.there = [desk.segment(number, complete=True) for number in (3, 1, 0, 2)]
    after = desk.again()
    for one in after.there:
        after.reader.show(one.id, saw("alice"), 12_000)
    try:
        after.reading.start()
        after.wait(lambda: len(after.remembered()) == 3)
        after.wait(lambda: after.reading.status().waiting == 0 and not after.reading.status().reading)
        assert after.reader.begun == [after.segment(number).id for number in (1, 2, 3)]
        assert after.reader.most_at_once == 1
    finally:
        after.reading.stop()
        after.memories.close()


def test_one_that_cannot_be_read_is_tried_three_times_and_does_not_hold_up_the_others(desk: Desk) -> None:
    bad, good = desk.segment(0, complete=True), desk.segment(1, complete=True)
    desk.reader.failures[bad.id] = [InvalidVideo("It is broken.") for _ in range(9)]
    desk.reader.show(good.id, saw("alice"), 12_000)
    desk.reading.closed(bad)
    desk.reading.closed(good)
    desk.wait_for('Typed "alice"')
    desk.wait(lambda: desk.marks.is_read(bad.id))
    assert desk.reader.begun.count(bad.id) == MOST_TRIES
    assert desk.reading.status().failed == 1
    assert bad.id in (desk.reading.status().problem or "")


def test_one_that_kills_the_daemon_is_not_tried_for_ever(tmp_path: Path) -> None:
    marks = ReadingMarkFile(tmp_path / "reading.json")
    first = Desk(tmp_path)
    bad = first.segment(0, complete=True)
    first.memories.close()
    for _ in range(MOST_TRIES):
        marks.begin(bad.id)
    desk = Desk(tmp_path, [bad])
    try:
        desk.reading.start()
        desk.wait(lambda: desk.marks.is_read(bad.id))
        assert desk.reader.begun == []
        assert desk.reading.status().failed == 1
    finally:
        desk.reading.stop()
        desk.memories.close()


def test_a_live_segment_whose_reader_died_is_read_again_without_losing_what_was_known(desk: Desk) -> None:
    segment = desk.live(0)
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    desk.reader.failures[segment.id] = [InvalidVideo("It crashed.")]
    desk.wait(lambda: desk.reader.left == [segment.id])
    desk.reader.show(segment.id, saw("alice", "bob"), 22_000)
    pass_time(desk, lambda: any('"bob"' in step.text for one in desk.remembered() for step in one.steps))
    assert desk.reader.begun == [segment.id, segment.id]


def test_with_too_many_waiting_the_oldest_are_left_unread_and_that_is_said(tmp_path: Path) -> None:
    first = Desk(tmp_path)
    first.memories.close()
    desk = Desk(tmp_path, [first.segment(number, complete=True) for number in range(10)], most_waiting=4)
    blocked = desk.there[0].id
    desk.reader.held.add(blocked)
    try:
        desk.reading.start()
        desk.wait(lambda: not desk.reading.status().waiting or desk.reader.begun[:1] == [blocked])
        desk.reader.release(blocked)
        desk.wait(lambda: not desk.reading.status().waiting and not desk.reading.status().reading)
        assert desk.reader.begun[-4:] == [one.id for one in desk.there[-4:]]
        assert desk.reading.status().left_out >= 5
        assert all(desk.marks.is_read(one.id) for one in desk.there)
    finally:
        desk.reading.stop()
        desk.memories.close()


def test_a_reader_that_falls_behind_gives_way_to_the_newest_and_comes_back_later(desk: Desk) -> None:
    slow = desk.live(0)
    desk.reader.held.add(slow.id)
    desk.wait(lambda: desk.reader.begun == [slow.id])
    newest = desk.live(1)
    desk.close(slow)
    desk.clock.now += 100
    desk.reader.show(newest.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    desk.wait(lambda: desk.reader.begun.count(slow.id) == 2)
    desk.reader.show(slow.id, saw("bob"), 12_000)
    desk.reader.release(slow.id)
    desk.wait_for('Typed "bob"')


def test_stopping_ends_the_reading_at_once_and_that_counts_as_no_try(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    old = desk.segment(0, complete=True)
    for _ in range(MOST_TRIES + 1):
        desk.reader.held.add(old.id)
        desk.reading.closed(old)
        desk.wait(lambda: bool(desk.reader.begun))  # noqa: B023 - it is called before the loop goes on
        desk = desk.again()
    desk.reader.show(old.id, saw("alice"), 12_000)
    desk.reading.closed(old)
    desk.wait_for('Typed "alice"')
    desk.reading.stop()
    desk.memories.close()


def test_a_full_disk_is_told_and_what_was_read_is_kept_when_there_is_room_again(
    full_desk: tuple[Desk, FullMemories],
) -> None:
    desk, full = full_desk
    segment = desk.live(0)
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait(lambda: desk.reading.status().problem == "The disk is full.")
    full.is_full = False
    pass_time(desk, lambda: desk.summaries() == ['Typed "alice"'])
    assert desk.reader.begun == [segment.id]
    assert desk.reading.status().problem is None


def test_a_disk_that_is_full_at_a_segments_end_costs_the_segment_no_try(
    full_desk: tuple[Desk, FullMemories],
) -> None:
    desk, full = full_desk
    segment = desk.segment(0, complete=True)
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.reading.closed(segment)
    desk.wait(lambda: desk.reader.left.count(segment.id) > MOST_TRIES)
    full.is_full = False
    desk.wait_for('Typed "alice"')
    assert desk.reading.status().failed == 0
