"""Looks at, converts and cuts files that may be anything, without letting them near the daemon."""

from __future__ import annotations

import threading
import time
from base64 import b64decode
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from adapters.video.decoding.files import Limits
from adapters.video.known_files import KnownFiles, identity_of
from adapters.video.process.child import ChildProcess
from core.analysis import Video
from core.comparison.values import Pictures, ReadPlace
from core.errors import Internal, InvalidVideo
from core.looking import Still

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.video.known_files import Identity
    from adapters.video.process.child import KeptChild
    from core.looking import Shot


_MOST_SECONDS: Final = 60.0
_AT_ONCE: Final = 2
"""Processes that look at once; a further caller waits a moment."""


class VideoFile:
    """Implements ``core.ports.VideoInspector``: the file is opened and looked at in a process of its own.

    What was found is remembered as long as this process lives: an unchanged file is looked at once, though several
    callers ask about it, at the same time or when their job begins.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        process: the process that looks.
        kept: where one may wait that needs no start.

    """

    def __init__(
        self,
        *,
        max_bytes: int,
        max_seconds: float,
        max_pixels: int,
        process: ChildProcess | None = None,
        kept: KeptChild | None = None,
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._process = process or ChildProcess(kept=kept)
        self._guard = threading.Lock()
        self._looking: dict[Identity, threading.Lock] = {}
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._known: KnownFiles[Video] = KnownFiles()

    def inspect(self, path: Path) -> Video:
        """See the port; takes 0.2 s and what it takes to read the bytes once, and nothing for an unchanged file."""
        identity = identity_of(path)
        if identity is None:
            return self._look(path)
        with self._guard:
            one_at_a_time = self._looking.setdefault(identity, threading.Lock())
        with one_at_a_time:
            video = self._known.get(identity)
            if video is None:
                try:
                    video = self._look(path)
                finally:
                    with self._guard:
                        self._looking.pop(identity, None)
                if identity == identity_of(path):
                    self._known.keep(identity, video)
        return video

    def _look(self, path: Path) -> Video:
        request = {"do": "look", "path": str(path), "limits": asdict(self._limits)}
        with self._places:
            deadline = time.monotonic() + _MOST_SECONDS

            def raise_if_cancelled() -> None:
                if time.monotonic() > deadline:
                    late = f"The file could not be read within {_MOST_SECONDS:g} s. Copy it to a faster disk."
                    raise InvalidVideo(late)

            found = self._process.ask(request, raise_if_cancelled=raise_if_cancelled)
        try:
            return Video.model_validate(found)
        except ValidationError:
            raise Internal("The analysis process described the video in a way that makes no sense.") from None


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
        found = self._process.ask(request, raise_if_cancelled=tick)
        return Path(found["path"]), str(found["mime_type"])


class VideoStills:
    """Implements ``core.looking.Camera`` in a process of its own.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.
        process: the process that takes the pictures.

    """

    def __init__(
        self, *, max_bytes: int, max_seconds: float, max_pixels: int, process: ChildProcess | None = None
    ) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._process = process or ChildProcess(cpu_seconds=60)

    def take(self, video: Video, shots: Sequence[Shot], pixels: int, *, seeks: bool = False) -> tuple[Still, ...]:
        """See the port; where it ``seeks``, moments late in a video take no longer, and its own times are trusted."""
        request = {
            "do": "stills",
            "video": video.model_dump(mode="json"),
            "shots": [shot.model_dump(mode="json") for shot in shots],
            "pixels": pixels,
            "seeks": seeks,
            "limits": asdict(self._limits),
        }
        stop_at = time.monotonic() + _MOST_SECONDS

        def check() -> None:
            if time.monotonic() > stop_at:
                raise InvalidVideo("The moment lies too deep in a long video to be shown; cut the video first.")

        found = self._process.ask(request, raise_if_cancelled=check)
        return tuple(Still.model_validate({**each, "data": b64decode(each["data"])}) for each in found["stills"])


class VideoPairs:
    """Holds the screens of two videos side by side, in a process of its own.

    Args:
        max_bytes, max_seconds, max_pixels: the limits, as in ``Limits``.

    """

    def __init__(self, *, max_bytes: int, max_seconds: float, max_pixels: int) -> None:
        self._limits = Limits(max_bytes, max_seconds, max_pixels)
        self._process = ChildProcess(cpu_seconds=600)

    def compare(
        self, good: Video, bad: Video, places: tuple[Sequence[ReadPlace], Sequence[ReadPlace]] = ((), ())
    ) -> Pictures | None:
        """What their pixels tell; ``None`` where their sizes differ. Raises as ``ChildProcess``.

        ``places`` are those of the texts that were read in each.
        """
        if (good.width, good.height) != (bad.width, bad.height):
            return None
        request = {
            "do": "side_by_side",
            "videos": [each.model_dump(mode="json") for each in (good, bad)],
            "places": [[place.model_dump(mode="json") for place in each] for each in places],
            "limits": asdict(self._limits),
        }
        return Pictures.model_validate(self._process.ask(request, raise_if_cancelled=lambda: None))


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

    def cut(
        self, video: Path, clip: Path, start_ms: int, end_ms: int, raise_if_cancelled: Callable[[], None] = lambda: None
    ) -> int:
        """See the port."""
        request = {
            "do": "cut",
            "path": str(video.absolute()),
            "target": str(clip.absolute()),
            "start_ms": start_ms,
            "end_ms": end_ms,
            "limits": asdict(self._limits),
        }
        return int(self._process.ask(request, raise_if_cancelled=raise_if_cancelled)["duration_ms"])
