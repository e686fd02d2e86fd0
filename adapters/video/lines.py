"""Lines of text on the screen: what they say, where they stand, and how they looked."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from adapters.video.changes import Blocks, Luma
    from adapters.video.ocr import Box

_STROKES: Final = frozenset("|lI!\u00a6\u2502\u2503[]()-_\u2014\u2013'`.,:;\u00b7\u2022\u00b0/\\")
_TWINS: Final = str.maketrans(
    {"O": "0", "o": "0", "l": "1", "I": "1", "|": "1", "!": "1", "\u2019": "'", "\u2018": "'", "\u201c": '"'}
)
"""Signs that a reader confuses from one look to the next."""
_MARKS: Final = re.compile(r"(?<!\d)(?:_|[^\w\s])+|(?:_|[^\w\s])+(?!\d)")
"""Dots and dashes, but for those inside numbers."""
_BORDER: Final = 0.9
_FRAME: Final = 5
_RULE: Final = 0.85
_BAR_WIDTH: Final = 3
_BAR_INK: Final = 0.65
_ROW_GAP: Final = 2
_CARET_FULL: Final = 0.7
_CARET_EDGE: Final = 3
_CARET_TALLER: Final = 1.08
_MASKED: Final = re.compile("[\u2022\u00b7\u25cf\u2219.*]{3,}")
_CARET: Final = re.compile(r"(?<=\S)\s*[|│┃]$")


@dataclass(slots=True, eq=False)
class Line:
    """One line of text that stands, or stood, on the screen.

    Args:
        text: what it says.
        score: how sure the reader is, 0..1.
        box: where it stands now.
        patch: its brightness there when it was last looked at.
        t_ms: when it appeared; its text may have been read later.
        until_ms: when it was gone.
        frame: a picture that shows it.
        veiled: whether the mouse pointer stood over it when it was read.
        false: whether it turned out to be no text at all.

    """

    text: str
    score: float
    box: Box
    patch: Luma = field(repr=False)
    t_ms: int
    until_ms: int | None = None
    frame: str | None = None
    veiled: bool = False
    false: bool = False


def clean(text: str) -> str:
    """Without the caret that a field may show behind its text; empty for what is a stroke and not a text."""
    text = _CARET.sub("", unicodedata.normalize("NFKC", text).strip()).strip()
    return "" if set(squeezed(text)) <= _STROKES else text


def is_masked(text: str) -> bool:
    """Whether it is a row of dots or stars, as of a hidden password."""
    return _MASKED.fullmatch(squeezed(unicodedata.normalize("NFKC", text))) is not None


def squeezed(text: str) -> str:
    """Without spaces: readers disagree about narrow ones."""
    return "".join(text.split())


def alike(one: str, other: str) -> bool:
    """Whether the two are the same but for what readers confuse: spaces, case of twins, 0 and O, 1 and l."""
    return _folded(one) == _folded(other)


def _folded(text: str) -> str:
    bare = _MARKS.sub("", text)
    return (squeezed(bare) or squeezed(text)).translate(_TWINS).casefold()


def similarity(one: str, other: str) -> float:
    """0 for nothing in common, 1 for the same."""
    return SequenceMatcher(None, squeezed(one), squeezed(other), autojunk=False).ratio()


def same_ink(old: Luma, new: Luma) -> bool:
    """Whether two patches of one size show the same strokes, maybe dimmed, tinted or inverted."""
    if old.shape != new.shape or old.size == 0:
        return False
    a, b = old.astype(np.float32), new.astype(np.float32)
    mean_a, mean_b = a.mean(), b.mean()
    a, b = a - mean_a, b - mean_b
    power = float((a * a).sum())
    contrast = float(np.abs(a).max())
    if power < a.size or contrast < 12:  # noqa: PLR2004 - nothing is written there
        return bool(np.abs(b).max() < 16)  # noqa: PLR2004 - and still is not
    gain = float((a * b).sum()) / power
    if abs(gain) < 0.15:  # noqa: PLR2004 - what is left of it could not be read
        return False
    rest = np.abs(b - gain * a)
    return int((rest > max(12.0, 0.35 * abs(gain) * contrast)).sum()) < 3  # noqa: PLR2004 - a dot is three pixels


def window(box: Box) -> tuple[slice, slice]:
    """The pixels of a box."""
    x, y, width, height = box
    return slice(y, y + height), slice(x, x + width)


def around(boxes: Iterable[Box]) -> Box:
    """The rectangle that holds them all."""
    boxes = list(boxes)
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return left, top, right - left, bottom - top


def grown(box: Box, by_x: int, by_y: int, luma: Luma) -> Box:
    """The box with a margin, cut at the picture's edge."""
    left, top = max(box[0] - by_x, 0), max(box[1] - by_y, 0)
    right, bottom = min(box[0] + box[2] + by_x, luma.shape[1]), min(box[1] + box[3] + by_y, luma.shape[0])
    return left, top, max(right - left, 0), max(bottom - top, 0)


