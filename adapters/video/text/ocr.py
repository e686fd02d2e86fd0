"""Reading text off pictures with RapidOCR, whose models lie inside its wheel."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.boxes import Box

Reading = tuple[str, float]
"""A line's text and how sure the reader is of it, 0..1."""

_SETTINGS: Final[dict[str, Any]] = {
    "Global.use_cls": False,
    "Global.log_level": "critical",
    # One thread a call, and several calls at once: threads inside a call spin while they wait, and halve the speed
    # of a machine that has other work.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    # The default (736) blows every small crop up to 736 pixels: seconds a crop and a gigabyte of memory.
    "Det.limit_side_len": 64,
    "Det.limit_type": "min",
    "Global.max_side_len": 4096,
    # The default (320) pads short lines to thrice their width: the same text at thrice the cost.
    "Rec.rec_img_shape": [3, 48, 96],
    "Global.text_score": 0.0,
}
_SMALLEST_SIDE = 8


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
        threads: how many lines are recognised at once, a core each.

    """

    def __init__(self, *, threads: int = 2) -> None:
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._detector: Any = None
        self._recogniser: Any = None
        self._lock = threading.Lock()

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        """See ``Reader``."""
        height, width = bgr.shape[:2]
        if min(height, width) < _SMALLEST_SIDE:
            return []
        self._load()
        with self._lock:
            # Its pre-processing is kept on the instance, so one picture at a time.
            found = self._detector(bgr)
        if found.boxes is None:
            return []
        return [box for corners in found.boxes if (box := _upright(corners, width, height)) is not None]

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """See ``Reader``."""
        if not crops:
            return []
        pool = self._load()
        # Line by line: a batch is padded to its widest line, which costs more than the calls it saves.
        return list(pool.map(self._recognise_one, crops))

    def read(self, bgr: NDArray[np.uint8]) -> list[tuple[Box, str, float]]:
        """Find and read every line of a picture, top to bottom."""
        boxes = self.detect(bgr)
        readings = self.recognise([bgr[y : y + height, x : x + width] for x, y, width, height in boxes])
        return [(box, text, score) for box, (text, score) in zip(boxes, readings, strict=True) if text]

    def _load(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                # Newer wheels than the pinned ones send telemetry unless this is set before the import.
                os.environ["ORT_DISABLE_TELEMETRY"] = "1"
                from rapidocr import RapidOCR  # noqa: PLC0415 - costs 0.7 s, and the daemon must start at once

                engine: Any = RapidOCR(params=_SETTINGS)
                # Its own call changes its settings as it goes, and is no use to several threads; these are.
                self._detector, self._recogniser = engine._load_det_model(), engine._load_rec_model()  # noqa: SLF001
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="recognise")
            return self._pool

    def _recognise_one(self, crop: NDArray[np.uint8]) -> Reading:
        from rapidocr.ch_ppocr_rec import TextRecInput  # noqa: PLC0415 - see above

        if min(crop.shape[:2]) < _SMALLEST_SIDE // 2:
            return "", 0.0
        found = self._recogniser(TextRecInput(img=np.ascontiguousarray(crop)))
        return (str(found.txts[0]).strip(), float(found.scores[0])) if found.txts else ("", 0.0)


def _upright(corners: NDArray[np.float32], width: int, height: int) -> Box | None:
    left, top = np.floor(corners.min(axis=0)).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int)
    left, top, right, bottom = max(int(left), 0), max(int(top), 0), min(int(right), width), min(int(bottom), height)
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
