"""Looks at a file that may be anything, without letting it near the daemon."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import ValidationError

from adapters.video.decoding.limits import Limits
from adapters.video.process.child import ChildProcess
from core.analysis import Video
from core.errors import Internal, InvalidVideo

if TYPE_CHECKING:
    from pathlib import Path

_MOST_SECONDS = 60.0


class VideoFile:
    """Implements ``core.ports.VideoInspector``: the file is opened and looked at in a process of its own.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        process: the process that looks.

    """

    def __init__(
        self, *, max_bytes: int, max_seconds: float, max_pixels: int, process: ChildProcess | None = None
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._process = process or ChildProcess()

    def inspect(self, path: Path) -> Video:
        """See the port; takes 0.2 s and what it takes to read the bytes once."""
        deadline = time.monotonic() + _MOST_SECONDS

        def heed() -> None:
            if time.monotonic() > deadline:
                raise InvalidVideo(f"The file could not be read within {_MOST_SECONDS:g} s. Copy it to a faster disk.")

        request = {"do": "look", "path": str(path), "limits": asdict(self._limits)}
        found = self._process.ask(request, heed=heed)
        try:
            return Video.model_validate(found)
        except ValidationError:
            raise Internal("The analysis process described the video in a way that makes no sense.") from None
