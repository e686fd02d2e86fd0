"""The mouse pointer's form, also in a film that was made small."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.motion.arrows import find_arrow

_LARGE = 8
_OUTLINE = ((0, 0), (0, 16), (3.7, 12.6), (6.4, 18.6), (8.9, 17.5), (6.3, 11.6), (11.4, 11.4))


def _film(arrow_high: int, at: tuple[int, int], *, high: int = 60) -> np.ndarray:
    """A picture 200 wide with words and an arrow."""
    picture = Image.new("L", (200 * _LARGE, 60 * _LARGE), 60)
    canvas = ImageDraw.Draw(picture)
    canvas.text((90 * _LARGE, 28 * _LARGE), "Consultation", 200, ImageFont.load_default(9 * _LARGE))
    corners = [((at[0] + x * arrow_high / 19) * _LARGE, (at[1] + y * arrow_high / 19) * _LARGE) for x, y in _OUTLINE]
    canvas.line([*corners, corners[0]], 255, round(2 * _LARGE * arrow_high / 19), "curve")
    canvas.polygon(corners, 0)
    small = np.asarray(picture.resize((200, 60), Image.Resampling.BOX), np.uint8)
    return np.pad(small, ((0, high - 60), (0, 0)), constant_values=60)


@pytest.mark.parametrize("height", [7, 8, 10, 14, 20])
@pytest.mark.parametrize("at", [(40, 20), (118, 33)])
def test_an_arrow_is_found_where_it_points_in_any_size(height: int, at: tuple[int, int]) -> None:
    found = find_arrow(_film(height, at), (0, 0, 200, 60))
    assert found is not None
    assert max(abs(found[1] - at[0]), abs(found[2] - at[1])) <= 2


@pytest.mark.parametrize(("height", "is_found"), [(7, False), (16, True)])
def test_in_a_large_picture_what_is_as_small_as_a_letter_is_no_arrow(height: int, is_found: bool) -> None:
    found = find_arrow(_film(height, (40, 20), high=900), (0, 0, 200, 60))
    assert (found is not None) is is_found


def test_words_alone_are_no_arrow() -> None:
    picture = Image.new("L", (400 * _LARGE, 60 * _LARGE), 60)
    canvas = ImageDraw.Draw(picture)
    for row, size in enumerate((7, 9, 12)):
        font = ImageFont.load_default(size * _LARGE)
        canvas.text((8 * _LARGE, (4 + 18 * row) * _LARGE), "Kay VALVE Consultation 4711 /// <<< Next", 230, font)
    small = np.asarray(picture.resize((400, 60), Image.Resampling.BOX), np.uint8)
    assert find_arrow(small, (0, 0, 400, 60)) is None
