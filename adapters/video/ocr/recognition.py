"""What one line of text says, from a CTC network (https://www.cs.toronto.edu/~graves/icml_2006.pdf)."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

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
_PLAIN: Final = 0.9
"""A reading is taken as it is if each of its signs is at least so certain. Of 2,044 lines of recorded programs 271 were
not, and 128 of the 192 that read otherwise than their program said were among these; of 56 read in two ways 15 at most
were right."""
_LIKELY: Final = 0.6
_GUESSED: Final = 0.8
"""What is read with less is two rows, or no text, or blurred: of 549 such lines of strangers' recordings none was read
surely when it was shown wider."""
_WIDER: Final = 1.15
DOUBTED: Final = 0.92
"""Lines are quoted from a little more on."""
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
    """The text of a picture of one line, and the mean certainty of its signs, 0..1; 0 where there is no text.

    Where the network hesitates at a sign, and does not guess them all, it is shown the line once more, a little wider:
    narrow signs side by side melt into one. If the two readings differ, or it hesitates much both times, the line is
    not more certain than ``DOUBTED``, however clear its other signs are.
    """
    once = _read(network, signs, bgr, 1.0)
    if once.least >= _PLAIN or once.mean < _GUESSED:
        return once.text, once.mean
    again = _read(network, signs, bgr, _WIDER)
    agree = "".join(once.text.split()) == "".join(again.text.split())
    is_better = again.mean > once.mean and again.least > once.least
    better = again if is_better and not agree else once
    return better.text, better.mean if agree and max(once.least, again.least) >= _LIKELY else min(better.mean, DOUBTED)


class _Reading(NamedTuple):
    text: str
    mean: float
    """How certain its signs are, 0..1,"""
    least: float
    """and the least certain one, where it is seen best."""


def _read(network: Network, signs: Sequence[str], bgr: NDArray[np.uint8], stretch: float) -> _Reading:
    pixels = _blob(bgr, stretch)
    classes = network(pixels)[0]
    best = classes.argmax(axis=1)
    begins = np.flatnonzero(np.concatenate(([True], best[1:] != best[:-1])))
    steps = begins[best[begins] != _BLANK]
    if not steps.size:
        return _Reading("", 0.0, 0.0)
    wide = bgr.shape[0] / _HEIGHT * pixels.shape[3] / len(classes) / stretch
    read = [(signs[int(best[step])], (int(step) + 0.5) * wide) for step in steps]
    clearest = np.maximum.reduceat(classes.max(axis=1), begins)[best[begins] != _BLANK]
    text = spaced(untwinned(read, bgr), bgr)
    return _Reading(text, float(classes[steps, best[steps]].mean()), float(clearest.min()))


def _blob(bgr: NDArray[np.uint8], stretch: float) -> Pixels:
    """48 pixels high, as wide as that makes it or wider, and filled up with grey."""
    height, width = bgr.shape[:2]
    wide = ceil(_HEIGHT * width / height * stretch)
    if stretch != 1:
        bgr = np.asarray(cv2.resize(bgr, (wide, _HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)
    line = cv2.dnn.blobFromImage(bgr, 1 / 127.5, (wide, _HEIGHT), (127.5, 127.5, 127.5))
    padded = np.zeros((1, 3, _HEIGHT, max(wide, _LEAST_WIDTH)), np.float32)
    padded[:, :, :, :wide] = line
    return padded
