"""One conversion of coordinates for all models, by property."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.errors import InvalidCall
from core.screens import THOUSANDTHS, Point, Space

SIZES = st.sampled_from([(1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (3840, 1080), (800, 600)])
SCALES = st.floats(0.2, 1.0)


@given(SIZES, SCALES, st.floats(0, 1), st.floats(0, 1))
def test_a_pixel_that_a_model_sees_comes_back_within_one_pixel_of_its_picture(
    size: tuple[int, int], scale: float, across: float, down: float
) -> None:
    space = Space(max(1, round(size[0] * scale)), max(1, round(size[1] * scale)), is_picture=True)
    point = Point(x=min(int(across * size[0]), size[0] - 1), y=min(int(down * size[1]), size[1] - 1))

    back = space.point(space.back(point, size), size)

    assert abs(back.x - point.x) <= size[0] / space.width
    assert abs(back.y - point.y) <= size[1] / space.height


@given(SIZES, st.integers(0, 3839), st.integers(0, 2159))
def test_at_full_size_a_pixel_is_itself(size: tuple[int, int], x: int, y: int) -> None:
    assume(x < size[0] and y < size[1])

    assert Space(*size, is_picture=True).point((x, y), size) == Point(x=x, y=y)


@given(SIZES, st.floats(0, 1000), st.floats(0, 1000))
def test_thousandths_follow_the_formats_formula_and_stay_on_the_screen(
    size: tuple[int, int], x: float, y: float
) -> None:
    width, height = size

    found = THOUSANDTHS.point((x, y), size)

    assert found.x == min(max(round(x / 1000 * width), 0), width - 1)
    assert found.y == min(max(round(y / 1000 * height), 0), height - 1)


@pytest.mark.parametrize(
    "at", [(-1, 5), (5, -0.01), (1280, 5), (5, 720), (float("nan"), 1), (float("inf"), 1), (1,), (1, 2, 3), ()]
)
def test_what_lies_outside_is_refused_and_never_bent(at: tuple[float, ...]) -> None:
    with pytest.raises(InvalidCall, match="1280x720"):
        Space(1280, 720, is_picture=True).point(at, (2560, 1440))


@pytest.mark.parametrize("corners", [(10, 10, 5, 20), (10, 10, 10, 10), (0, 0, 10), (0, 0, 2000, 10)])
def test_an_empty_or_outside_region_is_refused(corners: tuple[float, ...]) -> None:
    with pytest.raises(InvalidCall):
        Space(1280, 720, is_picture=True).box(corners, (1280, 720))


def test_a_region_holds_both_of_its_corners() -> None:
    box = Space(1280, 720, is_picture=True).box((10, 20, 19, 29), (1280, 720))

    assert (box.x, box.y, box.width, box.height) == (10, 20, 10, 10)
