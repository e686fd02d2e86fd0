"""Lines as a reader tells them, taken apart into what belongs together: two buttons side by side are two texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.desktop.eyesight.shapes import marks_among, runs_of
from adapters.desktop.eyesight.switches import switches_in_row
from core.screens import Box, TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

_ROOM: Final = 0.3
_APART: Final = 0.48
"""A gap of so many line heights divides two texts; a space between words has a quarter."""
_BORDER: Final = 14
_THIN: Final = 3
_LINE: Final = 0.85
"""How much of a row is ink where it is a border."""
_FRAME: Final = 0.65
_WIDER: Final = 1.1
_EDGE: Final = 12
_STILL: Final = 6
_LOOSE: Final = 1.8
_TIGHT: Final = 1.2
"""How many characters a cut may be off, at a space and at a change of case."""
_GLYPHS: Final = frozenset("OoQDC0@V□☐☑○◯●◉口®©✓v")
"""What readers make of check boxes and radio buttons."""
_SWITCH_READ: Final = re.compile(r"^[A-Z0-9@] ?(?=[A-Z][a-z]{2})")
"""A switch that was read as the first letter of the words behind it."""
_MISFIT: Final = 1.6
"""By how many characters the place of a gap may differ from where the widths of letters expect it."""
_NARROW: Final = frozenset("iljtfrI.,:;!|'()[]1 ")
_WIDE: Final = frozenset("mwMWOQ@%—…")


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without a space, and where it stands."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of one row that belong together; ``height`` is that of the reader's line."""

    words: tuple[Word, ...]
    box: Box
    score: float

    @property
    def text(self) -> str:
        """The words with single spaces."""
        return " ".join(word.text for word in self.words)


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds them all."""
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(x=x, y=y, width=right - x, height=bottom - y)


def segments_of(lines: Sequence[TextLine], grey: Pixels) -> list[Segment]:
    """Every line's segments, top to bottom.

    Args:
        lines: as they were read.
        grey: the picture's brightness (height, width).

    """
    found = [segment for line in lines for segment in _segments(line, grey)]
    return sorted(found, key=lambda segment: (segment.box.centre.y, segment.box.x))


def _segments(line: TextLine, grey: Pixels) -> list[Segment]:
    more = 1 + line.box.height // _EDGE
    left, top = max(line.box.x, 0), max(line.box.y - more, 0)
    seen = grey[top : line.box.y + line.box.height + more, left : line.box.x + line.box.width]
    if min(seen.shape) < _THIN or not line.text.strip():
        return []
    clean = _without_frames(seen)
    first, last = _letters(clean)
    edge = 1 + (last - first) // _EDGE
    crop = clean[max(first - edge, 0) : last + edge]
    room = round(_ROOM * (last - first))
    box = Box(x=left, y=top + first - room, width=int(seen.shape[1]), height=last - first + 2 * room)
    runs = runs_of(crop) or [(0, int(crop.shape[1]))]
    switches = [(each.x - left, each.x - left + each.width) for each in _switches(grey, box)]
    is_first = bool(switches) and switches[0][0] <= runs[0][0]
    runs = [run for run in runs if not any(start <= run[0] and run[1] <= end for start, end in switches)] or runs
    # Letters that touch are one run; no letter is two in most fonts.
    has_more = len(runs) < len("".join(line.text.split()))
    text = _SWITCH_READ.sub("", line.text) if is_first and has_more else line.text
    taken = marks_among(grey[max(box.y, 0) : box.y + box.height, left : left + box.width], runs, box.height)
    kept = [run for run in runs if run not in taken] or runs
    taken = sorted([*taken, *switches])
    groups = _group_boxes(kept, taken, seen[first:last], box.height)
    texts = text.split()
    if taken:
        texts = [text for text in texts if text not in _GLYPHS] or texts
    found: list[Segment] = []
    for text, group in _shared_out(" ".join(texts), groups, box.height):
        words = _words(text.split(), group, box)
        found.append(Segment(tuple(words), around([word.box for word in words]), line.score))
    return found


def _switches(grey: Pixels, line: Box) -> list[Box]:
    """The switches that a line reaches over: they are read as a letter, or not at all."""
    reach = 2 * line.height
    found = switches_in_row(grey, line.x - reach, line.x + line.width + reach, line.y, line.y + line.height)
    return [switch for switch in found if switch.overlap(line)]


def _without_frames(crop: Pixels) -> Pixels:
    """The line without the borders around its letters: with their pixels painted as the ground.

    A reader's box may reach over a field's border.
    """
    ground = int(np.median(crop))
    off = np.abs(crop.astype(np.int16) - ground)
    ink = (off > max(min(2 * _BORDER, int(off.max()) // 3), _STILL)).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    table = np.asarray(stats, np.int64)[:count]
    bounds = np.column_stack((table[:, :2], table[:, :2] + table[:, 2:4], table[:, 4]))
    clean = crop
    for index in range(1, count):
        if _is_frame(index, bounds, (int(crop.shape[0]), int(crop.shape[1]))):
            clean = np.where(labels == index, np.uint8(ground), clean)
    return clean


def _is_frame(index: int, bounds: NDArray[np.int64], size: tuple[int, int]) -> bool:
    """Whether a connected region goes around others, or is a bar that reaches beyond them above and below.

    One that goes around a single letter is a frame only where it is wide, or runs on beyond what is seen of it: "@" and
    "0" go around something as well.

    ``bounds`` holds left, top, right, bottom and area of each region; that of the ground is the first.
    """
    left, top, right, bottom, area = (int(value) for value in bounds[index])
    width, height = right - left, bottom - top
    rows, columns = size
    if height < _FRAME * rows:
        return False
    others = np.delete(bounds, [0, index], axis=0)
    inside = (others[:, 0] > left) & (others[:, 1] > top) & (others[:, 2] < right) & (others[:, 3] < bottom)
    runs_on = right >= columns or left <= 0
    if inside.any() and area < width * height / 2 and (width >= _WIDER * height or inside.sum() > 1 or runs_on):
        return True
    low = others[(others[:, 3] - others[:, 1] < height) & (others[:, 4] > _THIN)]
    is_narrow = width <= max(_THIN + 1, height // 4)
    return bool(is_narrow and len(low) and top <= low[:, 1].min() - 2 and bottom >= low[:, 3].max() + 2)


def _letters(crop: Pixels) -> tuple[int, int]:
    """From which row to which there are letters, and no line above or below them."""
    ground = int(np.median(crop))
    off = np.abs(crop.astype(np.int16) - ground)
    ink = off > max(min(2 * _BORDER, int(off.max()) // 3), _STILL)
    first, last = _between(ink.mean(axis=1) >= _LINE, max(ink.shape[0] // 3, 1))
    rows = np.flatnonzero(ink[first:last].any(axis=1))
    if not rows.size:
        return 0, int(crop.shape[0])
    return first + int(rows[0]), max(first + int(rows[-1]) + 1, first + int(rows[0]) + _THIN)


def _between(lines: NDArray[np.bool_], reach: int) -> tuple[int, int]:
    """What is left of a side when borders within ``reach`` of its ends are cut off."""
    head, tail = np.flatnonzero(lines[:reach]), np.flatnonzero(lines[-reach:])
    start = int(head[-1]) + 1 if head.size else 0
    stop = len(lines) - reach + int(tail[0]) if tail.size else len(lines)
    return start, max(stop, start + 1)


def _group_boxes(
    runs: list[tuple[int, int]], marks: list[tuple[int, int]], crop: Pixels, height: int
) -> list[list[tuple[int, int]]]:
    """Runs of ink that belong together: no mark, border or wide gap between them."""
    groups = [[runs[0]]]
    for before, run in pairwise(runs):
        has_mark = any(before[1] <= mark[0] and mark[1] <= run[0] for mark in marks)
        if has_mark or run[0] - before[1] > _APART * height or _is_divided(crop[:, before[1] : run[0]]):
            groups.append([run])
        else:
            groups[-1].append(run)
    return groups


def _shared_out(text: str, groups: list[list[tuple[int, int]]], height: int) -> list[tuple[str, list[tuple[int, int]]]]:
    """Which part of the text stands in which group; groups that hold none are pictures and left out."""
    groups = [group for group in groups if group[-1][1] - group[0][0] >= _THIN] or groups[:1]
    while len(groups) > 1:
        widths = [sum(end - start for start, end in group) for group in groups]
        share = widths[0] / max(sum(widths), 1)
        cut = _cut(text, share)
        if cut is not None:
            rest = _shared_out(text[cut:].strip(), groups[1:], height)
            return [(text[:cut].strip(), groups[0]), *rest]
        if groups[0][-1][1] - groups[0][0][0] <= height:
            groups = groups[1:]
        elif groups[-1][-1][1] - groups[-1][0][0] <= height:
            groups = groups[:-1]
        else:
            groups = [[*groups[0], *groups[1]], *groups[2:]]
    return [(text, groups[0])] if text else []


def _cut(text: str, share: float) -> int | None:
    """Where a text may be cut so that about this share of its width stands before: at a space or a change of case."""
    total = _weight(text.replace(" ", ""))
    best: tuple[float, int] | None = None
    width = 0.0
    for at in range(1, len(text)):
        width += 0.0 if text[at - 1] == " " else _weight(text[at - 1])
        is_space = text[at] == " " or text[at - 1] == " "
        is_border = text[at - 1].islower() and (text[at].isupper() or text[at].isdigit())
        off = abs(width - share * total)
        slack = _LOOSE + total * 0.06 if is_space else _TIGHT + total * 0.06
        if (is_space or is_border) and off <= slack and (best is None or off < best[0]):
            best = (off, at)
    return best[1] if best else None


def _is_divided(between: Pixels) -> bool:
    """Whether a border or another ground stands in the gap: then it is more than a space."""
    if between.shape[1] < _THIN:
        return False
    margin = between.shape[0] // 6
    inner = between[margin : between.shape[0] - margin].astype(np.int16)
    plain = inner[0][(inner.max(axis=0) - inner.min(axis=0)) <= _STILL]
    return bool(plain.size and int(plain.max()) - int(plain.min()) > _BORDER)


def _weight(text: str) -> float:
    return sum(0.55 if sign in _NARROW else 1.4 if sign in _WIDE else 1.15 if sign.isupper() else 1.0 for sign in text)


def _words(texts: list[str], runs: list[tuple[int, int]], line: Box) -> list[Word]:
    """Each word's box: gaps between runs of ink divide them, as near as may be to where the letters expect it."""
    start, end = runs[0][0], runs[-1][1]
    weights = [_weight(text) for text in texts]
    gaps = [(before[1], after[0]) for before, after in pairwise(runs)]
    cuts = _cuts(weights, gaps, start, end, line.height)
    spans = zip([start, *(cut[1] for cut in cuts)], [*(cut[0] for cut in cuts), end], strict=True)
    return [
        Word(text, Box(x=line.x + begin, y=line.y, width=max(stop - begin, 1), height=line.height))
        for text, (begin, stop) in zip(texts, spans, strict=True)
    ]


