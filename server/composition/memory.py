"""Builds the memories, the recall and its search by meaning, each at its first use, and imports earlier analyses.

Part of the composition root.
"""

from __future__ import annotations

import functools
import logging
import secrets
import threading
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from core.errors import Internal
from core.files import make_private
from core.values import Value
from server.client.address import address
from server.composition.from_settings import recording_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from adapters.keys import Keys
    from config.settings import Settings
    from core.memories.clips import MemoryClips
    from core.memories.remote_library import RemoteRanking, RemoteRecall
    from core.memory import Procedure, RecallAnswer, RecallRequest
    from core.recall.meaning import Meaning, VectorMemories
    from core.recall.ports import Words
    from core.recall.recall import Recall
    from core.recording.recordings import Segments
    from storage.memories.memories import SqlMemories


FILE: Final = "memory.db"
RECORDINGS: Final = "recordings"
CLIPS: Final = "clips"
"""Below the data directory: clips that are being downloaded."""


class Memory:
    """The memories, for front ends. Safe to share between threads.

    Nothing of it is imported before its first use.

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
        """The remote search, where that is switched on; set before the first question."""
        self.meaning: Callable[[VectorMemories], Meaning | None] = lambda _: None
        """Builds the search by meaning, where that is switched on; set before the first question."""
        self._meaning: Meaning | None = None

    @property
    def memories(self) -> SqlMemories:
        """The stored procedures."""
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
        """Finds and cuts the film of a memory."""
        with self._lock:
            if self._clips is None:
                from adapters.video.video_files import VideoCutter  # noqa: PLC0415 - as the class says
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
        """Stop asking the embedding model; the local word vectors stay in use."""
        self.meaning = lambda _: None
        with self._lock:
            meaning, self._meaning, self._recall = self._meaning, None, None
        if meaning is not None:
            meaning.stop()

    @contextmanager
    def clip(self, procedure_id: str) -> Generator[Path]:
        """The clip of a memory, deleted on exit of the context. Raises as ``MemoryClips.cut`` does."""
        path = self.new_clip()
        try:
            self.clips.cut(procedure_id, path)
            yield path
        finally:
            path.unlink(missing_ok=True)

    def new_clip(self) -> Path:
        """A unique file name for a clip. Raises ``StorageFailed``."""
        return make_private(self._folder) / f"{secrets.token_hex(8)}.mp4"

    def sweep(self) -> None:
        """Remove the clips that a killed daemon left behind."""
        for path in self._folder.glob("*.mp4"):
            path.unlink(missing_ok=True)

    def prune(self) -> int:
        """Remove the memories older than the setting allows; returns their number. Raises ``StorageFailed``."""
        days = self._settings.memory_keep_days
        if not days or not (self._settings.data_path / FILE).exists():
            return 0
        return self.memories.prune(datetime.now(UTC) - timedelta(days=days))

    def close(self) -> None:
        """Close the file."""
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
        from server.times import machine_zone  # noqa: PLC0415 - same

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
        from core.memories.remote_library import RemoteRecall  # noqa: PLC0415 - only when it is switched on

        return RemoteRecall(recall, self.ranking, self.memories)


OFF: Final = "none"
_LOG: Final = logging.getLogger("vaider.memory")


@functools.cache
def build_words() -> Words | None:
    """The local word vectors; ``None`` when they cannot be read, and words are then compared as written."""
    from adapters.embeddings import StaticWords  # noqa: PLC0415 - at the first question, with numpy

    try:
        return StaticWords()
    except Internal as error:
        _LOG.warning("%s", error.message)
        return None


def build_meaning(settings: Settings, keys: Keys, memories: VectorMemories) -> Meaning | None:
    """The search by meaning; ``None`` while ``embeddings_provider`` is ``none``, and then nothing leaves."""
    dialect = settings.embeddings_provider
    if dialect == OFF:
        return None
    from adapters.embeddings import RemoteEmbeddings  # noqa: PLC0415 - only when it is switched on
    from adapters.keys import GEMINI, OPENAI, VISION, missing_key  # noqa: PLC0415 - same
    from core.recall.meaning import Meaning  # noqa: PLC0415 - same
    from storage.memories.ledgers import SentFile  # noqa: PLC0415 - same

    address = settings.embeddings_base_url
    if dialect == GEMINI:
        name: str | None = GEMINI
        address = settings.gemini_base_url
    elif not address:
        name = OPENAI
    else:
        # A custom server gets only the key that belongs to it.
        name = VISION if address == settings.vision_base_url else None
    embeddings = RemoteEmbeddings(
        dialect,
        address=address,
        model=settings.embeddings_model,
        key=lambda: None if name is None else keys.get(name),
        missing=missing_key(OPENAI if dialect == OPENAI else GEMINI),
    )
    return Meaning(memories, embeddings, SentFile(settings.data_path))


class Imported(Value):
    """The result of an import."""

    videos: int
    """Of which something is remembered now."""
    memories: int
    skipped: tuple[str, ...]
    """Folders without an answer that can be read, or in which nothing was done."""


def import_interactions(settings: Settings, roots: Sequence[Path]) -> Imported:
    """Store the newest answer of each interaction folder as memories; idempotent.

    Raises ``InvalidPath`` for a root that is no folder, ``StorageFailed``.
    """
    from core.memories.remembering import began_at, remember_analysis  # noqa: PLC0415 - only here
    from storage.interactions import kept_answers  # noqa: PLC0415 - same

    videos = memories = 0
    skipped: list[str] = []
    with closing(Memory(settings)) as memory:
        for root in roots:
            for folder, analysis in kept_answers(root.absolute()):
                kept = (
                    remember_analysis(analysis, memory.memories, started_at=began_at(analysis))
                    if analysis is not None
                    else ()
                )
                videos, memories = videos + bool(kept), memories + len(kept)
                skipped += [] if kept else [str(folder)]
    return Imported(videos=videos, memories=memories, skipped=tuple(skipped))
