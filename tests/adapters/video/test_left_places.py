"""Places that the pointer has left, and since when it stood there."""

from __future__ import annotations

import pytest

from adapters.video.motion.left_places import LeftPlaces

BUTTON = (300, 200, 16, 24)
NEAR, FAR = (302, 210), (600, 500)


@pytest.mark.parametrize(
    ("path", "since_ms"),
    [
        ([(0, FAR), (4000, NEAR), (4200, (306, 212))], 4000),
        ([(0, FAR), (900, NEAR), (1200, FAR), (4000, NEAR)], 4000),
        ([(0, FAR), (3000, None), (4000, NEAR)], 0),
        ([(4000, NEAR)], 0),
        ([], 0),
    ],
)
def test_it_stood_there_since_it_was_seen_to_come(
    path: list[tuple[int, tuple[int, int] | None]], since_ms: int
) -> None:
    places = LeftPlaces()
    places.add(5000, [BUTTON], path)
    assert places.beside((310, 205, 40, 20)) == ((BUTTON, since_ms),)
    assert places.beside((500, 205, 40, 20)) == ()


def test_a_place_that_was_left_long_ago_is_forgotten() -> None:
    places = LeftPlaces()
    places.add(5000, [BUTTON], [])
    places.add(7000, [], [])
    assert places.beside(BUTTON) == ()
