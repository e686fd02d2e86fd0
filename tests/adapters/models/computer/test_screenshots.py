import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from adapters.models.computer.png_files import MAX_PNG
from adapters.models.computer.screenshots import Frame, Limits, crop, fit, show
from core.errors import InvalidCall
from core.screens import Box, Picture, Point
from tests.adapters.models.computer.screens import SIZES

SMALL = Limits(edge=1568, patches=1568)
LARGE = Limits(edge=2576, patches=4784)
MEGAPIXELS = Limits(pixels=10_240_000)


def blank(width: int, height: int) -> Picture:
    return Picture(width, height, bytes(width * height * 4), 0.0)


def marked(width: int, height: int, box: Box) -> Picture:
    """Black, with one white rectangle."""
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[box.y : box.y + box.height, box.x : box.x + box.width] = 255
    return Picture(width, height, pixels.tobytes(), 0.0)


def decode(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


@pytest.mark.parametrize(
    ("limits", "size", "expected"),
    [
        (SMALL, (1280, 720), (1280, 720)),
        (SMALL, (1024, 768), (1024, 768)),
        (SMALL, (1920, 1080), (1456, 819)),
        (LARGE, (1920, 1080), (1920, 1080)),
        (LARGE, (2560, 1440), (2560, 1440)),
        (LARGE, (3840, 2160), (2576, 1449)),
        (MEGAPIXELS, (3840, 2160), (3840, 2160)),
    ],
)
def test_a_picture_is_as_large_as_the_model_takes_and_no_larger(
    limits: Limits, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    shown = show(blank(*size), limits)
    assert (shown.width, shown.height) == expected == decode(shown.png).size


@given(
    st.integers(1, 6000),
    st.integers(1, 6000),
    st.sampled_from([SMALL, LARGE, MEGAPIXELS]),
)
def test_the_size_is_within_the_limits_and_the_next_larger_is_not(width: int, height: int, limits: Limits) -> None:
    shown = fit(width, height, limits)
    assert limits(*shown)
    assert fit(height, width, limits) == shown[::-1] or width == height
    if shown != (width, height):
        longer = max(shown) + 1
        other = max(1, round(longer * min(width, height) / max(width, height)))
        assert not limits(longer, other)


def test_the_desktops_colours_arrive_as_they_are() -> None:
    pixels = np.zeros((10, 20, 4), np.uint8)
    pixels[:, :] = (10, 20, 200, 0)
    shown = show(Picture(20, 10, pixels.tobytes(), 0.0), SMALL)
    assert decode(shown.png).getpixel((3, 3)) == (200, 20, 10)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("limits", [SMALL, LARGE, pytest.param(MEGAPIXELS, marks=pytest.mark.nightly)])
def test_what_is_seen_in_the_small_picture_is_found_on_the_desktop(size: tuple[int, int], limits: Limits) -> None:
    for x, y in ((0, 0), (size[0] // 3, size[1] // 7), (size[0] - 20, size[1] - 20)):
        target = Box(x=x, y=y, width=20, height=20)
        shown = show(marked(*size, target), limits)
        ys, xs = np.nonzero(np.asarray(decode(shown.png))[:, :, 0] > 127)
        seen = (int((xs.min() + xs.max()) / 2), int((ys.min() + ys.max()) / 2))
        point = shown.space.point(seen, size)
        unit = max(1.0, size[0] / shown.width)
        middle = (x + 9.5, y + 9.5)
        assert abs(point.x - middle[0]) <= unit
        assert abs(point.y - middle[1]) <= unit


@pytest.mark.parametrize(
    "size",
    [
        (1920, 1080),
        pytest.param((2576, 1449), marks=pytest.mark.nightly),
        pytest.param((3840, 2160), marks=pytest.mark.nightly),
    ],
)
def test_a_photograph_loses_shades_before_it_is_too_large_for_a_request(size: tuple[int, int]) -> None:
    grain = np.random.default_rng(1).integers(0, 256, (size[1] // 4 + 1, size[0] // 4 + 1, 4), np.uint8)
    photograph = grain.repeat(4, 0).repeat(4, 1)[: size[1], : size[0]].astype(np.int16)
    photograph += np.random.default_rng(2).integers(-9, 10, photograph.shape, np.int16)
    pixels = photograph.clip(0, 255).astype(np.uint8)
    pixels[100:140, 100:140] = 255
    shown = show(Picture(*size, pixels.tobytes(), 0.0), MEGAPIXELS)
    assert len(shown.png) <= MAX_PNG
    assert decode(shown.png).size == size
    inner = np.asarray(decode(shown.png))[104:136, 104:136]
    assert int(inner.min()) >= 192


def test_a_frame_shows_every_picture_of_a_run_in_the_size_of_the_first() -> None:
    frame = Frame(SMALL)
    assert (frame.show(blank(1920, 1080)).width, frame.show(blank(800, 600)).width) == (1456, 1456)
    assert frame.crop(blank(800, 600), Box(x=0, y=0, width=10, height=10)).width == 40


def test_a_session_keeps_its_size_when_the_screen_changes_its_own() -> None:
    shown = show(blank(1000, 500), SMALL, (640, 480))
    assert (shown.width, shown.height) == (640, 480) == decode(shown.png).size
    assert shown.space.point((639, 479), (1000, 500)) == Point(x=999, y=499)


def test_a_zoom_is_enlarged_but_not_beyond_use() -> None:
    shown = crop(marked(1920, 1080, Box(x=100, y=100, width=5, height=5)), Box(x=90, y=90, width=100, height=50), SMALL)
    assert (shown.width, shown.height) == (400, 200)
    image = np.asarray(decode(shown.png))[:, :, 0]
    ys, xs = np.nonzero(image > 127)
    assert (int(xs.mean()), int(ys.mean())) == (pytest.approx(50, abs=1), pytest.approx(50, abs=1))


def test_a_zoom_of_nearly_everything_still_fits() -> None:
    shown = crop(blank(3840, 2160), Box(x=1, y=1, width=3838, height=2158), SMALL)
    assert SMALL(shown.width, shown.height)


@given(st.integers(-50, 250), st.integers(-50, 150), st.integers(1, 300), st.integers(1, 300))
def test_a_zoom_shows_what_is_on_the_screen_or_says_that_nothing_is(x: int, y: int, width: int, height: int) -> None:
    box = Box(x=x, y=y, width=width, height=height)
    screen = Box(x=0, y=0, width=200, height=100)
    if not screen.overlap(box):
        with pytest.raises(InvalidCall, match="not on the screen"):
            crop(blank(200, 100), box, SMALL)
        return
    shown = crop(blank(200, 100), box, SMALL)
    assert decode(shown.png).size == (shown.width, shown.height)
    assert max(shown.width, shown.height) <= 200
