"""Which line is which, where the reader or the mouse pointer makes it doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.text.lines import Line
from adapters.video.text.matching import match
from adapters.video.text.pieces import is_looser, is_piece

if TYPE_CHECKING:
    from adapters.video.frame import Box


def line(text: str, box: Box, *, is_covered: bool = False) -> Line:
    return Line(text, 0.95, box, np.zeros((box[3], box[2]), np.uint8), 0, is_covered=is_covered)


def test_two_words_that_are_read_as_one_after_the_pointer_left_are_still_the_two() -> None:
    desk, actions = line("Desk", (146, 100, 54, 17)), line("Actions", (228, 100, 80, 17), is_covered=True)
    found = match([desk, actions], [line("Desk Actions", (146, 100, 162, 17))])
    assert not found.says_anything
    assert [old for old, _ in found.kept] == [desk, actions]


def test_a_word_that_was_read_under_the_pointer_is_corrected_and_not_changed() -> None:
    garbled = line("Act'ons", (228, 100, 80, 17), is_covered=True)
    found = match([garbled], [line("Actions", (228, 100, 80, 17))])
    assert not found.says_anything


@pytest.mark.parametrize(
    ("text", "box", "is_part"),
    [
        ("mit", (297, 101, 126, 17), True),
        ("Submit", (280, 105, 30, 8), True),
        ("mit", (330, 101, 40, 17), False),
        ("Send", (297, 101, 126, 17), False),
        ("Subnit", (262, 96, 70, 26), True),
        ("Subnit", (378, 104, 37, 11), False),
    ],
)
def test_a_second_box_around_the_end_of_a_line_and_a_pointer_is_a_piece_of_it(
    text: str, box: Box, *, is_part: bool
) -> None:
    read = line(text, box)
    read.score = 0.9
    assert is_piece(read, line("Submit", (278, 104, 37, 11))) is is_part


@pytest.mark.parametrize(
    ("text", "box", "is_loose"),
    [
        ("submit", (104, 95, 385, 28), True),
        ("Submit", (276, 103, 60, 14), False),
        ("Submit form", (104, 95, 385, 28), False),
        ("Submit", (504, 95, 385, 28), False),
    ],
)
def test_a_box_that_reaches_to_the_edges_of_a_button_is_too_large_for_its_text(
    text: str, box: Box, *, is_loose: bool
) -> None:
    assert is_looser(line("Submit", (278, 104, 37, 11)), line(text, box)) is is_loose
