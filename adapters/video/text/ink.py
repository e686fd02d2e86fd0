"""The strokes of a line, told from its ground, from borders and from carets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import grown, window
from adapters.video.ocr.runs import true_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.motion.changes import Blocks

_BORDER: Final = 0.9
_FRAME: Final = 8
_FRAMED: Final = 0.25
"""Of a frame's height: what it is drawn around is taller. Lower is the dot of an i whose stem a caret touches."""
_RULE: Final = 0.85
_LEAST: Final = 12
"""Levels by which the strongest stroke of a text differs from its ground."""
_THIN: Final = 4
"""Times as high as wide a caret is at least."""
_ROW: Final = 2
"""Times as wide as high a row of letters is at least."""
_BAR_WIDTH: Final = 3
_BAR_INK: Final = 0.65
_SOLID_INK: Final = 0.7
_CLEAN: Final = 0.9
_ROW_GAP: Final = 2
_LETTER_CELL: Final = (0.5, 0.85)
"""A block cursor is filled so far where a letter stands in it, and so far at its edges."""
_CARET_EDGE: Final = 3
_STANDS_OUT: Final = 0.2
"""Heights of the letters: a bar that begins so far above them all may be an i,"""
_BELOW: Final = 1
"""unless it ends more pixels than this below their line."""
_SPECK: Final = 2
"""Fewer pixels that stand alone are a codec's."""
_ICON_TALLER: Final = 1.4
_ICON_INK: Final = 0.7
_ICON_WIDEST: Final = 1.5
"""Of a line's height."""
_BLOCK: Final = 0.8
"""Of its height: so wide is a block cursor at most."""
_SOLID: Final = 0.95
_DOT_LEVEL: Final = 40
_DOT_SLACK: Final = 2
_LEAST_DOTS: Final = 3
_LEAST_DOT: Final = 2
_LOWER: Final = 0.14
"""Of the height of a line with its tails: small letters are a quarter to a third lower than capitals and digits."""


def without_caret(luma: Luma, box: Box) -> Box:
    """The box without a caret or an empty block cursor at its left or right end: a bar, taller than any letter.

    A caret may touch the letter beside it.
    """
    left, top, wide, high = grown(box, _CARET_EDGE, _CARET_EDGE, luma)
    drawn = _apart_from_edges(luma[top : top + high, left : left + wide])
    if _cell_in(drawn) is not None:
        return box
    for turned, flip in ((drawn, False), (drawn[:, ::-1], True)):
        bar = _bar_at_end(turned)
        if bar is None or not turned[:, :bar].any():
            continue
        rows = np.flatnonzero(turned[:, :bar].any(axis=1))
        first, last = int(rows[0]), int(rows[-1]) + 1
        start, stop = (left + wide - bar, box[0] + box[2]) if flip else (box[0], left + bar)
        return grown((start, top + first, max(stop - start, 1), last - first), 0, 1, luma)
    return box


