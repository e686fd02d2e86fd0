"""Spaces that the network read, checked against the gaps between the strokes."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.ocr.corrections import spaced

SIZE = 18
LEFT = 6.0
MONOSPACED, PROPORTIONAL = "DejaVuSansMono.ttf", "DejaVuSans.ttf"


def _read(drawn: str, read: str, name: str) -> str:
    """What becomes of ``read`` over a picture of ``drawn``, each sign where it stands."""
    font = ImageFont.truetype(name, SIZE)
    picture = Image.new("RGB", (round(font.getlength(drawn) + 2 * LEFT), 2 * SIZE), "white")
    ImageDraw.Draw(picture).text((LEFT, 6), drawn, fill="black", font=font)
    signs: list[tuple[str, float]] = []
    at = 0
    for sign in read:
        if sign == " ":
            signs.append((sign, 0.0))
            continue
        at = drawn.index(sign, at)
        middle = LEFT + font.getlength(drawn[:at]) + font.getlength(sign) / 2
        signs.append((sign, middle))
        at += 1
    return spaced(signs, np.asarray(picture, np.uint8))


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("/etc/rules.conf", "/etc/ rules. conf"),
        ("decoder.update(name)", "decoder. update (name)"),
        ("run --merge keeps", "run - -merge keeps"),
    ],
)
def test_a_mark_of_a_monospaced_font_has_no_space_beside_it_where_no_cell_is_empty(drawn: str, read: str) -> None:
    assert _read(drawn, read, MONOSPACED) == drawn


@pytest.mark.parametrize("font", [MONOSPACED, PROPORTIONAL])
@pytest.mark.parametrize("text", ["See above. Then go on", "one, two - three", 'the "name" field', "a (b) c", "x", ""])
def test_spaces_that_stand_on_the_screen_are_kept(text: str, font: str) -> None:
    assert _read(text, text, font) == text


@pytest.mark.parametrize(
    ("drawn", "text"), [("colour     238", "colour 238"), ("Name     Place", "Name Place"), ("colour238", "colour238")]
)
def test_a_wide_gap_is_a_space_also_where_none_was_read(drawn: str, text: str) -> None:
    assert _read(drawn, text.replace(" ", ""), PROPORTIONAL) == text


def test_an_empty_cell_of_a_monospaced_font_is_a_space() -> None:
    assert _read("total 0 files", "total0files", MONOSPACED) == "total 0 files"
