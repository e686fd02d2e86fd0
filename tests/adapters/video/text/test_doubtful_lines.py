"""Lines that strokes alone do not show: what a codec has blurred, fields that are too narrow, words far apart."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import av
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from adapters.video.ocr.reader import TextReader

if TYPE_CHECKING:
    from numpy.typing import NDArray

ADDRESS = "https://www.harbour-books.test/inventory.html"
COMMANDS = (
    "get [data-test=add-to-cart]",
    "assert expected <span.badge> to be visible",
    "get [data-test=shopping-cart-link]",
    "contains .cart_item, Green Mug Large",
)


@pytest.fixture(scope="module", params=[False, True], ids=["screens", "videos"])
def reader(request: pytest.FixtureRequest) -> TextReader:
    return TextReader(threads=1, of_videos=request.param)


def as_recorded(picture: Image.Image) -> NDArray[np.uint8]:
    """The picture after H.264 with a poor quality."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream: Any = container.add_stream("libx264", rate=25, options={"crf": "30"})
        stream.width, stream.height, stream.pix_fmt = *picture.size, "yuv420p"
        container.mux([*stream.encode(av.VideoFrame.from_image(picture)), *stream.encode()])
    file.seek(0)
    with av.open(file, "r") as container:
        return np.asarray(next(iter(container.decode(video=0))).to_ndarray(format="bgr24"), np.uint8)


def test_what_a_codec_has_blurred_is_read(reader: TextReader) -> None:
    picture = Image.new("RGB", (900, 200), "#171923")
    pen = ImageDraw.Draw(picture)
    font, mono = ImageFont.truetype("DejaVuSans.ttf", 12), ImageFont.truetype("DejaVuSansMono.ttf", 12)
    pen.rounded_rectangle((400, 15, 880, 47), 5, fill="#23263a", outline="#3a3f58")
    pen.text((440, 23), ADDRESS, fill="#b0b2c0", font=font)
    for row, command in enumerate(COMMANDS):
        pen.text((30, 56 + 18 * row), str(row + 1), fill="#5a5d6f", font=mono)
        pen.text((60, 56 + 18 * row), command, fill="#8a8da0" if row % 2 else "#a7e3c8", font=mono)
    pen.rectangle((56, 72, 104, 88), outline="#2fae77")
    read = [text.replace(" ", "") for _, text, _ in reader.read(as_recorded(picture))]
    assert [text for text in (ADDRESS, *COMMANDS) if not any(text.replace(" ", "") in line for line in read)] == []


def test_words_of_a_terminals_line_are_one_line(reader: TextReader) -> None:
    picture = Image.new("RGB", (700, 80), "#102a2f")
    font = ImageFont.truetype("DejaVuSansMono.ttf", 21)
    ImageDraw.Draw(picture).text((20, 20), "make: stopped after 1 error", fill="#e8f0e0", font=font)
    assert [text for _, text, _ in reader.read(np.array(picture, np.uint8))] == ["make: stopped after 1 error"]