def has_caret_behind(luma: Luma, box: Box) -> bool:
    """Whether a caret stands right behind the letters of a line, or is a part of its box.

    A terminal's block cursor is none: it also stands behind what a program wrote.
    """
    x, y, width, height = box
    left, top, wide, high = grown((x, y, width + height // 3, height), _CARET_EDGE, _CARET_EDGE, luma)
    drawn = _apart_from_edges(luma[top : top + high, left : left + wide])
    bar, columns = _bar_at_end(drawn), np.flatnonzero(drawn.any(axis=0))
    return bar is not None and int(columns[-1]) - bar < _BAR_WIDTH


def is_cut_by_edge(luma: Luma, box: Box) -> bool:
    """Whether strokes of the line reach the upper or lower edge of the picture, so that it shows half letters."""
    patch = luma[window(box)].astype(np.float32)
    ink = np.abs(patch - np.median(patch)) > 0.3 * max(float(np.ptp(patch)), 12.0)
    return (box[1] == 0 and bool(ink[0].any())) or (box[1] + box[3] == luma.shape[0] and bool(ink[-1].any()))


def with_letter_of_cursor(bgr: NDArray[np.uint8], luma: Luma, box: Box) -> NDArray[np.uint8]:
    """The line's picture (height, width, 3); where a block cursor stands, its letter in the line's own colours."""
    line = bgr[window(box)]
    cell = _cell_in(_apart_from_edges(luma[window(box)]))
    if cell is None:
        return line
    line = line.copy()
    part = line[window(cell)].astype(np.int16)
    ground = np.median(np.concatenate([line[0], line[-1]]), axis=0).astype(np.int16)
    block = np.median(np.concatenate([part[0], part[-1]]), axis=0).astype(np.int16)
    line[window(cell)] = np.clip(ground + block - part, 0, 255).astype(np.uint8)
    return line


def _apart_from_edges(patch: Luma) -> Blocks:
    """What is drawn, without the frame of a field and the rows above and below: around the line, or out of view."""
    if not patch.size:
        return np.zeros(patch.shape, np.bool_)
    ink = ink_of(patch).astype(np.uint8)
    _, labels, parts, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    height, width = patch.shape
    inside = (parts[:, 1] > 0) & (parts[:, 1] + parts[:, 3] < height) & (parts[:, 2] < width)
    inside[0] = False
    left, top, wide, high = (parts[:, side] for side in range(4))
    inside &= (wide < _RULE * width) | (high > _BAR_WIDTH)
    around = (left[:, None] < left) & (top[:, None] < top) & (left[:, None] + wide[:, None] > left + wide)
    around &= (top[:, None] + high[:, None] > top + high) & (high > _FRAMED * high[:, None]) & inside
    inside &= ~around.any(axis=1)
    return np.asarray(inside[labels], np.bool_)


def _bar_at_end(drawn: Blocks) -> int | None:
    """The column where a caret, an empty block cursor or a taller icon at the right end begins, beside letters."""
    parts = _parts(drawn)
    if not parts.size:
        return None
    at = int(np.argmax(parts[:, 0]))
    if len(parts) > 1 and _is_cursor(parts[at].tolist(), np.delete(parts, at, axis=0)):
        return int(parts[at, 0])
    last = int((parts[:, 0] + parts[:, 2]).max()) - 1
    tallest = max(range(max(last - _BAR_WIDTH + 1, 0), last + 1), key=lambda column: int(drawn[:, column].sum()))
    rows = np.flatnonzero(drawn[:, tallest])
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    first = tallest
    while first > 0 and drawn[top:bottom, first - 1].mean() > _BORDER:
        first -= 1
    # Its own edge may be half drawn.
    end = last if tallest < last and drawn[top:bottom, last].mean() <= _BORDER else last + 1
    bar = (first, top, end - first, bottom - top, int(drawn[top:bottom, first:end].sum()))
    rest = drawn.copy()
    rest[:, first:] = False
    return first if rest.any() and _is_cursor(bar, _parts(rest)) else None


def _cell_in(drawn: Blocks) -> Box | None:
    """Where a block cursor stands upon a letter, which is drawn in the colour of the ground."""
    parts = _parts(drawn)
    for at, (x, y, wide, high, ink) in enumerate(parts.tolist()):
        if wide <= _BAR_WIDTH or len(parts) == 1 or not _LETTER_CELL[0] * wide * high < ink < _SOLID * wide * high:
            continue
        solid = (x, y, wide, high, wide * high)
        edge = drawn[y : y + high, x], drawn[y : y + high, x + wide - 1], drawn[y, x : x + wide]
        if min(float(side.mean()) for side in edge) > _LETTER_CELL[1] and _is_cursor(
            solid, np.delete(parts, at, axis=0)
        ):
            return x, y, wide, high
    return None


def _parts(drawn: Blocks) -> NDArray[np.int64]:
    """Left, top, width, height and pixels of each thing that is drawn."""
    parts = np.asarray(cv2.connectedComponentsWithStats(drawn.astype(np.uint8), connectivity=8)[2][1:], np.int64)
    larger = parts[parts[:, 4] >= _SPECK]
    return larger if larger.size else parts


def _is_cursor(bar: Sequence[int], letters: NDArray[np.int64]) -> bool:
    """Whether a part begins above all letters and ends below the line that they stand on, as no letter does.

    What is much taller than the letters need not be solid: it is an icon.
    """
    _, top, wide, high, ink = bar
    letters = letters[(letters[:, 1] < top + high) & (letters[:, 1] + letters[:, 3] > top)]
    if not letters.size:
        return False
    tops, bottoms = letters[:, 1], letters[:, 1] + letters[:, 3]
    taller = high / max(int(bottoms.max()) - int(tops.min()), 1)
    widest, least_ink = (_ICON_WIDEST, _ICON_INK) if taller > _ICON_TALLER else (_BLOCK, _SOLID)
    if wide > max(_BAR_WIDTH, widest * high) or taller < 1 or ink < least_ink * wide * high:
        return False
    stand, first = float(np.median(bottoms)), int(tops.min())
    # Above low letters alone an i stands out as far, whose dot a codec has joined to its stem.
    below = _BELOW if first - top > _STANDS_OUT * (stand - first) else 0
    # Beside an l, which is as tall, no q, j, F or bracket: those are low, or have a hook or an arm.
    whole = bottoms - tops > (stand - first) / 2
    hooked = letters[:, 0] + letters[:, 2] > bar[0] - _BAR_WIDTH
    hooked &= (bottoms > stand + _BELOW) | ((tops <= top + 1) & ~whole)
    has_tall = int(tops[whole].max(initial=first)) - first > _STANDS_OUT * (stand - first)
    ends_below = top + high > float(np.median(bottoms[whole])) + _BELOW if whole.any() else False
    above = top < first or (top == first and has_tall and not hooked.any() and ends_below)
    return bool(above and top + high > stand + below and top + high >= bottoms.max() - 1)


def ink_of(patch: Luma) -> Blocks:
    """Where strokes are, in whichever strength."""
    strength = np.abs(patch.astype(np.float32) - float(np.median(patch)))
    return strength > 0.3 * max(float(strength.max(initial=0.0)), _LEAST)


def tight(luma: Luma, box: Box) -> Box:
    """The box drawn close around its ink: detectors leave wide margins that reach into borders and neighbours.

    A caret before faint letters is stronger than they are: they count then, and it does not.
    """
    patch: NDArray[np.float32] = luma[window(box)].astype(np.float32)
    strength = np.abs(patch - np.median(patch))
    close = _close(strength)
    if close is not None and _is_caret(close, box):
        strength[:, max(0, close[0] - 1) : close[0] + close[2] + 1] = 0
        letters = _close(strength)
        close = letters if letters is not None and _is_row(letters) else close
    if close is None:
        return box
    left, top, width, height = close
    return grown((box[0] + left, box[1] + top, width, height), 1, 1, luma)


def _close(strength: NDArray[np.float32]) -> Box | None:
    """Where a patch has its ink; ``None`` where it is blank."""
    if not strength.size or strength.max() < _LEAST:
        return None
    ink = _without_borders(strength > 0.3 * strength.max())
    if not ink.any():
        return None
    top, bottom = _main_rows(ink.sum(axis=1))
    columns = np.flatnonzero(ink[top:bottom].any(axis=0))
    return int(columns[0]), top, int(columns[-1] - columns[0]) + 1, bottom - top


def _is_caret(ink: Box, box: Box) -> bool:
    """Whether all that was found in a wide box is one thin stroke, higher than wide."""
    return ink[2] * _THIN <= ink[3] and _is_row(box)


def _is_row(box: Box) -> bool:
    return box[2] >= _ROW * box[3]


def _main_rows(ink: NDArray[np.intp]) -> tuple[int, int]:
    """First and last row of the line itself: its neighbours' tips and a field's border stand apart from it."""
    runs = true_runs(ink > 0)
    main = max(range(len(runs)), key=lambda index: int(ink[runs[index][0] : runs[index][1]].sum()))
    first = last = main
    while first > 0 and runs[first][0] - runs[first - 1][1] <= _ROW_GAP:
        first -= 1
    while last < len(runs) - 1 and runs[last + 1][0] - runs[last][1] <= _ROW_GAP:
        last += 1
    return runs[first][0], runs[last][1]


def _without_borders(ink: Blocks) -> Blocks:
    """Without full rows, and full columns along the edges: rules, and the frame of a window or field."""
    ink = ink.copy()
    ink[ink.mean(axis=1) > _RULE] = False
    for view in (ink, ink[::-1], ink.T, ink.T[::-1]):
        edge = view[: min(_FRAME, len(view) // 4)]
        # A border runs through; the stem of a letter has ground above and below it.
        full = np.flatnonzero((edge.mean(axis=1) > _BORDER) & edge[:, 0] & edge[:, -1])
        if full.size:
            view[: full[-1] + 1] = False
    return ink


def is_bar(patch: Luma) -> bool:
    """Whether there is nothing but a bar: a caret, a part of a frame, the beginning of a progress bar."""
    strength = np.abs(patch.astype(np.float32) - float(np.median(patch)))
    ink = strength > 0.3 * max(float(strength.max()), 1.0)
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    if not columns.size:
        return True
    wide, high = int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1
    return wide <= _BAR_WIDTH or float(ink.sum()) > _BAR_INK * wide * high


def is_solid(patch: Luma) -> bool:
    """Whether a filled shape stands there, and no strokes in it: more of it is unlike its rim than any letter's is."""
    height, width = patch.shape
    middle = patch[height // 5 : height - height // 5, width // 5 : width - width // 5]
    return _is_filled(patch, _SOLID_INK) and (int(np.ptp(middle)) < _DOT_LEVEL or _is_filled(middle, _CLEAN))


def _is_filled(patch: Luma, least: float) -> bool:
    strength = np.abs(patch.astype(np.float32) - _rim(patch))
    ink = strength > 0.3 * max(float(strength.max()), 1.0)
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    if not columns.size:
        return False
    return float(ink.sum()) > least * (int(np.ptp(columns)) + 1) * (int(np.ptp(rows)) + 1)


def _rim(patch: Luma) -> float:
    return float(np.median(np.concatenate([patch[0], patch[-1], patch[:, 0], patch[:, -1]])))


def is_row_of_dots(patch: Luma) -> bool:
    """Whether there are three round spots or more, alike and evenly spaced: too small, often, for a reader."""
    strength = np.abs(patch.astype(np.float32) - float(np.median(patch)))
    if not strength.size or strength.max() < _DOT_LEVEL:
        return False
    ink = (strength > 0.4 * strength.max()).astype(np.uint8)
    spots = np.asarray(cv2.connectedComponentsWithStats(ink, connectivity=8)[2][1:], np.int64)
    dots = np.abs(spots[:, 2] - spots[:, 3]) <= _DOT_SLACK
    sides = spots[dots, 2:4]
    # Twice the middles, to stay with whole numbers.
    middles = np.sort(2 * spots[dots, :2] + sides, axis=0)
    # A caret behind them, or a part of one, is all that may be there besides.
    if dots.sum() < _LEAST_DOTS or (~dots).sum() > 1 or sides.min() < _LEAST_DOT:
        return False
    uneven = max(int(np.ptp(np.diff(middles[:, 0]))), int(np.ptp(middles[:, 1])))
    return uneven <= 2 * _DOT_SLACK and int(np.ptp(sides)) <= _DOT_SLACK


def ends_low(patch: Luma) -> bool:
    """Whether the last sign of a line, apart from the others, begins clearly below their tops: a small letter."""
    strength = np.abs(patch.astype(np.float32) - float(np.median(patch)))
    ink = strength > 0.3 * max(float(strength.max()), 1.0)
    columns = np.flatnonzero(ink.any(axis=0))
    gaps = np.flatnonzero(np.diff(columns) > max(patch.shape[0] // 4, 2))
    if not gaps.size:
        return False
    tops = [int(np.argmax(part.any(axis=1))) for part in np.split(ink, [columns[gaps[-1]] + 1], axis=1)]
    return tops[1] - tops[0] >= max(_LOWER * patch.shape[0], 2)
