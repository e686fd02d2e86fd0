"""How large a picture the network that finds lines is shown, and where it says that they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.ocr.detection import network_lines

if TYPE_CHECKING:
    from adapters.video.ocr.networks import Pixels


class OneLine:
    """Implements ``Network``: a line in the middle half of each picture, a tenth of it high."""

    def __init__(self) -> None:
        self.pixels = 0

    def __call__(self, pixels: Pixels) -> Pixels:
        _, _, height, width = pixels.shape
        self.pixels = height * width
        found = np.zeros((1, 1, height, width), np.float32)
        found[:, :, height * 45 // 100 : height * 55 // 100, width // 4 : width * 3 // 4] = 1
        return found


@pytest.mark.parametrize("size", [(64, 200), (800, 1280), (1708, 2846), (2160, 3840)])
def test_a_picture_of_any_size_is_shown_in_bounds_and_its_lines_are_in_its_own_pixels(size: tuple[int, int]) -> None:
    network, (height, width) = OneLine(), size
    ((x, y, wide, high),) = network_lines(network, np.zeros((height, width, 3), np.uint8))

    assert network.pixels <= 1.05 * 1920 * 1080
    assert (x + wide / 2, y + high / 2) == pytest.approx((width / 2, height / 2), rel=0.03)
    assert wide == pytest.approx(width / 2, rel=0.3)
