"""Takes apart what is drawn connectedly but stands in several rows: where lines are set close, letters touch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.ocr.runs import true_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Boxes = NDArray[np.int64]
    """(n, 4): left, top, right and bottom, the last two outside."""

_LEAST: Final = 5
"""Lower parts are dots and dashes, which show no row."""
_TALLER: Final = 1.5
"""What spans two rows is so many times higher than the letters beside it."""
_MOST_ROWS: Final = 12
"""Of letters' heights that a part may span; more is a drawing."""
_BESIDE: Final = 80
"""How far to both sides letters show where the rows are, in pixels."""
_CLOSE: Final = 0.6
"""The nearest letter is at most so far from the part, in heights of a letter: an icon beside two rows stands apart."""
_GROUND: Final = 12
"""Of 255: letters of one text stand on grounds that differ by at most this."""
_VALLEY: Final = 0.35
"""Between two rows there are at most so many letters as in them."""
_SEEN: Final = 2
"""So many letters show a row."""
_ROW: Final = 0.4
"""A row is at least so high, in heights of a letter."""
_PASSES: Final = 4
"""What spans rows may be hidden by others that do, so often."""
_MOST_PAIRS: Final = 4_000_000
"""Of parts; a screen has a tenth of it, and a picture of more is no text."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What is drawn connectedly: a box around each, its number in the picture's labels, and the colour around it."""

    boxes: Boxes
    numbers: NDArray[np.int64]
    grounds: NDArray[np.int16]

    def __getitem__(self, which: NDArray[np.bool_]) -> Parts:
        return Parts(self.boxes[which], self.numbers[which], self.grounds[which])

    @property
    def high(self) -> NDArray[np.int64]:
        """How high each is."""
        return self.boxes[:, 3] - self.boxes[:, 1]


def tall(parts: Parts) -> NDArray[np.bool_]:
    """Which parts are as high as two rows of the usual ones, or more."""
    letters = parts.high[parts.high >= _LEAST]
    usual = float(np.median(letters)) if letters.size else 0.0
    return (parts.high >= max(_TALLER * usual, _LEAST)) & (parts.high <= _MOST_ROWS * usual)


def cut_apart(parts: Parts, which: NDArray[np.bool_], labels: NDArray[np.int32]) -> Parts:
    """The parts, those of ``which`` that span several rows of their neighbours cut between the rows.

    Args:
        parts: of one text or of a whole picture.
        which: those that may be cut.
        labels: (height, width): the number of the part at each pixel.

    """
    for _ in range(_PASSES):
        pieces = _cut_once(parts, which, labels)
        if pieces is None:
            break
        parts, which = pieces
    return parts


def _cut_once(
    parts: Parts, which: NDArray[np.bool_], labels: NDArray[np.int32]
) -> tuple[Parts, NDArray[np.bool_]] | None:
    if int(which.sum()) * len(which) > _MOST_PAIRS:
        return None
    letters = parts[parts.high >= _LEAST]
    left, top, right, bottom = np.ascontiguousarray(letters.boxes.T)
    high = letters.high
    most = _TALLER * float(np.median(high)) if high.size else 0.0
    pieces: list[tuple[NDArray[np.int64], int]] = []
    for index in np.flatnonzero(which):
        box = parts.boxes[index]
        lower = high <= max(parts.high[index] / _TALLER, most)
        near = (bottom > box[1]) & (top < box[3]) & (left - box[2] <= _BESIDE) & (box[0] - right <= _BESIDE)
        beside = np.flatnonzero(near & lower)
        alike = np.abs(letters.grounds[beside] - parts.grounds[index]).max(axis=1, initial=0) <= _GROUND
        cuts = _cuts(box, letters.boxes[beside[alike]])
        if cuts:
            pieces += [(piece, int(index)) for piece in _pieces(box, labels, int(parts.numbers[index]), cuts)]
    if not pieces:
        return None
    whole = np.array([index for _, index in pieces])
    kept = np.ones(len(which), np.bool_)
    kept[whole] = False
    left = parts[kept]
    parts = Parts(
        np.concatenate([left.boxes, np.stack([piece for piece, _ in pieces])]),
        np.concatenate([left.numbers, parts.numbers[whole]]),
        np.concatenate([left.grounds, parts.grounds[whole]]),
    )
    return parts, np.concatenate([which[kept], np.zeros(len(pieces), np.bool_)])


def _cuts(part: NDArray[np.int64], letters: Boxes) -> list[int]:
    """Between which rows of letters beside it a part is cut; none where they stand in one row."""
    if not letters.size:
        return []
    left, first, right, last = part.tolist()
    usual = median((letters[:, 3] - letters[:, 1]).tolist())
    if np.maximum(letters[:, 0] - right, left - letters[:, 2]).min() > _CLOSE * usual:
        return []
    top, bottom = int(letters[:, 1].min()), int(letters[:, 3].max())
    steps = np.zeros(bottom - top + 1, np.int64)
    np.add.at(steps, letters[:, 1] - top, 1)
    np.add.at(steps, letters[:, 3] - top, -1)
    standing = np.cumsum(steps)[:-1]
    least = max(_VALLEY * standing.max(), _SEEN)
    rows = [(start, end) for start, end in true_runs(standing >= least) if end - start >= _ROW * usual]
    cuts: list[int] = []
    for (_, end), (start, _) in pairwise(rows):
        fewest = end + np.flatnonzero(standing[end:start] == standing[end:start].min())
        cuts.append(top + int(fewest[len(fewest) * 2 // 3]))
    return [cut for cut in cuts if first < cut < last]


def _pieces(
    part: NDArray[np.int64], labels: NDArray[np.int32], number: int, cuts: list[int]
) -> list[NDArray[np.int64]]:
    left, top, right, bottom = part.tolist()
    pieces: list[NDArray[np.int64]] = []
    for start, end in zip([top, *cuts], [*cuts, bottom], strict=True):
        drawn = labels[start:end, left:right] == number
        columns, rows = np.flatnonzero(drawn.any(axis=0)), np.flatnonzero(drawn.any(axis=1))
        if columns.size:
            box = left + columns[0], start + rows[0], left + columns[-1] + 1, start + rows[-1] + 1
            pieces.append(np.array(box, np.int64))
    return pieces
