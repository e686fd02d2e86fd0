"""Lines that are set so close that their letters touch."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.ocr.reader import TextReader

ROWS = (
    "if (old_value != new_value) and copying(value):",
    "    keys[_PREFIX + name] = old_value",
    "for line in file.readlines(): yield json(line)",
    "return values of the (grouped) types",
)


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return TextReader(threads=1)


@pytest.mark.parametrize("pitch", [1.0, pytest.param(1.1, marks=pytest.mark.nightly), 1.3])
@pytest.mark.parametrize("size", [12, pytest.param(14, marks=pytest.mark.nightly), 18])
def test_rows_that_touch_are_lines_of_their_own(reader: TextReader, size: int, pitch: float) -> None:
    font = ImageFont.truetype("DejaVuSansMono.ttf", size)
    picture = Image.new("RGB", (700, 200), "white")
    for row, text in enumerate(ROWS):
        ImageDraw.Draw(picture).text((20, 20 + round(row * pitch * size)), text, fill="black", font=font)
    boxes = reader.detect(np.array(picture, np.uint8))
    for row, text in enumerate(ROWS):
        middle = 20 + round(row * pitch * size) + 0.6 * size
        inside = [box for box in boxes if abs(box[1] + box[3] / 2 - middle) <= 0.3 * size]
        assert max(box[3] for box in inside) <= 1.6 * size
        assert min(box[0] for box in inside) <= 20 + font.getlength(text) - font.getlength(text.strip()) + size
        assert max(box[0] + box[2] for box in inside) >= 20 + font.getlength(text) - size


def test_a_large_letter_beside_two_rows_of_small_ones_stays_whole(reader: TextReader) -> None:
    picture = Image.new("RGB", (300, 80), "white")
    pen = ImageDraw.Draw(picture)
    pen.text((20, 16), "42", fill="black", font=ImageFont.truetype("DejaVuSans.ttf", 34))
    small = ImageFont.truetype("DejaVuSans.ttf", 12)
    pen.text((80, 20), "open orders", fill="black", font=small)
    pen.text((80, 36), "since Monday", fill="black", font=small)
    boxes = reader.detect(np.array(picture, np.uint8))
    assert [box[3] > 20 for box in sorted(boxes)] == [True, False, False]
