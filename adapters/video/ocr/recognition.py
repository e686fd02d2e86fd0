"""What one line of text says, from a CTC network (https://www.cs.toronto.edu/~graves/icml_2006.pdf)."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.ocr.corrections import spaced, untwinned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.ocr.networks import Network, Pixels

_HEIGHT: Final = 48
_LEAST_WIDTH: Final = 96
"""PP-OCR pads to 320: the same text at thrice the cost."""
_BLANK: Final = 0
_MARGIN: Final = 0.1
_LEAST_MARGIN: Final = 2
"""Of ground around the strokes, in heights of a line: the network was trained on lines with some."""


def ground_of(height: int) -> int:
    """How many pixels of ground a line of that height is shown with on each side."""
    return max(_LEAST_MARGIN, round(height * _MARGIN))


def with_ground(strokes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The strokes with more of their own ground around, and nothing of the border or badge that they stand in."""
    by = ground_of(strokes.shape[0])
    return np.asarray(cv2.copyMakeBorder(strokes, by, by, by, by, cv2.BORDER_REPLICATE), np.uint8)


def alphabet(note: str) -> Sequence[str]:
    """The sign of each class, from the model's own list: the first class is none, the last a space."""
    return ["", *note.splitlines(), " "]


def read_line(network: Network, signs: Sequence[str], bgr: NDArray[np.uint8]) -> tuple[str, float]:
    """The text of a picture of one line, and the mean certainty of its signs, 0..1; 0 where there is no text."""
    pixels = _blob(bgr)
    classes = network(pixels)[0]
    best = classes.argmax(axis=1)
    reported = best != _BLANK
    reported[1:] &= best[1:] != best[:-1]
    steps = np.flatnonzero(reported)
    if not steps.size:
        return "", 0.0
    wide = bgr.shape[0] / _HEIGHT * pixels.shape[3] / len(classes)
    read = [(signs[int(best[step])], (int(step) + 0.5) * wide) for step in steps]
    return spaced(untwinned(read, bgr), bgr), float(classes[steps, best[steps]].mean())


def _blob(bgr: NDArray[np.uint8]) -> Pixels:
    """48 pixels high, as wide as that makes it, and filled up with grey."""
    height, width = bgr.shape[:2]
    wide = ceil(_HEIGHT * width / height)
    line = cv2.dnn.blobFromImage(bgr, 1 / 127.5, (wide, _HEIGHT), (127.5, 127.5, 127.5))
    padded = np.zeros((1, 3, _HEIGHT, max(wide, _LEAST_WIDTH)), np.float32)
    padded[:, :, :, :wide] = line
    return padded
