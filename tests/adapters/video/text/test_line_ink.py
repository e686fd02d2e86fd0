"""Where the strokes of a line are, and where those of its surroundings."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.text.ink import tight


@pytest.mark.parametrize("left", [2, 5, 7])
def test_the_side_of_a_table_is_no_part_of_the_word_beside_it(left: int) -> None:
    luma = np.full((60, 140), 235, np.uint8)
    luma[:, :left] = 200
    luma[:, left] = 148
    luma[22:38, 20:100:6] = 20
    luma[22:24, 20:100] = 20
    x, y, width, height = tight(luma, (0, 8, 110, 44))
    assert (x, y, x + width, y + height) == (19, 21, 101, 39)
