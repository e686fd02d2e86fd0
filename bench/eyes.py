"""What it costs to look at a desktop: the first time, again, after a typed word, after another page, and going back.

An office page is drawn in four sizes, so no display is needed; each look is the best of three runs, beside reading
the whole picture anew.
"""

import random
import time
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from adapters.desktop.eyes import ScreenEyes
from adapters.video.ocr.reader import TextReader
from bench.table import Table
from core.screens import Picture

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
RUNS = 3
WORDS = "Invoice Customer Payment Shipping Region Total Status Settings Profile Archive Report Forecast Billing".split()  # noqa: SIM905 - reads as one line
LOOKS = ("full reading", "first look", "unchanged", "one word typed", "another page", "back again", "changes", "png")


def page(size: tuple[int, int], seed: int, typed: str = "") -> Picture:
    """A page of thirty rows in three columns, and a field in which something may be typed."""
    chance = random.Random(seed)
    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    font = ImageFont.load_default(14)
    for row in range(30):
        for column in range(3):
            said = f"{' '.join(chance.choices(WORDS, k=2))} {chance.randint(100, 999)}"
            canvas.text((40 + column * size[0] // 3, 50 + 22 * row), said, fill="#1f2328", font=font)
    canvas.rectangle((40, 10, 300, 36), outline="#888888")
    canvas.text((48, 15), typed, fill="#1f2328", font=font)
    bgra = np.zeros((size[1], size[0], 4), np.uint8)
    bgra[:, :, :3] = np.asarray(image)[:, :, ::-1]
    return Picture(size[0], size[1], bgra.tobytes(), 0.0)


def measure(size: tuple[int, int], reader: TextReader) -> list[float]:
    """The milliseconds of each of ``LOOKS``."""
    first, same, typed, other = page(size, 1), page(size, 1), page(size, 1, "alice@example.com"), page(size, 2)
    bgr = np.ascontiguousarray(np.frombuffer(first.bgra, np.uint8).reshape(size[1], size[0], 4)[:, :, :3])
    best = [float("inf")] * len(LOOKS)
    for _ in range(RUNS):
        eyes = ScreenEyes(reader=reader)
        looks: list[Callable[[], object]] = [
            lambda: reader.read(bgr),
            lambda eyes=eyes: eyes.read(first),
            lambda eyes=eyes: eyes.read(same),
            lambda eyes=eyes: eyes.read(typed),
            lambda eyes=eyes: eyes.read(other),
            lambda eyes=eyes: eyes.read(typed),
            lambda eyes=eyes: eyes.changes(first, typed),
            lambda eyes=eyes: eyes.png(first),
        ]
        best = [min(known, _milliseconds(look)) for known, look in zip(best, looks, strict=True)]
    return best


def _milliseconds(look: Callable[[], object]) -> float:
    start = time.perf_counter()
    look()
    return 1000 * (time.perf_counter() - start)


def run(*, quick: bool = False) -> list[Table]:
    """Measure; with ``quick`` only the smallest screen."""
    reader = TextReader()
    reader.read(np.full((64, 64, 3), 255, np.uint8))
    rows = [
        (f"{size[0]}x{size[1]}", *(f"{each:.1f}" for each in measure(size, reader)))
        for size in (SIZES[:1] if quick else SIZES)
    ]
    reader.close()
    return [Table("Looking at a desktop, in milliseconds", ("screen", *LOOKS), rows)]
