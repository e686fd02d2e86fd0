"""Eyes for a desktop: reads the text of its screen, fast where little has changed, and says what changed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Protocol

import cv2

from adapters.desktop.eyesight.memory import Memory
from adapters.desktop.eyesight.pixels import differences, pixels_of, unlike
from adapters.desktop.eyesight.strokes import StrokeReader, reach
from adapters.desktop.eyesight.tiles import LineMapper, TiledMap
from adapters.desktop.freed import give_back
from adapters.video.boxes import window
from adapters.video.ocr.reader import Reader, TextReader
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adapters.video.boxes import Box as Corners
    from core.screens import Picture, TextLine

_THREADS: Final = 2
_SCREENS: Final = 64
"""Screens of which all lines are remembered; a few hundred lines each."""


class ScreenReader(Reader, LineMapper, Protocol):
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
        self._map = TiledMap(self._reader, self._workers)
        self._strokes = StrokeReader(self._reader, self._workers)
        self._screens: Memory[Hashable, dict[Corners, TextLine | None]] = Memory(_SCREENS)
        self._last: Picture | None = None
        self._lines: dict[Corners, TextLine | None] = {}

    def close(self) -> None:
        """Free the networks and all that is remembered. Nothing can be read afterwards."""
        self._workers.shutdown()
        self._reader.close()
        self._last, self._lines = None, {}
        self._map, self._strokes = TiledMap(self._reader, self._workers), StrokeReader(self._reader, self._workers)
        self._screens = Memory(_SCREENS)
        give_back()

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text, top to bottom, and left to right where lines stand side by side."""
        if self._last is None or not _is_same(self._last, picture):
            self._lines = self._look(picture)
            self._last = picture
        return [line for line in self._lines.values() if line is not None]

    def _look(self, picture: Picture) -> dict[Corners, TextLine | None]:
        pixels = pixels_of(picture)
        changed = None
        if self._last is not None and _size(self._last) == _size(picture):
            changed = unlike(pixels_of(self._last), pixels)
        key = self._map.keys(pixels, changed)
        known = self._screens.recall(key)
        if known is None:
            known = self._lines_of(pixels, changed)
            self._screens.keep(key, known)
        return known

    def _lines_of(self, pixels: NDArray[np.uint8], changed: NDArray[np.bool_] | None) -> dict[Corners, TextLine | None]:
        boxes = self._map.boxes(pixels)
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
