"""Where the strokes of a line are, and where those of its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.frame import window
from adapters.video.text.ink import ends_low, tight, with_letter_of_cursor, without_caret
from adapters.video.text.same_ink import has_same_letters, is_retinted
from tests.fakes.videos.drawn_screens import Draw, picture, write

if TYPE_CHECKING:
    from adapters.video.frame import Luma


@pytest.mark.parametrize("left", [2, 5, 7])
def test_the_side_of_a_table_is_no_part_of_the_word_beside_it(left: int) -> None:
    luma = np.full((60, 140), 235, np.uint8)
    luma[:, :left] = 200
    luma[:, left] = 148
    luma[22:38, 20:100:6] = 20
    luma[22:24, 20:100] = 20
    x, y, width, height = tight(luma, (0, 8, 110, 44))
    assert (x, y, x + width, y + height) == (19, 21, 101, 39)


@pytest.mark.parametrize(("asks", "left"), [("Enter a price", 30), ("", 20)])
def test_a_caret_before_fainter_words_is_none_of_them_and_alone_it_is_all_there_is(asks: str, left: int) -> None:
    def field(canvas: Draw, _: int) -> None:
        canvas.line((20, 18, 20, 40), fill="black")
        write(canvas, 30, 20, asks, size=16, colour="#d8d8d8")

    luma = picture(field, 0, size=(240, 60)).luma
    assert abs(tight(luma, (16, 14, 180, 32))[0] - left) <= 2


@pytest.mark.parametrize("size", [11, 13, 18, 30])
@pytest.mark.parametrize(
    ("text", "is_low"), [("28,90 x", True), ("28,90 X", False), ("Deck o", True), ("Deck O", False), ("Deck", False)]
)
def test_a_small_letter_alone_at_a_lines_end_is_told_from_its_capital(text: str, size: int, *, is_low: bool) -> None:
    luma = picture(lambda canvas, _: write(canvas, 20, 20, text, size=size), 0, size=(200, 80)).luma
    assert ends_low(luma[window(tight(luma, (10, 10, 180, 60)))]) is is_low


def test_a_caret_is_no_letter_of_the_field_whose_frame_and_neighbours_are_in_the_picture() -> None:
    def field_and_row_above(canvas: Draw, _: int) -> None:
        write(canvas, 20, 6, "Ship's name", size=14)
        canvas.rectangle((12, 30, 180, 62), outline="#777777")
        write(canvas, 20, 37, "Aurora", size=14)
        canvas.line((68, 35, 68, 56), fill="#303030")

    luma = picture(field_and_row_above, 0, size=(200, 80)).luma
    x, y, width, height = without_caret(luma, (16, 26, 60, 40))
    assert x + width <= 68
    assert (x, y >= 34, y + height <= 58) == (16, True, True)


def test_a_caret_that_touches_the_last_letter_is_none_in_a_field_whose_frame_is_around_it() -> None:
    def field(canvas: Draw, _: int) -> None:
        canvas.rectangle((12, 20, 180, 52), outline="#3584e4", width=2)
        write(canvas, 20, 27, "Aurora", size=14)
        canvas.line((65, 24, 65, 46), fill="#202830")

    luma = picture(field, 0, size=(200, 80)).luma
    x, _, width, _ = without_caret(luma, (12, 20, 60, 32))
    assert x + width == 65


def test_a_caret_is_no_letter_where_the_lower_side_of_its_field_is_in_the_picture() -> None:
    def field(canvas: Draw, _: int) -> None:
        canvas.line((11, 50, 12, 51), fill="#777777")
        canvas.line((16, 53, 180, 53), fill="#777777")
        write(canvas, 30, 27, "mira", size=14)
        canvas.line((58, 27, 58, 45), fill="#303030")

    luma = picture(field, 0, size=(200, 80)).luma
    x, _, width, _ = without_caret(luma, (14, 22, 54, 34))
    assert x + width == 58


def test_a_caret_may_be_as_high_as_its_letters_and_their_tails_with_an_edge_that_is_half_drawn() -> None:
    def field(canvas: Draw, _: int) -> None:
        write(canvas, 20, 27, "regatta", size=14)
        canvas.line((68, 29, 68, 42), fill="#909090")
        canvas.line((69, 29, 69, 42), fill="#c4c4c4")
        canvas.line((69, 34, 69, 38), fill="#a0a0a0")
        canvas.point((30, 45), fill="#606060")

    luma = picture(field, 0, size=(200, 80)).luma
    x, _, width, _ = without_caret(luma, (16, 24, 60, 24))
    assert x + width == 68


@pytest.mark.parametrize(("text", "caret"), [("pil", (36, 30, 36, 45)), ("pi", (32, 28, 32, 45))])
def test_a_caret_is_no_letter_where_it_is_no_taller_than_an_l_or_touches_the_foot_of_an_i(
    text: str, caret: tuple[int, int, int, int]
) -> None:
    def field(canvas: Draw, _: int) -> None:
        write(canvas, 20, 27, text, size=14)
        canvas.line((caret[0] - 4, 40, caret[0], 40), fill="#303030")
        canvas.line(caret, fill="#303030")

    luma = picture(field, 0, size=(200, 80)).luma
    x, _, width, _ = without_caret(luma, (16, 24, caret[0] - 12, 24))
    assert x + width == caret[0]


@pytest.mark.parametrize("text", ["seq", "[4]", "adj", "hey", "s.q", "File"])
def test_a_letter_that_ends_below_the_line_is_no_caret(text: str) -> None:
    luma = picture(lambda canvas, _: write(canvas, 20, 27, text, size=14), 0, size=(200, 80)).luma
    assert without_caret(luma, (16, 24, 60, 24)) == (16, 24, 60, 24)


@pytest.mark.parametrize(("below", "is_caret"), [(1, False), (3, True)])
def test_above_low_letters_a_caret_is_known_by_its_lower_end(below: int, *, is_caret: bool) -> None:
    def word(canvas: Draw, _: int) -> None:
        write(canvas, 20, 27, "car", size=14)
        canvas.line((44, 29, 44, 40 + below), fill="#303030", width=2)

    luma = picture(word, 0, size=(200, 80)).luma
    x, _, width, _ = without_caret(luma, (16, 24, 32, 24))
    assert (x + width <= 44) is is_caret


def test_the_letter_under_a_block_cursor_stands_in_the_colours_of_its_line() -> None:
    def line(canvas: Draw, _: int) -> None:
        canvas.rectangle((0, 0, 200, 60), fill="#fdf6e3")
        write(canvas, 20, 20, "T", colour="#586e75")
        write(canvas, 34, 20, "ide tables", colour="#586e75")

    def under_cursor(canvas: Draw, _: int) -> None:
        line(canvas, 0)
        canvas.rectangle((18, 18, 31, 42), fill="#586e75")
        write(canvas, 20, 20, "T", colour="#fdf6e3")

    plain, covered = picture(line, 0, size=(200, 60)), picture(under_cursor, 0, size=(200, 60))
    box = (12, 14, 130, 32)
    shown = with_letter_of_cursor(covered.bgr(), covered.luma, box)
    assert np.abs(shown.astype(int) - plain.bgr()[window(box)]).mean() < 3
    assert np.abs(covered.bgr()[window(box)].astype(int) - plain.bgr()[window(box)]).mean() > 6


@pytest.mark.parametrize(("text", "stands"), [("Overdue loans", True), ("Available now", False), ("", False)])
def test_a_chosen_row_shows_the_same_letters_in_other_colours(text: str, *, stands: bool) -> None:
    def chosen(canvas: Draw, _: int) -> None:
        canvas.rectangle((0, 0, 200, 60), fill="#1a5fb4")
        write(canvas, 20, 20, text, colour="white", size=14)

    before = picture(lambda canvas, _: write(canvas, 20, 20, "Overdue loans", size=14), 0, size=(200, 60)).luma
    after, box = picture(chosen, 0, size=(200, 60)).luma, tight(before, (10, 10, 150, 40))
    assert is_retinted(before[window(box)], after[window(box)]) is stands


@pytest.mark.parametrize("size", [11, 14, 18, 30])
def test_letters_of_which_some_are_lit_are_the_same_and_another_digit_is_not(size: int) -> None:
    def shown(text: str, *, lit: bool) -> Luma:
        def scene(canvas: Draw, _: int) -> None:
            if lit:
                canvas.rectangle((10, 10, 22 + 3 * size, 60), fill="#3584e4")
            write(canvas, 20, 20, "Berth", size=size)
            write(canvas, 24 + 4 * size, 20, text, size=size)

        return picture(scene, 0, size=(400, 100)).luma

    line = tight(shown("27 is free", lit=False), (12, 12, 380, 80))

    def patch(text: str, *, lit: bool) -> Luma:
        return shown(text, lit=lit)[window(line)]

    assert has_same_letters(patch("27 is free", lit=False), patch("27 is free", lit=True))
    assert not has_same_letters(patch("27 is free", lit=False), patch("28 is free", lit=True))
