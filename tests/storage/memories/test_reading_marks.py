import stat
from pathlib import Path

import pytest

from core.errors import StorageFailed
from storage.memories.ledgers import ReadingMarkFile

ONE, TWO = "20261121T190000.000Z", "20261121T190500.000Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "reading.json"


def test_what_was_read_and_how_often_it_was_begun_outlives_the_process(path: Path) -> None:
    marks = ReadingMarkFile(path)
    marks.begin(ONE)
    marks.finish(ONE)
    assert [marks.begin(TWO), marks.begin(TWO)] == [1, 2]
    again = ReadingMarkFile(path)
    assert again.is_read(ONE)
    assert not again.is_read(TWO)
    assert again.begin(TWO) == 3


def test_one_that_was_put_back_counts_once_less(path: Path) -> None:
    marks = ReadingMarkFile(path)
    marks.begin(ONE)
    marks.begin(ONE)
    marks.put_back(ONE)
    assert ReadingMarkFile(path).begin(ONE) == 2
    marks.put_back(TWO)
    assert marks.begin(TWO) == 1


def test_nothing_is_left_of_what_is_forgotten(path: Path) -> None:
    marks = ReadingMarkFile(path)
    marks.finish(ONE)
    marks.begin(TWO)
    marks.forget([ONE])
    assert ONE.encode() not in path.read_bytes()
    assert TWO.encode() in path.read_bytes()
    marks.keep_only([])
    assert TWO.encode() not in path.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 2}', b'{"begun": {"x": -1}}', b"\xff\xfe"])
def test_a_file_that_makes_no_sense_counts_as_none(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    marks = ReadingMarkFile(path)
    assert not marks.is_read(ONE)
    marks.finish(ONE)
    assert ReadingMarkFile(path).is_read(ONE)


def test_only_its_user_can_read_it(path: Path) -> None:
    ReadingMarkFile(path).finish(ONE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_one_that_cannot_be_written_says_so_and_is_as_it_was(path: Path) -> None:
    marks = ReadingMarkFile(path)
    marks.finish(ONE)
    content = path.read_bytes()
    path.unlink()
    path.mkdir()
    with pytest.raises(StorageFailed):
        marks.finish(TWO)
    assert not marks.is_read(TWO)
    path.rmdir()
    path.write_bytes(content)
    marks.finish(TWO)
    assert ReadingMarkFile(path).is_read(TWO)
