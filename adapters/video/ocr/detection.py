"""Where lines of text stand, from the probability map of a DB network (https://arxiv.org/abs/1911.08947)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.frame import Box
    from adapters.video.ocr.networks import Network

_STEP: Final = 32
"""The network halves the picture five times."""
_LEAST_SIDE: Final = 64
_MOST_PIXELS: Final = 1920 * 1080
"""A larger picture is shown smaller: at 3574x2058 the network takes 24 s and 1.3 GB, so 7 s and 0.6 GB, and of a screen
full of small letters at 3840x1600 0.8 % are lost. Strokes are looked for at full size all the same."""
_INK: Final = 0.3
_LEAST_MEAN: Final = 0.5
_UNCLIP: Final = 1.6
"""The network was trained on lines shrunk by this; all three values are those of PP-OCR's own configuration."""
_LEAST_EXTENT: Final = 3
_JOIN: Final = np.ones((2, 2), np.uint8)


def network_lines(network: Network, bgr: NDArray[np.uint8]) -> list[Box]:
    """Boxes around the lines of a picture (height, width, 3), in its own pixels.

    Text on screens stands upright, so a line is the rectangle of one connected region; PP-OCR's own rotated
    rectangles would cost more than the network on a small picture.
    """
    height, width = bgr.shape[:2]
    probability = network(_blob(bgr))[0, 0]
    boxes, scores = _regions(probability)
    boxes = boxes[(scores >= _LEAST_MEAN) & (boxes[:, 2:] >= _LEAST_EXTENT).all(axis=1)]
    margin = boxes[:, 2] * boxes[:, 3] * _UNCLIP / (2 * (boxes[:, 2] + boxes[:, 3]))
    corners = np.stack(
        [
            boxes[:, 0] - margin,
            boxes[:, 1] - margin,
            boxes[:, 0] + boxes[:, 2] + margin,
            boxes[:, 1] + boxes[:, 3] + margin,
        ],
        axis=1,
    )
    corners *= np.array([width / probability.shape[1], height / probability.shape[0]] * 2)
    corners = np.round(corners)
    corners = np.clip(corners, 0, [width, height] * 2).astype(int)
    found = [(int(x), int(y), int(right - x), int(bottom - y)) for x, y, right, bottom in corners]
    return [box for box in found if min(box[2:]) > _LEAST_EXTENT]


def _blob(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    height, width = bgr.shape[:2]
    scale = min(max(_LEAST_SIDE / min(height, width), 1.0), (_MOST_PIXELS / (width * height)) ** 0.5)
    size = [max(round(int(side * scale) / _STEP), 1) * _STEP for side in (width, height)]
    return np.asarray(cv2.dnn.blobFromImage(bgr, 1 / 127.5, (size[0], size[1]), (127.5, 127.5, 127.5)), np.float32)


def _regions(probability: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rectangles (x, y, width, height) around connected regions, and the mean probability inside each."""
    mask = cv2.dilate((probability > _INK).view(np.uint8), _JOIN)
    stats = np.asarray(cv2.connectedComponentsWithStats(mask, connectivity=8)[2][1:], np.int64)
    x, y, width, height = (stats[:, index] for index in range(4))
    total = np.asarray(cv2.integral(probability))
    inside = np.asarray(
        total[y + height, x + width] - total[y, x + width] - total[y + height, x] + total[y, x], np.float64
    )
    # A region's corners are the middles of its outermost pixels.
    boxes = np.stack([x, y, width - 1, height - 1], axis=1).astype(np.float64)
    return boxes, inside / np.maximum(width * height, 1)
