"""Icons before words that are read with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.video.frame import window
from adapters.video.text.icons_before_words import icon_width, without_icon
from adapters.video.text.ink import tight
from tests.fakes.videos.drawn_screens import Draw, picture, write

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("gap", "read", "expected"),
    [(14, "Q Search the pages", "Search the pages"), (5, "A search of the pages", "A search of the pages")],
)
def test_an_icon_before_a_text_is_no_letter(gap: int, read: str, expected: str) -> None:
    def icon_and_text(canvas: Draw, _: int) -> None:
        canvas.ellipse((20, 24, 34, 38), outline="#202830", width=2)
        write(canvas, 36 + gap, 20, "Search the pages")

    luma = picture(icon_and_text, 0, size=(300, 60)).luma
    assert without_icon(luma[window(tight(luma, (10, 10, 280, 40)))], read) == expected


@pytest.mark.parametrize(("colour", "begins"), [("#c02020", 55), ("#202830", 20)])
def test_a_colourful_sign_before_grey_letters_is_an_icon(colour: str, begins: int) -> None:
    def button(canvas: Draw, _: int) -> None:
        canvas.line((22, 22, 42, 42), fill=colour, width=5)
        canvas.line((42, 22, 22, 42), fill=colour, width=5)
        write(canvas, 54, 20, "Cancel")

    frame = picture(button, 0, size=(300, 60))
    close = tight(frame.luma, (18, 16, 160, 32))
    assert abs(close[0] + icon_width(frame.bgr(), frame.luma, close) - begins) <= 2


@pytest.mark.parametrize(("handle", "begins"), [((32, 36, 40, 44), 50), (None, 20), ((28, 36, 33, 43), 20)])
def test_a_lens_before_what_is_searched_is_an_icon(handle: tuple[int, int, int, int] | None, begins: int) -> None:
    def search(canvas: Draw, _: int) -> None:
        canvas.ellipse((20, 24, 34, 38), outline="#202830", width=2)
        if handle:
            canvas.line(handle, fill="#202830", width=2)
        write(canvas, 50, 24, "cake", size=16)

    frame = picture(search, 0, size=(300, 60))
    close = tight(frame.luma, (12, 14, 160, 40))
    assert abs(close[0] + icon_width(frame.bgr(), frame.luma, close) - begins) <= 2


def _read(scene: Callable[[Draw, int], None], read: str) -> str:
    luma = picture(scene, 0, size=(300, 60)).luma
    return without_icon(luma[window(tight(luma, (10, 8, 280, 44)))], read)


@pytest.mark.parametrize(
    ("sign", "name"), [("X", "Close"), ("Q", "Search"), ("1", "All times"), ("A ", "Invite people")]
)
def test_a_sign_before_a_name_that_is_higher_than_its_letters_is_an_icon(sign: str, name: str) -> None:
    def button(canvas: Draw, _: int) -> None:
        canvas.line((20, 17, 40, 39), fill="#202830", width=3)
        canvas.line((40, 17, 20, 39), fill="#202830", width=3)
        write(canvas, 45, 20, name)

    assert _read(button, f"{sign}{name}") == name


@pytest.mark.parametrize(
    "text", ["XClose", "EMail:", "A Invite people", "QSearch", "McDonald", "1 Error", "5 Quay Street"]
)
def test_a_letter_or_a_number_before_a_name_is_none(text: str) -> None:
    def words(canvas: Draw, _: int) -> None:
        write(canvas, 20, 20, text)

    assert _read(words, text) == text
