"""Pictures of a desktop, drawn, and readers that count what they are asked."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from adapters.desktop.eyes import ScreenReader
from adapters.video.frame import Box
from adapters.video.ocr.reader import Reading
from core.screens import Picture, TextLine
from tests.fakes.videos.drawn_screens import Draw, write

GROUND = {"light": "#ffffff", "dark": "#16181d"}
INK = {"light": "#1f2328", "dark": "#e6e6e6"}


@dataclass
class CountingNetworks:
    """The real networks, and how often they were asked."""

    inner: ScreenReader
    pictures: int = 0
    lines: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def forget(self) -> None:
        self.pictures = self.lines = 0

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        with self._lock:
            self.pictures += 1
        return self.inner.detect(bgr)

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        with self._lock:
            self.lines += len(crops)
        return self.inner.recognise(crops)

    def close(self) -> None:
        """They belong to somebody else."""


def drawn(
    *scenes: Callable[[Draw], None], size: tuple[int, int] = (1280, 720), theme: str = "light", taken: float = 0.0
) -> Picture:
    """A picture with everything that the scenes draw."""
    image = Image.new("RGB", size, GROUND[theme])
    canvas = ImageDraw.Draw(image)
    canvas.fontmode = "L"
    for scene in scenes:
        scene(canvas)
    return of_rgb(np.asarray(image), taken)


def text(
    x: float, y: float, words: str, *, theme: str = "light", size: int = 15, colour: str | None = None
) -> Callable[[Draw], None]:
    """A scene: one line of text."""
    return lambda canvas: write(canvas, x, y, words, colour=colour or INK[theme], size=size)


def of_rgb(rgb: NDArray[np.uint8], taken: float = 0.0) -> Picture:
    """A picture as a grab of the screen holds it."""
    bgra = np.zeros((*rgb.shape[:2], 4), np.uint8)
    bgra[:, :, :3] = rgb[:, :, ::-1]
    return Picture(rgb.shape[1], rgb.shape[0], bgra.tobytes(), taken)


def rgb_of(picture: Picture) -> NDArray[np.uint8]:
    """Its pixels, (height, width, 3)."""
    return np.frombuffer(picture.bgra, np.uint8).reshape(picture.height, picture.width, 4)[:, :, 2::-1].copy()


def words_of(lines: Sequence[TextLine]) -> list[str]:
    """All words, top to bottom."""
    return " ".join(line.text for line in lines).split()
