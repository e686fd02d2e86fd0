"""A network that hesitates at a sign is asked again, and a line that it reads in two ways is in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from adapters.video.ocr.recognition import DOUBTED, alphabet, read_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.video.ocr.networks import Pixels

SIGNS = alphabet("v\nw\ni\n")
LINE = np.full((16, 40, 3), 255, np.uint8)


class Hesitating:
    """Reads what it is set to, sign by sign with a certainty, by how wide it is shown the line."""

    def __init__(self, *readings: Mapping[str, float]) -> None:
        self._readings = list(readings)
        self.widths: list[int] = []

    def __call__(self, pixels: Pixels) -> np.ndarray:
        self.widths.append(pixels.shape[3])
        reading = self._readings[min(len(self.widths), len(self._readings)) - 1]
        classes = np.zeros((1, 2 * len(reading), len(SIGNS)), np.float32)
        for at, (sign, certainty) in enumerate(reading.items()):
            classes[0, 2 * at, SIGNS.index(sign)] = certainty
            classes[0, 2 * at + 1, 0] = 1.0
        return classes


def test_a_line_of_which_each_sign_is_certain_is_read_once() -> None:
    network = Hesitating({"v": 0.99, "w": 0.95})
    text, certainty = read_line(network, SIGNS, LINE)
    assert (text, certainty, len(network.widths)) == ("vw", pytest.approx(0.97), 1)


def test_a_line_that_reads_the_same_a_little_wider_is_as_certain_as_its_signs() -> None:
    network = Hesitating({"v": 0.7, "w": 0.99})
    text, certainty = read_line(network, SIGNS, LINE)
    assert (text, certainty) == ("vw", pytest.approx(0.845))
    assert network.widths[1] > network.widths[0]


def test_of_two_readings_the_more_certain_one_is_told_in_doubt() -> None:
    text, certainty = read_line(Hesitating({"w": 0.65, "i": 0.99}, {"v": 0.98, "w": 0.99}), SIGNS, LINE)
    assert (text, certainty) == ("vw", DOUBTED)


def test_a_sign_that_is_hardly_seen_both_times_leaves_its_line_in_doubt() -> None:
    text, certainty = read_line(Hesitating({"v": 0.5} | dict.fromkeys("wi", 1.0)), SIGNS, LINE)
    assert (text, certainty) == ("vwi", pytest.approx(2.5 / 3))
    assert certainty <= DOUBTED


def test_a_line_that_is_guessed_is_not_read_once_more() -> None:
    network = Hesitating({"v": 0.5, "w": 0.9})
    assert read_line(network, SIGNS, LINE) == ("vw", pytest.approx(0.7))
    assert len(network.widths) == 1
