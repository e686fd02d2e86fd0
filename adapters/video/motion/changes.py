"""Where two pictures differ, in small blocks of brightness; and how far content was scrolled between them.

Scene cuts and pictures scaled down miss a typed letter or a digit; a block of 8x8 pixels does not. Pictures that are
the same cost one comparison, and only the rows and columns that differ are looked at closer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma

    Blocks = NDArray[np.bool_]


BLOCK: Final = 8
LEVEL: Final = 24
"""How much brighter or darker a pixel must become (of 255): above the noise of H.264 at crf 28, below grey text."""
_ONES: Final = np.uint64(0x0101010101010101)
_TOP_BYTE: Final = np.uint64(56)
_EIGHT: Final = np.ones((3, 3), np.uint8)
_PIXELS: Final = 3
"""So many such pixels make a block changed; noise comes alone."""
_DENSE: Final = 0.5
CONTROL: Final = 48
"""How wide and high, in pixels, what is ticked or switched may be."""


def grid_shape(luma: Luma) -> tuple[int, int]:
    """Rows and columns of blocks, the last ones cut by the picture's edge."""
    height, width = luma.shape
    return -(-height // BLOCK), -(-width // BLOCK)


def is_same(before: Luma, after: Luma) -> bool:
    """Whether no pixel differs."""
    return cv2.norm(before, after, cv2.NORM_INF) == 0


def changed_blocks(before: Luma, after: Luma, *, level: int = LEVEL, pixels: int = _PIXELS) -> Blocks | None:
    """The blocks in which so many pixels differ by more than the level, or ``None`` when there is none."""
    if cv2.norm(before, after, cv2.NORM_INF) <= level:
        return None
    hot = difference(before, after) > level
    x, y, width, height = cv2.boundingRect(hot.view(np.uint8))
    top, bottom, left, right = y // BLOCK * BLOCK, y + height, x // BLOCK * BLOCK, x + width
    counts = _block_sums(hot[top:bottom, left:right])
    blocks = np.zeros(grid_shape(before), np.bool_)
    row, column = top // BLOCK, left // BLOCK
    blocks[row : row + counts.shape[0], column : column + counts.shape[1]] = counts >= pixels
    return blocks if blocks.any() else None


def difference(before: Luma, after: Luma) -> Luma:
    """How much each pixel changed, without a wider type in between."""
    return np.asarray(cv2.absdiff(before, after), np.uint8)


def block_means(luma: Luma) -> NDArray[np.float32]:
    """Mean brightness of each block."""
    rows, columns = _starts(luma.shape[0]), _starts(luma.shape[1])
    sums = np.add.reduceat(np.add.reduceat(luma, rows, axis=0, dtype=np.uint16), columns, axis=1, dtype=np.uint32)
    heights = np.diff(np.append(rows, luma.shape[0]))
    widths = np.diff(np.append(columns, luma.shape[1]))
    return (sums / np.outer(heights, widths)).astype(np.float32)


def spread(blocks: Blocks, by: int = 1) -> Blocks:
    """The blocks and their neighbours, ``by`` steps in all eight directions."""
    return np.asarray(cv2.dilate(blocks.view(np.uint8), _EIGHT, iterations=by), np.uint8).view(np.bool_)


def islands(blocks: Blocks, gap: int = 1) -> list[Blocks]:
    """The groups of blocks that lie together, less than ``2 * gap + 1`` blocks apart."""
    wide = spread(blocks, gap) if gap else blocks
    count, labels = cv2.connectedComponents(wide.view(np.uint8), connectivity=8)
    return [(labels == label) & blocks for label in range(1, count)]


def pixel_box(blocks: Blocks, luma: Luma) -> Box:
    """The rectangle around the blocks, in pixels, cut at the picture's edge."""
    rows, columns = np.flatnonzero(blocks.any(axis=1)), np.flatnonzero(blocks.any(axis=0))
    left, top = int(columns[0]) * BLOCK, int(rows[0]) * BLOCK
    right = min((int(columns[-1]) + 1) * BLOCK, luma.shape[1])
    bottom = min((int(rows[-1]) + 1) * BLOCK, luma.shape[0])
    return left, top, right - left, bottom - top


def block_window(box: Box) -> tuple[slice, slice]:
    """The rows and columns of blocks that a pixel rectangle touches."""
    x, y, width, height = box
    return (
        slice(max(y, 0) // BLOCK, -(-(y + height) // BLOCK)),
        slice(max(x, 0) // BLOCK, -(-(x + width) // BLOCK)),
    )


def _block_sums(hot: Blocks) -> NDArray[np.uint64]:
    """How many pixels of each block are set; eight of them are added by one multiplication."""
    height, width = hot.shape
    rows, columns = -(-height // BLOCK), -(-width // BLOCK)
    whole = np.zeros((rows * BLOCK, columns * BLOCK), np.bool_)
    whole[:height, :width] = hot
    eights = (whole.view(np.uint64) * _ONES) >> _TOP_BYTE
    return eights.reshape(rows, BLOCK, columns).sum(axis=1)


def _starts(length: int) -> NDArray[np.intp]:
    return np.arange(0, length, BLOCK, dtype=np.intp)


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


def filled_part(blocks: Blocks, strength: NDArray[np.float32], luma: Luma) -> tuple[Box | None, float]:
    """The box around what became clearly brighter or darker, and how much of it did as a whole, 0..1."""
    strong = blocks & (strength >= 24)  # noqa: PLR2004 - of 255; a hovered button stays below
    if not strong.any():
        return None, 0.0
    box, fill = _filled(strong, luma)
    if fill >= _DENSE:
        return box, fill
    # Beside a control that was ticked its text may have become paler: the control is what changed as a whole.
    control, inside = _filled(max(islands(strong, 0), key=lambda island: int(island.sum())), luma)
    return (control, inside) if max(control[2:]) <= CONTROL else (box, fill)


def _filled(blocks: Blocks, luma: Luma) -> tuple[Box, float]:
    box = pixel_box(blocks, luma)
    return box, float(blocks[block_window(box)].mean())
