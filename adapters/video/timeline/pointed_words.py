"""Which words of a line the pointer stands on: those of a bar of menus, or of a table's row, are read as one line."""

from __future__ import annotations

import itertools
import math
from statistics import median
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box
    from adapters.video.text.lines import Line

_INK: Final = 40
"""So much lighter or darker than its ground a stroke is."""
_EDGE: Final = 0.9
_BLANK: Final = 0.9
"""No blank between two words of one text is wider, in its heights."""
_WIDER: Final = 1.6
"""So many times wider than the usual blank of its line is the one between two columns."""
_COLUMN: Final = 0.5
"""Heights of a line: no blank between two columns is narrower."""
_BLANKS: Final = 3
"""So many tell which is usual."""
_REST: Final = 0.25
"""Heights of a line: so near to its edge ends what is left there of another word."""
_SHADE: Final = 0.2
"""Of the darker one: so much paler the words of another colour are at least."""
_FULL: Final = 8
"""So many of its darkest pixels show in which shade a word is written."""
_OTHERS: Final = 2
_MENUS: Final = 3
_JITTER: Final = 2
_STROKE: Final = 1.5
"""Heights of a line: no stroke of a letter lies so long."""
_ROWS: Final = 3
"""Heights of a line to each side: the rows next to it."""


def columns_beside(box: Box, others: Iterable[Box]) -> list[int]:
    """Where texts begin in the rows next to a line, inside its width."""
    x, y, width, height = box
    return [left for left, top, _, _ in others if height / 2 < abs(top - y) <= _ROWS * height and x < left < x + width]


def opens_menu(words: Sequence[str], box: Box, opened: Box | None) -> bool:
    """Whether right below a row of names something opened that begins beside its first one: a bar of menus."""
    if opened is None or not _are_names(words):
        return False
    is_below = -box[3] / 2 <= opened[1] - box[1] - box[3] <= _ROWS * box[3] / 2
    return is_below and box[0] - box[3] <= opened[0] < box[0] + box[2]


def _are_names(words: Sequence[str]) -> bool:
    """Whether they may be the names of a bar of menus."""
    return len(words) >= _MENUS and all(word[:1].isupper() for word in words)


def pointed_words(
    line: Line, box: Box, x: int, columns: Sequence[int] = (), *, single: bool = False, beside: bool = False
) -> tuple[str, Box] | None:
    """The words at a column of the picture, and their place; ``None`` where wide blanks cannot be told in its text.

    Args:
        line: what was read, with the picture of its letters.
        box: where it stood.
        x: the pointer's column, in pixels.
        columns: where lines in the rows beside it begin.
        single: whether each word is one of its own, as in a bar of menus.
        beside: whether the pointer stands beside the line: then words of another shade, as a link's, are meant.

    """
    drawn_at = next((place for place in (box, line.box, line.came_at) if place[2] == line.patch.shape[1]), box)
    if abs(drawn_at[2] - box[2]) > box[3]:
        # The picture is of another place, in other letters.
        return None if _are_names(line.text.split()) else (line.text, box)
    moved = drawn_at[0] - box[0]
    blanks = [(left + moved, right + moved) for left, right in _blanks(line) if 0 < left + moved < box[2]]
    words = line.text.split()
    if sum(right - left > _BLANK * box[3] for left, right in blanks) >= len(words):
        # At an edge stands a rest of the word beside.
        blanks = [each for each in blanks if _REST * box[3] < each[0] and each[1] < box[2] - _REST * box[3]]
    between = sorted(sorted(blanks, key=lambda each: each[0] - each[1])[: len(words) - 1])
    if any(right - left > _BLANK * box[3] and (left, right) not in between for left, right in blanks):
        return None
    begins = [column - box[0] for column in columns]
    widths = [right - left for left, right in between]
    usual = max(_WIDER * median(widths), _COLUMN * box[3]) if len(widths) >= _BLANKS else math.inf
    wide = [
        (left, right)
        for left, right in between
        if single
        or right - left > _BLANK * box[3]
        or (right - left > usual and min(left, box[2] - right) >= box[3])
        or any(abs(right - begin) <= _JITTER for begin in begins)
    ]
    if not wide and len(between) == len(words) - 1 > 0:
        drawn = [(left - moved, right - moved) for left, right in between]
        return _of_one_shade(line, box, drawn, x - drawn_at[0], beside=beside) or (line.text, box)
    if not wide or len(between) < len(words) - 1:
        return line.text, box
    edges = [0, *(at for at, each in enumerate(between, 1) if each in wide), len(words)]
    lefts = [0, *(each[1] for each in wide)]
    rights = [*(each[0] for each in wide), box[2]]
    at = min(range(len(lefts)), key=lambda part: max(lefts[part] - (x - box[0]), x - box[0] - rights[part]))
    place = (box[0] + lefts[at], box[1], rights[at] - lefts[at], box[3])
    return " ".join(words[edges[at] : edges[at + 1]]), place


