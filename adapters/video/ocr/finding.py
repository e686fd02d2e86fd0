"""Where lines of text stand: by their strokes, and by the network.

The network sees a line together with what surrounds it, so that a bar or a heading above it may hide it; strokes depend
on their own pixels. But strokes alone cannot tell letters from pictures, nor rows that touch or that a codec has
blurred. So on a screen lines are found by strokes and read at once; what is drawn and was not read surely is shown to
the network, each place by itself. In a video the network comes first, and strokes show what it overlooks.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import grown, overlap, window
from adapters.video.ocr.recognition import ground_of
from adapters.video.ocr.strokes import Strokes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box

    Ask = Callable[[NDArray[np.uint8]], list[Box]]
    """The network: boxes around the lines of a picture (height, width, 3)."""
    Read = Callable[[Sequence[NDArray[np.uint8]]], list[tuple[str, float]]]
    """What pictures of one line each say, and how sure that is, 0..1."""

_SURE: Final = 0.9
_SURE_SIGN: Final = 0.99
"""A reading of a line, and of one sign alone, which a spot or an icon may be, is believed from here on."""
_COARSE: Final = 4
"""Large lines are found in a picture that is so many times smaller."""
_LETTER: Final = 0.5
"""Of the height of a line: so high are its letters at least."""
_HIGHER: Final = 1.3
"""Heights of a line: letters alone are no higher than the line that the network sees, which has some ground."""
_WIDER: Final = 3
_BESIDE: Final = 0.3
"""Heights of a line between the words of two buttons without a gap; a pointer takes more."""
_ROW: Final = 10
_AROUND: Final = 3
_ONE_COLOUR: Final = 12
_PLAIN: Final = 0.75
"""Of the two outer of ``_AROUND`` pixels around strokes, so many are within 12 of their side's median."""


def lines_in_video(bgr: NDArray[np.uint8], ask: Ask) -> list[Box]:
    """Boxes around the lines of a picture (height, width, 3) of a video, row by row, with some ground around each."""
    seen = ask(bgr)
    beside = _beside(Strokes(bgr).find().lines, seen)
    overlooked = [box for box in beside if _is_on_plain_ground(box, bgr) and not _is_frame(box, seen)]
    return _in_rows([*seen, *(_with_ground(box, bgr) for box in overlooked)])


def lines_on_screen(bgr: NDArray[np.uint8], ask: Ask, read: Read) -> list[Box]:
    """The same of a picture as it was drawn; large letters are looked for in a smaller one."""
    strokes = Strokes(bgr)
    drawn = strokes.find()
    found = drawn.lines
    readings = dict(zip(found, read([bgr[window(line)] for line in found]), strict=True))
    large = list(_large(ask, bgr, strokes, drawn.large)) if drawn.large else []
    sure = [*large, *_beside([line for line in found if _is_sure(*readings[line])], large)]
    seen = _beside(_seen(ask, bgr, strokes.unexplained(sure), sure), sure)
    readings |= zip(seen, read([bgr[window(line)] for line in seen]), strict=True)
    doubtful = _beside([line for line in found if not _is_sure(*readings[line])], large)
    return _in_rows([*sure, *_better(doubtful, seen, {line: _read_surely(*readings[line]) for line in readings})])


def _with_ground(strokes: Box, bgr: NDArray[np.uint8]) -> Box:
    """The box with as much ground as the network's have."""
    by = ground_of(strokes[3])
    return grown(strokes, by, by, bgr[:, :, 0])


def _is_frame(strokes: Box, seen: Sequence[Box]) -> bool:
    """Whether it is what surrounds lines that were seen: the border of fields, or the ground of two buttons.

    What is hardly wider is their line, with a pointer over it.
    """
    inside = sorted(box for box in seen if _is_covered(box, [strokes]))
    if not inside:
        return False
    height, width = max(box[3] for box in inside), sum(box[2] for box in inside)
    gaps = [after[0] - before[0] - before[2] for before, after in pairwise(inside)]
    are_beside = bool(gaps) and max(gaps) < _BESIDE * height and strokes[3] >= _HIGHER * height
    return are_beside or (strokes[3] >= height and strokes[2] >= _WIDER * width)


def _is_on_plain_ground(box: Box, bgr: NDArray[np.uint8]) -> bool:
    """Whether each side of what surrounds the strokes has one colour, as around words and not in a photograph."""
    part = bgr[window(grown(box, _AROUND, _AROUND, bgr[:, :, 0]))].astype(np.int16)
    sides = [side.reshape(-1, 3) for side in (part[:2], part[-2:], part[2:-2, :2], part[2:-2, -2:])]
    unlike = np.concatenate([np.abs(side - np.median(side, axis=0)).max(axis=1) for side in sides if side.size])
    return bool((unlike <= _ONE_COLOUR).mean() >= _PLAIN)


def _is_sure(text: str, score: float) -> bool:
    return score >= (_SURE if len(text) > 1 else _SURE_SIGN) and bool(text)


def _seen(ask: Ask, bgr: NDArray[np.uint8], places: Sequence[Box], sure: Sequence[Box]) -> list[Box]:
    """What the network finds at each place, where the lines that are known are wiped out: it may cut them."""
    if not places:
        return []
    wiped = bgr.copy()
    for box in sure:
        part = wiped[window(box)]
        part[:] = np.median(np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]]), axis=0)
    return [
        (x + left, y + top, width, height)
        for x, y, wide, high in places
        for left, top, width, height in ask(np.ascontiguousarray(wiped[y : y + high, x : x + wide]))
    ]


def _read_surely(text: str, score: float) -> float:
    """How many letters were read, each counted by how sure it is."""
    return score * len("".join(text.split()))


def _better(doubtful: Sequence[Box], seen: Sequence[Box], letters: Mapping[Box, float]) -> list[Box]:
    """Of the two ways to see one place, by strokes and by the network, the one of which more can be read."""
    left = list(seen)
    kept: list[Box] = []
    for line in doubtful:
        rivals = [other for other in left if _is_covered(line, [other]) or _is_covered(other, [line])]
        if letters[line] >= sum(letters[other] for other in rivals):
            left = [other for other in left if other not in rivals]
            kept.append(line)
    return [*kept, *left]


def _large(ask: Ask, bgr: NDArray[np.uint8], strokes: Strokes, letters: Sequence[Box]) -> Iterator[Box]:
    """Lines of large letters: the network says that there is text, and there are letters as large as the line."""
    size = max(bgr.shape[1] // _COARSE, 1), max(bgr.shape[0] // _COARSE, 1)
    small = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    for x, y, width, height in ask(small):
        box = strokes.close((x * _COARSE, y * _COARSE, width * _COARSE, height * _COARSE))
        if any(_is_covered(letter, [box]) and letter[3] > _LETTER * box[3] for letter in letters):
            yield box


def _beside(boxes: Iterable[Box], others: Sequence[Box]) -> list[Box]:
    """The boxes that the others do not cover."""
    return [box for box in boxes if not _is_covered(box, others)]


def _is_covered(box: Box, others: Sequence[Box]) -> bool:
    """Whether the others hold more than half of the box."""
    return 2 * sum(overlap(box, other) for other in others) > box[2] * box[3]


def _in_rows(boxes: list[Box]) -> list[Box]:
    """Top to bottom; left to right where the upper edges follow each other closely."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box[1]):
        if rows and box[1] - rows[-1][-1][1] < _ROW:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row)]
