"""The list of what left: for its owner alone, bounded, and without what was forgotten."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.documents import DocumentFile
from core.errors import StorageFailed
from core.memories.ports import Sent
from core.memories.refining import Notes
from storage.memories.ledgers import SentFile

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def sent(minute: int, memory: str = "m") -> Sent:
    """Sent at noon; it shows the minute after noon of that number."""
    begin = NOON + timedelta(minutes=minute)
    return Sent(
        at=NOON,
        what="pictures",
        host="example.org",
        refiner="vision",
        model="x",
        memory=f"{memory}{minute}",
        seen_from=begin,
        seen_until=begin + timedelta(seconds=30),
        times_ms=(1, 2),
        bytes=7,
    )


def test_the_newest_come_first_and_nobody_else_may_read_them(tmp_path: Path) -> None:
    ledger = SentFile(tmp_path / "data")
    assert ledger.newest(5) == []
    assert not (tmp_path / "data").exists(), "looking made something"
    for minute in range(4):
        ledger.add(sent(minute))
    assert [each.memory for each in SentFile(tmp_path / "data").newest(3)] == ["m3", "m2", "m1"]
    assert ledger.path.stat().st_mode & 0o777 == 0o600
    assert len(ledger.path.read_text().splitlines()) == 4


def test_what_is_forgotten_is_in_no_file_any_more(tmp_path: Path) -> None:
    ledger = SentFile(tmp_path)
    for minute in range(5):
        ledger.add(sent(minute, "secret"))
    assert ledger.forget(NOON + timedelta(minutes=1, seconds=10), NOON + timedelta(minutes=2, seconds=10)) == 2
    assert [each.memory for each in ledger.newest(9)] == ["secret4", "secret3", "secret0"]
    everything = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret1" not in everything
    assert b"secret2" not in everything


def test_a_question_is_forgotten_by_when_it_was_asked(tmp_path: Path) -> None:
    ledger = SentFile(tmp_path)
    ledger.add(Sent(at=NOON, what="question", host="example.org", refiner="memories", text_bytes=9))
    assert ledger.forget(NOON - timedelta(minutes=9), NOON - timedelta(minutes=1)) == 0
    assert ledger.forget(NOON - timedelta(minutes=1), NOON) == 1


def test_broken_lines_are_passed_over_and_go_with_the_first_forgetting(tmp_path: Path) -> None:
    ledger = SentFile(tmp_path)
    ledger.add(sent(0))
    with ledger.path.open("ab") as file:
        file.write(b'{"at": 1}\n\xff\xfe\n[[[\n')
    ledger.add(sent(9))
    assert [each.memory for each in ledger.newest(9)] == ["m9", "m0"]
    assert ledger.forget(NOON + timedelta(hours=1), NOON + timedelta(hours=2)) == 3
    assert [each.memory for each in ledger.newest(9)] == ["m9", "m0"]


def test_the_file_does_not_grow_for_ever_and_the_newest_stay(tmp_path: Path) -> None:
    ledger = SentFile(tmp_path, most_bytes=4000)
    for minute in range(60):
        ledger.add(sent(minute))
    assert ledger.path.stat().st_size <= 4000
    reported = [each.memory for each in ledger.newest(99)]
    assert reported[0] == "m59"
    assert reported == [f"m{59 - at}" for at in range(len(reported))]


def test_no_line_is_lost_between_threads_that_add_and_forget(tmp_path: Path) -> None:
    ledgers = [SentFile(tmp_path) for _ in range(4)]

    def work(number: int) -> None:
        for at in range(25):
            ledgers[number].add(sent(100 * number + at))
            ledgers[number].forget(NOON - timedelta(days=9), NOON - timedelta(days=8))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledgers[0].newest(999)) == 100


def test_a_list_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "memory-sent.jsonl").mkdir()
    with pytest.raises(StorageFailed):
        SentFile(tmp_path).add(sent(0))


def test_notes_survive_and_broken_ones_are_empty(tmp_path: Path) -> None:
    file = DocumentFile(tmp_path / "data" / "notes.json", Notes)
    assert file.read() == Notes()
    file.write(Notes(calls=3))
    assert file.read().calls == 3
    path = tmp_path / "data" / "notes.json"
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text('{"calls": "x"}')
    assert file.read() == Notes()
