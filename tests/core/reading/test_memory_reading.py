import threading
from datetime import timedelta

from core.procedures.procedures import procedures_of
from core.recording.input_log import Clicked, Focused, InputLogHeader, line_of
from tests.fakes.recordings.reading_desk import START, Desk, saw, search_results
from tests.fakes.videos.clips import findings, line


def test_what_is_done_is_remembered_while_its_segment_still_grows(desk: Desk) -> None:
    segment = desk.live(0)
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    assert desk.remembered()[0].video == segment.id
    assert desk.remembered()[0].source == "recorder"
    assert desk.remembered()[0].started_at >= segment.started_at
    assert desk.reading.status().reading == (segment.id,)
    assert desk.reading.status().read_until == segment.started_at + timedelta(seconds=12)


def test_what_is_done_later_in_the_same_segment_is_remembered_too(desk: Desk) -> None:
    segment = desk.live(0)
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    desk.reader.show(segment.id, saw("alice", "bob"), 22_000)
    desk.wait(lambda: any('"bob"' in step.text for one in desk.remembered() for step in one.steps))
    desk.close(segment)
    desk.wait(lambda: desk.marks.is_read(segment.id))
    assert desk.reading.status().reading == ()


def test_a_segment_in_which_nothing_happens_costs_no_reading(desk: Desk) -> None:
    segment = desk.segment(0)
    desk.reading.opened(segment)
    desk.close(segment)
    assert desk.marks.is_read(segment.id)
    assert desk.reader.begun == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("reading ")]


def test_while_somebody_is_busy_the_next_segment_is_read_from_its_begin(desk: Desk) -> None:
    first = desk.live(0)
    desk.wait(lambda: desk.reader.begun == [first.id])
    second = desk.segment(1)
    desk.reading.opened(second)
    desk.close(first)
    desk.wait(lambda: desk.reader.begun == [first.id, second.id])


def test_an_input_that_is_logged_after_its_picture_was_read_is_remembered(desk: Desk) -> None:
    segment = desk.live(0, log=True)
    assert segment.log is not None
    header = InputLogHeader(width=1280, height=720, started_at=START)
    focused = Focused(t_ms=0, application="Firefox", title="GitHub")
    segment.log.write_bytes(line_of(header) + line_of(focused))
    desk.reader.show(segment.id, findings(line("New SSH key", row=4)), 12_000)
    desk.wait(lambda: desk.reading.status().read_until is not None)
    assert desk.remembered() == []
    with segment.log.open("ab") as log:
        log.write(line_of(Clicked(t_ms=5000, x=60, y=4 * 24 + 8)) + b'{"kind":"cli')
    desk.clock.now += 5
    desk.wait(lambda: any('"New SSH key"' in step.text for one in desk.remembered() for step in one.steps))
    assert not desk.remembered()[0].inferred


def test_what_was_removed_is_not_remembered_again_however_late_its_findings_come(desk: Desk) -> None:
    segment = desk.live(0)
    desk.reader.held.add(segment.id)
    desk.wait(lambda: desk.reader.begun == [segment.id])
    desk.reading.removed([segment.id])
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait(lambda: desk.reader.left == [segment.id])
    assert desk.remembered() == []
    assert not desk.marks.is_read(segment.id)


def test_removing_a_segment_leaves_what_is_remembered_of_it(desk: Desk) -> None:
    segment = desk.live(0)
    desk.reader.show(segment.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    desk.reading.removed([segment.id])
    desk.wait(lambda: desk.reader.left == [segment.id])
    assert desk.summaries() == ['Typed "alice"']


def test_what_is_left_of_a_cut_segment_is_read_as_a_new_one_under_the_same_name(desk: Desk) -> None:
    segment = desk.live(0)
    desk.reader.show(segment.id, saw("alice", "bob"), 22_000)
    desk.wait_for('Typed "alice"')
    desk.reading.removed([segment.id])
    desk.wait(lambda: desk.reader.left == [segment.id])
    desk.memories.replace(segment.id, [])
    desk.close(segment)
    desk.wait(lambda: desk.marks.is_read(segment.id))
    assert desk.reader.begun == [segment.id, segment.id]
    assert desk.summaries()


def test_the_live_segment_does_not_wait_for_older_ones(desk: Desk) -> None:
    old = desk.segment(0, complete=True)
    desk.reader.held.add(old.id)
    desk.reading.closed(old)
    desk.wait(lambda: desk.reader.begun == [old.id])
    live = desk.live(1)
    desk.reader.show(live.id, saw("alice"), 12_000)
    desk.wait_for('Typed "alice"')
    assert desk.reading.status().reading == (old.id, live.id)


def test_of_a_complete_segment_nothing_is_remembered_before_it_is_read_whole(desk: Desk) -> None:
    old = desk.segment(0, complete=True)
    desk.memories.replace(old.id, procedures_of(saw("alice", "bob"), None, **search_results(old, 22_000)))
    before = desk.remembered()
    desk.reader.held.add(old.id)
    desk.reading.closed(old)
    desk.reader.show(old.id, saw(), 2_000)
    desk.wait(lambda: desk.reader.begun == [old.id])
    desk.clock.now += 100
    desk.reader.show(old.id, saw("alice", "carol"), 22_000)
    assert desk.remembered() == before
    desk.reader.release(old.id)
    desk.wait(lambda: desk.marks.is_read(old.id))
    assert any('"carol"' in step.text for one in desk.remembered() for step in one.steps)
