"""The pictures that anchors are made of: what is compared strictly, what loosely, and what not at all."""

from __future__ import annotations

import base64
import binascii
import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from core.screens import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.screens import Picture

    Pixels = NDArray[np.uint8]

STRICT: Final = 255
"""Opaque: the target, and what tells it from others of its kind. Every letter of it has to be there again."""
LOOSE: Final = 128
"""Half transparent: what stands nearby. Most of it has to be there again."""
_MOST_LETTERS: Final = 4_000_000
"""Of base64; the largest screen's crop takes a tenth."""
_MOST_SIDE: Final = 8192
_MOST_PIXELS: Final = 8_000_000
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_SIZE_AT: Final = 16
_KEPT: Final = 128
_WITHOUT_FILTER: Final = (cv2.IMWRITE_PNG_COMPRESSION, 6, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE)
"""Of a PNG: rows of screens are small and soon written without a filter."""


def encoded(bgra: Pixels) -> str:
    """Base64 of a PNG; what is transparent holds nothing."""
    known = np.where(bgra[..., 3:] == 0, np.uint8(0), bgra)
    return base64.b64encode(cv2.imencode(".png", known, _WITHOUT_FILTER)[1].tobytes()).decode("ascii")


@lru_cache(maxsize=_KEPT)
def decoded(image: str) -> Pixels | None:
    """The pixels (height, width, 4), not to be written to; ``None`` for what is no PNG, or too large to be an anchor.

    Nothing is trusted: what somebody imported may be anything.
    """
    file = _file(image)
    if file is None:
        return None
    width, height = struct.unpack_from(">II", file, _SIZE_AT)
    if not 0 < width <= _MOST_SIDE or not 0 < height <= _MOST_SIDE or width * height > _MOST_PIXELS:
        return None
    try:
        found = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    if found is None or found.dtype != np.uint8 or found.shape[:2] != (height, width):
        return None
    pixels = _with_opacity(np.asarray(found, np.uint8))
    pixels.setflags(write=False)
    return pixels


def _file(image: str) -> bytes | None:
    if len(image) > _MOST_LETTERS:
        return None
    try:
        file = base64.b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        return None
    return file if file.startswith(_SIGNATURE) and len(file) >= _SIZE_AT + 8 else None


def _with_opacity(pixels: Pixels) -> Pixels:
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]  # noqa: PLR2004 - brightness alone
    code = {1: cv2.COLOR_GRAY2BGRA, 3: cv2.COLOR_BGR2BGRA}.get(channels)
    return pixels if code is None else np.asarray(cv2.cvtColor(pixels, code), np.uint8)


def clipped(box: Box, within: Box) -> Box | None:
    """The part of a box that lies in another; ``None`` when there is none."""
    inside = box.common(within)
    return inside if inside.width and inside.height else None


def whole(picture: Picture) -> Box:
    """All of a picture."""
    return Box(x=0, y=0, width=picture.width, height=picture.height)


def part(pixels: Pixels, box: Box) -> Pixels:
    """What a box holds of a picture, a view; the box must lie in it."""
    return pixels[box.y : box.y + box.height, box.x : box.x + box.width]
