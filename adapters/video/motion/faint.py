"""Controls that became a little brighter or darker as a whole: too little for any pixel to count as changed.

A button under a pointer that is not drawn may change by a tenth of the range, as a codec's noise does. Noise comes and
goes from pixel to pixel; over a block of 8 x 8 pixels its mean stays.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import overlap
from adapters.video.motion.changes import BLOCK, islands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Blocks

_LEVEL: Final = 5
"""How much brighter or darker a block's mean becomes (of 255)."""
_EVERY_MS: Final = 50
_FADES_MS: Final = 100
"""For so long a control may fade."""
_AGAIN_MS: Final = 300
_QUIET: Final = 0.02
"""Of the picture: where more changes at once, it is no single control."""
_FILLED: Final = 0.7
"""How much of the rectangle around it changes: all but its letters."""
_WIDE: Final = 0.4
"""Of the picture's width."""
_SIZES: Final = (3, 12)
"""How high a control is, in blocks."""


@dataclass
class FaintChanges:
    """Feed it pictures in order of time; what it ``found`` are times, in milliseconds, and places."""

    found: list[tuple[int, Box]] = field(default_factory=list["tuple[int, Box]"])
    _earlier: deque[tuple[int, Luma]] = field(default_factory=deque["tuple[int, Luma]"])

    def feed(self, t_ms: int, luma: Luma) -> None:
        """Take the next picture; those that follow too soon are left out."""
        if self._earlier and t_ms - self._earlier[-1][0] < _EVERY_MS:
            return
        rows, columns = (side // BLOCK for side in luma.shape)
        whole = luma[: rows * BLOCK, : columns * BLOCK]
        means = np.asarray(cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)
        while len(self._earlier) > 1 and self._earlier[1][0] <= t_ms - _FADES_MS:
            self._earlier.popleft()
        if self._earlier:
            changed: Blocks = np.asarray(cv2.absdiff(means, self._earlier[0][1])) >= _LEVEL
            self.found += [(t_ms, box) for box in _controls(changed) if not self._is_known(t_ms, box)]
        self._earlier.append((t_ms, means))

    def _is_known(self, t_ms: int, box: Box) -> bool:
        return any(t_ms - since <= _AGAIN_MS and overlap(one, box) for since, one in reversed(self.found[-8:]))


def _controls(changed: NDArray[np.bool_]) -> Iterator[Box]:
    """The rectangles of a control's size that changed as a whole, where little else did."""
    if not 0 < int(changed.sum()) <= _QUIET * changed.size:
        return
    for island in islands(changed):
        rows, columns = np.flatnonzero(island.any(axis=1)), np.flatnonzero(island.any(axis=0))
        high, wide = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
        is_sized = _SIZES[0] <= high <= _SIZES[1] and high <= wide <= _WIDE * changed.shape[1]
        if is_sized and island.sum() >= _FILLED * high * wide:
            yield int(columns[0]) * BLOCK, int(rows[0]) * BLOCK, wide * BLOCK, high * BLOCK
