"""Where the strokes of a line are, and where those of its surroundings."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.frame import window
from adapters.video.text.ink import ends_low, tight
from tests.fakes.videos.drawn_screens import picture, write


@pytest.mark.parametrize("left", [2, 5, 7])
def test_the_side_of_a_table_is_no_part_of_the_word_beside_it(left: int) -> None:
    luma = np.full((60, 140), 235, np.uint8)
    luma[:, :left] = 200
    luma[:, left] = 148
    luma[22:38, 20:100:6] = 20
    luma[22:24, 20:100] = 20
    x, y, width, height = tight(luma, (0, 8, 110, 44))
    assert (x, y, x + width, y + height) == (19, 21, 101, 39)


@pytest.mark.parametrize("size", [11, 13, 18, 30])
@pytest.mark.parametrize(
    ("text", "is_low"), [("28,90 x", True), ("28,90 X", False), ("Deck o", True), ("Deck O", False), ("Deck", False)]
)
def test_a_small_letter_alone_at_a_lines_end_is_told_from_its_capital(text: str, size: int, *, is_low: bool) -> None:
    luma = picture(lambda canvas, _: write(canvas, 20, 20, text, size=size), 0, size=(200, 80)).luma
    assert ends_low(luma[window(tight(luma, (10, 10, 180, 60)))]) is is_low
