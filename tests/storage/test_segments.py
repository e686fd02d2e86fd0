"""The folder of the recording: its files are all that is known, and what is forgotten is gone from them."""

import fcntl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from adapters.recording.continuous.segment_writer import SegmentWriter
from adapters.video.video_files import VideoCutter
from core.errors import StorageFailed
from core.recording.input_log import Clicked, Focused, Typed
from core.recording.recorder import Retention
from core.recording.recordings import Segment
from storage.recording_files import read_film_index, read_input_log
from storage.segments import SegmentFolder
from tests.fakes.recordings.films import frames

BEGIN = datetime(2026, 11, 21, 19, 13, 17, 250_000, tzinfo=UTC)
CUTTER = VideoCutter(max_bytes=1 << 30, max_seconds=7200, max_pixels=1 << 24)
STEP_MS = 500


def written(folder: Path, *, started_at: datetime = BEGIN, seconds: int = 10, logs: bool = True) -> SegmentWriter:
    """A segment whose picture at each half second is of a grey of its own, from black on."""
    folder.mkdir(exist_ok=True)
    writer = SegmentWriter(folder, started_at, (64, 48), 2.0, logs=logs)
    for number in range(seconds * 2):
        picture = np.full((48, 64, 4), 10 * number % 256, np.uint8)
        writer.add(picture, number * STEP_MS)
    return writer


def recorded(folder: Path, *, started_at: datetime = BEGIN, seconds: int = 10) -> Segment:
    writer = written(folder, started_at=started_at, seconds=seconds)
    writer.log(Focused(t_ms=0, application="XTerm", title="before"))
    writer.log(Clicked(t_ms=1000, x=1, y=2))
    writer.log(Focused(t_ms=4200, application="XTerm", title="the forgotten title"))
    writer.log(Typed(t_ms=4300, until_ms=6900, count=9))
    writer.log(Clicked(t_ms=8000, x=3, y=4))
    closed = writer.close()
    assert closed is not None
    return closed


def greys(film: Path) -> list[int]:
    """The number of each picture, by its grey; one that is seen twice in a row once."""
    return list(dict.fromkeys(round(float(picture.mean()) / 10) for _, picture in frames(film)))


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def test_the_files_alone_tell_what_a_decoder_tells(tmp_path: Path) -> None:
    closed = recorded(tmp_path / "r")

    (found,) = SegmentFolder(tmp_path / "r").list()
    index = read_film_index(found.path)
    assert index is not None
    assert found == closed
    assert found.started_at == BEGIN
    assert index.times_ms == [t_ms for t_ms, _ in frames(found.path)]
    assert not index.in_pieces


def test_a_film_that_grows_is_not_complete_until_its_recorder_lets_go_of_it(tmp_path: Path) -> None:
    writer = written(tmp_path / "r")
    folder = SegmentFolder(tmp_path / "r")

    (growing,) = folder.list()
    assert not growing.complete
    assert growing.duration_ms >= 8000
    pieces = read_film_index(growing.path)
    assert pieces is not None
    assert pieces.times_ms == [t_ms for t_ms, _ in frames(growing.path)]
    writer.close()
    assert [segment.complete for segment in folder.list()] == [True]


def test_a_torn_end_is_left_out_and_nonsense_is_no_segment(tmp_path: Path) -> None:
    writer = written(tmp_path / "r")
    film = writer.path.read_bytes()
    writer.close()
    folder = tmp_path / "torn"
    folder.mkdir()
    for number, length in enumerate(range(0, len(film), 997)):
        torn = folder / f"20261121T1913{number % 60:02}.{number // 60:03}Z.mp4"
        torn.write_bytes(film[:length])
        index = read_film_index(torn)
        assert index is None or len(index.times_ms) <= 20
    (folder / "20261121T191317.250Z.mp4").write_bytes(bytes(range(256)) * 40)
    lengths = [segment.duration_ms for segment in SegmentFolder(folder).list()]
    assert lengths == sorted(lengths)
    assert lengths


@pytest.mark.parametrize(
    "name", ["../x", "20261121T191317.250Z/../../x", "", "20269921T191317.250Z", "20261121T191317.250Z\0", "x" * 5000]
)
def test_nothing_but_an_id_becomes_a_path(tmp_path: Path, name: str) -> None:
    recorded(tmp_path / "r")
    (tmp_path / "x.mp4").write_bytes(b"")
    folder = SegmentFolder(tmp_path / "r")

    assert folder.find(name) is None
    folder.remove([name])
    assert len(folder.list()) == 1
    assert (tmp_path / "x.mp4").exists()


