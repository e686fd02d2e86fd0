"""The column in which a test runner writes its commands beside the page: it is read whole, from one picture each time.

Cypress adds rows ten times a second, moves them at once, and draws their numbers faintly. What comes to rest there bit
by bit is of several states: a row's number then stands beside another row's words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from adapters.video.frame import lies_in, window
from adapters.video.motion.changes import BLOCK, pixel_box
from adapters.video.text.matching import match
from adapters.video.text.overlooked import line_in
from adapters.video.text.runner_marks import with_mark
from core.text import FAILED, PASSED, RUNNER_HEADING, RUNNER_VIEWPORT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Frame, Luma
    from adapters.video.motion.changes import Blocks
    from adapters.video.motion.settled import Look, Settled
    from adapters.video.text.areas import AreaReader
    from adapters.video.text.lines import Line

_EVERY_MS: Final = 200
"""It is read so often at most."""
_FULL_MS: Final = 100
_FULL: Final = 0.1
"""Of its blocks: when so many change at once, what stood there before is read as well, so often at most."""
_HEADING: Final = re.compile(RUNNER_HEADING)
_VIEWPORT: Final = re.compile(RUNNER_VIEWPORT)
_ABOVE: Final = re.compile(r"\W*(?:Specs|Tests)\W*|\S.*\b(?:cy|spec)[ .,]*[cm]?[jt]sx?", re.IGNORECASE)
"""What stands above the titles of tests: the runner's menu, and the file of the tests, whose dots may be lost."""
_SMALL: Final = 9
"""Pixels of a heading's height that suffice to find where lines stand."""
_AROUND: Final = 16
"""Pixels above and below what changed that are read with it."""
_ROWS: Final = 0.2
"""Of the column's height: where more changed, rows may have moved."""
_SURE: Final = 0.9
_LEAST: Final = 12
"""Heights of a heading from its left to the column's right, at least; of the page's size from the picture's left."""
_MOST: Final = 0.6
"""Of the picture's width, at most."""
_TOP: Final = 0.1
"""Of the picture's height: above it the runner writes the page's size."""
_EDGE: Final = 10
_LONG: Final = 0.6
"""Of the picture's height: so long is the edge between the column and the page, at least."""


