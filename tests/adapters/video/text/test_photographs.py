"""What is taken for a line of text in a photograph says nothing, and ends no analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.text.areas import AreaReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from adapters.video.frame import Box


class Blind:
    """Implements ``Reader``: makes out nothing, and takes no empty picture."""

    def detect(self, bgr: NDArray[np.uint8]) -> list[Box]:
        assert bgr.size
        return []

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        assert all(crop.size for crop in crops)
        return [("", 0.0) for _ in crops]


@pytest.mark.parametrize("seed", range(0, 400, 100))
def test_specks_that_begin_in_colour_are_read_as_nothing(seed: int) -> None:
    for number in range(seed, seed + 100):
        chance = np.random.default_rng(number)
        bgr = chance.integers(0, 255, (24, 40, 3)).astype(np.uint8)
        grey = int(chance.integers(4, 30))
        bgr[:, grey:] = bgr[:, grey:].mean(axis=2, keepdims=True)
        bgr[chance.random((24, 40)) < 0.6] = 40
        x, y, width, height = (int(chance.integers(*ends)) for ends in ((0, 20), (0, 10), (5, 14), (5, 12)))
        luma = bgr.mean(axis=2).astype(np.uint8)
        assert AreaReader(Blind(), 720).texts(bgr, luma, [(x, y, width, height)]) == [("", 0.0)]