def test_what_is_no_file_or_lies_elsewhere_is_no_segment(tmp_path: Path) -> None:
    closed = recorded(tmp_path / "r")
    (tmp_path / "r" / "20261121T191318.250Z.mp4").symlink_to(closed.path)
    (tmp_path / "r" / "20261121T191319.250Z.mp4").mkdir()

    assert [segment.id for segment in SegmentFolder(tmp_path / "r").list()] == [closed.id]
    assert SegmentFolder(tmp_path / "nowhere").list() == ()


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"")

    with pytest.raises(StorageFailed):
        SegmentFolder(tmp_path / "r").list()


def test_what_is_too_much_goes_with_its_log(tmp_path: Path) -> None:
    for number in range(3):
        recorded(tmp_path / "r", started_at=at(60 * number), seconds=1)
    folder = SegmentFolder(tmp_path / "r")

    gone = folder.prune(Retention(segments=2), at(200))

    assert gone == ("20261121T191317.250Z",)
    assert len(list((tmp_path / "r").iterdir())) == 4


def test_a_forgotten_stretch_is_in_no_file_and_the_rest_is_kept(tmp_path: Path) -> None:
    before = written(tmp_path / "r", started_at=at(-60), seconds=5).close()
    assert before is not None
    closed = recorded(tmp_path / "r")
    old_bytes = closed.path.read_bytes()
    folder = SegmentFolder(tmp_path / "r")

    gone, made = folder.forget(at(4), at(7), CUTTER)

    assert list(gone) == [closed.id]
    assert [segment.id for segment in folder.list()] == [before.id, closed.id, "20261121T191324.750Z"]
    assert list(made) == list(folder.list())[1:]
    assert greys(made[0].path) == list(range(7))  # the eighth was begun half a second before
    assert greys(made[1].path) == list(range(15, 20))
    assert made[1].started_at == at(7.5)
    first, second = (read_input_log(part.path) for part in made)
    assert first is not None
    assert second is not None
    assert [event.kind for event in first.events] == ["window", "click"]
    assert [(event.kind, event.t_ms) for event in second.events] == [("click", 500)]
    everything = b"".join(path.read_bytes() for path in (tmp_path / "r").iterdir())
    assert b"forgotten" not in everything
    assert old_bytes[-200:] not in everything
    names = [path.name for path in (tmp_path / "r").iterdir()]
    assert len(names) == 6
    assert not [name for name in names if name.startswith(".")]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "r").iterdir())


@pytest.mark.parametrize(
    ("since", "until", "left"),
    [
        (-10, 100, []),
        (-1, 4.9, [[*range(10, 20)]]),
        (5.1, 99, [[*range(10)]]),
        (5.6, 99, [[*range(11)]]),
        (-9, -1, [[*range(20)]]),
    ],
)
def test_ends_are_exact_but_for_looks_that_may_reach_in_and_whole_segments_go_whole(
    tmp_path: Path, since: float, until: float, left: list[list[int]]
) -> None:
    recorded(tmp_path / "r")
    folder = SegmentFolder(tmp_path / "r")

    folder.forget(at(since), at(until), CUTTER)

    assert [greys(segment.path) for segment in folder.list()] == left
    assert len(list((tmp_path / "r").iterdir())) == 2 * len(left)


def test_a_film_that_cannot_be_cut_is_told_and_stays(tmp_path: Path) -> None:
    closed = recorded(tmp_path / "r")
    tiny = VideoCutter(max_bytes=10, max_seconds=1, max_pixels=1)

    with pytest.raises(Exception, match=r"bytes|larger|MB"):
        SegmentFolder(tmp_path / "r").forget(at(4), at(7), tiny)

    assert [path.name for path in sorted((tmp_path / "r").iterdir())] == [
        f"{closed.id}.input.jsonl",
        f"{closed.id}.mp4",
    ]


def test_the_lock_of_a_reader_is_not_taken_for_a_recorders(tmp_path: Path) -> None:
    writer = written(tmp_path / "r")
    film = writer.path.read_bytes()
    writer.close()
    writer.path.write_bytes(film)
    with writer.path.open("rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        assert SegmentFolder(tmp_path / "r").list()[0].complete
