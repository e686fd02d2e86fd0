"""What a desktop shows: pictures, lines of text, windows; in pixels, to which a model's coordinates are converted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidCall
from core.values import Value


class Point(Value):
    """A pixel of the desktop: 0, 0 is the top left corner of all monitors together."""

    x: int
    y: int


class Box(Value):
    """A rectangle of the desktop: its top left corner, width and height."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> Point:
        """Its middle pixel."""
        return Point(x=self.x + self.width // 2, y=self.y + self.height // 2)

    def contains(self, point: Point) -> bool:
        """Whether the pixel lies in it."""
        return self.x <= point.x < self.x + self.width and self.y <= point.y < self.y + self.height

    def common(self, other: Box) -> Box:
        """The pixels that both have; of no width or no height when there are none."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Box(x=left, y=top, width=max(0, right - left), height=max(0, bottom - top))

    def overlap(self, other: Box) -> int:
        """How many pixels both have."""
        width = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        height = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(0, width) * max(0, height)

    def grown(self, across: int, down: int) -> Box:
        """With so many pixels more on the left and the right, above and below."""
        return Box(x=self.x - across, y=self.y - down, width=self.width + 2 * across, height=self.height + 2 * down)

    def moved(self, across: int, down: int) -> Box:
        """The same box elsewhere."""
        return Box(x=self.x + across, y=self.y + down, width=self.width, height=self.height)


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One look at the whole desktop.

    ``bgra`` holds ``width * height`` pixels of four bytes, row by row without padding; ``taken`` is the monotonic
    clock's second at which it was grabbed.
    """

    width: int
    height: int
    bgra: bytes
    taken: float


class TextLine(Value):
    """A line of text that was read off a picture; ``score`` says how sure the reader is, 0..1."""

    text: str
    box: Box
    score: float


class Window(Value):
    """A window of an application; ``box`` includes its frame."""

    id: int
    title: str
    application: str
    """The second word of ``WM_CLASS``, or the platform's name of the program; empty when unknown."""
    pid: int | None
    box: Box
    focused: bool


@dataclass(frozen=True, slots=True)
class Space:
    """A model's coordinates: ``width`` by ``height`` of its units span the whole desktop.

    ``is_picture``: the units are the pixels of the picture that it was sent, so the last one is ``width - 1`` and a
    unit stands for the middle of what it covers. Otherwise they are shares, and ``width`` is the far edge.
    """

    width: int
    height: int
    is_picture: bool

    def point(self, at: Sequence[float], desktop: tuple[int, int]) -> Point:
        """The desktop's pixel. Raises ``InvalidCall`` for what lies outside, and never bends it to fit."""
        x, y = at if len(at) == 2 else (math.nan, math.nan)  # noqa: PLR2004 - x and y
        if not (self._is_inside(x, self.width) and self._is_inside(y, self.height)):
            raise InvalidCall(f"{list(at)} lies outside of the screen, which is {self.width}x{self.height}.")
        return Point(x=self._pixel(x, self.width, desktop[0]), y=self._pixel(y, self.height, desktop[1]))

    def box(self, corners: Sequence[float], desktop: tuple[int, int]) -> Box:
        """The rectangle between two corners ``[x0, y0, x1, y1]``, both inside. Raises ``InvalidCall``."""
        if len(corners) != 4:  # noqa: PLR2004 - two corners
            raise InvalidCall(f"A region is [x0, y0, x1, y1], not {list(corners)}.")
        first, last = self.point(corners[:2], desktop), self.point(corners[2:], desktop)
        if first.x >= last.x or first.y >= last.y:
            raise InvalidCall(f"The region {list(corners)} is empty: its first corner is the top left one.")
        return Box(x=first.x, y=first.y, width=last.x - first.x + 1, height=last.y - first.y + 1)

    def back(self, point: Point, desktop: tuple[int, int]) -> tuple[int, int]:
        """Where a pixel of the desktop is for the model."""
        if self.is_picture:
            return point.x * self.width // desktop[0], point.y * self.height // desktop[1]
        return round(point.x / desktop[0] * self.width), round(point.y / desktop[1] * self.height)

    def _is_inside(self, value: float, extent: int) -> bool:
        return 0 <= value < extent if self.is_picture else 0 <= value <= extent

    def _pixel(self, value: float, extent: int, pixels: int) -> int:
        # The formats' own formula for shares: clamp(round(x / 1000 * w), 0, w - 1).
        exact = (value + 0.5) * pixels / extent - 0.5 if self.is_picture else value / extent * pixels
        return min(max(round(exact), 0), pixels - 1)


THOUSANDTHS = Space(1000, 1000, is_picture=False)
"""0..1000 on both axes: Qwen's, and Gemini's."""
