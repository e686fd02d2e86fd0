"""Pictures as PNG files for models. Imported with the first picture: a daemon that shows none needs no OpenCV."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.screens import Picture

MAX_PNG: Final = 3_900_000
"""Bytes of one picture's file: providers take 5 MB of it as base64, and a photograph on the screen has more."""
_MOST_DULLED: Final = 6
"""Of each colour's eight bits, so many may be left out to make a file small enough. Letters keep their edges."""
_PNG_EFFORT: Final = 3
"""Of 9: screens are flat, so more effort takes much time and saves few bytes."""


def pixels_of(picture: Picture) -> NDArray[np.uint8]:
    """Blue, green and red, (height, width, 3)."""
    bgra = np.frombuffer(picture.bgra, np.uint8).reshape(picture.height, picture.width, 4)
    return bgra[:, :, :3]


def png(bgr: NDArray[np.uint8], size: tuple[int, int]) -> bytes:
    """A PNG file in this size, of at most ``MAX_PNG`` bytes unless the picture is pure noise."""
    if size != (bgr.shape[1], bgr.shape[0]):
        # Area means: a line of one pixel does not vanish when it falls between two of the smaller picture's.
        way = cv2.INTER_AREA if size[0] <= bgr.shape[1] else cv2.INTER_CUBIC
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=way), np.uint8)
    file = _file(bgr)
    # What does not compress is noise, and noise is as large as its bits are many.
    bits = min(_MOST_DULLED, max(2, math.ceil(8 * (1 - MAX_PNG / len(file)))))
    while len(file) > MAX_PNG and bits <= _MOST_DULLED:
        file = _file(bgr & np.uint8(0xFF << bits & 0xFF))
        bits += 1
    return file


def _file(bgr: NDArray[np.uint8]) -> bytes:
    return cv2.imencode(".png", bgr, (cv2.IMWRITE_PNG_COMPRESSION, _PNG_EFFORT))[1].tobytes()
