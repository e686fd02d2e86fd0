"""The mouse pointer's beam over a field: a reader takes it for a letter behind the text, as in "Ada Byron  I"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import window
from adapters.video.ocr.runs import true_runs
from adapters.video.text.ink import ink_of, without_caret

if TYPE_CHECKING:
    from adapters.video.frame import Box, Luma

_STROKES: Final = ("I", "l", "|")
_READ_AS: Final = tuple(f" {stroke}" for stroke in _STROKES)
_APART: Final = 0.6
"""Heights of the line: no blank between two words of a text is so wide."""
_WIDE: Final = 0.6
"""The same of the beam."""


def without_beam(text: str, luma: Luma, box: Box) -> tuple[str, Box]:
    """The text and its place without a beam that stands far behind its last word; both as they are without one.

    Args:
        text: what was read.
        luma: the picture's brightness.
        box: the place, close around its strokes.

    """
    if not text.endswith(_READ_AS):
        return text, box
    x, y, _, height = box
    pieces = true_runs(np.asarray(ink_of(luma[window(box)]).any(axis=0), bool))
    if len(pieces) <= 1:
        return text, box
    (_, end), (begin, last) = pieces[-2:]
    if begin - end < _APART * height or last - begin > _WIDE * height:
        return text, box
    return _without_caret(text[: -len(_READ_AS[0])].rstrip(), luma, (x, y, end, height))


def _without_caret(text: str, luma: Luma, box: Box) -> tuple[str, Box]:
    """A caret that the reader did not tell from a letter, as it looked for one behind the beam."""
    bare = without_caret(luma, box)
    is_read = bare[0] + bare[2] < box[0] + box[2] and text.endswith(_STROKES)
    return (text[:-1], bare) if is_read else (text, box)
