"""Turns a video into one that a provider takes, without letting it near the daemon."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.video.decoding.limits import Limits
from adapters.video.process.child import ChildProcess

if TYPE_CHECKING:
    from collections.abc import Callable


class VideoConverter:
    """Called as ``adapters.models.gemini`` wants it: a process of its own copies or encodes the pictures.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        process: the process that converts.
        playable: whether browsers shall play what comes out; they know fewer codecs than models.

    """

    def __init__(
        self,
        *,
        max_bytes: int,
        max_seconds: float,
        max_pixels: int,
        process: ChildProcess | None = None,
        playable: bool = False,
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._playable = playable
        self._process = process or ChildProcess()

    def __call__(self, path: Path, folder: Path, tick: Callable[[], None]) -> tuple[Path, str]:
        """Write the new file below ``folder``; returns its path and its MIME type.

        ``tick`` is called at least five times a second; what it raises stops the work. Raises as ``ChildProcess``.
        """
        request = {
            "do": "convert",
            "path": str(path.absolute()),
            "folder": str(folder.absolute()),
            "limits": asdict(self._limits),
            "playable": self._playable,
        }
        found = self._process.ask(request, heed=tick)
        return Path(found["path"]), str(found["mime_type"])
