"""What a desktop shows: pictures, the lines of text in them, and windows. Everything is in pixels of the desktop."""

from __future__ import annotations

from dataclasses import dataclass

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
