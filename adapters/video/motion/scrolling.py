"""Measures how far the content of an area moved up or down, or to a side, between two pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.boxes import window
from adapters.video.motion.changes import difference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.boxes import Box
    from adapters.video.frame import Luma

_BANDS: Final = 12
_TRIES: Final = 4
_LEFT_OVER: Final = 0.4
_LEVEL: Final = 24
_LEAST_ROWS: Final = 48


@dataclass(slots=True, eq=False)
class Scroll:
    """Content that moved inside ``box`` from ``t_ms`` until ``until_ms``: ``dx`` pixels to the right, ``dy`` down."""

    t_ms: int
    until_ms: int
    box: Box
    dx: int
    dy: int

    @property
    def is_a_jump(self) -> bool:
        """Whether it was seen in one step, and not on its way."""
        return self.until_ms == self.t_ms


def shift_of(before: Luma, after: Luma, box: Box) -> tuple[int, int]:
    """How many pixels the content of the box went right and down (below 0: left and up), along one of the two."""
    dy = _down(before[window(box)], after[window(box)])
    return (0, dy) if dy else (_down(before[window(box)].T, after[window(box)].T), 0)


def _down(old: Luma, new: Luma) -> int:
    """How many pixels the content went down (above 0) or up, 0 when it did not move as a whole.

    Candidates are the peaks of the cross-correlation of row profiles; the one that leaves the least unexplained, and
    far less than no shift does, is taken.
    """
    if old.shape[0] < _LEAST_ROWS:
        return 0
    still = _unexplained(old, new, 0)
    best, best_left = 0, still * _LEFT_OVER
    for shift in _candidates(_profile(old), _profile(new)):
        left = _unexplained(old, new, shift)
        if left < best_left:
            best, best_left = shift, left
    return best


def _profile(part: Luma) -> NDArray[np.float32]:
    bands = [band.mean(axis=1, dtype=np.float32) for band in np.array_split(part, _BANDS, axis=1) if band.size]
    return np.diff(np.stack(bands, axis=1), axis=0)


def _candidates(old: NDArray[np.float32], new: NDArray[np.float32]) -> list[int]:
    length = 2 * old.shape[0]
    spectrum = np.fft.rfft(new, length, axis=0) * np.conj(np.fft.rfft(old, length, axis=0))
    strength = np.fft.irfft(spectrum, length, axis=0).sum(axis=1)
    reach = old.shape[0] - _LEAST_ROWS // 2
    strength[reach : length - reach] = -np.inf
    strength[0] = -np.inf
    peaks = np.argsort(strength)[-_TRIES:][::-1].tolist()
    return [peak if peak < length // 2 else peak - length for peak in peaks]


def _unexplained(old: Luma, new: Luma, shift: int) -> float:
    """The share of pixels that differ when the old picture is laid over the new one, moved by ``shift`` rows."""
    height = old.shape[0]
    one = old[max(-shift, 0) : height - max(shift, 0)]
    other = new[max(shift, 0) : height - max(-shift, 0)]
    return float((difference(one, other) > _LEVEL).mean())
