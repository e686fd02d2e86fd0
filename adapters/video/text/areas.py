"""Reads parts of a picture, and never the same strokes twice."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

from adapters.video.frame import window
from adapters.video.ocr.recognition import DOUBTED, with_ground
from adapters.video.text.field_borders import within_border
from adapters.video.text.icons_before_words import icon_width, without_icon
from adapters.video.text.ink import (
    ends_low,
    is_bar,
    is_cut_by_edge,
    is_row_of_dots,
    is_solid,
    tight,
    with_letter_of_cursor,
    without_caret,
)
from adapters.video.text.lines import clean, is_masked, strip_spaces
from adapters.video.text.mnemonics import without_mnemonics
from adapters.video.text.same_ink import stands_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box, Luma
    from adapters.video.ocr.reader import Reader, Reading

SMALL_HEIGHT: Final = 600
"""Below this a line of text is too few pixels high to be read as it is: of Playwright's 800x450 a quarter of the words
is right, and nearly all are when the picture is enlarged first."""
_KEPT: Final = 1200
"""Readings that are remembered, those of icons and specks too, which say nothing: they are as many."""
_LARGEST: Final = 60_000
"""Pixels of a line whose look is remembered: larger pieces of photographs are read and forgotten."""
_LEAST_SCORE: Final = 0.55
_LEAST_LONE_SCORE: Final = 0.97
_LEAST_LONE_DIGIT_SCORE: Final = 0.85
_SHORT: Final = 2
_FEW: Final = 4
_LEAST_MASKED_SCORE: Final = 0.3
_LEAST_FOREIGN_SCORE: Final = 0.85
_PLAIN_SCORE: Final = 0.8
_REACH: Final = 2
_TWIN_CASES: Final = frozenset(f" {sign}" for sign in "COSUVWXZ")
"""A letter that stands alone at the end, and whose capital has the form of the small one: readers guess."""
_ROUND: Final = frozenset("0123456789OoQDCc@")
"""What the edge of a round badge reads as, and what stands in one."""
_WIDE: Final = 3
"""So many times wider than high is a line of some words at least."""
_MIDDLES: Final = (0.12, 0.2, 0.3)


class AreaReader:
    """Detects and recognises lines inside areas of one video's pictures.

    Args:
        reader: the engine.
        height: of the video, in pixels; decides whether pictures are enlarged before reading.
        has_ground: whether the reader's boxes hold some ground around the strokes, as those of videos do.
        kept: how many readings are remembered; with none, what a line says depends on its own pixels alone, and
            several threads may ask for ``texts``.

    """

    def __init__(self, reader: Reader, height: int, *, has_ground: bool = False, kept: int = _KEPT) -> None:
        self._reader = reader
        self._has_ground = has_ground
        self._scale = 2 if height < SMALL_HEIGHT else 1
        self._seen: deque[tuple[Luma, Reading]] = deque(maxlen=kept)

    def boxes(self, bgr: NDArray[np.uint8], area: Box) -> list[Box]:
        """Where lines stand inside the area, in pixels of the whole picture."""
        found = self._reader.detect(bgr[window(area)])
        return [(area[0] + x, area[1] + y, width, height) for x, y, width, height in found]

    def boxes_within(self, bgr: NDArray[np.uint8], box: Box) -> list[Box]:
        """The lines in what was taken for one and cannot be read, as two rows of small letters are; none in others."""
        scale = self._scale
        if scale == 1 or box[2] < _WIDE * box[3]:
            return []
        found = self._reader.detect(self._enlarged(bgr[window(box)]))
        return [
            (box[0] + x // scale, box[1] + y // scale, -(-width // scale), -(-height // scale))
            for x, y, width, height in found
        ]

    def texts(self, bgr: NDArray[np.uint8], luma: Luma, boxes: Sequence[Box]) -> list[Reading]:
        """What each box says; an empty text where nothing can be made out."""
        boxes = [without_caret(luma, within_border(luma, box)) for box in boxes]
        closer = [tight(luma, box) for box in boxes]
        for at, close in enumerate(closer):
            icon_px = icon_width(bgr, luma, close)
            left, right = close[0] + icon_px, boxes[at][0] + boxes[at][2]
            # In a photograph the strokes of letters and those of an icon may not be told apart.
            if icon_px and left < right:
                boxes[at] = left, boxes[at][1], right - left, boxes[at][3]
                closer[at] = tight(luma, boxes[at])
        known = [self._recall(luma, close) for close in closer]
        unknown = [box for box, reading in zip(boxes, known, strict=True) if reading is None]
        crops = [self._crop(bgr, luma, box) for box in unknown]
        fresh = iter(self._closer(self._reader.recognise(crops), crops))
        readings: list[Reading] = []
        for box, close, reading in zip(boxes, closer, known, strict=True):
            ink = luma[window(close)]
            text, score = next(fresh) if reading is None else reading
            text = without_icon(ink, clean(text)) if score >= _needed(text) else ""
            if text[-2:] in _TWIN_CASES and ends_low(ink):
                text = text[:-1] + text[-1].lower()
            if text == "1" and is_bar(ink):
                text = ""
            if len(text) <= _SHORT and is_solid(luma[window(box)]):
                text = ""
            if 0 < len(set(text)) <= _SHORT < len(text) and is_row_of_dots(ink):
                text = ""
            if is_cut_by_edge(luma, close):
                score = min(score, DOUBTED)
            readings.append((text, score))
            if reading is None and ink.size <= _LARGEST:
                self._seen.append((ink.copy(), (text, score)))
        return readings

    def is_masked(self, bgr: NDArray[np.uint8], luma: Luma, box: Box) -> bool:
        """Whether a row of dots stands there, as of a hidden password."""
        trimmed = without_caret(luma, box)
        if is_row_of_dots(luma[window(trimmed)]):
            return True
        text, score = self._reader.recognise([self._crop(bgr, luma, trimmed)])[0]
        return score >= _LEAST_MASKED_SCORE and is_masked(text)

    def line(self, luma: Luma, *, digit: bool = False) -> Reading:
        """What one line says of which only the brightness is kept; nothing unless that is plain.

        Where a ``digit`` may be expected, a mere bar is a 1 and no caret.
        """
        grey = np.clip((luma.astype(np.float32) - 16) * (255 / 219), 0, 255).astype(np.uint8)
        crops = [self._enlarged(np.repeat(grey[:, :, None], 3, axis=2))]
        text, score = self._closer(self._reader.recognise(crops), crops)[0]
        plain = score >= _PLAIN_SCORE and not (text == "1" and is_bar(luma) and not digit)
        return (clean(text), score) if plain else ("", score)

    def _recall(self, luma: Luma, box: Box) -> Reading | None:
        """The reading of strokes that looked the same, a pixel or two aside."""
        for patch, reading in reversed(self._seen):
            height, width = patch.shape
            if abs(height - box[3]) <= _REACH and abs(width - box[2]) <= _REACH and stands_at(patch, luma, box):
                return reading
        return None

    def _closer(self, readings: Sequence[Reading], crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """Look again at lone signs without what surrounds them: a badge's round edge reads as a 0."""
        again = [index for index, (text, _) in enumerate(readings) if text in _ROUND and _is_round(crops[index])]
        inner = self._reader.recognise([_middle(crops[index], part) for index in again for part in _MIDDLES])
        result = list(readings)
        for number, index in enumerate(again):
            tries = inner[number * len(_MIDDLES) : (number + 1) * len(_MIDDLES)]
            sure = [one for one in tries if one[0].isdecimal() and one[1] >= _LEAST_LONE_DIGIT_SCORE]
            result[index] = max(sure, key=lambda one: one[1], default=result[index])
        return result

    def _crop(self, bgr: NDArray[np.uint8], luma: Luma, box: Box) -> NDArray[np.uint8]:
        line = without_mnemonics(with_letter_of_cursor(bgr, luma, box))
        return self._enlarged(line if self._has_ground else with_ground(line))

    def _enlarged(self, bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return _resized(bgr, self._scale)


def _is_round(crop: NDArray[np.uint8]) -> bool:
    height, width = crop.shape[:2]
    return width * 5 >= height * 4 and width <= 2 * height


def _middle(crop: NDArray[np.uint8], part: float) -> NDArray[np.uint8]:
    height, width = crop.shape[:2]
    top, left = round(height * part / 2), round(width * part)
    return crop[top : height - top, left : width - left]


def _needed(text: str) -> float:
    """How sure a reading must be: icons look like letters and foreign signs, but not quite."""
    if len(text) == 1:
        return _LEAST_LONE_DIGIT_SCORE if text.isdecimal() else _LEAST_LONE_SCORE
    if not text.isascii() and len(strip_spaces(text)) <= _FEW:
        return _LEAST_LONE_SCORE
    latin = sum(sign.isascii() or (sign.isalpha() and sign < "\u0250") for sign in text)
    return _LEAST_SCORE if 2 * latin >= len(text) else _LEAST_FOREIGN_SCORE


def _resized(bgr: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    if scale == 1 or not bgr.size:
        return bgr
    from PIL import Image  # noqa: PLC0415 - the daemon starts without it

    height, width = bgr.shape[:2]
    picture = Image.fromarray(np.ascontiguousarray(bgr))
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    return np.asarray(picture.resize(size, Image.Resampling.LANCZOS))
