"""The look of the overlay: two lines of text on a dark ground."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import ImageFont

WIDTH: Final = 560
HEIGHT: Final = 50
"""Pixels on a screen of usual resolution; ``draw`` multiplies them by its scale."""
_FONTS: Final = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf")
_GROUND, _DOT, _BRIGHT, _DIM = (28, 28, 32), (235, 70, 60), (255, 255, 255), (190, 190, 198)
_MARGIN: Final = 12
_DOT_WIDTH: Final = 12
_LONGEST: Final = 400


def draw(title: str, text: str, scale: int) -> bytes:
    """BGRA pixels, ``WIDTH * scale`` by ``HEIGHT * scale``; what does not fit is cut off with an ellipsis."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - its import costs 50 ms, and a run without a banner needs none

    picture = Image.new("RGB", (WIDTH * scale, HEIGHT * scale), _GROUND)
    pen = ImageDraw.Draw(picture)
    dot, left = _MARGIN * scale, (_MARGIN + _DOT_WIDTH + 8) * scale
    pen.ellipse((dot, 10 * scale, dot + _DOT_WIDTH * scale, (10 + _DOT_WIDTH) * scale), _DOT)
    room = (WIDTH - _MARGIN) * scale - left
    for words, size, top, colour in ((title, 14, 7, _BRIGHT), (text, 13, 27, _DIM)):
        font = _font(size * scale)
        pen.text((left, top * scale), _fitting(words, font, room), colour, font=font)
    return picture.convert("RGBA").tobytes("raw", "BGRA")


def _fitting(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, room: int) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])
    if font.getlength(line) <= room and len(text) <= _LONGEST:
        return line
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if font.getlength(line[:middle] + "…") <= room else (low, middle - 1)
    return line[:low] + "…"


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont  # noqa: PLC0415 - see draw

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
