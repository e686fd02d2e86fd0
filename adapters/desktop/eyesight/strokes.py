"""What lines of text say; the same strokes are read once, wherever they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.memory import Memory
from adapters.video.boxes import window
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

_MARGIN: Final = 0.2
_LEAST_MARGIN: Final = 2
"""Around the strokes, in heights of a line: the network was trained on lines with some ground around them."""
_KEPT: Final = 8192


class StrokeReader:
    """Reads lines by their strokes alone, so that a line that moved, or a screen seen before, costs nothing."""

    def __init__(self, reader: Reader, workers: Executor) -> None:
        self._reader = AreaReader(reader, SMALL_HEIGHT, kept=0)
        self._workers = workers
        self._readings: Memory[Hashable, Reading] = Memory(_KEPT)

    def lines(self, pixels: NDArray[np.uint8], boxes: Sequence[Box]) -> list[TextLine | None]:
        """What stands in each box, ``None`` where nothing can be read; a line's own box is close around its ink."""
        found = [_close(pixels, box) for box in boxes]
        crops = [np.ascontiguousarray(pixels[window(with_margin)][:, :, :3]) for _, with_margin in found]
        keys = [_key(crop) for crop in crops]
        readings = self._readings.work_out(zip(keys, crops, strict=True), self._read, self._workers)
        return [_line(close, readings[key]) for (close, _), key in zip(found, keys, strict=True)]

    def _read(self, crop: NDArray[np.uint8]) -> Reading:
        height, width = crop.shape[:2]
        return self._reader.texts(crop, _luma(crop), [(0, 0, width, height)])[0]


def _line(box: Box, reading: Reading) -> TextLine | None:
    text, score = reading
    x, y, width, height = box
    if not text:
        return None
    return TextLine(text=text, box=ScreenBox(x=x, y=y, width=width, height=height), score=min(max(score, 0.0), 1.0))


def _close(pixels: NDArray[np.uint8], box: Box) -> tuple[Box, Box]:
    """The box close around its strokes, and with the margin that it is read with; both within the given one.

    Where a detector draws its box depends on what stands nearby; where the strokes are does not.
    """
    part = pixels[window(box)]
    x, y, width, height = tight(_luma(part), (0, 0, box[2], box[3]))
    by = max(_LEAST_MARGIN, round(height * _MARGIN))
    left, top = max(x - by, 0), max(y - by, 0)
    right, bottom = min(x + width + by, box[2]), min(y + height + by, box[3])
    return (box[0] + x, box[1] + y, width, height), (box[0] + left, box[1] + top, right - left, bottom - top)


def _luma(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    code = cv2.COLOR_BGRA2GRAY if pixels.shape[2] == 4 else cv2.COLOR_BGR2GRAY  # noqa: PLR2004 - with the unused byte
    return np.asarray(cv2.cvtColor(pixels, code), np.uint8)


def _key(crop: NDArray[np.uint8]) -> Hashable:
    return *crop.shape[:2], hash(crop.tobytes())
