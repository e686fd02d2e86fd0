"""What strokes add to the lines that the network sees in a video."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.video.ocr.finding import lines_in_video
from tests.fakes.videos.drawn_screens import Draw, picture, write

CONFIRM, CANCEL = (30, 24, 52, 16), (86, 24, 26, 16)


def test_the_dotted_ground_of_two_buttons_without_a_gap_is_no_line() -> None:
    def scene(canvas: Draw, _: int) -> None:
        canvas.rectangle((24, 18, 120, 45), fill="#ca2145")
        canvas.rectangle((24, 18, 78, 45), fill="#219653")
        write(canvas, 32, 23, "Confirm", colour="white", size=12)
        write(canvas, 86, 23, "Stop", colour="white", size=12)

    bgr = picture(scene, 0, size=(150, 64)).bgr().copy()
    # A palette's colours are mixed by dots.
    dots = np.random.default_rng(1).random((28, 97)) < 0.1
    bgr[18:46, 24:121][dots] += 20

    assert lines_in_video(bgr, lambda _: [CONFIRM, CANCEL]) == [CONFIRM, CANCEL]


@pytest.mark.parametrize("seen", [[], [(20, 10, 60, 14)]])
def test_a_line_that_the_network_overlooks_is_found(seen: list[tuple[int, int, int, int]]) -> None:
    bgr = picture(lambda canvas, _: write(canvas, 36, 40, "Confirm it", size=16), 0, size=(420, 80)).bgr()

    assert len(lines_in_video(bgr, lambda _: seen)) == len(seen) + 1
