"""What the eyes read and see of drawn screens, and that looking again costs little."""

import io
import threading
from collections.abc import Callable, Generator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from adapters.desktop.eyes import ScreenEyes
from adapters.video.ocr.reader import TextReader
from core.screens import Box, Picture
from tests.fakes.desktops.desktop_pictures import CountingNetworks, drawn, of_rgb, rgb_of, text, words_of
from tests.fakes.videos.drawn_screens import Draw

ROWS = (
    "Customer Description Amount",
    "Invoice 1042 for Alice Baker",
    "Payment received on 12 March",
    "Shipping address and region",
    "Reminder: 3 tickets are open",
    "Export as CSV or JSON",
)


@pytest.fixture(scope="module")
def networks() -> Generator[CountingNetworks]:
    reader = TextReader()
    yield CountingNetworks(reader)
    reader.close()


@pytest.fixture
def eyes(networks: CountingNetworks) -> Generator[ScreenEyes]:
    eyes = ScreenEyes(reader=networks)
    networks.forget()
    yield eyes
    eyes.close()


def page(*rows: str, y: int = 40, x: int = 60, size: int = 15, theme: str = "light") -> list[Callable[[Draw], None]]:
    return [text(x, y + 28 * index, row, size=size, theme=theme) for index, row in enumerate(rows)]


def caret(x: int, y: int, height: int = 18) -> Callable[[Draw], None]:
    return lambda canvas: canvas.line((x, y, x, y + height - 1), fill="#000000")


@pytest.mark.parametrize("size", [10, 11, 13, 16, 24, 48])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_of_any_size_is_read_in_both_themes(eyes: ScreenEyes, size: int, theme: str) -> None:
    rows = ["Settings and Profile", "Order 1042 confirmed"]
    scenes = [text(50, 60 + 2 * size * index, row, size=size, theme=theme) for index, row in enumerate(rows)]
    assert [line.text for line in eyes.read(drawn(*scenes, theme=theme))] == rows


@pytest.mark.parametrize(("ink", "ground"), [("#a9a9a9", "#ffffff"), ("#6e7681", "#16181d"), ("#ffffff", "#1a7f37")])
def test_pale_placeholders_and_coloured_badges_are_read(eyes: ScreenEyes, ink: str, ground: str) -> None:
    def badge(canvas: Draw) -> None:
        canvas.rectangle((100, 100, 330, 128), fill=ground)

    picture = drawn(badge, text(112, 104, "Enter your name here", colour=ink))
    assert [line.text for line in eyes.read(picture)] == ["Enter your name here"]


def test_lines_stand_top_to_bottom_with_boxes_close_around_their_ink(eyes: ScreenEyes) -> None:
    picture = drawn(*page(*ROWS[:3]), text(500, 40, "Status"))
    lines = eyes.read(picture)
    assert [line.text for line in lines] == [ROWS[0], "Status", *ROWS[1:3]]
    alone = rgb_of(drawn(text(500, 40, "Status")))[:, :, 0] < 128
    y, x = np.flatnonzero(alone.any(axis=1)), np.flatnonzero(alone.any(axis=0))
    box = lines[1].box
    assert abs(box.x - x[0]) <= 2
    assert abs(box.y - y[0]) <= 2
    assert abs(box.x + box.width - x[-1]) <= 3
    assert abs(box.y + box.height - y[-1]) <= 3
    assert all(0.5 < line.score <= 1 for line in lines)


@pytest.mark.parametrize("y", range(168, 216, 6))
def test_a_line_across_the_borders_of_what_is_looked_at_at_once_is_one_line(eyes: ScreenEyes, y: int) -> None:
    """At 1280x720 the tiles meet at 320, 640, 960 across and 192, 384, 576 down."""
    said = "The quick brown fox jumps over the lazy dog near the quiet river bank"
    assert [line.text for line in eyes.read(drawn(text(200, y, said, size=16)))] == [said]


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (40, 2000), (3000, 30), (641, 479)])
def test_a_screen_of_any_size_without_text_has_no_lines(eyes: ScreenEyes, size: tuple[int, int]) -> None:
    assert list(eyes.read(drawn(size=size))) == []


def test_noise_is_no_reason_to_fail(eyes: ScreenEyes) -> None:
    noise = np.random.default_rng(7).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    assert all(line.text for line in eyes.read(of_rgb(noise)))


def test_the_same_screen_again_is_not_looked_at_again(eyes: ScreenEyes, networks: CountingNetworks) -> None:
    first = list(eyes.read(drawn(*page(*ROWS))))
    networks.forget()
    assert list(eyes.read(drawn(*page(*ROWS), taken=1.0))) == first
    assert (networks.pictures, networks.lines) == (0, 0)


def test_a_typed_word_costs_one_line(eyes: ScreenEyes, networks: CountingNetworks) -> None:
    eyes.read(drawn(*page(*ROWS)))
    networks.forget()
    lines = eyes.read(drawn(*page(*ROWS), text(600, 330, "alice")))
    assert [line.text for line in lines] == [*ROWS, "alice"]
    assert networks.lines == 1


def test_going_back_and_forth_between_screens_costs_nothing(eyes: ScreenEyes, networks: CountingNetworks) -> None:
    one, other = page(*ROWS[:3]), page(*ROWS[3:], x=300, y=300)
    first = [list(eyes.read(drawn(*one))), list(eyes.read(drawn(*other)))]
    networks.forget()
    assert [list(eyes.read(drawn(*one))), list(eyes.read(drawn(*other)))] == first
    assert (networks.pictures, networks.lines) == (0, 0)


