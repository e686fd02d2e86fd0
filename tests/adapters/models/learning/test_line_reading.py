"""Whether a line ends behind what was read of it: a command is certain only if no sign of it was overlooked."""

from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.desktop.eyes import ScreenEyes
from adapters.models.learning.line_reading import line_at
from adapters.models.local.view import View
from core.screens import Picture, Point

LINE = "bash-5.2# cat README.md"
FONT = ImageFont.truetype("DejaVuSansMono.ttf", 16)
CELL = FONT.getlength("m")
LEFT, TOP, HIGH = 20, 100, 19
END = LEFT + len(LINE) * CELL
PLACE = Point(x=LEFT + 4, y=TOP + HIGH // 2)


@pytest.fixture(scope="module")
def eyes() -> Iterator[ScreenEyes]:
    eyes = ScreenEyes()
    yield eyes
    eyes.close()


def terminal(
    eyes: ScreenEyes, *, above: str = "", block: tuple[float, float, float, float] | None = None, top: int = TOP
) -> View:
    """A terminal in which the line stands, with something above it, and a filled rectangle."""
    image = Image.new("RGB", (640, 240), "black")
    draw = ImageDraw.Draw(image)
    draw.text((LEFT, top), LINE, font=FONT, fill="white")
    draw.text((LEFT, top - HIGH), above, font=FONT, fill="white")
    if block is not None:
        draw.rectangle(block, fill="white")
    pixels = np.dstack([np.asarray(image)[:, :, ::-1], np.full((240, 640), 255, np.uint8)])
    return View(Picture(640, 240, np.ascontiguousarray(pixels).tobytes(), 0.0), (), eyes)


def test_a_line_of_which_nothing_else_is_drawn_ends(eyes: ScreenEyes) -> None:
    view = terminal(eyes)
    assert line_at(PLACE, view, view) == (LINE, True)


@pytest.mark.parametrize("top", [-2, 0, 218])
def test_a_line_at_the_edge_of_the_picture_ends(eyes: ScreenEyes, top: int) -> None:
    view = terminal(eyes, top=top)
    assert line_at(Point(x=LEFT + 4, y=top + HIGH // 2), view, view) == (LINE, True)


def test_a_block_cursor_behind_a_line_is_no_sign_of_it(eyes: ScreenEyes) -> None:
    view = terminal(eyes, block=(END, TOP, END + CELL - 1, TOP + HIGH - 1))
    assert line_at(PLACE, view, view) == (LINE, True)


def test_a_longer_line_above_belongs_to_it_no_more_than_a_cursor_does(eyes: ScreenEyes) -> None:
    above = "bash-5.2# echo Adds more >> jetty_gauge"
    view = terminal(eyes, above=above, block=(END, TOP, END + CELL - 1, TOP + HIGH - 1))
    assert line_at(PLACE, view, view) == (LINE, True)


@pytest.mark.parametrize(
    "block",
    [
        (END + CELL + 3, TOP + 14, END + CELL + 5, TOP + 16),
        (END, TOP + 17, END + CELL - 1, TOP + 18),
        (END + CELL + 4, TOP, END + CELL + 5, TOP + HIGH - 1),
    ],
    ids=["a dot after a space", "an underscore", "a bar, which may be a letter"],
)
def test_what_may_be_a_sign_of_the_line_leaves_it_open(
    eyes: ScreenEyes, block: tuple[float, float, float, float]
) -> None:
    view = terminal(eyes, block=block)
    assert line_at(PLACE, view, view) != (LINE, True)
