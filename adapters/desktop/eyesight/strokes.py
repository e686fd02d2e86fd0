"""What lines of text say; the same strokes are read once, wherever they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.memory import Memory
from adapters.video.boxes import grown, window
from adapters.video.text.areas import SMALL_HEIGHT, AreaReader
from adapters.video.text.ink import tight
from core.screens import Box as ScreenBox
from core.screens import TextLine

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from adapters.video.boxes import Box
    from adapters.video.ocr.reader import Reader, Reading

_MARGIN: Final = 0.1
_LEAST_MARGIN: Final = 2
"""Of ground around the strokes, in heights of a line: the network was trained on lines with some."""
_SLACK: Final = 1
"""Detectors cut the outermost strokes off; more of this would reach into the neighbouring rows of small text."""
_LEAST_HEIGHT: Final = 5
"""Strokes lower than this are the edges of a badge, whose ground was taken for ink."""
_KEPT: Final = 8192


class StrokeReader:
    """Reads lines by their strokes alone, so that a line that moved, or a screen seen before, costs nothing."""

    def __init__(self, reader: Reader, workers: Executor) -> None:
        self._reader = AreaReader(reader, SMALL_HEIGHT, kept=0)
        self._workers = workers
        self._readings: Memory[Hashable, Reading] = Memory(_KEPT)

    def lines(self, pixels: NDArray[np.uint8], boxes: Sequence[Box]) -> list[TextLine | None]:
        """What stands in each box, ``None`` where nothing can be read; a line's own box is close around its ink."""
        close = [_close(pixels, box) for box in boxes]
        crops = [np.ascontiguousarray(pixels[window(box)][:, :, :3]) for box in close]
        keys = [_key(crop) for crop in crops]
        readings = self._readings.work_out(zip(keys, crops, strict=True), self._read, self._workers)
        return [_line(box, readings[key]) for box, key in zip(close, keys, strict=True)]

    def _read(self, crop: NDArray[np.uint8]) -> Reading:
        line = _with_ground(crop)
        return self._reader.texts(line, _luma(line), [(0, 0, line.shape[1], line.shape[0])])[0]


def _line(box: Box, reading: Reading) -> TextLine | None:
    text, score = reading
    x, y, width, height = box
    if not text:
        return None
    return TextLine(text=text, box=ScreenBox(x=x, y=y, width=width, height=height), score=min(max(score, 0.0), 1.0))


def reach(box: Box, pixels: NDArray[np.uint8]) -> Box:
    """The pixels on which depends what is read in a box."""
    return grown(box, _SLACK, _SLACK, pixels[:, :, 0])


def _close(pixels: NDArray[np.uint8], box: Box) -> Box:
    """The box close around its strokes: where a detector draws its own depends on what stands nearby."""
    within = reach(box, pixels)
    x, y, width, height = tight(_luma(pixels[window(within)]), (0, 0, *within[2:]))
    return (within[0] + x, within[1] + y, width, height) if height >= _LEAST_HEIGHT else box


def _with_ground(strokes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The strokes with more of their own ground around, and nothing of the border or badge that they stand in."""
    by = max(_LEAST_MARGIN, round(strokes.shape[0] * _MARGIN))
    return np.asarray(cv2.copyMakeBorder(strokes, by, by, by, by, cv2.BORDER_REPLICATE), np.uint8)


def _luma(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    code = cv2.COLOR_BGRA2GRAY if pixels.shape[2] == 4 else cv2.COLOR_BGR2GRAY  # noqa: PLR2004 - with the unused byte
    return np.asarray(cv2.cvtColor(pixels, code), np.uint8)


def _key(crop: NDArray[np.uint8]) -> Hashable:
    return *crop.shape[:2], hash(crop.tobytes())
