"""The clips of what is remembered: just the stretch of a video in which something was done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.memory import Procedure
    from core.recall.ports import Memories
    from core.recording.segments import Segments


_BEFORE_MS: Final = 1500
_AFTER_MS: Final = 1000
"""What a task's success is told by stands still for a moment; later, something else may have been begun."""


class Lesson(NamedTuple):
    """Which stretch of a video was cut out to be learned from."""

    video: Path
    start_ms: int
    end_ms: int


class Cutter(Protocol):
    """Cuts a stretch out of a video."""

    def cut(self, video: Path, clip: Path, start_ms: int, end_ms: int, heed: Callable[[], None] = ...) -> int:
        """Write what is seen from ``start_ms`` to ``end_ms`` to a new file ``clip``, an mp4; blocks.

        ``heed`` is called at least five times a second; what it raises stops the work. Returns the clip's milliseconds.
        Raises ``InvalidPath``, ``InvalidVideo``, ``TooLarge``, ``StorageFailed``.
        """
        ...


class MemoryClips:
    """Finds the video of a memory, and cuts its clip.

    Args:
        memories: what is remembered.
        segments: the continuous recording.
        cutter: cuts.

    """

    def __init__(self, memories: Memories, segments: Segments, cutter: Cutter) -> None:
        self._memories, self._segments, self._cutter = memories, segments, cutter

    def video_of(self, procedure: Procedure) -> Path | None:
        """The file in which it can be seen, ``None`` when that is gone, or never was."""
        if procedure.source == "recorder":
            segment = self._segments.find(procedure.video)
            return segment.path if segment is not None else None
        if procedure.source == "video":
            path = Path(procedure.video)
            return path if path.is_file() else None
        return None

    def cut(self, procedure_id: str, clip: Path, heed: Callable[[], None] = lambda: None) -> Procedure:
        """Write the clip of a memory to a new file; returns the memory.

        Raises:
            NotFound: there is no such memory, or its video is gone.
            InvalidPath, InvalidVideo, TooLarge, StorageFailed: see ``Cutter``.

        """
        procedure, video = self.find_video(procedure_id)
        self._cutter.cut(video, clip, procedure.start_ms, procedure.end_ms, heed)
        return procedure

    def cut_lesson(self, procedure_id: str, clip: Path, heed: Callable[[], None] = lambda: None) -> Lesson:
        """The same with what was on the screen just before and after it, as far as the video goes: for learning."""
        procedure, video = self.find_video(procedure_id)
        segment = self._segments.find(procedure.video) if procedure.source == "recorder" else None
        last_ms = segment.duration_ms if segment is not None else procedure.end_ms
        start = max(0, procedure.start_ms - _BEFORE_MS)
        end = max(procedure.end_ms, min(procedure.end_ms + _AFTER_MS, last_ms))
        self._cutter.cut(video, clip, start, end, heed)
        return Lesson(video, start, end)

    def find_video(self, procedure_id: str) -> tuple[Procedure, Path]:
        """A memory and the file in which it can be seen. Raises ``NotFound`` when either is gone."""
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
