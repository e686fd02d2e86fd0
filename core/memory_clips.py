"""The clips of what is remembered: just the stretch of a video in which something was done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.memory import Procedure
    from core.memory_ports import Memories
    from core.segments import Segments


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
        procedure = self.find(procedure_id)
        video = self.video_of(procedure)
        if video is None:
            raise NotFound(
                f"The video of memory {procedure_id} is gone: recordings give way to newer ones (see the settings "
                "record_keep_…). Its steps are still told."
            )
        self._cutter.cut(video, clip, procedure.start_ms, procedure.end_ms, heed)
        return procedure

    def find(self, procedure_id: str) -> Procedure:
        """The memory of that id. Raises ``NotFound``."""
        procedure = self._memories.get(procedure_id)
        if procedure is None:
            raise NotFound(f"There is no memory {procedure_id[:80]!r}. GET /memory lists them.")
        return procedure
