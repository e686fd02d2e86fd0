"""Reading text off pictures: where lines stand, and what they say."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from adapters.video.ocr.detection import network_lines
from adapters.video.ocr.finding import lines_in_video, lines_on_screen
from adapters.video.ocr.memory import Memory
from adapters.video.ocr.networks import OnnxNetwork
from adapters.video.ocr.recognition import alphabet, read_line, with_ground

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box
    from adapters.video.ocr.networks import Network

Reading = tuple[str, float]
"""A line's text and how sure the reader is of it, 0..1."""

_SMALLEST_SIDE: Final = 8
_READINGS: Final = 8192
_PLACES: Final = 512
"""So many are remembered: a screen has a few hundred lines, and a few dozen icons and pictures."""


class Reader(Protocol):
    """Finds and reads lines of text; a double of it fits on one screen."""

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        """Boxes around single lines of text, in pixels of the picture (height, width, 3)."""
        ...

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """What each crop of one line says, in the order given; an empty text where there is none."""
        ...


class TextReader:
    """The networks of PP-OCR. They are loaded at first use (0.1 s, 150 MB) and may be shared between threads.

    Equal pixels are shown to a network once, as long as they are remembered: on a screen most lines stay as they are.

    Args:
        threads: how many lines are recognised at once, a core each; so many look for lines in one picture together.
        of_videos: whether it reads pictures of videos, which a codec has blurred, or screens as they were drawn.

    """

    def __init__(self, *, threads: int = 2, of_videos: bool = False) -> None:
        self._threads = threads
        self._of_videos = of_videos
        self._lock = threading.Lock()
        self._engine: _Engine | None = None
        self._readings: Memory[Reading] = Memory(_READINGS)
        self._places: Memory[list[Box]] = Memory(_PLACES)

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        """See ``Reader``."""
        if min(bgr.shape[:2]) < _SMALLEST_SIDE:
            return []
        detector = self._loaded().detector

        def ask(part: NDArray[np.uint8]) -> list[Box]:
            return self._places.recall(part, lambda: network_lines(detector, part))

        if self._of_videos:
            return lines_in_video(np.ascontiguousarray(bgr), ask)
        return lines_on_screen(bgr, ask, lambda crops: self.recognise([with_ground(crop) for crop in crops]))

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """See ``Reader``."""
        if not crops:
            return []
        engine = self._loaded()

        def recognise_one(crop: NDArray[np.uint8]) -> Reading:
            if min(crop.shape[:2]) < _SMALLEST_SIDE // 2:
                return "", 0.0
            return self._readings.recall(crop, lambda: read_line(engine.recogniser, engine.signs, crop))

        # Line by line: a batch is padded to its widest line, which costs more than the calls it saves.
        return list(engine.pool.map(recognise_one, crops))

    def read(self, bgr: NDArray[np.uint8]) -> list[tuple[Box, str, float]]:
        """Find and read every line of a picture, top to bottom."""
        boxes = self.detect(bgr)
        readings = self.recognise([bgr[y : y + height, x : x + width] for x, y, width, height in boxes])
        return [(box, text, score) for box, (text, score) in zip(boxes, readings, strict=True) if text]

    def close(self) -> None:
        """Free the networks; they are loaded again when something is to be read. Nothing may be read meanwhile."""
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.pool.shutdown()
        self._readings.clear()
        self._places.clear()

    def _loaded(self) -> _Engine:
        with self._lock:
            if self._engine is None:
                self._engine = _load(self._threads)
            return self._engine


@dataclass(frozen=True, slots=True)
class _Engine:
    detector: Network
    recogniser: Network
    signs: Sequence[str]
    pool: ThreadPoolExecutor


def _load(threads: int) -> _Engine:
    recogniser = OnnxNetwork("rec")
    signs = alphabet(recogniser.note("character"))
    detector = OnnxNetwork("det", threads=threads)
    return _Engine(detector, recogniser, signs, ThreadPoolExecutor(threads, thread_name_prefix="recognise"))
