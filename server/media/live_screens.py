"""The displays of runs as pictures for browsers: encoded once for all viewers, and only after a change."""

from __future__ import annotations

import hashlib
import io
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from core.errors import NotFound

if TYPE_CHECKING:
    from PIL.Image import Image

    from core.runs.live import LiveRuns
    from core.screens import Picture

_QUALITY: Final = 82
_KEPT: Final = 4


class Shot(NamedTuple):
    """A JPEG file, and what it is known by."""

    jpeg: bytes
    etag: str


class _Kept(NamedTuple):
    picture: Picture
    shot: Shot


class LiveScreens:
    """Looks at the displays of the runs that go on; safe from any thread.

    Args:
        live: the runs.

    """

    def __init__(self, live: LiveRuns) -> None:
        self._live = live
        self._kept: dict[tuple[str, int | None], _Kept] = {}
        self._lock = threading.Lock()

    def look(self, job_id: str, width: int | None) -> Shot:
        """How a run's display looks now, no wider than ``width`` pixels. Raises ``NotFound`` when it has none."""
        key = (job_id, width)
        # Encoded one at a time, so that viewers at the same moment share one picture.
        with self._lock:
            picture = self._live.picture(job_id)
            kept = self._kept.pop(key, None)
            if kept is None or not _is_same(kept.picture, picture):
                kept = _Kept(picture, _shot(jpeg(_image(picture), width)))
            self._kept[key] = kept
            while len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
            return kept.shot


def shrunk(png: bytes, width: int | None) -> Shot:
    """A screenshot of a run as a JPEG file, no wider than ``width`` pixels. Raises ``NotFound`` if it is no picture."""
    from PIL import Image  # noqa: PLC0415 - the daemon starts without it

    try:
        return _shot(jpeg(Image.open(io.BytesIO(png), formats=("PNG",)).convert("RGB"), width))
    except (OSError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise NotFound("The screenshot cannot be read.") from None


def jpeg(image: Image, width: int | None) -> bytes:
    """The picture as a JPEG file, no wider than ``width`` pixels."""
    from PIL import Image as Images  # noqa: PLC0415 - the daemon starts without it

    if width is not None and image.width > width:
        height = max(1, round(image.height * width / image.width))
        image = image.resize((width, height), Images.Resampling.BILINEAR, reducing_gap=2.0)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _image(picture: Picture) -> Image:
    from PIL import Image  # noqa: PLC0415 - the daemon starts without it

    return Image.frombuffer("RGB", (picture.width, picture.height), picture.bgra, "raw", "BGRX", 0, 1)


def _is_same(one: Picture, other: Picture) -> bool:
    return one is other or (one.width == other.width and one.bgra == other.bgra)


def _shot(data: bytes) -> Shot:
    return Shot(data, f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"')
