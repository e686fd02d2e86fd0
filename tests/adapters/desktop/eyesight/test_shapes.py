"""A field is a rectangle whatever letters stand in it, read or not."""

import numpy as np

from adapters.desktop.eyesight.shapes import shapes_of
from core.screens import Box


def test_letters_that_touch_the_border_do_not_hide_a_field() -> None:
    picture = np.full((80, 300, 3), 230, np.uint8)
    picture[20:40, 40:260] = 0
    picture[21:39, 41:259] = 255
    for left in range(43, 120, 8):
        # Stems that were not read, the first two pixels from the border.
        picture[23:36, left : left + 3] = 0
    found = [shape.box for shape in shapes_of(picture)]
    assert any(box.width > 210 and box.height in range(16, 24) for box in found)


def test_a_line_of_letters_on_open_ground_is_no_field() -> None:
    picture = np.full((80, 300, 3), 230, np.uint8)
    for left in range(42, 120, 8):
        picture[25:39, left : left + 2] = 0
    assert [shape.box for shape in shapes_of(picture)] == [Box(x=0, y=0, width=300, height=80)]
