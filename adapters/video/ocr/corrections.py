"""Corrects a reading by the strokes that it was read from: its spaces, and an l that was taken for a 1 or an I.

The network guesses spaces from the signs around them: after the dot of a path it sees the end of a sentence. A gap
says more: in a proportional font a word space is wider than any gap inside a word, and in a monospaced one every
letter stands in a cell of one width. The network sees monospaced letters rarely: there it reads the l of a code as
a 1, though no 1, no I and no bar has a foot to the right alone and a serif to the left.
"""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.ocr.runs import true_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from adapters.video.ocr.runs import Run

    Drawn = NDArray[np.bool_]
    """(height, width): where a picture is unlike its ground."""
    Sign = tuple[str, float]
    """A sign and where the network saw it, in pixels from the left."""


_INK: Final = 0.25
_LEAST_INK: Final = 12.0
"""Of the strongest contrast, and of 255: what differs so much from the ground is drawn."""


def drawn_on(bgr: NDArray[np.uint8], ink: float = _INK) -> Drawn:
    """Where a picture (height, width, 3) differs from its ground by ``ink`` of its strongest contrast."""
    pixels = bgr.astype(np.int16)
    ground = np.median(np.concatenate([pixels[0], pixels[-1]]), axis=0).astype(np.int16)
    strength = np.abs(pixels - ground).max(axis=2)
    return np.asarray(strength > max(ink * float(strength.max()), _LEAST_INK), np.bool_)


def runs_of(drawn: Drawn) -> list[Run]:
    """The columns that strokes take, from left to right."""
    return true_runs(np.asarray(drawn.any(axis=0)))


def own_runs(places: NDArray[np.float64], runs: Sequence[Run]) -> list[Run | None]:
    """The strokes of the sign at each place; none where they touch another's."""
    if not runs:
        return [None] * len(places)
    edges = np.array(runs, np.float64)
    apart = np.maximum(edges[:, 0] - places[:, None], places[:, None] - edges[:, 1])
    nearest = apart.argmin(axis=1)
    alone = np.bincount(nearest, minlength=len(runs))[nearest] == 1
    return [runs[int(run)] if lone else None for run, lone in zip(nearest, alone, strict=True)]


_AROUND: Final = 0.5
"""The network sees a sign up to so much of an advance aside."""
_WITHIN: Final = 0.2
"""A missing space is a gap that lies so far inside of two signs' distance."""
_WIDE: Final = 0.7
"""Of the height of a line: a wider gap is none inside a word."""
_SLIM: Final = 1.3
"""Of the mean advance: a line of small signs only counts as so high."""
_CELL: Final = 0.88
"""Of the width of a cell: two dots side by side leave a narrower gap,"""
_EMPTY: Final = 0.96
"""and an empty cell a wider one."""
_NEXT: Final = 1.15
"""The middles of two signs in neighbouring cells are at most so far apart, in widths of a cell."""
_ASIDE: Final = 0.17
"""So far from the middle of its cell stands a sign at most."""
_FEWEST: Final = 3
"""A font is monospaced around a gap where so many signs in a row stand one cell apart and no other does not,"""
_ENOUGH: Final = 5
"""or so many next to the gap."""
_NEAREST: Final = 4
"""So many steps to each side show how wide a cell may be: the font changes within a line."""


def spaced(signs: Sequence[Sign], bgr: NDArray[np.uint8]) -> str:
    """The text of the signs without the spaces that the strokes contradict, and with those that were overlooked.

    Args:
        signs: as the network read them, spaces among them.
        bgr: the picture of the line (height, width, 3) that it read.

    """
    letters = [sign for sign in signs if sign[0] != " "]
    spaces = _spaces(signs)
    if len(letters) > 1:
        doubtful = {index for index in spaces if not (letters[index - 1][0].isalnum() and letters[index][0].isalnum())}
        places = np.array([place for _, place in letters])
        drawn = drawn_on(bgr)
        runs = runs_of(drawn)
        wrong = _contradicted(places, runs, spaces, doubtful) if doubtful else set[int]()
        spaces = (spaces - wrong) | _overlooked(places, runs, spaces, _high(drawn))
    return "".join(" " * (index in spaces) + text for index, (text, _) in enumerate(letters))


def _contradicted(places: NDArray[np.float64], runs: Sequence[Run], spaces: set[int], doubtful: set[int]) -> set[int]:
    """Beside a mark a space is none where a monospaced font has no empty cell."""
    steps = np.diff(_middles(places, runs))
    slack = _AROUND * _advance(places, spaces)
    wrong: set[int] = set()
    for index in doubtful:
        left, right = places[index - 1] - slack, places[index] + slack
        gap = max((width for middle, width in _gaps(runs) if left <= middle <= right), default=0)
        cell = _cell(steps, index - 1, spaces)
        if cell and gap < _CELL * cell and steps[index - 1] <= _NEXT * cell:
            wrong.add(index)
    return wrong


def _overlooked(places: NDArray[np.float64], runs: Sequence[Run], spaces: set[int], high: int) -> set[int]:
    """A gap is a space where it is wider than any inside a word, in a monospaced font as wide as an empty cell."""
    advance = _advance(places, spaces)
    wide = _WIDE * max(high, _SLIM * advance)
    found: set[int] = set()
    for middle, width in _gaps(runs):
        index = int(np.searchsorted(places, middle))
        if width <= min(wide, advance) or index in spaces or not 0 < index < len(places):
            continue
        within = _WITHIN * (places[index] - places[index - 1])
        if places[index - 1] + within <= middle <= places[index] - within:
            cell = _cell(np.diff(_middles(places, runs)), index - 1, spaces)
            if width > (_EMPTY * cell if cell else wide):
                found.add(index)
    return found