def _cuts(
    weights: list[float], gaps: list[tuple[int, int]], start: int, end: int, height: int
) -> list[tuple[int, int]]:
    """Where each word but the last ends and the next begins."""
    count = len(weights) - 1
    if not count:
        return []
    widest = sorted(sorted(gaps, key=lambda gap: gap[0] - gap[1])[:count])
    if len(widest) == count and _fits(weights, widest, start, end):
        return widest
    return _by_weight(weights, gaps, start, end, height)


def _fits(weights: list[float], cuts: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether the words between the cuts are as wide as their letters make them."""
    edges = [start, *(x for cut in cuts for x in cut), end]
    widths = [stop - begin for begin, stop in zip(edges[::2], edges[1::2], strict=True)]
    unit = sum(widths) / sum(weights)
    return all(
        abs(width - weight * unit) <= (_MISFIT + weight * 0.3) * unit
        for width, weight in zip(widths, weights, strict=True)
    )


def _by_weight(
    weights: list[float], gaps: list[tuple[int, int]], start: int, end: int, height: int
) -> list[tuple[int, int]]:
    """Cuts by the widths of letters, moved to the nearest gap."""
    unit = (end - start) / (sum(weights) + 0.5 * (len(weights) - 1))
    cuts: list[tuple[int, int]] = []
    at = float(start)
    floor = start
    for weight in weights[:-1]:
        at += weight * unit
        usable = [gap for gap in gaps if gap[0] > floor]
        near = min(usable, key=lambda gap: abs((gap[0] + gap[1]) / 2 - at) - (gap[1] - gap[0]), default=None)
        if near is None or abs((near[0] + near[1]) / 2 - at) > max(2.5 * unit, height / 2):
            near = (round(at), round(at + 0.5 * unit))
        cuts.append(near)
        floor = near[1]
        at = max(at + 0.5 * unit, float(near[1]))
    return cuts
