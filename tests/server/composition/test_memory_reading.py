import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from adapters.recording.continuous.segment_writer import SegmentWriter
from config.settings import Settings
from core.memory import RecallRequest
from core.recording.input_log import Clicked, Focused
from core.recording.recordings import Segment
from server.composition.memory import RECORDINGS, Memory
from server.composition.memory_reading import RecordingReader
from server.composition.recorder import Recorder
from tests.clock import until, within
from tests.fakes.recordings.growing_films import HEIGHT, PAGE, WIDTH, screen

MOST_SECONDS = 5.0
BOUND_SECONDS = 30.0
KEYS = (64, 40 + 44 * PAGE.index("Keys and tokens") + 10)
"""Where "Keys and tokens" stands."""


class Desktop:
    """A person at a screen that is recorded: clicks, and after each click what it brought."""

    def __init__(self, folder: Path, reader: RecordingReader) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._reader = reader
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self.writer = SegmentWriter(folder, datetime.now(UTC), (WIDTH, HEIGHT), 2.0, logs=True)
        self.writer.log(Focused(t_ms=0, application="Firefox", title="Account settings"))
        self._lines: tuple[str, ...] = ()
        self._ended, self._opened = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._record, name="recorder")

    def begin(self) -> None:
        self._thread.start()
        assert self._opened.wait(BOUND_SECONDS)

    def click(self, *brings: str) -> None:
        """Click on "Keys and tokens", which brings some lines."""
        with self._lock:
            self.writer.log(Clicked(t_ms=self._now_ms(), x=KEYS[0], y=KEYS[1]))
            self._lines = brings
        self._reader.changed(self.writer.id)

    def end(self) -> Segment:
        self._ended.set()
        self._thread.join()
        whole = self.writer.close()
        assert whole is not None
        return whole

    def _now_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)

    def _record(self) -> None:
        shown: tuple[str, ...] | None = None
        looks = 0
        while not self._ended.wait(max(0.0, self._began + looks / 2 - time.monotonic())):
            with self._lock:
                lines, now_ms = self._lines, self._now_ms()
                if lines == shown:
                    self.writer.stay(now_ms)
                else:
                    self.writer.add(screen(*lines), now_ms)
            if lines != shown and shown is not None:
                self._reader.changed(self.writer.id)
            shown, looks = lines, looks + 1
            if looks == 2:
                self._reader.opened(self.writer.as_segment())
                self._opened.set()


@pytest.fixture
def memory(settings: Settings) -> Iterator[Memory]:
    memory = Memory(settings)
    yield memory
    memory.close()


@pytest.fixture
def reader(settings: Settings, memory: Memory) -> Iterator[RecordingReader]:
    before = set(psutil.Process().children())
    reader = RecordingReader(settings, memory)
    yield reader
    reader.stop()
    assert set(psutil.Process().children()) <= before


def recalled(memory: Memory, words: str) -> list[str]:
    return [step for one in memory.recall(RecallRequest(query=words)).results for step in one.steps]


def wait_until(is_so: Callable[[], bool]) -> float:
    """How many seconds it took."""
    began = time.monotonic()
    until(is_so, BOUND_SECONDS)
    return time.monotonic() - began


def wait_for(memory: Memory, words: str) -> float:
    """Until it is recalled."""
    return wait_until(lambda: bool(recalled(memory, words)))


def test_what_is_done_is_recalled_within_five_seconds(
    settings: Settings, memory: Memory, reader: RecordingReader
) -> None:
    desktop = Desktop(settings.data_path / RECORDINGS, reader)
    desktop.begin()
    desktop.click("New SSH key", "Title of the key")
    took = wait_for(memory, "keys and tokens")
    status = reader.status()
    assert status is not None
    assert status.reading == (desktop.writer.id,)
    assert Recorder(settings, viewer=reader, reading=reader.status).status().reading == reader.status()
    whole = desktop.end()
    reader.closed(whole)
    within(MOST_SECONDS, took)
    assert any("Keys and tokens" in step for step in recalled(memory, "keys and tokens"))


@pytest.mark.nightly
def test_what_a_killed_daemon_has_not_read_is_read_by_the_next_one(
    settings: Settings, memory: Memory, reader: RecordingReader
) -> None:
    before = RecordingReader(settings, memory)
    desktop = Desktop(settings.data_path / RECORDINGS, before)
    desktop.begin()
    desktop.click("New SSH key", "Title of the key")
    wait_until(lambda: desktop.writer.end_ms > 2500)
    before.stop()
    desktop.end()
    memory.memories.replace(desktop.writer.id, [])
    assert recalled(memory, "keys and tokens") == []
    reader.start()
    wait_for(memory, "keys and tokens")
