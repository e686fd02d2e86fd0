"""Pictures of the desktop as a model is sent them: a PNG, scaled down to what the model sees without loss."""

import math
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from core.errors import InvalidCall
from core.screens import Box, Picture, Space

Fits = Callable[[int, int], bool]
"""Whether a picture of this width and height is within a model's limits; so are then all smaller ones."""

MAX_ENLARGEMENT: Final = 4
"""A letter that fills the screen is read no better."""
_PATCH: Final = 28


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model takes before its provider scales down or refuses; 0 = no such limit."""

    edge: int = 0
    """The longer edge in pixels."""
    patches: int = 0
    """Squares of 28 pixels that are begun: what Anthropic calls visual tokens."""
    pixels: int = 0

    def __call__(self, width: int, height: int) -> bool:
        """Whether a picture of this size is within all of them."""
        patches = math.ceil(width / _PATCH) * math.ceil(height / _PATCH)
        return all(
            not most or value <= most
            for value, most in (
                (max(width, height), self.edge),
                (patches, self.patches),
                (width * height, self.pixels),
            )
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as it was sent: ``png`` is the file, ``width`` and ``height`` are its pixels."""

    png: bytes
    width: int
    height: int

    @property
    def space(self) -> Space:
        """The coordinates in which a model speaks of this picture, when it is of the whole desktop."""
        return Space(self.width, self.height, is_picture=True)

    @property
    def base64(self) -> str:
        """The file as JSON holds it."""
        return b64encode(self.png).decode()

    @property
    def data_url(self) -> str:
        """The file as a ``data:`` URL."""
        return f"data:image/png;base64,{self.base64}"


class Frame:
    """How one run's pictures are shown to its model: within its limits, and all in the size of the first.

    Args:
        fits: the model's limits.

    """

    def __init__(self, fits: Fits) -> None:
        self._fits = fits
        self._size: tuple[int, int] | None = None

    def show(self, picture: Picture) -> Shown:
        """The whole picture."""
        shown = show(picture, self._fits, self._size)
        self._size = (shown.width, shown.height)
        return shown

    def crop(self, picture: Picture, box: Box) -> Shown:
        """A part of it, as large as is of use. Raises ``InvalidCall``."""
        return crop(picture, box, self._fits)


def fit(width: int, height: int, fits: Fits) -> tuple[int, int]:
    """The largest size of the same shape that fits, and never a larger one than given."""
    return (width, height) if fits(width, height) else _largest(width, height, fits, max(width, height))


def show(picture: Picture, fits: Fits, size: tuple[int, int] | None = None) -> Shown:
    """The whole picture, no larger than fits; or of exactly the given size, so that a session keeps to its first."""
    from adapters.models.computer.png_files import pixels_of, png  # noqa: PLC0415 - see there

    size = size or fit(picture.width, picture.height, fits)
    return Shown(png(pixels_of(picture), size), *size)


def crop(picture: Picture, box: Box, fits: Fits) -> Shown:
    """A part of the picture, as large as fits and is of use. Raises ``InvalidCall`` when none of it is on the screen.

    What of the box lies outside of the picture is left out.
    """
    from adapters.models.computer.png_files import pixels_of, png  # noqa: PLC0415 - see there

    left, top = max(0, box.x), max(0, box.y)
    part = pixels_of(picture)[top : max(0, box.y + box.height), left : max(0, box.x + box.width)]
    height, width = part.shape[:2]
    if not (width and height):
        raise InvalidCall(f"The region {box.x}, {box.y}, {box.width}x{box.height} is not on the screen.")
    most = min(max(width, height) * MAX_ENLARGEMENT, max(picture.width, picture.height))
    size = _largest(width, height, fits, max(most, width, height))
    return Shown(png(part, size), *size)


def _largest(width: int, height: int, fits: Fits, most: int) -> tuple[int, int]:
    """Of the same shape, the longer edge at most ``most``: the search that Anthropic's examples publish."""

    def scaled(edge: int) -> tuple[int, int]:
        other = max(1, round(edge * min(width, height) / max(width, height)))
        return (edge, other) if width >= height else (other, edge)

    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(*scaled(middle)) else (low, middle - 1)
    return scaled(low)