def overlap(one: Box, other: Box) -> int:
    """Common area in pixels."""
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0


def gap(one: Box, other: Box) -> tuple[int, int]:
    """Free pixels between two boxes, across and down; 0 where they overlap."""
    across = max(one[0], other[0]) - min(one[0] + one[2], other[0] + other[2])
    down = max(one[1], other[1]) - min(one[1] + one[3], other[1] + other[3])
    return max(across, 0), max(down, 0)


def same_row(one: Box, other: Box) -> bool:
    """Whether they stand side by side: half of the lower one's height in common."""
    common = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return 2 * common >= min(one[3], other[3])


def in_order(lines: Sequence[Line]) -> list[Line]:
    """Top to bottom, and left to right where they stand side by side."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box[1] + line.box[3] / 2):
        if rows and same_row(rows[-1][0].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box[0])]


def without_caret(luma: Luma, box: Box) -> Box:
    """The box without a caret or block cursor at its left or right end: a bar, taller than any letter beside it."""
    close = tight(luma, box)
    patch = luma[window(close)].astype(np.float32)
    strength = np.abs(patch - np.median(patch))
    ink = strength > 0.3 * max(float(strength.max()), 12.0)
    full = ink.mean(axis=0) >= _CARET_FULL
    for right_end in (True, False):
        columns = full[::-1] if right_end else full
        edge = int(np.argmax(columns[:_CARET_EDGE])) if columns[:_CARET_EDGE].any() else 0
        bar = edge + int(np.argmin(columns[edge:])) if columns[edge] and not columns[edge:].all() else 0
        rest = ink[:, : ink.shape[1] - bar] if right_end else ink[:, bar:]
        if not 0 < bar <= 0.8 * close[3] + _CARET_EDGE or not rest.any():
            continue
        if close[3] - 2 >= _CARET_TALLER * (
            np.ptp(np.flatnonzero(rest[:, 1:-1].any(axis=1))) + 1 if rest[:, 1:-1].any() else 0
        ):
            left, right = (box[0], close[0] + close[2] - bar) if right_end else (close[0] + bar, box[0] + box[2])
            return left, box[1], max(right - left, 1), box[3]
    return box


def tight(luma: Luma, box: Box) -> Box:
    """The box drawn close around its ink: detectors leave wide margins that reach into borders and neighbours."""
    patch: NDArray[np.float32] = luma[window(box)].astype(np.float32)
    strength = np.abs(patch - np.median(patch))
    if not strength.size or strength.max() < 12:  # noqa: PLR2004 - blank
        return box
    ink = _without_borders(strength > 0.3 * strength.max())
    if not ink.any():
        return box
    top, bottom = _main_rows(ink.sum(axis=1))
    columns = np.flatnonzero(ink[top:bottom].any(axis=0))
    close = (box[0] + int(columns[0]), box[1] + top, int(columns[-1] - columns[0]) + 1, bottom - top)
    return grown(close, 1, 1, luma)


def _main_rows(ink: NDArray[np.intp]) -> tuple[int, int]:
    """First and last row of the line itself: its neighbours' tips and a field's border stand apart from it."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], ink > 0, [False])).view(np.int8))).tolist()
    runs = list(zip(edges[::2], edges[1::2], strict=True))
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
        edge = view[: min(_FRAME, len(view) // 4)].mean(axis=1)
        full = np.flatnonzero(edge > _BORDER)
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
