"""The reading of the recording among parts that are real but for the reader, with a clock that a test puts forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.analysis import Findings
from core.errors import StorageFailed
from core.memories.reading import MemoryReading
from core.memories.remembering import Remembering
from core.memory import Procedure
from core.recording.input_log import log_beside
from core.recording.recordings import Segment
from storage.memories.ledgers import ReadingMarkFile
from storage.memories.memories import SqlMemories
from storage.recording_files import InputLogFiles
from tests.fakes.recordings.segment_readers import ShownReader
from tests.fakes.videos.clips import findings, line, typed

START = datetime(2026, 11, 21, 19, 0, tzinfo=UTC)


class Clock:
    """Seconds that go by when they are told to, and a little at every look: nothing waits for them in vain."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


class FullMemories(SqlMemories):
    """On a disk that is full for a while."""

    is_full = True
    written = 0

    def replace(self, video: str, procedures: Sequence[Procedure]) -> None:
        if self.is_full:
            raise StorageFailed("The disk is full.")
        self.written += 1
        super().replace(video, procedures)


class Desk:
    """The parts around the reading, all real but for the reader."""

    def __init__(
        self, folder: Path, segments: Sequence[Segment] = (), *, memories: SqlMemories | None = None, **options: Any
    ) -> None:
        self.folder = folder
        self.reader = ShownReader()
        self.clock = Clock()
        self.there = list(segments)
        self.memories = memories or SqlMemories(folder / "memory.db")
        self.memories.open()
        self.marks = ReadingMarkFile(folder / "reading.json")
        self.remembering = Remembering(self.memories, InputLogFiles(), clock=self.clock)
        self.reading = MemoryReading(
            reader=self.reader,
            remembering=self.remembering,
            segments=self,
            marks=self.marks,
            clock=self.clock,
            again_seconds=0.05,
            **options,
        )

    def list(self) -> Sequence[Segment]:
        return self.there

    def find(self, segment_id: str) -> Segment | None:
        return next((one for one in self.there if one.id == segment_id), None)

    def segment(self, number: int, *, complete: bool = False, log: bool = False) -> Segment:
        began = START + timedelta(minutes=5 * number)
        segment_id = began.strftime("%Y%m%dT%H%M%S.000Z")
        path = self.folder / f"{segment_id}.mp4"
        return Segment(
            id=segment_id,
            started_at=began,
            path=path,
            log=log_beside(path) if log else None,
            duration_ms=300_000 if complete else 500,
            width=1280,
            height=720,
            size_bytes=1000,
            complete=complete,
        )

    def live(self, number: int, *, log: bool = False) -> Segment:
        """One in which something happens."""
        segment = self.segment(number, log=log)
        self.reading.opened(segment)
        self.reading.changed(segment.id)
        return segment

    def close(self, segment: Segment) -> None:
        self.reading.closed(segment.model_copy(update={"complete": True}))

    def remembered(self) -> list[Procedure]:
        return list(self.memories.newest(100))

    def summaries(self) -> list[str]:
        return [one.summary for one in self.remembered()]

    def wait(self, is_so: Callable[[], bool]) -> None:
        self.reader.wait(is_so)

    def wait_for(self, *summaries: str) -> None:
        self.wait(lambda: set(summaries) <= set(self.summaries()))

    def again(self) -> Desk:
        """After the daemon was killed: what is on the disk, and nothing else."""
        self.reading.stop()
        self.memories.close()
        return Desk(self.folder, self.there)


def saw(*names: str) -> Findings:
    """Names were typed, ten seconds apart."""
    events = [typed(name, 10_000 * (number + 1), 10_000 * (number + 1) + 800) for number, name in enumerate(names)]
    lines = [line(name, event.t_ms, row=number) for number, (name, event) in enumerate(zip(names, events, strict=True))]
    return findings(line("Shop"), *lines, timeline=tuple(events))


def pass_time(desk: Desk, is_so: Callable[[], bool]) -> None:
    """Let the clock go on until it is."""

    def later() -> bool:
        desk.clock.now += 0.5
        return is_so()

    desk.wait(later)


def search_results(segment: Segment, until_ms: int) -> dict[str, Any]:
    return {
        "video": segment.id,
        "source": "recorder",
        "started_at": segment.started_at,
        "duration_ms": until_ms,
        "complete": True,
        "size": (segment.width, segment.height),
    }
