"""Screens of two runs side by side, made up of cells."""

from typing import Any

import numpy as np

from adapters.video.decoding.screens import CELL, Screen, held

COLUMNS, ROWS = 80, 50
BADGE, TOAST = (60, 4, 12, 5), (50, 40, 12, 4)
BLUE, RED = (200, 60, 60), (60, 60, 200)


def screen(begin: int, end: int, *boxes: tuple[tuple[int, int, int, int], tuple[int, int, int]]) -> Screen:
    """A white page with coloured boxes, for some time."""
    cells = np.full((ROWS, COLUMNS, 3), 250, np.uint8)
    for (x, y, width, height), colour in boxes:
        cells[y : y + height, x : x + width] = colour
    return Screen(begin, end, cells)


def compared(good: list[Screen], bad: list[Screen]) -> dict[str, Any]:
    return held(good, bad, (COLUMNS * CELL, ROWS * CELL))


def test_the_last_frame_alone_is_no_screen_but_says_what_the_one_before_lacked() -> None:
    good = [screen(0, 3000, (BADGE, BLUE))]
    late = [screen(0, 3000), screen(3000, 3040, (BADGE, BLUE))]
    found = compared(good, late)
    assert [pair["bad"]["t_ms"] for pair in found["pairs"]] == [0]
    assert [patch["mutual"] for patch in found["patches"]] == [False]
    assert [patch["mutual"] for patch in compared(good, late[:1])["patches"]] == [True]


def test_what_is_drawn_with_the_next_change_of_the_same_page_was_late() -> None:
    good = [screen(0, 1000, (BADGE, BLUE), (TOAST, RED)), screen(1000, 2000, (BADGE, BLUE))]
    late = [screen(0, 1000, (TOAST, RED)), screen(1000, 2000, (BADGE, BLUE))]
    (patch,) = compared(good, late)["patches"]
    assert not patch["mutual"]
    wrong = [screen(0, 1000, (BADGE, RED), (TOAST, RED)), screen(1000, 2000, (BADGE, RED))]
    assert [patch["mutual"] for patch in compared(good, wrong)["patches"]] == [True, True]


def test_how_far_the_colours_of_a_place_are_is_little_where_something_only_moved() -> None:
    word, moved = (20, 4, 6, 3), (23, 4, 6, 3)

    def recoloured(box: tuple[int, int, int, int], colour: tuple[int, int, int]) -> int:
        (patch,) = compared([screen(0, 1000, (word, BLUE))], [screen(0, 1000, (box, colour))])["patches"]
        return patch["recoloured"]

    assert recoloured(moved, BLUE) < 12
    assert recoloured(word, RED) > 100


def test_a_letter_that_is_another_is_a_place_of_few_cells() -> None:
    letter = (20, 4, 2, 2)
    (patch,) = compared([screen(0, 1000, (letter, BLUE))], [screen(0, 1000)])["patches"]
    assert patch["few"]
    assert patch["region"] == (80, 16, 8, 8)
    assert not compared([screen(0, 1000, ((20, 4, 1, 1), BLUE))], [screen(0, 1000)])["patches"]


def test_a_page_in_other_colours_is_the_same_page() -> None:
    def page(begin: int, end: int, ground: tuple[int, int, int], first: int) -> Screen:
        rows = [((4, y, 50 + y % 7, 1), (40, 40, 40)) for y in range(first, ROWS - 2, 3)]
        return screen(begin, end, ((0, 0, COLUMNS, ROWS), ground), *rows)

    white, pink = (250, 250, 250), (140, 140, 230)
    good = [page(0, 1000, white, 2), page(1000, 2000, white, 20)]
    found = compared(good, [page(0, 1000, pink, 2), good[1]])

    assert len(found["pairs"]) == 2
    assert [patch["side"] for patch in found["patches"]] == ["both"]
