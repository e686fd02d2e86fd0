"""Clips of memories: the stretch of a video in which a procedure was done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.memory import Procedure
    from core.recall.ports import Memories
    from core.recording.recordings import Segments


_BEFORE_MS: Final = 1500
_AFTER_MS: Final = 1000
"""Milliseconds after a procedure: its success stays visible for a moment; later, other work may have begun."""


class Lesson(NamedTuple):
    """The stretch of a video that was cut out for learning."""

    video: Path
    start_ms: int
    end_ms: int


class Cutter(Protocol):
    """Cuts a stretch out of a video."""

    def cut(
        self, video: Path, clip: Path, start_ms: int, end_ms: int, raise_if_cancelled: Callable[[], None] = ...
    ) -> int:
        """Write what is seen from ``start_ms`` to ``end_ms`` to a new file ``clip``, an mp4; blocks.

        ``raise_if_cancelled`` is called at least five times a second; what it raises stops the work. Returns the
        clip's milliseconds.
        Raises ``InvalidPath``, ``InvalidVideo``, ``TooLarge``, ``StorageFailed``.
        """
        ...


class MemoryClips:
    """Finds the video of a memory, and cuts its clip.

    Args:
        memories: the stored procedures.
        segments: the continuous recording.
        cutter: cuts a stretch out of a video.

    """

    def __init__(self, memories: Memories, segments: Segments, cutter: Cutter) -> None:
        self._memories, self._segments, self._cutter = memories, segments, cutter

    def video_of(self, procedure: Procedure) -> Path | None:
        """The film of a memory, ``None`` when it is gone or never existed."""
        if procedure.source == "recorder":
            segment = self._segments.find(procedure.video)
            return segment.path if segment is not None else None
        if procedure.source == "video":
            path = Path(procedure.video)
            return path if path.is_file() else None
        return None

    def cut(self, procedure_id: str, clip: Path, raise_if_cancelled: Callable[[], None] = lambda: None) -> Procedure:
        """Write the clip of a memory to a new file; returns the memory.

        Raises:
            NotFound: there is no such memory, or its video is gone.
            InvalidPath, InvalidVideo, TooLarge, StorageFailed: see ``Cutter``.

        """
        procedure, video = self.find_video(procedure_id)
        self._cutter.cut(video, clip, procedure.start_ms, procedure.end_ms, raise_if_cancelled)
        return procedure

    def cut_lesson(
        self, procedure_id: str, clip: Path, raise_if_cancelled: Callable[[], None] = lambda: None
    ) -> Lesson:
        """The same for learning: with 1.5 s before and 1 s after it, as far as the video goes."""
        procedure, video = self.find_video(procedure_id)
        segment = self._segments.find(procedure.video) if procedure.source == "recorder" else None
        last_ms = segment.duration_ms if segment is not None else procedure.end_ms
        start = max(0, procedure.start_ms - _BEFORE_MS)
        end = max(procedure.end_ms, min(procedure.end_ms + _AFTER_MS, last_ms))
        self._cutter.cut(video, clip, start, end, raise_if_cancelled)
        return Lesson(video, start, end)

    def find_video(self, procedure_id: str) -> tuple[Procedure, Path]:
        """A memory and its film. Raises ``NotFound`` when either is gone."""
        procedure = self.find(procedure_id)
        video = self.video_of(procedure)
        if video is None:
            raise NotFound(
                f"The video of memory {procedure_id} is gone: recordings give way to newer ones (see the settings "
                "record_keep_…). Its steps are still told."
            )
        return procedure, video

    def find(self, procedure_id: str) -> Procedure:
        """The memory of that id. Raises ``NotFound``."""
        procedure = self._memories.get(procedure_id)
        if procedure is None:
            raise NotFound(f"There is no memory {procedure_id[:80]!r}. GET /memory/procedures lists them.")
        return procedure
