"""The stroke under the letter by which a menu's entry is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.text.mnemonics import without_mnemonics


def _line(words: str, font: str, size: int, under: str = "", gap: int = 1) -> np.ndarray:
    """Dark letters on grey, with a stroke under the first of some letters."""
    picture = Image.new("RGB", (16 * size, 2 * size), (220, 218, 213))
    draw = ImageDraw.Draw(picture)
    face = ImageFont.truetype(font, size)
    base = round(1.4 * size)
    draw.text((6, base), words, (20, 20, 20), font=face, anchor="ls")
    if under:
        left = 6 + round(draw.textlength(words[: words.index(under)], font=face))
        right = left + round(draw.textlength(under, font=face))
        draw.rectangle((left, base + gap, right - 1, base + gap), fill=(20, 20, 20))
    return np.asarray(picture)


@pytest.mark.parametrize("size", [13, 15, 20])
@pytest.mark.parametrize("gap", [0, 1])
@pytest.mark.parametrize(("words", "under"), [("Move to Trash", "T"), ("File Edit View", "F"), ("Open With", "W")])
def test_a_stroke_under_one_letter_is_taken_away(words: str, under: str, gap: int, size: int) -> None:
    plain, drawn = _line(words, "DejaVuSans.ttf", size), _line(words, "DejaVuSans.ttf", size, under, gap)

    cleared = without_mnemonics(drawn)

    assert (drawn != plain).any()
    assert np.abs(cleared.astype(int) - plain).mean() < np.abs(drawn.astype(int) - plain).mean() / 4


@pytest.mark.parametrize("font", ["DejaVuSans.ttf", "DejaVuSansMono.ttf", "DejaVuSans-Bold.ttf"])
@pytest.mark.parametrize("size", [11, 13, 16, 28])
def test_letters_and_signs_keep_what_is_below_them(font: str, size: int) -> None:
    for words in ("gypsy jogging Qq", "snake_case_name", "a, b; c_d", "x = y - z", "3 items (5 bytes)"):
        line = _line(words, font, size)
        assert np.array_equal(without_mnemonics(line), line), words
