"""Builds what remembers and recalls, each part when it is first needed. Part of the composition root."""

from __future__ import annotations

import secrets
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from server.client.address import address
from server.media.video_limits import recording_limits
from storage.files import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from config.settings import Settings
    from core.memories.clips import MemoryClips
    from core.memories.remote_library import RemoteRanking
    from core.memories.remote_recall import RemoteRecall
    from core.memory import Procedure, RecallAnswer, RecallRequest
    from core.recall.meaning import Meaning, VectorMemories
    from core.recall.recall import Recall
    from core.recording.segments import Segments
    from storage.memories.memories import SqlMemories

FILE: Final = "memory.db"
RECORDINGS: Final = "recordings"
CLIPS: Final = "clips"
"""Below the data directory: clips while somebody takes them."""


class Memory:
    """What front ends need of the memories. Safe to share between threads.

    A daemon whose memory nobody asks for imports nothing of it.

    Args:
        settings: the user's.

    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.data_path / CLIPS
        self._lock = threading.RLock()
        self._memories: SqlMemories | None = None
        self._segments: Segments | None = None
        self._clips: MemoryClips | None = None
        self._recall: Recall | RemoteRecall | None = None
        self.ranking: RemoteRanking | None = None
        """Who helps to recall, where that is switched on; set before the first question."""
        self.meaning: Callable[[VectorMemories], Meaning | None] = lambda _: None
        """Builds what looks for memories by their meaning, where that is switched on; set before the first question."""
        self._meaning: Meaning | None = None

    @property
    def memories(self) -> SqlMemories:
        """What is remembered."""
        with self._lock:
            if self._memories is None:
                from storage.memories.memories import SqlMemories  # noqa: PLC0415 - as the class says

                self._memories = SqlMemories(self._settings.data_path / FILE)
            return self._memories

    @property
    def segments(self) -> Segments:
        """The continuous recording."""
        with self._lock:
            if self._segments is None:
                from storage.segments import SegmentFolder  # noqa: PLC0415 - as the class says

                self._segments = SegmentFolder(self._settings.data_path / RECORDINGS)
            return self._segments

    @property
    def clips(self) -> MemoryClips:
        """Finds and cuts what can be seen of a memory."""
        with self._lock:
            if self._clips is None:
                from adapters.video.cutting import VideoCutter  # noqa: PLC0415 - as the class says
                from core.memories.clips import MemoryClips  # noqa: PLC0415 - same

                cutter = VideoCutter(**recording_limits(self._settings))
                self._clips = MemoryClips(self.memories, self.segments, cutter)
            return self._clips

    def recall(self, request: RecallRequest) -> RecallAnswer:
        """Answer how something was done; blocks. Raises ``StorageFailed``."""
        with self._lock:
            if self._recall is None:
                self._recall = self._built_recall()
        return self._recall.recall(request)

    def switch_meaning_off(self) -> None:
        """Ask no model any more what is near in meaning; what words mean is known here."""
        self.meaning = lambda _: None
        with self._lock:
            meaning, self._meaning, self._recall = self._meaning, None, None
        if meaning is not None:
            meaning.stop()

    @contextmanager
    def clip(self, procedure_id: str) -> Generator[Path]:
        """The clip of a memory, which is gone when this is left. Raises as ``MemoryClips.cut`` does."""
        path = self.new_clip()
        try:
            self.clips.cut(procedure_id, path)
            yield path
        finally:
            path.unlink(missing_ok=True)

    def new_clip(self) -> Path:
        """A name that no other clip has. Raises ``StorageFailed``."""
        return make_private(self._folder) / f"{secrets.token_hex(8)}.mp4"

    def sweep(self) -> None:
        """Remove the clips that were left by a daemon that was killed."""
        for path in self._folder.glob("*.mp4"):
            path.unlink(missing_ok=True)

    def prune(self) -> int:
        """Remove what is older than the setting says; tells how many. Raises ``StorageFailed``."""
        days = self._settings.memory_keep_days
        if not days or not (self._settings.data_path / FILE).exists():
            return 0
        return self.memories.prune(datetime.now(UTC) - timedelta(days=days))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            memories, self._memories, self._clips, self._recall = self._memories, None, None, None
            meaning, self._meaning = self._meaning, None
        if meaning is not None:
            meaning.stop()
        if memories is not None:
            memories.close()

    def _built_recall(self) -> Recall | RemoteRecall:
        from zoneinfo import ZoneInfo  # noqa: PLC0415 - as the class says

        from core.recall.recall import Recall  # noqa: PLC0415 - same
        from server.parts.memory_meaning import build_words  # noqa: PLC0415 - same
        from server.zone import machine_zone  # noqa: PLC0415 - same

        base, clips = address(self._settings).url, self.clips

        def video_url(procedure: Procedure) -> str | None:
            return f"{base}/memory/{procedure.id}/clip.mp4" if clips.video_of(procedure) is not None else None

        self._meaning = self.meaning(self.memories)
        recall = Recall(
            self.memories,
            now=lambda: datetime.now(UTC),
            zone=lambda: ZoneInfo(machine_zone() or "UTC"),
            video_url=video_url,
            meaning=self._meaning,
            words=build_words(),
        )
        if self.ranking is None:
            return recall
        from core.memories.remote_recall import RemoteRecall  # noqa: PLC0415 - only when it is switched on

        return RemoteRecall(recall, self.ranking, self.memories)
