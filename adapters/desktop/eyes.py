"""Eyes for a desktop: read the text of its screen, fast where little has changed; and its pictures as files."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Protocol

import cv2
import numpy as np

from adapters.desktop.eyesight.likeness import differences, pixels_of, unlike
from adapters.desktop.eyesight.strokes import StrokeReader, reach
from adapters.desktop.warm_eyes import give_back
from adapters.video.frame import Box as Corners
from adapters.video.frame import window
from adapters.video.ocr.memory import Memory
from adapters.video.ocr.reader import Reader, TextReader
from core.screens import Box, Picture, TextLine, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_THREADS: Final = 2
_SCREENS: Final = 64
"""Screens of which all lines are remembered; a few hundred lines each."""


class ScreenReader(Reader, Protocol):
    """The networks, which may be shared between threads."""

    def close(self) -> None:
        """Free them."""
        ...


class ScreenEyes:
    """Reads with the networks of PP-OCR; see ``core.runs.ports.Eyes``.

    What is read depends on the picture alone, whatever was looked at before: what was worked out for parts of earlier
    pictures is used again only where every pixel of the part is the same. The networks are loaded at first use (0.1 s,
    150 MB).

    Args:
        threads: how many cores reading may use.
        reader: other networks than PP-OCR's.

    """

    def __init__(self, *, threads: int = _THREADS, reader: ScreenReader | None = None) -> None:
        self._reader: ScreenReader = reader or TextReader(threads=threads)
        self._workers = ThreadPoolExecutor(threads, thread_name_prefix="eyes")
        self._strokes = StrokeReader(self._reader, self._workers)
        self._screens: Memory[dict[Corners, TextLine | None]] = Memory(_SCREENS)
        self._last: Picture | None = None
        self._lines: dict[Corners, TextLine | None] = {}

    def close(self) -> None:
        """Free the networks and all that is remembered. Nothing can be read afterwards."""
        self._workers.shutdown()
        self._reader.close()
        self._last, self._lines = None, {}
        self._strokes = StrokeReader(self._reader, self._workers)
        self._screens = Memory(_SCREENS)
        give_back()

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text, top to bottom, and left to right where lines stand side by side."""
        if self._last is None or not _is_same(self._last, picture):
            self._lines = self._look(picture)
            self._last = picture
        return [line for line in self._lines.values() if line is not None]

    def read_exactly(self, picture: Picture, windows: Sequence[Window]) -> Sequence[TextLine]:
        """The same as ``read``: these eyes know pixels alone."""
        del windows
        return self.read(picture)

    def _look(self, picture: Picture) -> dict[Corners, TextLine | None]:
        pixels = pixels_of(picture)
        changed = None
        if self._last is not None and _size(self._last) == _size(picture):
            changed = unlike(pixels_of(self._last), pixels)
        return self._screens.recall(pixels, lambda: self._lines_of(pixels, changed))

    def _lines_of(self, pixels: NDArray[np.uint8], changed: NDArray[np.bool_] | None) -> dict[Corners, TextLine | None]:
        boxes = self._reader.detect(np.ascontiguousarray(pixels[:, :, :3]))
        known = self._lines if changed is not None else {}
        kept = {
            box
            for box in boxes
            if box in known and changed is not None and not changed[window(reach(box, pixels))].any()
        }
        fresh = [box for box in boxes if box not in kept]
        read = dict(zip(fresh, self._strokes.lines(pixels, fresh), strict=True))
        return {box: self._lines[box] if box in kept else read[box] for box in boxes}

    def changes(self, before: Picture, after: Picture) -> Sequence[Box]:
        """Where they visibly differ, as boxes close around it that do not touch; all of it when the size changed."""
        if _size(before) != _size(after):
            return (Box(x=0, y=0, width=after.width, height=after.height),)
        if before.bgra is after.bgra:
            return ()
        return differences(pixels_of(before), pixels_of(after))

    def png(self, picture: Picture) -> bytes:
        """The picture as a PNG file without transparency."""
        return png(picture)


def png(picture: Picture) -> bytes:
    """The picture as a PNG file without transparency."""
    # OpenCV's own defaults: twice as fast as its or Pillow's lowest level, and the files are half as large again.
    bgr = cv2.cvtColor(pixels_of(picture), cv2.COLOR_BGRA2BGR)
    return cv2.imencode(".png", bgr)[1].tobytes()


def _is_same(one: Picture, other: Picture) -> bool:
    return one is other or (_size(one) == _size(other) and one.bgra == other.bgra)


def _size(picture: Picture) -> tuple[int, int]:
    return picture.width, picture.height


MAX_WIDTH: Final = 1280
_QUALITY: Final = 60
_METHOD: Final = 1
"""Of WebP's 0 to 6; measured on a full 1080p screen: 18 ms, and no larger than what takes three times as long."""


def thumbnail(picture: Picture) -> bytes:
    """The picture as a WebP file, at most ``MAX_WIDTH`` wide."""
    from PIL import Image  # noqa: PLC0415 - its import takes 10 MB, and a PNG alone needs none of it

    image = Image.frombuffer("RGB", (picture.width, picture.height), picture.bgra, "raw", "BGRX", 0, 1)
    if picture.width > MAX_WIDTH:
        height = max(1, round(picture.height * MAX_WIDTH / picture.width))
        image = image.resize((MAX_WIDTH, height), Image.Resampling.BILINEAR)
    file = io.BytesIO()
    image.save(file, "WEBP", quality=_QUALITY, method=_METHOD)
    return file.getvalue()