def test_lines_that_moved_are_not_read_again(eyes: ScreenEyes, networks: CountingNetworks) -> None:
    eyes.read(drawn(*page(*ROWS)))
    networks.forget()
    assert [line.text for line in eyes.read(drawn(*page(*ROWS, y=331, x=217)))] == list(ROWS)
    assert networks.lines <= 1


def test_a_blinking_caret_changes_no_text(eyes: ScreenEyes, networks: CountingNetworks) -> None:
    field = text(60, 300, "alice")
    without, within = drawn(field), drawn(field, caret(98, 301))
    assert [line.text for line in eyes.read(without)] == ["alice"]
    assert [line.text for line in eyes.read(within)] == ["alice"]
    networks.forget()
    eyes.read(without)
    eyes.read(within)
    assert (networks.pictures, networks.lines) == (0, 0)


words = st.sampled_from(["Save", "Cancel", "Invoice 1042", "Total 99.50", "Delete all", "Sent", "alice@example.com"])
scenes = st.lists(st.tuples(words, st.integers(0, 20), st.integers(0, 10), st.sampled_from([11, 15, 22])), max_size=7)


@pytest.mark.nightly
@settings(max_examples=8, deadline=None)
@given(st.lists(scenes, min_size=2, max_size=4), st.sampled_from(["light", "dark"]))
def test_looking_at_what_changed_gives_the_same_as_looking_at_everything(
    networks: CountingNetworks, sequence: list[list[tuple[str, int, int, int]]], theme: str
) -> None:
    eyes = ScreenEyes(reader=networks)
    for drawing in sequence:
        parts = [text(26 * x, 36 * y, said, size=size, theme=theme) for said, x, y, size in drawing]
        picture = drawn(*parts, size=(700, 420), theme=theme)
        fresh = ScreenEyes(reader=networks)
        assert list(eyes.read(picture)) == list(fresh.read(picture))
        fresh.close()
    eyes.close()


def test_closing_ends_the_threads_and_leaves_nothing_to_read_with() -> None:
    before = set(threading.enumerate())
    eyes = ScreenEyes()
    assert set(threading.enumerate()) == before
    assert words_of(eyes.read(drawn(*page(ROWS[0])))) == ROWS[0].split()
    eyes.close()
    eyes.close()
    assert set(threading.enumerate()) == before
    with pytest.raises(RuntimeError):
        eyes.read(drawn(*page(ROWS[1])))


def test_a_caret_is_a_change_as_thin_as_it_is(eyes: ScreenEyes) -> None:
    field = text(60, 300, "alice")
    changes = eyes.changes(drawn(field), drawn(field, caret(98, 301)))
    assert list(changes) == [Box(x=98, y=301, width=1, height=18)]


def test_pictures_that_look_alike_have_no_changes(eyes: ScreenEyes) -> None:
    rgb = rgb_of(drawn(*page(*ROWS)))
    nearly = np.where(rgb > 128, rgb - 4, rgb)
    assert list(eyes.changes(of_rgb(rgb), of_rgb(rgb.copy()))) == []
    assert list(eyes.changes(of_rgb(rgb), of_rgb(nearly))) == []
    unused = np.frombuffer(of_rgb(rgb).bgra, np.uint8).reshape(-1, 4).copy()
    unused[:, 3] = 255
    assert list(eyes.changes(of_rgb(rgb), Picture(1280, 720, unused.tobytes(), 1.0))) == []


def test_another_size_is_a_change_of_everything(eyes: ScreenEyes) -> None:
    assert list(eyes.changes(drawn(size=(640, 480)), drawn(size=(800, 600)))) == [Box(x=0, y=0, width=800, height=600)]


spots = st.lists(
    st.tuples(st.integers(0, 199), st.integers(0, 148), st.integers(1, 60), st.integers(1, 60), st.integers(6, 255)),
    max_size=8,
)


@given(spots, st.integers(0, 2))
def test_changes_hold_every_pixel_that_differs_and_do_not_touch(
    spots: list[tuple[int, int, int, int, int]], channel: int
) -> None:
    before = np.zeros((150, 200, 3), np.uint8)
    after = before.copy()
    for x, y, width, height, level in spots:
        after[y : y + height, x : x + width, channel] = level
    eyes = ScreenEyes()
    boxes = eyes.changes(of_rgb(before), of_rgb(after))
    eyes.close()
    covered = np.zeros((150, 200), np.int64)
    for box in boxes:
        inside = (slice(box.y, box.y + box.height), slice(box.x, box.x + box.width))
        covered[inside] += 1
        part = np.asarray(after[inside].any(axis=2))
        assert part.shape == (box.height, box.width)
        assert part[0].any()
        assert part[-1].any()
        assert part[:, 0].any()
        assert part[:, -1].any()
    assert covered.max() <= 1
    assert (covered[after.any(axis=2)] == 1).all()


@pytest.mark.parametrize("size", [(1280, 720), (1, 1), (33, 7)])
def test_a_png_shows_the_picture_to_the_pixel(eyes: ScreenEyes, size: tuple[int, int]) -> None:
    picture = drawn(*page(*ROWS), size=size)
    image = Image.open(io.BytesIO(eyes.png(picture)))
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", size)
    assert np.array_equal(np.asarray(image), rgb_of(picture))
