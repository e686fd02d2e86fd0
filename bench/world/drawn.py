"""Says when a change could be seen: a program tells of it before it has drawn it, on a busy machine long before."""

import bisect
from typing import Final

import numpy as np

from bench.record.recorder import Footage
from core.analysis import Region

Ends = tuple[float, float]
"""The first and the last moment at which something may have happened."""
EARLY_MS: Final = 50
LATE_MS: Final = 1500
INK: Final = 4
"""Pixels that at least change with a letter."""
LEVELS: Final = 40


class Drawn:
    """The pictures of a recording, asked when the place of a text changed."""

    def __init__(self, footage: Footage) -> None:
        self._footage = footage
        self._times = [t * 1000 for t in footage.times]

    def when(self, ends: Ends, text: str, box: Region) -> Ends:
        """Its one change where its place changed once, or the first after it was told; else what was told.

        What may have stood in the first picture and did not change until it was seen did stand there.
        """
        first = bisect.bisect_left(self._times, ends[0] - EARLY_MS)
        last = bisect.bisect_right(self._times, ends[1] + LATE_MS)
        changes = [self._times[at] for at in range(max(first, 1), last) if self._is_changed(at, text, box)]
        within = [t for t in changes if t <= ends[1] + EARLY_MS]
        start = self._footage.started * 1000
        if ends[0] <= start and not within:
            return start, start
        if len(within) > 1 or not changes:
            return ends
        return changes[0], changes[0]

    def _is_changed(self, at: int, text: str, box: Region) -> bool:
        now, before = (self._part(number, box) for number in (at, at - 1))
        return int(np.count_nonzero(np.abs(now - before) > LEVELS)) >= INK * len(text)

    def _part(self, at: int, box: Region) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        left, top, width, height = box
        picture = np.frombuffer(self._footage.pictures[at], np.uint8)
        picture = picture.reshape(self._footage.height, self._footage.width, 4)
        return picture[max(top, 0) : top + height, max(left, 0) : left + width, 1].astype(np.int16)
