"""Input logs beside recordings: read as far as they were written, and taken along into a task."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.accessibility import Role
from core.errors import InvalidRequest
from core.recording.input_log import (
    Clicked,
    Dragged,
    Focused,
    InputEvent,
    InputLog,
    InputLogHeader,
    Pressed,
    Scrolled,
    TouchedElement,
    Typed,
    line_of,
    log_beside,
    parse_input_log,
)
from core.tasks.heartbeat import Heartbeat
from storage.recording_files import InputLogFiles
from storage.tasks.tasks import TaskFolders

HEADER = InputLogHeader(width=640, height=480, started_at=datetime(2026, 11, 21, 19, 0, tzinfo=UTC))
EVENTS: tuple[InputEvent, ...] = (
    Focused(t_ms=0, application="Notes", title="«Zoë» 1\n"),
    Clicked(t_ms=10, x=5, y=6, count=2),
    Dragged(t_ms=20, until_ms=400, x=1, y=2, to_x=600, to_y=479),
    Scrolled(t_ms=500, until_ms=500, x=0, y=0, down=-3),
    Typed(t_ms=600, until_ms=900, count=7),
    Pressed(t_ms=1000, keys=("ctrl", "s")),
)
WHOLE = b"".join(map(line_of, (HEADER, *EVENTS)))


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A recording without a log."""
    path = tmp_path / "my demo.v2.mp4"
    path.write_bytes(b"a film")
    return path


def read(video: Path, data: bytes) -> InputLog | None:
    log_beside(video).write_bytes(data)
    return InputLogFiles().of(video)


def test_what_nothing_is_known_of_is_not_in_a_line_and_what_is_known_is_read_again(video: Path) -> None:
    element = TouchedElement(role=Role.TEXTBOX, name="Recipient", value="Zoë", before="", window="Order")
    typed = Typed(t_ms=600, until_ms=900, count=3, element=element)
    log = read(video, b"".join(map(line_of, (HEADER, typed))))

    assert line_of(EVENTS[1]) == b'{"kind":"click","t_ms":10,"button":"left","x":5,"y":6,"count":2}\n'
    assert log is not None
    assert log.events == (typed,)


def test_what_was_written_is_read(video: Path) -> None:
    assert InputLogFiles().of(video) is None
    assert read(video, WHOLE) == InputLog(width=640, height=480, events=EVENTS)
    assert log_beside(video).name == "my demo.v2.input.jsonl"


def test_events_are_told_by_their_time_whatever_their_order(video: Path) -> None:
    log = read(video, b"".join(map(line_of, (HEADER, *reversed(EVENTS)))))
    assert log is not None
    assert log.events == EVENTS


@given(cut=st.integers(len(line_of(HEADER)), len(WHOLE)))
def test_a_log_that_ends_anywhere_keeps_all_whole_lines(cut: int) -> None:
    whole_lines = WHOLE[:cut].count(b"\n") - 1
    found = parse_input_log(WHOLE[:cut], "x").events
    assert found[:whole_lines] == EVENTS[:whole_lines]
    # A line that lacks nothing but its end may count as well.
    assert len(found) <= whole_lines + 1


@given(data=st.binary(max_size=300), headed=st.booleans())
def test_any_file_is_a_log_or_refused(data: bytes, headed: bool) -> None:
    with suppress(InvalidRequest):
        assert parse_input_log(line_of(HEADER) * headed + data, "x").width == 640


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff\xfe",
        b'{"kind":"typed","t_ms":1,"until_ms":2,"count":3,"text":"secret"}',
        b'{"kind":"clock","t_ms":1}',
        b'{"kind":"click","t_ms":-1,"x":1,"y":1}',
        b"[" * 5000,
    ],
)
def test_a_broken_line_is_named_by_its_number(video: Path, number: int, line: bytes) -> None:
    lines = WHOLE.splitlines(keepends=True)
    lines.insert(number - 1, line + b"\n")
    with pytest.raises(InvalidRequest, match=rf"line {number} is no event"):
        read(video, b"".join(lines))


@pytest.mark.parametrize(
    "first",
    [b"", b"\n", b'{"format":"other","version":1}\n', line_of(HEADER).replace(b'"version":1', b'"version":2'), b"half"],
)
def test_a_file_without_the_header_is_refused(video: Path, first: bytes) -> None:
    with pytest.raises(InvalidRequest, match="is no input log"):
        read(video, first)


def test_what_lies_outside_of_the_pictures_is_left_out(video: Path) -> None:
    outside = (Clicked(t_ms=1, x=640, y=0), Scrolled(t_ms=2, until_ms=2, x=0, y=-1, down=1))
    log = read(video, WHOLE + b"".join(map(line_of, outside)))
    assert log is not None
    assert log.events == EVENTS


def test_a_log_that_is_no_log_is_refused_and_not_read_for_ever(video: Path) -> None:
    with log_beside(video).open("wb") as file:
        file.truncate(33 * 1024**2)
    with pytest.raises(InvalidRequest, match="larger than 32 MB"):
        InputLogFiles().of(video)
    log_beside(video).unlink()
    log_beside(video).symlink_to("/dev/zero")
    with pytest.raises(InvalidRequest, match="is no file"):
        InputLogFiles().of(video)


def test_a_recording_takes_its_log_into_the_task(tmp_path: Path, video: Path) -> None:
    tasks = TaskFolders(tmp_path / "tasks")
    task = tasks.add(Heartbeat("# Task\nSend it\n"), by="test", why="learned").id
    lone = tasks.add_recording(task, video)
    assert [path.name for path in lone.parent.iterdir()] == [lone.name]
    log_beside(video).write_bytes(WHOLE)
    kept, again = tasks.add_recording(task, video), tasks.add_recording(task, video)
    for one in (kept, again):
        assert log_beside(one).read_bytes() == WHOLE
        assert oct(log_beside(one).stat().st_mode & 0o777) == "0o600"
        assert one.read_bytes() == b"a film"
    assert not log_beside(lone).exists()
    assert len({lone, kept, again}) == 3


def test_a_recording_never_gets_the_log_of_another_one(tmp_path: Path, video: Path) -> None:
    tasks = TaskFolders(tmp_path / "tasks")
    task = tasks.add(Heartbeat("# Task\nSend it\n"), by="test", why="learned").id
    log_beside(video).write_bytes(WHOLE)
    first = tasks.add_recording(task, video)
    first.unlink()
    log_beside(video).unlink()
    for _ in range(3):
        assert not log_beside(tasks.add_recording(task, video)).exists()


def test_a_line_is_what_its_documentation_shows() -> None:
    assert json.loads(line_of(EVENTS[1])) == {"kind": "click", "t_ms": 10, "button": "left", "x": 5, "y": 6, "count": 2}
    assert json.loads(line_of(HEADER))["started_at"] == "2026-11-21T19:00:00Z"