def _advance(places: NDArray[np.float64], spaces: set[int]) -> float:
    """From one sign to the next, in the mean."""
    return float(places[-1] - places[0]) / (len(places) - 1 + len(spaces))


def _gaps(runs: Sequence[Run]) -> Iterator[tuple[float, int]]:
    """The middle and the width of each gap between strokes."""
    for (_, left), (right, _) in pairwise(runs):
        yield (left + right) / 2, right - left


def _spaces(signs: Sequence[Sign]) -> set[int]:
    """The numbers of the letters before which a space was read."""
    found: set[int] = set()
    number = 0
    for text, _ in signs:
        if text == " ":
            found.add(number)
        else:
            number += 1
    return found - {0, number}


def _high(drawn: Drawn) -> int:
    rows = np.flatnonzero(drawn.any(axis=1))
    return int(np.ptp(rows)) + 1 if rows.size else 0


def _middles(places: NDArray[np.float64], runs: Sequence[Run]) -> NDArray[np.float64]:
    """The middle of the strokes of each sign; not a number where they touch another's."""
    return np.array([np.nan if run is None else sum(run) / 2 for run in own_runs(places, runs)])


def _cell(steps: NDArray[np.float64], index: int, spaces: set[int]) -> float:
    """How wide the cells of a monospaced font are around a step that is in doubt; 0 in a proportional font.

    Args:
        steps: from the middle of each sign to the next; not a number where either is unknown.
        index: of the step.
        spaces: the numbers of the signs before which a space was read.

    """
    sides = _word(range(index - 1, -1, -1), spaces), _word(range(index + 1, len(steps)), spaces)
    near = steps[[number for side in sides for number in side[:_NEAREST]]]
    near = near[~np.isnan(near)]
    width = float(np.median(near)) if near.size else 0.0
    if width <= 0:
        return 0.0
    fitting = [np.abs(steps[side] / width - 1) <= _ASIDE for side in sides]
    runs = [int(np.argmin(fits)) if not fits.all() else len(fits) for fits in fitting]
    whole = sum(runs) == sum(len(side) for side in sides)
    enough = sum(runs) >= (_FEWEST if whole else _ENOUGH)
    return width if enough and all(run for run, side in zip(runs, sides, strict=True) if side) else 0.0


def _word(numbers: Sequence[int], spaces: set[int]) -> list[int]:
    """The steps from one sign to the next, up to a space."""
    return list(takewhile(lambda number: number + 1 not in spaces, numbers))


_READ: Final = frozenset("1I|")
_STEM_INK: Final = 0.5
"""Of the strongest contrast; paler pixels are the soft edges of a stroke."""
_LEAST_HIGH: Final = 7
"""Lower signs have too few pixels for a shape."""
_UPPER, _LOWER = 0.4, 0.75
"""Between these parts of its height a sign is its stem alone."""
_BAND: Final = 0.12
"""A foot and a serif are at least so high, in heights of the sign,"""
_OUT: Final = 0.15
"""and the foot reaches so far out of the stem."""
_WIDEST: Final = 0.3
"""A stem is at most so wide."""


def untwinned(signs: Sequence[Sign], bgr: NDArray[np.uint8]) -> list[Sign]:
    """The signs, an l where a 1, I or bar was read and the strokes are those of an l.

    Args:
        signs: as the network read them.
        bgr: the picture of the line (height, width, 3) that it read.

    """
    if not any(text in _READ for text, _ in signs):
        return list(signs)
    letters = [index for index, (text, _) in enumerate(signs) if text != " "]
    places = np.array([signs[index][1] for index in letters])
    owned = dict(zip(letters, own_runs(places, runs_of(drawn_on(bgr))), strict=True))
    drawn = drawn_on(bgr, _STEM_INK)
    result = list(signs)
    for index, run in owned.items():
        text, place = signs[index]
        if text in _READ and run is not None and _is_l(drawn[:, run[0] : run[1]]):
            result[index] = "l", place
    return result


def _is_l(drawn: Drawn) -> bool:
    """Whether it is a stem with a foot to the right alone, and, unlike a bracket, with a serif at its upper left."""
    rows = np.flatnonzero(drawn.any(axis=1))
    if not rows.size or int(np.ptp(rows)) + 1 < _LEAST_HIGH:
        return False
    drawn = drawn[rows[0] : rows[-1] + 1]
    high = len(drawn)
    if not drawn.any(axis=1).all():
        return False
    lefts, rights = drawn.argmax(axis=1), drawn.shape[1] - drawn[:, ::-1].argmax(axis=1)
    middle = slice(round(_UPPER * high), round(_LOWER * high))
    left, right = float(np.median(lefts[middle])), float(np.median(rights[middle]))
    if right - left > max(_WIDEST * high, 2) or np.ptp(lefts[middle]) > 1 or np.ptp(rights[middle]) > 1:
        return False
    band, out = max(round(_BAND * high), 1), max(_OUT * high, 2)
    foot, other_foot = rights[-band:].max() - right, left - lefts[-band:].min()
    return bool(foot >= out and other_foot < 1 <= left - lefts[:band].min())
