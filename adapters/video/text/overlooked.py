"""Lines that detectors overlook, lone digits above all: one that still stands, and one that stood before a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import grown, overlap, window
from adapters.video.text.beams import without_beam
from adapters.video.text.controls import control_around
from adapters.video.text.ink import tight
from adapters.video.text.lines import Line, alike
from adapters.video.text.same_ink import same_ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box
    from adapters.video.motion.settled import Look, Settled
    from adapters.video.text.areas import AreaReader
    from adapters.video.text.matching import Match

_INK: Final = 40
_SHORT: Final = 3


def find_overlooked(  # noqa: PLR0917 - all that a look has
    reader: AreaReader,
    matched: Match,
    gone: Sequence[Line],
    taken: Sequence[Box],
    bgr: NDArray[np.uint8],
    look: Look,
    t_ms: int,
) -> None:
    """Read where a line seems to be gone though ink still stands there.

    Nothing is read where another line stands or begins, whether it is new there or only moved: it would be a part
    of that.

    Args:
        reader: reads what stands in a box.
        matched: the lines before and now; what is found is noted in it.
        gone: those of its lines that seem to be gone.
        taken: where other lines stand now.
        bgr: the picture.
        look: the same without the pointer.
        t_ms: when the change began.

    """
    for line in [line for line in gone if len(line.text) <= _SHORT]:
        if np.ptp(look.luma[window(line.box)]) < _INK or any(overlap(line.box, box) for box in taken):
            continue
        box = grown(line.box, 4, 3, look.luma)
        text, score = reader.texts(bgr, look.luma, [box])[0]
        if text:
            matched.removed.remove(line)
            again = line_in(look, box, text, score, t_ms)
            pairs = matched.kept if alike(text, line.text) else matched.changed
            pairs.append((line, again))
            if pairs is matched.kept:
                matched.moved.append((0, 0))


def find_unnoticed(reader: AreaReader, matched: Match, settled: Sequence[Settled], known: Sequence[Line]) -> list[Line]:
    """Read what stood where a new line came, if nothing was known to; returns the lines that were there all the time.

    Args:
        reader: reads what stands in a box.
        matched: the lines before and now; what is found is noted in it.
        settled: what came to rest, with the picture before it.
        known: the lines that stood before.

    """
    stood: list[Line] = []
    for line in list(matched.added):
        for one in settled:
            x, y, _, _ = one.before_box
            part = grown((line.box[0] - x, line.box[1] - y, line.box[2], line.box[3]), 2, 2, one.before)
            patch = one.before[window(part)]
            is_known = one.first or any(overlap(line.box, old.box) for old in (*known, *stood))
            if is_known or part[2] < line.box[2] or part[3] < line.box[3] or np.ptp(patch) < _INK:
                continue
            if same_ink(patch, one.frame.luma[window(grown(line.box, 2, 2, one.frame.luma))]):
                # It stood there before, as well or badly to be seen as now.
                line.t_ms = one.stood_ms
                matched.added.remove(line)
                stood.append(line)
                break
            text, score = reader.line(patch, digit=line.text.isdecimal())
            if text and (len(text) > 1 or line.text.isdecimal()) and not alike(text, line.text):
                old = Line(text, score, line.box, patch.copy(), one.stood_ms)
                matched.added.remove(line)
                matched.changed.append((old, line))
                break
    return stood


def line_in(look: Look, box: Box, text: str, score: float, t_ms: int) -> Line:
    """What was read in a box, close around its strokes."""
    text, close = without_beam(text, look.luma, tight(look.luma, box))
    is_covered = look.covered_box is not None and overlap(close, look.covered_box) > 0
    line = Line(text, score, close, look.luma[window(close)].copy(), t_ms, is_covered=is_covered)
    line.control_box = control_around(look.luma, close)
    return line
