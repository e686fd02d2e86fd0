"""One look at the screen, and what can be worked out from it: each only when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.segments import Segment, segments_of
from adapters.desktop.eyesight.shapes import Shape, shapes_of
from core.accessibility import AccessibleTree
from core.screens import Box, Picture, TextLine, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from core.runs.ports import Eyes

    Pixels = NDArray[np.uint8]

_GREYED: Final = 0.42
"""The contrast of a disabled control's text, as a share of what is usual on the screen."""
_STRONG: Final = 120
"""A difference of brightness that is nowhere the mark of something disabled."""
_CARET_INK: Final = 60
_DIMMED: Final = 0.82
_DIALOG: Final = (160, 80)
"""No dialog is smaller, in pixels."""


class View:
    """A picture with its text, rectangles and windows.

    Args:
        picture: the look.
        windows: what is shown, the topmost first.
        eyes: who reads.
        read_tree: reads what the programs of these processes tell of themselves.

    """

    def __init__(
        self,
        picture: Picture,
        windows: Sequence[Window],
        eyes: Eyes,
        read_tree: Callable[[Collection[int]], AccessibleTree] | None = None,
    ) -> None:
        self._read_tree = read_tree
        self.picture = picture
        self.windows = windows
        self._eyes = eyes
        self.known: dict[Any, Any] = {}
        """What was worked out of it, by what is asked."""

    def only(self, box: Box) -> View:
        """The same with nothing but what is in a box; around it lies the colour of most of that."""
        rows, columns = slice(max(box.y, 0), box.y + box.height), slice(max(box.x, 0), box.x + box.width)
        inside = self.bgr[rows, columns]
        bgra = np.full((self.picture.height, self.picture.width, 4), 255, np.uint8)
        if inside.size:
            bgra[..., :3] = np.median(inside.reshape(-1, 3), axis=0)
            bgra[rows, columns, :3] = inside
        part = Picture(self.picture.width, self.picture.height, bgra.tobytes(), self.picture.taken)
        return View(part, self.windows, self._eyes)

    @cached_property
    def whole(self) -> Box:
        """The desktop."""
        return Box(x=0, y=0, width=self.picture.width, height=self.picture.height)

    @cached_property
    def lines(self) -> Sequence[TextLine]:
        """Every line of text, as it was read."""
        return self._eyes.read(self.picture)

    @cached_property
    def tree(self) -> AccessibleTree:
        """What the programs whose windows are shown tell of themselves, a moment after the picture."""
        pids = {window.pid for window in self.windows if window.pid is not None}
        return self._read_tree(pids) if self._read_tree is not None and pids else AccessibleTree()

    @cached_property
    def bgr(self) -> Pixels:
        """The picture (height, width, 3)."""
        size = (self.picture.height, self.picture.width, 4)
        return np.ascontiguousarray(np.frombuffer(self.picture.bgra, np.uint8).reshape(size)[..., :3])

    @cached_property
    def grey(self) -> Pixels:
        """Its brightness (height, width)."""
        return np.asarray(cv2.cvtColor(self.bgr, cv2.COLOR_BGR2GRAY), np.uint8)

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """Its texts, top to bottom, what stands side by side apart."""
        return segments_of(self.lines, self.grey)

    @cached_property
    def shapes(self) -> Sequence[Shape]:
        """Its rectangles, smallest first."""
        return shapes_of(self.bgr, [segment.box for segment in self.segments])

    @cached_property
    def modal(self) -> Box | None:
        """A dialog that stands in front of what was dimmed for it."""
        light = float(np.percentile(self.grey, 99.9))
        for shape in self.shapes:
            box = shape.box
            if box.width < _DIALOG[0] or box.height < _DIALOG[1] or not self._is_inside(box):
                continue
            inside = float(np.percentile(self.grey[box.y : box.y + box.height, box.x : box.x + box.width], 99.5))
            if inside < light * 0.97 or not self._has_dark_surroundings(box, inside):
                continue
            return box
        return None

    def contrast(self, box: Box) -> float:
        """How far the text in a box stands out from its ground, in steps of brightness."""
        crop = self._crop(box)
        if crop.size == 0:
            return 0.0
        ground = float(np.median(crop))
        return float(np.percentile(np.abs(crop.astype(np.float32) - ground), 98))

    def is_greyed(self, box: Box) -> bool:
        """Whether a text looks disabled: much paler than the other texts of the screen."""
        contrast = self.contrast(box)
        return contrast < min(_GREYED * self._usual_contrast, _STRONG)

    def ground(self, box: Box) -> tuple[int, int, int]:
        """The colour of most of a box (blue, green, red), in steps of 16."""
        crop = self.bgr[max(box.y, 0) : max(box.y + box.height, 1), max(box.x, 0) : max(box.x + box.width, 1)]
        if crop.size == 0:
            return 0, 0, 0
        colours, counts = np.unique(crop.reshape(-1, 3) >> 4, axis=0, return_counts=True)
        blue, green, red = (int(value) for value in colours[int(counts.argmax())])
        return blue, green, red

    def ink(self, box: Box) -> tuple[float, float, float]:
        """The colour of the text in a box: that of the pixels that differ most from its ground."""
        crop = self.bgr[max(box.y, 0) : box.y + box.height, max(box.x, 0) : box.x + box.width].reshape(-1, 3)
        if crop.size == 0:
            return 0.0, 0.0, 0.0
        pixels = crop.astype(np.float32)
        away = np.abs(pixels - np.median(pixels, axis=0)).max(axis=1)
        strongest = pixels[away >= np.percentile(away, 95)]
        blue, green, red = (float(value) for value in np.median(strongest, axis=0))
        return blue, green, red

    def has_caret(self, text: Box) -> bool:
        """Whether a thin bar that reaches beyond the letters stands at a text's end: a reader takes it for a letter."""
        reach = max(text.height // 3, 4)
        left = max(text.x + text.width - reach, 0)
        crop = self.grey[max(text.y, 0) : text.y + text.height, left : text.x + text.width + reach].astype(np.int16)
        if crop.size == 0:
            return False
        ink = np.abs(crop - int(np.median(crop))) > _CARET_INK
        high = ink.sum(axis=0)
        bar = int(np.flatnonzero(high == high.max())[-1])
        thick = max(text.height // 8, 2)
        letters = np.flatnonzero(np.delete(ink, slice(max(bar - thick + 1, 0), bar + thick), axis=1).any(axis=1))
        rows = np.flatnonzero(ink[:, bar])
        if not rows.size or not letters.size or not ink[rows[0] : rows[-1] + 1, bar].all():
            return False
        return bool(rows[0] < letters[0] and letters[-1] < rows[-1] and not ink[rows, bar + 1 :].any())

    def window_at(self, box: Box) -> Window | None:
        """The window whose pixels the middle of the box shows."""
        return next((window for window in self.windows if window.box.contains(box.centre)), None)

    @cached_property
    def _usual_contrast(self) -> float:
        found = [self.contrast(segment.box) for segment in self.segments]
        return float(np.median(found)) if found else 255.0

    def _crop(self, box: Box) -> NDArray[Any]:
        return self.grey[max(box.y, 0) : box.y + box.height, max(box.x, 0) : box.x + box.width]

    def _is_inside(self, box: Box) -> bool:
        """Whether there is something around it on at least three sides."""
        whole = self.whole
        gaps = (box.x, box.y, whole.width - box.x - box.width, whole.height - box.y - box.height)
        return sum(gap > 8 for gap in gaps) >= 3  # noqa: PLR2004 - a sheet may hang from one edge

    def _has_dark_surroundings(self, box: Box, inside: float) -> bool:
        """Whether nothing around the box, in its own window, is nearly as bright as what is in it."""
        window = self.window_at(box)
        area = window.box if window is not None else self.whole
        if area.width * area.height < 2 * box.width * box.height:
            area = self.whole
        left, top = max(area.x, 0), max(area.y, 0)
        grey = self.grey[top : area.y + area.height, left : area.x + area.width]
        outside = np.ones(grey.shape, np.bool_)
        edge = 3
        outside[
            max(box.y - top - edge, 0) : box.y - top + box.height + edge,
            max(box.x - left - edge, 0) : box.x - left + box.width + edge,
        ] = False
        around = grey[outside]
        if around.size == 0:
            return False
        has_texts = any(not box.contains(segment.box.centre) for segment in self.segments)
        return has_texts and float(np.percentile(around, 99.5)) <= _DIMMED * inside
