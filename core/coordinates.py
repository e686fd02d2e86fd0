"""From a model's coordinates to pixels of the desktop: the one place where they are converted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import InvalidCall
from core.screens import Box, Point

if TYPE_CHECKING:
    from collections.abc import Sequence


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
