"""What lines of text say; the same strokes are read once, wherever they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import Box, grown, window
from adapters.video.ocr.memory import Memory
from adapters.video.text.areas import SMALL_HEIGHT, AreaReader
from core.screens import Box as ScreenBox
from core.screens import TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from adapters.video.ocr.reader import Reader, Reading

_SLACK: Final = 1
"""A box has this much ground around its strokes."""
_KEPT: Final = 8192


class StrokeReader:
    """Reads lines by their strokes alone, so that a line that moved, or a screen seen before, costs nothing."""

    def __init__(self, reader: Reader, workers: Executor) -> None:
        self._reader = AreaReader(reader, SMALL_HEIGHT, kept=0)
        self._workers = workers
        self._readings: Memory[Reading] = Memory(_KEPT)

    def lines(self, pixels: NDArray[np.uint8], boxes: Sequence[Box]) -> list[TextLine | None]:
        """What stands in each box, ``None`` where nothing can be read."""
        crops = [np.ascontiguousarray(pixels[window(box)][:, :, :3]) for box in boxes]
        return [_line(box, reading) for box, reading in zip(boxes, self._workers.map(self._recall, crops), strict=True)]

    def _recall(self, crop: NDArray[np.uint8]) -> Reading:
        return self._readings.recall(crop, lambda: self._read(crop))

    def _read(self, crop: NDArray[np.uint8]) -> Reading:
        return self._reader.texts(crop, _luma(crop), [(0, 0, crop.shape[1], crop.shape[0])])[0]


def _line(box: Box, reading: Reading) -> TextLine | None:
    text, score = reading
    x, y, width, height = box
    if not text:
        return None
    return TextLine(text=text, box=ScreenBox(x=x, y=y, width=width, height=height), score=min(max(score, 0.0), 1.0))


def reach(box: Box, pixels: NDArray[np.uint8]) -> Box:
    """The pixels on which depends what is read in a box."""
    return grown(box, _SLACK, _SLACK, pixels[:, :, 0])


def _luma(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    code = cv2.COLOR_BGRA2GRAY if pixels.shape[2] == 4 else cv2.COLOR_BGR2GRAY  # noqa: PLR2004 - with the unused byte
    return np.asarray(cv2.cvtColor(pixels, code), np.uint8)
