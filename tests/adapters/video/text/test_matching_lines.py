"""Which line is which, where the reader or the mouse pointer makes it doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adapters.video.text.lines import Line
from adapters.video.text.matching import match

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
