"""What one line of text says, from a CTC network (https://www.cs.toronto.edu/~graves/icml_2006.pdf)."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.ocr.networks import Network, Pixels

_HEIGHT: Final = 48
_LEAST_WIDTH: Final = 96
"""PP-OCR pads to 320: the same text at thrice the cost."""
_BLANK: Final = 0


def alphabet(note: str) -> Sequence[str]:
    """The sign of each class, from the model's own list: the first class is none, the last a space."""
    return ["", *note.splitlines(), " "]


def read_line(network: Network, signs: Sequence[str], bgr: NDArray[np.uint8]) -> tuple[str, float]:
    """The text of a picture of one line, and the mean certainty of its signs, 0..1; 0 where there is no text."""
    classes = network(_blob(bgr))[0]
    best = classes.argmax(axis=1)
    told = best != _BLANK
    told[1:] &= best[1:] != best[:-1]
    steps = np.flatnonzero(told)
    if not steps.size:
        return "", 0.0
    text = "".join(signs[int(index)] for index in best[steps])
    return text.strip(), float(classes[steps, best[steps]].mean())


def _blob(bgr: NDArray[np.uint8]) -> Pixels:
    """48 pixels high, as wide as that makes it, and filled up with grey."""
    height, width = bgr.shape[:2]
    wide = ceil(_HEIGHT * width / height)
    line = cv2.dnn.blobFromImage(bgr, 1 / 127.5, (wide, _HEIGHT), (127.5, 127.5, 127.5))
    padded = np.zeros((1, 3, _HEIGHT, max(wide, _LEAST_WIDTH)), np.float32)
    padded[:, :, :, :wide] = line
    return padded
