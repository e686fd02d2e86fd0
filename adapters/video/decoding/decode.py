"""From a file to frames: whatever container and pixel format, upright, with honest times."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from adapters.video.decoding.container import DecodedPictures, claimed_film_ms, film_clock, open_video, video_stream
from adapters.video.decoding.files import open_file
from adapters.video.decoding.picture import upright_frame
from core.errors import InvalidVideo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from adapters.video.decoding.limits import Limits
    from adapters.video.frame import Frame
    from core.analysis import Video

_FEW_FPS = 10
"""Below, threads cost more than they bring (measured: 960 x real time without, 750 with, at 2 fps in 720p)."""
_STALE, _STALE_MS = 1.05, 1000
"""How much longer than the film its header may call it before that is worth a word."""


def decode(path: Path, video: Video, *, limits: Limits, warn: Callable[[str], None]) -> Iterator[Frame]:
    """Decode every frame in the order of presentation, all of them ``video.width`` x ``video.height``.

    What is damaged is left out, and told to ``warn`` at the end.

    Raises:
        InvalidPath, InvalidVideo: the file is gone, or nothing can be decoded.
        TooLarge: the frames outgrow a limit, whatever the container claims.

    """
    with open_file(path, limits) as file, closing(open_video(file, limits)) as container:
        stream = video_stream(container, limits)
        clock = film_clock(container, stream, limits)
        pictures = DecodedPictures(container, stream, limits, threaded=video.fps is None or video.fps >= _FEW_FPS)
        size = (video.width, video.height)
        count, t_ms = 0, 0.0
        for count, picture in enumerate(pictures, 1):
            t_ms = clock.at(picture.pts)
            limits.check_time(t_ms, count)
            yield upright_frame(picture, round(t_ms), size)
        if not count:
            raise InvalidVideo("No frame of the video can be decoded. Check that it plays, or record it again.")
        if pictures.damaged:
            warn(f"The video is damaged: what could not be decoded was left out ({pictures.damaged} times).")
        claimed_ms = claimed_film_ms(container, stream)
        if claimed_ms is not None and claimed_ms > video.duration_ms * _STALE + _STALE_MS:
            warn(f"The video is cut off: it ends after {t_ms / 1000:.1f} s, its header says {claimed_ms / 1000:.1f} s.")
        if clock.repaired:
            warn(f"{clock.repaired} timestamps of the video are broken; the times around them are estimates.")
