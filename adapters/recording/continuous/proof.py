"""Whether a film that is being written shows anything: its newest picture, decoded from the disk."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import av
import numpy as np
from av.error import FFmpegError

if TYPE_CHECKING:
    from pathlib import Path

_BLACK: Final = 40
"""Luma; 16 is black, and noise of the encoder comes near it."""


def newest_shown(film: Path) -> int | None:
    """When the newest picture that is not black was taken, in milliseconds; looks at the film's last pictures only."""
    found: int | None = None
    source: Any
    with suppress(FFmpegError, OSError), av.open(str(film)) as source:
        stream: Any = source.streams.video[0]
        stream.thread_count = 1
        # Beyond the end: the last picture that needs none before it.
        source.seek(1 << 40, stream=stream, backward=True)
        last: Any = None
        for frame in source.decode(stream):
            last = frame
            if found is None and _is_shown(frame):
                found = round(frame.time * 1000)
        if last is not None and _is_shown(last):
            found = round(last.time * 1000)
    return found


def _is_shown(frame: Any) -> bool:
    plane: Any = frame.planes[0]
    luma = np.frombuffer(plane, np.uint8)
    return bool((luma > _BLACK).any())
