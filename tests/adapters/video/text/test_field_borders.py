"""The border of a field is none of the letters in it."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.text.field_borders import within_border
from adapters.video.text.fields import underlined
from tests.fakes.videos.drawn_screens import Draw, picture, write

BOX = (14, 12, 120, 40)


@pytest.mark.parametrize("radius", [0, 4, 10])
@pytest.mark.parametrize("thickness", [1, 2])
def test_a_fields_left_corner_is_cut_off_what_is_read(radius: int, thickness: int) -> None:
    def field(canvas: Draw, _: int) -> None:
        canvas.rounded_rectangle((18, 15, 280, 60), radius, outline="#202830", width=thickness)
        write(canvas, 26, 24, "talk.example")

    x, y, width, height = within_border(picture(field, 0, size=(300, 80)).luma, BOX)
    assert 18 + thickness <= x < 26
    assert 15 + thickness <= y < 26
    assert (x + width, y + height) == (BOX[0] + BOX[2], BOX[1] + BOX[3])


def test_a_whole_fields_border_is_cut_off_all_around() -> None:
    def field(canvas: Draw, _: int) -> None:
        canvas.rectangle((18, 15, 126, 48), outline="#202830", width=2)
        write(canvas, 26, 22, "Mira")

    x, y, width, height = within_border(picture(field, 0, size=(300, 80)).luma, BOX)
    assert (x, y, x + width, y + height) == (20, 17, 125, 47)


@pytest.mark.parametrize("words", ["Logout", "Edit", "Lille", "hill", "E", "[18]", "Help", "Pull"])
def test_letters_with_upright_and_level_strokes_are_no_border(words: str) -> None:
    luma = picture(lambda canvas, _: write(canvas, 20, 16, words, size=24), 0, size=(300, 80)).luma
    assert within_border(luma, BOX) == BOX


def test_a_stem_below_the_rule_of_a_table_is_no_side() -> None:
    def row(canvas: Draw, _: int) -> None:
        canvas.line((0, 14, 300, 14), fill="#202830", width=2)
        write(canvas, 20, 20, "l Right", size=20)

    luma = picture(row, 0, size=(300, 80)).luma
    x, _, width, _ = within_border(luma, (14, 12, 80, 36))
    assert (x, x + width) == (14, 94)


def test_a_field_of_one_line_at_the_upper_edge_begins_with_the_picture() -> None:
    luma = np.full((80, 600), 235, np.uint8)
    luma[4:14, 20:80:3] = 30
    luma[20, 16:400] = 180

    found = underlined(luma, (20, 3, 60, 12))

    assert found is not None
    assert (found[1], found[3]) == (0, 20)
