"""Finds the lines in a part of a video's picture: what looks as it did when a line was found there is not searched.

The network that finds lines takes most of an analysis' time, and a test's pages come again and again.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import grown, overlap, window
from adapters.video.motion.changes import LEVEL
from adapters.video.ocr.finding import beside, in_rows
from adapters.video.ocr.strokes import Strokes
from adapters.video.text.pieces import reaches_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.ocr.reader import Reader

_UNLIKE: Final = 6
"""Levels by which two looks at a place differ on average at most, as a codec leaves it."""
_STROKE: Final = 3
"""So many pixels that differ by more than ``LEVEL`` are a stroke."""
_BEYOND: Final = 3
"""A third of its height above and below a line has to be as it was; to each side its whole height, where a letter or a
sign may have come."""
_LEAST_SHOWN: Final = 64
"""Pixels: a smaller place is enlarged for the network."""
_MOST_SHOWN: Final = 0.8
"""Of an area: with more than this to be searched it is searched as a whole."""


class LineFinder:
    """Finds lines, and remembers the last ``kept`` of them with how they looked."""

    def __init__(self, reader: Reader, *, kept: int) -> None:
        self._reader = reader
        self._seen: deque[tuple[Box, Box, Luma]] = deque(maxlen=kept)

    def find(self, bgr: NDArray[np.uint8], luma: Luma, area: Box, standing: Sequence[Box]) -> list[Box]:
        """Boxes around the lines inside an area, row by row, in pixels of the whole picture.

        Args:
            bgr: the picture (height, width, 3).
            luma: its brightness.
            area: where to look.
            standing: where lines stand that are known; they may be left out.

        """
        again = [box for box in self._seen_again(area, luma) if not any(overlap(box, one) for one in standing)]
        found = self._find_between(bgr, luma, area, [*again, *standing])
        if found is None:
            again, found = [], self._search(bgr, area)
        found = beside(found, again)
        for box in found:
            if not reaches_out(box, area, luma):
                place = grown(box, box[3], box[3] // _BEYOND, luma)
                self._seen.append((box, place, luma[window(place)].copy()))
        return in_rows([*again, *found])

    def _seen_again(self, area: Box, luma: Luma) -> list[Box]:
        """Lines inside the area that look as they did when they were found."""
        found: list[Box] = []
        for box, place, patch in reversed(self._seen):
            is_inside = overlap(box, area) == box[2] * box[3]
            if is_inside and not any(overlap(box, one) for one in found) and _is_same(patch, luma[window(place)]):
                found.append(box)
        return found

    def _find_between(
        self, bgr: NDArray[np.uint8], luma: Luma, area: Box, explained: Sequence[Box]
    ) -> list[Box] | None:
        """What stands beside the lines that explain the rest; ``None`` where the whole area has to be searched.

        So it is where a line begins in another, as when letters came behind it.
        """
        places = _unexplained(bgr, area, explained)
        if places is None:
            return None
        found: list[Box] = []
        for place in places:
            lines = self._search(bgr, place)
            if any(reaches_out(box, place, luma) for box in lines):
                return None
            found += lines
        return found

    def _search(self, bgr: NDArray[np.uint8], area: Box) -> list[Box]:
        found = self._reader.detect(bgr[window(area)])
        return [(area[0] + x, area[1] + y, width, height) for x, y, width, height in found]


def _is_same(patch: Luma, now: Luma) -> bool:
    if patch.shape != now.shape or cv2.norm(patch, now, cv2.NORM_L1) > _UNLIKE * patch.size:
        return False
    return int(np.count_nonzero(cv2.absdiff(patch, now) > LEVEL)) < _STROKE


def _unexplained(bgr: NDArray[np.uint8], area: Box, explained: Sequence[Box]) -> list[Box] | None:
    """Where something is drawn in an area that no box explains; ``None`` where all of it is sooner searched."""
    x, y, width, height = area
    within = [(box[0] - x, box[1] - y, box[2], box[3]) for box in explained if overlap(box, area)]
    if not within:
        return None
    places = Strokes(np.ascontiguousarray(bgr[window(area)])).unexplained(within)
    shown = sum(max(wide, _LEAST_SHOWN) * max(high, _LEAST_SHOWN) for _, _, wide, high in places)
    if shown > _MOST_SHOWN * max(width, _LEAST_SHOWN) * max(height, _LEAST_SHOWN):
        return None
    return [(x + left, y + top, wide, high) for left, top, wide, high in places]
