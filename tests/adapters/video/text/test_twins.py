"""An l that was read as a 1 or an I, told by its strokes."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.ocr.corrections import untwinned

LEFT = 6.0


def _read(drawn: str, read: str, font: str, size: int, *, dark: bool) -> str:
    face = ImageFont.truetype(f"{font}.ttf", size)
    ink, ground = ("#dde3ea", "#16181d") if dark else ("black", "white")
    picture = Image.new("RGB", (round(face.getlength(drawn) + 2 * LEFT), 2 * size), ground)
    ImageDraw.Draw(picture).text((LEFT, 4), drawn, fill=ink, font=face)
    ends = [LEFT + face.getlength(drawn[:index]) for index in range(len(drawn) + 1)]
    signs = [(sign, (ends[index] + ends[index + 1]) / 2) for index, sign in enumerate(read)]
    return "".join(sign for sign, _ in untwinned(signs, np.asarray(picture, np.uint8)))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [10, 12, 13, 16, 24])
def test_an_l_with_a_foot_to_the_right_is_no_1(size: int, *, dark: bool) -> None:
    assert _read("llvm null", "11vm nuI1", "DejaVuSansMono", size, dark=dark) == "llvm null"


@pytest.mark.parametrize("font", ["DejaVuSansMono", "DejaVuSans", "DejaVuSerif", "DejaVuSansMono-Bold"])
@pytest.mark.parametrize("size", [10, 13, 16, 24])
def test_what_the_strokes_do_not_contradict_is_left(font: str, size: int) -> None:
    for text in ("I111I1|", "rc1.d", "1 of 10", "I have"):
        assert _read(text, text, font, size, dark=False) == text


@pytest.mark.parametrize("size", [10, 13, 16, 24])
def test_a_bare_stem_is_left_as_it_was_read(size: int) -> None:
    assert _read("lIl", "I1I", "DejaVuSans", size, dark=False) == "I1I"
