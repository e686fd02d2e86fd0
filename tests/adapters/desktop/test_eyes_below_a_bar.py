"""A line is read the same wherever it stands: below a bar, in a field or a badge, before a caret."""

from collections.abc import Callable, Generator

import cv2
import numpy as np
import pytest

from adapters.desktop.eyes import ScreenEyes
from adapters.video.ocr.reader import TextReader
from adapters.video.text.areas import AreaReader
from tests.fakes.desktops.desktop_pictures import drawn, rgb_of, text
from tests.fakes.videos.drawn_screens import Draw

LINES = ("Payment received on 12 March", "hcooper", "Total", "become", "jason", "Molly Mills", "so 3 of 64")


@pytest.fixture(scope="module")
def reader() -> Generator[TextReader]:
    reader = TextReader()
    yield reader
    reader.close()


@pytest.fixture
def eyes(reader: TextReader) -> ScreenEyes:
    return ScreenEyes(reader=reader)


def bar(canvas: Draw) -> None:
    """What a browser shows above a page: a tab, buttons and an address."""
    canvas.rectangle((0, 0, 1280, 40), fill="#d3e3fd")
    canvas.rounded_rectangle((44, 6, 276, 48), 10, fill="#ffffff")
    canvas.rectangle((0, 40, 1280, 86), fill="#ffffff")
    canvas.rounded_rectangle((125, 46, 1100, 80), 17, fill="#edf1fa")
    canvas.line((0, 86, 1280, 86), fill="#d6d9de")
    for scene in (text(76, 12, "Orders of November"), text(193, 54, "shop.example/orders?page=2")):
        scene(canvas)


@pytest.mark.nightly
@pytest.mark.parametrize("size", [13, 16, 22])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_line_below_a_bar_is_read_the_same_at_every_height(eyes: ScreenEyes, size: int, theme: str) -> None:
    for shift in range(0, 64, 4):
        scenes = [text(40, 100 + shift + 60 * row, said, size=size, theme=theme) for row, said in enumerate(LINES)]
        lines = eyes.read(drawn(bar, *scenes, theme=theme))
        assert [line.text for line in lines if line.box.y > 90] == list(LINES), shift


def test_an_analysis_and_a_run_read_the_same_lines_in_the_same_boxes(eyes: ScreenEyes, reader: TextReader) -> None:
    picture = drawn(bar, *(text(40, 110 + 40 * row, said) for row, said in enumerate(LINES)))
    bgr = np.ascontiguousarray(rgb_of(picture)[:, :, ::-1])
    area = AreaReader(reader, 720, kept=0)
    boxes = area.boxes(bgr, (0, 0, 1280, 720))
    texts = area.texts(bgr, np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8), boxes)
    run = [((line.box.x, line.box.y, line.box.width, line.box.height), line.text) for line in eyes.read(picture)]
    assert run == [(box, said) for box, (said, _) in zip(boxes, texts, strict=True) if said]


@pytest.mark.parametrize("radius", [0, 4, 11])
@pytest.mark.parametrize("said", ["Reminder Customer", "Total", "Billing"])
def test_the_edge_of_a_badge_or_a_field_is_no_sign(eyes: ScreenEyes, radius: int, said: str) -> None:
    def badge(canvas: Draw) -> None:
        canvas.rounded_rectangle((100, 100, 260, 123), radius, fill="#1a7f37")
        canvas.rounded_rectangle((100, 200, 260, 223), radius, outline="#8c959f")

    lines = eyes.read(drawn(badge, text(109, 103, said, colour="#ffffff"), text(109, 203, said)))
    assert [line.text for line in lines] == [said, said]


@pytest.mark.parametrize("said", ["Total", "sola", "jelly", "Molly Mil"])
def test_a_caret_behind_a_value_is_none_of_its_letters(eyes: ScreenEyes, said: str) -> None:
    def caret(at: int) -> Callable[[Draw], None]:
        return lambda canvas: canvas.line((at, 99, at, 117), fill="#000000")

    value = drawn(text(100, 100, said))
    end = max(line.box.x + line.box.width for line in eyes.read(value))
    assert [line.text for line in eyes.read(drawn(text(100, 100, said), caret(end + 1)))] == [said]