class RunnerPane:
    """Keeps the lines of that column, once a heading has been read in it, or the page's size above the page.

    Args:
        reader: reads areas of pictures.
        keep: stores a picture and returns its name, if it does store it.

    """

    def __init__(self, reader: AreaReader, keep: Callable[[Frame, NDArray[np.uint8]], str | None]) -> None:
        self._reader = reader
        self._keep = keep
        self._box: Box | None = None
        self._scale = 1
        self._waiting: list[Settled] = []
        self._looked_ms = 0
        self._is_doubtful = False
        """Whether much that was read last is in doubt."""
        self.lines: list[Line] = []
        self.gone: list[Line] = []

    def take(self, settled: Sequence[Settled]) -> list[Settled]:
        """Read the column if that is due; returns what came to rest elsewhere."""
        if self._box is None:
            return [*settled]
        columns = self._box[2] // BLOCK
        within = [one for one in settled if one.blocks[:, :columns].any()]
        # Where much changes, what was not read yet may be gone.
        if within and self._waiting and self._waits_ms >= _FULL_MS and self._changed(within).mean() >= _FULL:
            self._look()
        self._waiting += within
        if not self._waiting and self._is_doubtful:
            # Its codec smears what has moved, and nothing tells when that is over.
            self._waiting += settled
        if self._waiting and self._waits_ms >= _EVERY_MS:
            self._look()
        return [part for one in settled if (part := _beside(one, self._box)) is not None]

    def catch_up(self) -> None:
        """Read what was left for later."""
        if self._waiting:
            self._look()

    def take_over(self, lines: list[Line], settled: Sequence[Settled]) -> list[Line]:
        """Find the column by what is read on the whole screen; returns the lines that are not in it."""
        if self._box is not None or not settled:
            return lines
        look = settled[-1].frame
        top = _TOP * look.luma.shape[0]
        known = next((line for line in lines if _HEADING.fullmatch(line.text) or _is_viewport(line, top)), None)
        if known is None:
            return lines
        right = _edge(known, look.luma)
        if right is None or not (_HEADING.fullmatch(known.text) or any(_is_above(line, right) for line in lines)):
            return lines
        self._box = (0, 0, right, look.luma.shape[0])
        self._scale = max(known.box[3] // _SMALL, 1)
        self._looked_ms = look.t_ms
        self.lines = [line for line in lines if lies_in(line.box, self._box)]
        self._mark_ended(look, 0)
        return [line for line in lines if line not in self.lines]

    @property
    def box(self) -> Box | None:
        """Where the column is, if it was found."""
        return self._box

    @property
    def _waits_ms(self) -> int:
        """How long what waits is younger than what was read last."""
        return max(one.seen_ms for one in self._waiting) - self._looked_ms

    def _changed(self, pieces: Sequence[Settled]) -> Blocks:
        """Which blocks of the column changed."""
        columns = 0 if self._box is None else self._box[2] // BLOCK
        return np.logical_or.reduce([one.blocks[:, :columns] for one in pieces])

    def _look(self) -> None:
        pieces, self._waiting = self._waiting, []
        look = max((one.frame for one in pieces), key=lambda each: each.t_ms)
        began_ms = max(self._looked_ms + 1, min(one.t_ms for one in pieces))
        self._looked_ms = max(look.t_ms, began_ms)
        area = self._touched(pieces, look.luma)
        stale = [line for line in self.lines if lies_in(line.box, area)]
        fresh = self._read(look, area, began_ms)
        self._is_doubtful = not self._is_doubtful and any(line.score < _SURE for line in fresh)
        found = match(stale, fresh)
        for line, again in found.kept:
            line.move(again.box, began_ms)
            if again.score > line.score and not _mark(line):
                line.text, line.score = again.text, again.score
        for line in found.leaving:
            line.until_ms = began_ms
        self.gone += [line for line in found.leaving if line.t_ms < began_ms]
        self.lines = [*(line for line in self.lines if line not in found.leaving), *found.coming]
        self._mark_ended(look, began_ms)

    def _mark_ended(self, look: Look, t_ms: int) -> None:
        """Put the sign of its mark before each title that has got one; what stood there without it is gone."""
        bgr = look.frame.bgr()
        for at, line in enumerate(self.lines):
            text = line.text if _mark(line) else with_mark(bgr, line.box, line.text)
            if text == line.text:
                continue
            if line.t_ms < t_ms:
                line.until_ms = t_ms
                self.gone.append(line)
                line = self.lines[at] = line_in(look, line.box, text, line.score, t_ms)  # noqa: PLW2901 - it is replaced
                line.frame = self.gone[-1].frame
            line.text = text

    def _touched(self, pieces: Sequence[Settled], luma: Luma) -> Box:
        """The part of the column that is read: all of it where more than a row or two changed."""
        _, _, width, height = self._box or (0, 0, 0, 0)
        blocks = self._changed(pieces)
        if not blocks.any():
            return 0, 0, width, height
        box = pixel_box(blocks, luma)
        top, bottom = max(box[1] - box[1] % BLOCK - _AROUND, 0), min(box[1] + box[3] + _AROUND, height)
        return (0, 0, width, height) if bottom - top > _ROWS * height else (0, top, width, bottom - top)

    def _read(self, look: Look, area: Box, t_ms: int) -> list[Line]:
        bgr = look.frame.bgr()
        boxes = self._boxes(bgr, area)
        readings = zip(boxes, self._reader.texts(bgr, look.luma, boxes), strict=True)
        lines = [line_in(look, box, text, score, t_ms) for box, (text, score) in readings if text]
        frame = self._keep(look.frame, bgr) if lines else None
        for line in lines:
            line.frame = frame
        return lines

    def _boxes(self, bgr: NDArray[np.uint8], area: Box) -> list[Box]:
        """Where lines stand; of a large picture a smaller one says that as well, four times as fast."""
        if self._scale == 1:
            return self._reader.boxes(bgr, area)
        x, y, width, height = area
        size = (max(width // self._scale, 1), max(height // self._scale, 1))
        small = np.asarray(cv2.resize(bgr[window(area)], size, interpolation=cv2.INTER_AREA), np.uint8)
        found = self._reader.boxes(small, (0, 0, small.shape[1], small.shape[0]))
        scaled = ([round(part * self._scale) for part in box] for box in found)
        return [(x + a, y + b, min(c, width - a), min(d, height - b)) for a, b, c, d in scaled]


def _is_viewport(line: Line, top: float) -> bool:
    """Whether it is the page's size, which stands above the page."""
    return line.box[1] < top and _VIEWPORT.fullmatch(line.text) is not None


def _is_above(line: Line, right: int) -> bool:
    """Whether it is what a runner writes above the titles of tests."""
    return line.box[0] < right and _ABOVE.fullmatch(line.text) is not None


def _mark(line: Line) -> str:
    """That of a test which is over; else empty."""
    return line.text[:1] if line.text.startswith((PASSED, FAILED)) else ""


def _edge(known: Line, luma: Luma) -> int | None:
    """Where the first long upright edge at the right of a heading is, or at the left of the page's size.

    ``None`` where there is none.
    """
    left, _, _, height = known.box
    is_above_page = _VIEWPORT.fullmatch(known.text) is not None
    first = _LEAST * height + (0 if is_above_page else left)
    last = min(round(_MOST * luma.shape[1]), left if is_above_page else luma.shape[1])
    part = luma[:, first : last + 2].astype(np.int16)
    if first >= last:
        return None
    edges = np.flatnonzero((np.abs(part[:, 2:] - part[:, :-2]) >= _EDGE).mean(axis=0) >= _LONG)
    return first + int(edges[0]) if edges.size else None


def _beside(one: Settled, box: Box) -> Settled | None:
    """What of it is outside the column; ``None`` for nothing."""
    columns = -(-box[2] // BLOCK)
    if not one.blocks[:, :columns].any():
        return one
    blocks = one.blocks.copy()
    blocks[:, :columns] = False
    scroll = None if one.scroll is not None and lies_in(one.scroll.box, box) else one.scroll
    return replace(one, blocks=blocks, scroll=scroll) if blocks.any() else None
