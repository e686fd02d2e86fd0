"""Reading text off pictures with RapidOCR, whose models lie inside its wheel."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Box = tuple[int, int, int, int]
"""x, y, width, height in pixels."""
Reading = tuple[str, float]
"""A line's text and how sure the reader is of it, 0..1."""

_SETTINGS: Final[dict[str, Any]] = {
    "Global.use_cls": False,
    "Global.log_level": "critical",
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    # The default (736) blows every small crop up to 736 pixels: seconds a crop and a gigabyte of memory.
    "Det.limit_side_len": 64,
    "Det.limit_type": "min",
    "Global.max_side_len": 4096,
    "Global.text_score": 0.0,
}
_SMALLEST_SIDE = 8
_PAD = 6


class Reader(Protocol):
    """Finds and reads lines of text; a double of it fits on one screen."""

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        """Boxes around single lines of text, in pixels of the picture (height, width, 3)."""
        ...

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """What each crop of one line says, in the order given; an empty text where there is none."""
        ...


class TextReader:
    """RapidOCR. The engine is loaded at first use (0.7 s, 200 MB) and may be shared between threads.

    Args:
        threads: how many cores one call may use.

    """

    def __init__(self, *, threads: int = 2) -> None:
        self._threads = threads
        self._engine: Any = None
        self._lock = threading.Lock()

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        """See ``Reader``."""
        height, width = bgr.shape[:2]
        if min(height, width) < _SMALLEST_SIDE:
            return []
        with self._lock:
            found = self._loaded()(bgr, use_det=True, use_cls=False, use_rec=False)
        if found.boxes is None:
            return []
        return [box for corners in found.boxes if (box := _upright(corners, width, height)) is not None]

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """See ``Reader``."""
        if not crops:
            return []
        with self._lock:
            engine = self._loaded()
            # One at a time: a batch is padded to its widest line, which costs more than the calls it saves.
            return [_reading(engine(_ascontiguous(crop), use_det=False, use_cls=False, use_rec=True)) for crop in crops]

    def read(self, bgr: NDArray[np.uint8]) -> list[tuple[Box, str, float]]:
        """Find and read every line of a picture, top to bottom."""
        boxes = self.detect(bgr)
        readings = self.recognise([bgr[y : y + height, x : x + width] for x, y, width, height in boxes])
        return [(box, text, score) for box, (text, score) in zip(boxes, readings, strict=True) if text]

    def _loaded(self) -> Any:
        if self._engine is None:
            # Newer wheels than the pinned ones send telemetry unless this is set before the import.
            os.environ["ORT_DISABLE_TELEMETRY"] = "1"
            from rapidocr import RapidOCR  # noqa: PLC0415 - costs 0.7 s, and the daemon must start at once

            settings = {**_SETTINGS, "EngineConfig.onnxruntime.intra_op_num_threads": self._threads}
            self._engine = RapidOCR(params=settings)
        return self._engine


def _upright(corners: NDArray[np.float32], width: int, height: int) -> Box | None:
    left, top = np.floor(corners.min(axis=0)).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int)
    left, top, right, bottom = max(int(left), 0), max(int(top), 0), min(int(right), width), min(int(bottom), height)
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None


def _ascontiguous(crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(crop)


def _reading(found: Any) -> Reading:
    if not found.txts:
        return "", 0.0
    return str(found.txts[0]).strip(), float(found.scores[0])