def _of_one_shade(
    line: Line, box: Box, between: Sequence[tuple[int, int]], x: int, *, beside: bool
) -> tuple[str, Box] | None:
    """The words at a column that are written darker or paler than the others of their line, as a link in a sentence.

    Args:
        line: what was read.
        box: where it stood.
        between: the blanks between its words, as columns of its picture.
        x: the column in its picture.
        beside: whether those of another shade than most are meant rather than those at the column.

    """
    words = line.text.split()
    ends = list(zip([0, *(right for _, right in between)], [*(left for left, _ in between), box[2]], strict=True))
    strength = np.abs(line.patch.astype(np.int16) - int(np.median(line.patch)))
    shades = [
        float(np.sort(strength[:, left : max(right, left + 1)], axis=None)[-_FULL:].mean()) for left, right in ends
    ]
    usual = median(shades)
    # A dash has too few pixels to show its shade.
    shades = [shade if any(map(str.isalnum, word)) else usual for shade, word in zip(shades, words, strict=True)]
    aside = [at for at, shade in enumerate(shades) if beside and not _is_shade(shade, usual)]
    at = min(aside or range(len(words)), key=lambda word: max(ends[word][0] - x, x - ends[word][1]))
    alike = [_is_shade(shade, shades[at]) for shade in shades]
    first = at - next((n for n in range(at + 1) if not alike[at - n]), at + 1) + 1
    last = at + next((n for n in range(len(words) - at) if not alike[at + n]), len(words) - at) - 1
    others = [word for place, word in enumerate(words) if not alike[place] and any(map(str.isalpha, word))]
    if sum(alike) > last - first + 1 or len(others) < _OTHERS:
        return None
    left, right = ends[first][0], ends[last][1]
    return " ".join(words[first : last + 1]), (box[0] + left, box[1], right - left, box[3])


def _is_shade(one: float, other: float) -> bool:
    return abs(one - other) <= _SHADE * max(one, other, 1)


def _blanks(line: Line) -> list[tuple[int, int]]:
    """The runs of columns between its first and its last stroke in which nothing is drawn."""
    patch = line.patch.astype(np.int16)
    ink = np.abs(patch - int(np.median(patch))) > _INK
    # A row that is drawn all along is an edge beside the letters, and a long stroke in it a line below words.
    drawn = (ink & ~_long(ink))[ink.mean(axis=1) < _EDGE].any(axis=0)
    columns: list[int] = np.flatnonzero(drawn).tolist()
    return [(one + 1, other) for one, other in itertools.pairwise(columns) if other - one > 1]


def _long(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where a stroke lies that is longer than a letter's."""
    wide = min(max(round(_STROKE * ink.shape[0]), 1), ink.shape[1])
    return np.asarray(cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, np.ones((1, wide), np.uint8)), bool)
