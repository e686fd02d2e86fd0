"""The pointer's beam behind the words of a field."""

from __future__ import annotations

import pytest

from adapters.video.text.beams import without_beam
from adapters.video.text.ink import tight
from tests.fakes.videos.drawn_screens import Draw, picture, write


def beam(canvas: Draw, x: int, y: int) -> None:
    canvas.line((x, y, x, y + 16), fill="#202020")
    canvas.line((x - 3, y, x + 3, y), fill="#202020")
    canvas.line((x - 3, y + 16, x + 3, y + 16), fill="#202020")


@pytest.mark.parametrize(
    ("apart", "caret", "read", "text"),
    [
        (30, False, "Ada Byron I", "Ada Byron"),
        (30, False, "Ada Byron", "Ada Byron"),
        (30, True, "Ada Byronl I", "Ada Byron"),
        (6, False, "Ada Byron I", "Ada Byron I"),
    ],
)
def test_a_beam_far_behind_the_words_is_no_letter_of_them(apart: int, *, caret: bool, read: str, text: str) -> None:
    def field(canvas: Draw, _: int) -> None:
        write(canvas, 20, 20, "Ada Byron", size=16)
        if caret:
            canvas.line((101, 18, 101, 42), fill="#202020")
        beam(canvas, 98 + apart, 22)

    luma = picture(field, 0, size=(240, 80)).luma
    box = tight(luma, (14, 12, 130, 40))
    found, place = without_beam(read, luma, box)
    assert found == text
    assert (place[2] < box[2]) is (found != read)
