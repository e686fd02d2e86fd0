"""Cuts a stretch out of a video without letting the video near the daemon."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from adapters.video.decoding.limits import Limits
from adapters.video.process.child import ChildProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class VideoCutter:
    """Implements ``core.memories.clips.Cutter`` in a process of its own.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        process: the process that cuts.

    """

    def __init__(
        self, *, max_bytes: int, max_seconds: float, max_pixels: int, process: ChildProcess | None = None
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._process = process or ChildProcess(threads=1)

    def cut(self, video: Path, clip: Path, start_ms: int, end_ms: int, heed: Callable[[], None] = lambda: None) -> int:
        """See the port."""
        request = {
            "do": "cut",
            "path": str(video.absolute()),
            "target": str(clip.absolute()),
            "start_ms": start_ms,
            "end_ms": end_ms,
            "limits": asdict(self._limits),
        }
        return int(self._process.ask(request, heed=heed)["duration_ms"])
