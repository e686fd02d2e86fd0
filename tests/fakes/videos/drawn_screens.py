"""Small clips, drawn frame by frame, and somebody to watch them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from adapters.video.frame import Box, Frame
from adapters.video.observer import Observer, Pictures
from adapters.video.ocr.reader import Reader, Reading
from core.analysis import Findings
from core.jobs import Stage

WIDTH, HEIGHT = 800, 600
_LIMITED = (16 + np.arange(256) * 219 // 255).astype(np.uint8)
"""Each brightness as videos have it, 16..235."""
Draw = ImageDraw.ImageDraw


@dataclass
class CountingReader:
    """The real reader, and how many lines it was asked to recognise."""

    inner: Reader
    lines: int = 0
    pictures: int = 0

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        self.pictures += 1
        return self.inner.detect(bgr)

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        self.lines += len(crops)
        return self.inner.recognise(crops)


@dataclass
class Watcher:
    """Watches clips; keeps the last one's reader, pictures and reports."""

    reader: CountingReader
    directory: Path
    reports: list[tuple[Stage, int, int]] = field(default_factory=list["tuple[Stage, int, int]"])

    def watch(self, frames: Iterator[Frame], *, duration_ms: int = 0, fps: float = 25) -> Findings:
        observer = Observer(
            reader=self.reader,
            pictures=Pictures(self.directory, "01_", "frames"),
            report=lambda stage, done, total: self.reports.append((stage, done, total)),
        )
        return observer.observe(frames, width=WIDTH, height=HEIGHT, duration_ms=duration_ms, fps=fps)

    def see(
        self, scene: Callable[[Draw, int], None], lasting_ms: int, *, fps: float = 25, dark: bool = False
    ) -> Findings:
        """Watch a scene that is drawn anew for every frame."""
        return self.watch(draw(scene, lasting_ms, fps=fps, dark=dark), duration_ms=lasting_ms, fps=fps)


def draw(
    scene: Callable[[Draw, int], None], lasting_ms: int, *, fps: float = 25, dark: bool = False
) -> Iterator[Frame]:
    for number in range(round(lasting_ms * fps / 1000)):
        yield picture(scene, round(number * 1000 / fps), dark=dark)


def picture(
    scene: Callable[[Draw, int], None], t_ms: int, *, dark: bool = False, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> Frame:
    image = Image.new("RGB", size, "#1c1f26" if dark else "white")
    canvas = ImageDraw.Draw(image)
    canvas.fontmode = "L"
    scene(canvas, t_ms)
    limited = np.asarray(cv2.LUT(np.asarray(image.convert("L")), _LIMITED), np.uint8)
    return Frame(t_ms, limited, lambda: np.ascontiguousarray(np.asarray(image)[:, :, ::-1]))


def write(canvas: Draw, x: float, y: float, text: str, *, colour: str = "#202830", size: int = 18) -> None:
    """As ``canvas.text`` draws it; the letters of a text, which stands in many frames, are drawn once."""
    left, top = int(x), int(y)
    canvas.bitmap((left - _ROOM, top - _ROOM), _letters(text, size, x - left, y - top), fill=colour)


_ROOM = 4
"""Around the letters, which may reach beyond where they begin."""


@lru_cache(maxsize=2048)
def _letters(text: str, size: int, across: float, down: float) -> Image.Image:
    place = across + _ROOM, down + _ROOM
    _, _, right, bottom = ImageDraw.Draw(Image.new("L", (1, 1))).textbbox(place, text, font=_font(size))
    letters = Image.new("L", (math.ceil(right) + _ROOM, math.ceil(bottom) + _ROOM))
    canvas = ImageDraw.Draw(letters)
    canvas.fontmode = "L"
    canvas.text(place, text, fill=255, font=_font(size))
    return letters


_FONTS: dict[int, ImageFont.FreeTypeFont | ImageFont.ImageFont] = {}


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    if size not in _FONTS:
        _FONTS[size] = ImageFont.load_default(size)
    return _FONTS[size]
