"""Builds the reader of the recording, once there is a recording. Part of the composition root."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from server.composition.from_settings import recording_limits
from server.composition.memory import RECORDINGS, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from config.settings import Settings
    from core.memories.reading import MemoryReading
    from core.recall.ports import Memories
    from core.recording.recorder import ReadingStatus
    from core.recording.recordings import Segment, Segments
    from server.composition.memory_refining import RefinementWorker

MARKS: Final = "reading.json"
"""Below the data directory: which segments have been read."""
_THREADS: Final = 1
"""It uses one core at most, because no caller waits for it."""


def build_memory_reading(
    settings: Settings,
    memories: Memories,
    segments: Segments,
    *,
    most_waiting: int | None = None,
    when_read: Callable[[Segment], None] = lambda _: None,
) -> MemoryReading:
    """The reading of the recording; it is to be started, and stopped. ``most_waiting`` segments may wait to be read."""
    from adapters.video.local import LocalSegmentReader  # noqa: PLC0415 - not before there is a recording
    from core.memories.reading import MOST_WAITING, MemoryReading  # noqa: PLC0415 - same
    from core.memories.remembering import Remembering  # noqa: PLC0415 - same
    from storage.memories.ledgers import ReadingMarkFile  # noqa: PLC0415 - same
    from storage.recording_files import InputLogFiles  # noqa: PLC0415 - same

    return MemoryReading(
        reader=LocalSegmentReader(**recording_limits(settings), ocr_threads=_THREADS),
        remembering=Remembering(memories, InputLogFiles()),
        segments=segments,
        marks=ReadingMarkFile(settings.data_path / MARKS),
        when_read=when_read,
        most_waiting=MOST_WAITING if most_waiting is None else most_waiting,
    )


class RecordingReader:
    """Implements ``core.recording.recordings.SegmentViewer``; nothing is built or run while there is no recording.

    Args:
        settings: the user's.
        memory: where memories and segments are.
        refinement_worker: receives the segments that have been read, and those that are gone.

    """

    def __init__(self, settings: Settings, memory: Memory, refinement_worker: RefinementWorker | None = None) -> None:
        self._settings = settings
        self._memory = memory
        self._refinement_worker = refinement_worker
        self._lock = threading.Lock()
        self._reading: MemoryReading | None = None
        self._stopped = False

    def start(self) -> None:
        """Queue the segments that an earlier daemon has not read. Raises ``StorageFailed``."""
        if any((self._settings.data_path / RECORDINGS).glob("*.mp4")):
            reading = self._needed()
            if reading is not None:
                reading.start()

    def stop(self) -> None:
        """Cancel reading; it is repeated after the next start. No process is left."""
        with self._lock:
            self._stopped = True
            reading = self._reading
        if reading is not None:
            reading.stop()

    def status(self) -> ReadingStatus | None:
        """The status of reading, ``None`` before there was anything to read."""
        with self._lock:
            reading = self._reading
        return None if reading is None else reading.status()

    def opened(self, segment: Segment) -> None:
        """See the port."""
        if (reading := self._needed()) is not None:
            reading.opened(segment)

    def changed(self, segment_id: str) -> None:
        """See the port."""
        with self._lock:
            reading = self._reading
        if reading is not None:
            reading.changed(segment_id)

    def closed(self, segment: Segment) -> None:
        """See the port."""
        if (reading := self._needed()) is not None:
            reading.closed(segment)

    def removed(self, segment_ids: Sequence[str]) -> None:
        """See the port. The marks are updated on disk also while nothing is read."""
        if (reading := self._needed()) is not None:
            reading.removed(segment_ids)
        if self._refinement_worker is not None:
            self._refinement_worker.removed(segment_ids)

    def _read(self, segment: Segment) -> None:
        if self._refinement_worker is not None:
            self._refinement_worker.offer(segment)

    def _needed(self) -> MemoryReading | None:
        """The reader, built at the first call; ``None`` during shutdown."""
        with self._lock:
            if self._reading is None and not self._stopped:
                memory = self._memory
                self._reading = build_memory_reading(
                    self._settings, memory.memories, memory.segments, when_read=self._read
                )
            return None if self._stopped else self._reading
