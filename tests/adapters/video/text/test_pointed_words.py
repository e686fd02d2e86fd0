"""Of a line whose words stand far apart, those at the pointer are meant; blanks between words part nothing."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.text.lines import Line
from adapters.video.timeline.deeds import click_on
from adapters.video.timeline.pointed_words import pointed_words
from adapters.video.timeline.resting import Rest

FONT = ImageFont.load_default(16)
LEFT, TOP = 40, 30


def drawn(words: tuple[tuple[int, str], ...], text: str, *, shades: tuple[int, ...] = ()) -> Line:
    """A line of words at these columns, in these shades, read as ``text``."""
    image = Image.new("L", (500, 40), 235)
    canvas = ImageDraw.Draw(image)
    for (x, word), shade in zip(words, shades or (30,) * len(words), strict=True):
        canvas.text((x, 10), word, fill=shade, font=FONT)
    pixels = np.asarray(image)
    rows, columns = np.nonzero(pixels < 120)
    patch = pixels[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].copy()
    return Line(text, 0.99, (LEFT, TOP, patch.shape[1], patch.shape[0]), patch, 0)


MENU = ((0, "File"), (70, "Edit"), (140, "Bookmarks"), (270, "Help"))


@pytest.mark.parametrize(("x", "word"), [(5, "File"), (80, "Edit"), (180, "Bookmarks"), (280, "Help"), (110, "Edit")])
def test_the_word_of_a_bar_is_the_one_at_the_pointer(x: int, word: str) -> None:
    pointed = pointed_words(line := drawn(MENU, "File Edit Bookmarks Help"), line.box, LEFT + x)

    assert pointed is not None
    words, place = pointed
    assert words == word
    assert place[0] - LEFT - 20 <= x <= place[0] - LEFT + place[2] + 20


def test_words_of_one_text_stay_together() -> None:
    line = drawn(((0, "Keys for the boat house"),), "Keys for the boat house")

    assert pointed_words(line, line.box, LEFT + 60) == (line.text, line.box)


@pytest.mark.parametrize(("gap", "words"), [(11, "cookie"), (5, "cookie parses what a server sets")])
def test_a_name_is_parted_from_its_description_by_a_wider_blank(gap: int, words: str) -> None:
    begins = round(FONT.getlength("cookie")) + gap
    line = drawn(((0, "cookie"), (begins, "parses what a server sets")), "cookie parses what a server sets")

    pointed = pointed_words(line, line.box, LEFT + 20)

    assert pointed is not None
    assert pointed[0] == words


def test_columns_that_were_read_as_one_word_name_nothing() -> None:
    line = drawn(MENU, "FileEditBookmarksHelp")

    assert pointed_words(line, line.box, LEFT + 80) is None


@pytest.mark.parametrize(("columns", "words"), [((), "Portugal Lisboa"), ((72,), "Portugal")])
def test_columns_that_stand_close_are_parted_where_the_rows_beside_begin(columns: tuple[int, ...], words: str) -> None:
    line = drawn(((0, "Portugal"), (72, "Lisboa")), "Portugal Lisboa")

    pointed = pointed_words(line, line.box, LEFT + 30, [LEFT + column for column in columns])

    assert pointed is not None
    assert pointed[0] == words


def test_the_picture_of_other_letters_parts_no_words() -> None:
    """A link's words were read on as the heading of the page that it opened."""
    line = drawn(((0, "Add"), (90, "a"), (120, "new"), (210, "address")), "Add a new address")
    before = (LEFT, TOP + 100, line.box[2] // 2, line.box[3] // 2)

    assert pointed_words(line, before, LEFT + 100) == (line.text, before)


def test_a_bar_whose_picture_is_of_another_place_names_nothing() -> None:
    line = drawn(MENU, "File Edit Bookmarks Help")
    before = (LEFT, TOP, line.box[2] // 2, line.box[3])

    assert pointed_words(line, before, LEFT + 60) is None


def test_what_was_read_before_a_pointer_hid_letters_is_the_name() -> None:
    before = drawn(((0, "Edit properties..."),), "Edit properties...")
    under = drawn(((0, "Edit properties..."),), "Edit propties...")
    before.t_ms, before.until_ms = 2900, 4200
    under.t_ms, under.until_ms = 4300, 4400

    click = click_on(4400, Rest(4100, 6100, (LEFT + 60, TOP + 5), 6100), [before, under])

    assert click is not None
    assert click.target == "Edit properties..."


def test_a_line_below_words_does_not_hide_the_blanks_between_them() -> None:
    line = drawn(((0, "Reviews"), (80, "Make a Review")), "Reviews Make a Review")
    below = np.full((3, line.box[2]), 235, np.uint8)
    below[1, 80:] = 30
    line = Line(line.text, line.score, (*line.box[:3], line.box[3] + 3), np.vstack([line.patch, below]), 0)

    pointed = [pointed_words(line, line.box, LEFT + x) for x in (20, 120)]

    assert [found and found[0] for found in pointed] == ["Reviews", "Make a Review"]


SENTENCE = "Do you have an account? Log in here"
LINK = "Log in here"


@pytest.mark.parametrize(
    ("x", "link", "beside", "words"),
    [
        (220, 110, False, LINK),
        (40, 110, False, "Do you have an account?"),
        (176, 110, True, LINK),
        (40, 110, True, LINK),
        (220, 30, False, SENTENCE),
        (220, 60, False, SENTENCE),
    ],
)
def test_a_link_in_a_sentence_is_what_is_written_in_another_shade(x: int, link: int, beside: bool, words: str) -> None:
    begins = round(FONT.getlength("Do you have an account? "))
    line = drawn(((0, "Do you have an account?"), (begins, LINK)), SENTENCE, shades=(30, link))

    pointed = pointed_words(line, line.box, LEFT + x, beside=beside)
    assert pointed is not None
    assert pointed[0] == words


def test_a_dash_between_words_of_one_shade_is_no_link() -> None:
    dash, rest = (round(FONT.getlength(words)) for words in ("Task one ", "Task one - "))
    line = drawn(
        ((0, "Task one"), (dash, "-"), (rest, "Completed in May")), "Task one - Completed in May", shades=(30, 130, 30)
    )

    assert pointed_words(line, line.box, LEFT + dash, beside=True) == (line.text, line.box)
