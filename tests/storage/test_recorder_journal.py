"""The file that tells afterwards what the recorder was."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import StorageFailed
from core.recording.history import Journal
from core.recording.recorder import RecorderPhase
from storage.recorder_journal import MAX_JOURNAL_BYTES, JournalFile

BEGIN = datetime.now(UTC) - timedelta(hours=1)
RECORDING, PAUSED, OFF = RecorderPhase.RECORDING, RecorderPhase.PAUSED, RecorderPhase.OFF


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def read_reports(journal: Journal) -> list[tuple[float, RecorderPhase | None, bool]]:
    return [((state.at - BEGIN).total_seconds(), state.phase, state.veiled) for state in journal.states]


def test_what_changes_is_written_once_and_read_by_others(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "j")
    for second, phase in ((0, RECORDING), (1, RECORDING), (2, PAUSED), (3, RECORDING)):
        file.note(phase, veiled=False, at=at(second))

    assert read_reports(JournalFile(tmp_path / "j").read()) == [
        (0, RECORDING, False),
        (2, PAUSED, False),
        (3, RECORDING, False),
    ]
    assert (tmp_path / "j").stat().st_mode & 0o777 == 0o600


def test_what_flashes_is_one_stretch(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "j")
    for second, veiled in ((0, False), (10, True), (11, False), (12, True), (13, False), (14, False), (19, False)):
        file.note(RECORDING, veiled=veiled, at=at(second))
    file.note(RECORDING, veiled=True, at=at(30))
    file.note(RECORDING, veiled=False, at=at(31))
    file.note(PAUSED, veiled=False, at=at(32))

    assert read_reports(file.read()) == [
        (0, RECORDING, False),
        (10, RECORDING, True),
        (13, RECORDING, False),
        (30, RECORDING, True),
        (31, RECORDING, False),
        (32, PAUSED, False),
    ]


def test_after_a_kill_nobody_knows_what_was_from_the_last_picture_on(tmp_path: Path) -> None:
    JournalFile(tmp_path / "j").note(RECORDING, veiled=True, at=at(0))
    file = JournalFile(tmp_path / "j")
    file.begin(lambda: at(60))
    file.begin(lambda: at(90))

    assert [(phase, veiled) for _, phase, veiled in read_reports(file.read())] == [
        (RECORDING, True),
        (None, False),
        (OFF, False),
    ]
    assert read_reports(file.read())[1][0] == 60


def test_a_recorder_that_was_never_used_leaves_no_file(tmp_path: Path) -> None:
    JournalFile(tmp_path / "j").begin(lambda: None)
    assert not (tmp_path / "j").exists()


def test_what_was_forgotten_is_in_no_byte_of_it_but_that_it_was(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "j")
    file.note(RECORDING, veiled=False, at=at(0))
    file.note(RECORDING, veiled=True, at=at(100))
    file.note(PAUSED, veiled=False, at=at(110))
    file.forget(at(90), at(120))

    assert read_reports(file.read()) == [(0, RECORDING, False), (120, PAUSED, False)]
    assert [(one.since, one.until) for one in file.read().forgotten] == [(at(90), at(120))]
    assert b'"veiled":true' not in (tmp_path / "j").read_bytes()


def test_lines_that_are_none_are_left_out(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "j")
    file.note(RECORDING, veiled=False, at=at(0))
    with (tmp_path / "j").open("ab") as raw:
        raw.write(b'{"kind":"state","at":\n\xff\xfe\n[]\n{"kind":"state","at":"2026-11-21T10:00:00","phase":"off"}\n')
    file.note(PAUSED, veiled=False, at=at(5))

    assert read_reports(file.read()) == [(0, RECORDING, False), (5, PAUSED, False)]


def test_it_does_not_grow_for_ever(tmp_path: Path) -> None:
    file = JournalFile(tmp_path / "j")
    file.note(RECORDING, veiled=False, at=at(0))
    line = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(line * (MAX_JOURNAL_BYTES // len(line)))
    for second in (1, 2, 3):
        file.note((RECORDING, PAUSED)[second % 2], veiled=False, at=at(second))

    assert (tmp_path / "j").stat().st_size < MAX_JOURNAL_BYTES * 0.6
    assert read_reports(file.read())[-1][:2] == (3, PAUSED)


def test_a_link_or_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "j").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageFailed):
        JournalFile(tmp_path / "j").note(RECORDING, veiled=False)
    assert (tmp_path / "elsewhere").read_text() == "mine"
    (tmp_path / "d").mkdir()
    with pytest.raises(StorageFailed):
        JournalFile(tmp_path / "d").read()
