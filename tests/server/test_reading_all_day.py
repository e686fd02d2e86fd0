"""Eight hours of a recording, read in minutes."""

import shutil
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean

import psutil
import pytest

from adapters.recording.continuous.segment_writer import segment_id
from config.settings import Settings
from core.recording.input_log import Clicked, Focused, InputLogHeader, line_of, log_beside
from server.composition.memory import RECORDINGS, Memory
from server.composition.memory_reading import MARKS, build_memory_reading
from storage.memories.ledgers import ReadingMarkFile
from tests.fakes.recordings.growing_films import HEIGHT, PAGE, WIDTH, write_film
from tests.processes import running

SEGMENTS = 96
SEGMENT_MS = 300_000
CHANGE_MS = 10_000
WORDS = ("Lemon", "Harbour", "Violin", "Glacier", "Paprika", "Lantern", "Meadow", "Cobalt", "Walnut", "Compass")
START = datetime(2026, 11, 21, 8, tzinfo=UTC)
BOUND_SECONDS = 1800.0
SLOPE_MB = 8.0


@pytest.mark.nightly
def test_eight_hours_are_read_without_a_gap_and_without_growing(settings: Settings, tmp_path: Path) -> None:
    folder = settings.data_path / RECORDINGS
    folder.mkdir(parents=True)
    films = [day_part(tmp_path, number) for number in range(4)]
    ids: list[str] = []
    for number in range(SEGMENTS):
        film = folder / f"{segment_id(START + timedelta(milliseconds=number * SEGMENT_MS))}.mp4"
        shutil.copy(films[number % len(films)], film)
        shutil.copy(log_beside(films[number % len(films)]), log_beside(film))
        ids.append(film.stem)
    memory = Memory(settings)
    reading = build_memory_reading(settings, memory.memories, memory.segments, most_waiting=SEGMENTS)
    marks = ReadingMarkFile(settings.data_path / MARKS)
    sizes: list[float] = []
    readers: list[float] = []
    reading.start()
    deadline = time.monotonic() + BOUND_SECONDS
    while (status := reading.status()).reading or status.waiting:
        assert time.monotonic() < deadline
        sizes.append(psutil.Process().memory_info().rss / 1e6)
        readers += [size_of(pid) for pid in running("adapters.video.process.")]
        threading.Event().wait(0.25)
    reading.stop()
    assert status.left_out == status.failed == 0
    assert status.read_until == START + timedelta(milliseconds=SEGMENTS * SEGMENT_MS - 500)
    assert all(marks.is_read(one) for one in ids)
    remembered = {one.video for one in memory.memories.newest(100_000)}
    memory.close()
    assert remembered == set(ids)
    quarter = len(sizes) // 4
    assert mean(sizes[-quarter:]) - mean(sizes[:quarter]) < SLOPE_MB
    quarter = len(readers) // 4
    assert max(readers[-quarter:]) - max(readers[:quarter]) < SLOPE_MB


def day_part(folder: Path, number: int) -> Path:
    """Five minutes in which something is clicked, and something comes, every ten seconds."""
    times = range(CHANGE_MS, SEGMENT_MS, CHANGE_MS)
    shown = [(t_ms, (f"{WORDS[t_ms // CHANGE_MS * 7 % len(WORDS)]} was moved to shelf {number}",)) for t_ms in times]
    segment = write_film(folder / f"{number}.mp4", (0, ()), *shown, until_ms=SEGMENT_MS)
    place = (64, 40 + 44 * PAGE.index("Notifications") + 10)
    events = [Clicked(t_ms=t_ms - 300, x=place[0], y=place[1]) for t_ms in times]
    header = InputLogHeader(width=WIDTH, height=HEIGHT, started_at=START)
    focused = Focused(t_ms=0, application="Firefox", title="Account settings")
    log_beside(segment.path).write_bytes(b"".join(line_of(one) for one in (header, focused, *events)))
    return segment.path


def size_of(pid: int) -> float:
    try:
        return psutil.Process(pid).memory_info().rss / 1e6
    except psutil.NoSuchProcess:
        return 0.0
