"""Lets a process of its own take pictures out of a film, and believes nothing of what it says but its form."""

from __future__ import annotations

import base64
import binascii
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from adapters.video.decoding.limits import Limits
from adapters.video.process.child import ChildProcess
from core.errors import Internal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

WORKER: Final = (sys.executable, "-P", "-m", "adapters.models.memory.showing")


class FilmPictures:
    """The pictures of a few moments of a film.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        longest: no side of a picture is longer, in pixels.
        process: how the process is started, and what it may use.

    """

    def __init__(
        self,
        *,
        max_bytes: int,
        max_seconds: float,
        max_pixels: int,
        longest: int = 1280,
        process: ChildProcess | None = None,
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._longest = longest
        self._process = process or ChildProcess(command=WORKER, threads=1, memory_bytes=2 << 30, cpu_seconds=600)

    def at(self, film: Path, times: Sequence[int], heed: Callable[[], None]) -> Mapping[int, bytes]:
        """What stood on the screen at each of the times (ms from the first picture), as JPEG.

        Raises as ``ChildProcess.ask``, and what ``heed`` raises.
        """
        if not times:
            return {}
        request = {
            "do": "show",
            "path": str(film.absolute()),
            "times": sorted(set(times)),
            "longest": self._longest,
            "limits": asdict(self._limits),
        }
        said = self._process.ask(request, heed=heed).get("pictures")
        try:
            pictures = {
                int(t_ms): base64.b64decode(data, validate=True) for t_ms, data in cast("dict[str, Any]", said).items()
            }
        except (AttributeError, TypeError, ValueError, binascii.Error):
            pictures = {}
        if set(pictures) != set(times):
            raise Internal("The process that takes pictures out of a film told what makes no sense.")
        return pictures
