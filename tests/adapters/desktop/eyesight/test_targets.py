import base64
import time
from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from adapters.desktop.eyesight.comparing import decoded, encoded
from adapters.desktop.eyesight.likeness import pixels_of
from adapters.desktop.eyesight.targets import ScreenTargets
from core.reload.entry import Anchor
from core.reload.ports import Found, Missing
from core.screens import Box, Picture, Point, TextLine
from tests.clock import within

Pixels = NDArray[np.uint8]

WIDTH, HEIGHT = 640, 360
WINDOW = Box(x=0, y=0, width=WIDTH, height=HEIGHT)
TARGETS = ScreenTargets()


class Drawn:
    """A window of labels and buttons, and a reader that knows what was written where."""

    def __init__(self, size: tuple[int, int] = (WIDTH, HEIGHT), ground: int = 245) -> None:
        self.pixels = np.full((size[1], size[0], 4), ground, np.uint8)
        self.pixels[..., 3] = 255
        self.lines: list[TextLine] = []

    @property
    def picture(self) -> Picture:
        return Picture(self.pixels.shape[1], self.pixels.shape[0], self.pixels.tobytes(), 0.0)

    def read(self, picture: Picture) -> Sequence[TextLine]:
        return self.lines if picture.bgra == self.pixels.tobytes() else ()

    def write(self, text: str, x: int, y: int, ink: int = 20) -> None:
        (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
        cv2.putText(self.pixels, text, (x, y + height), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (ink, ink, ink, 255), 1)
        self.lines.append(TextLine(text=text, box=Box(x=x, y=y - 1, width=width, height=height + 5), score=1.0))

    def button(self, text: str, x: int, y: int, *, ground: int = 215, ink: int = 20) -> Box:
        box = Box(x=x, y=y, width=110, height=30)
        cv2.rectangle(self.pixels, (x, y), (x + 109, y + 29), (ground, ground, ground, 255), -1)
        cv2.rectangle(self.pixels, (x, y), (x + 109, y + 29), (120, 120, 120, 255), 1)
        width = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)[0][0]
        self.write(text, x + (110 - width) // 2, y + 9, ink)
        return box

    def field(self, x: int, y: int) -> Box:
        cv2.rectangle(self.pixels, (x, y), (x + 199, y + 27), (255, 255, 255, 255), -1)
        cv2.rectangle(self.pixels, (x, y), (x + 199, y + 27), (120, 120, 120, 255), 1)
        return Box(x=x, y=y, width=200, height=28)


def form(*, send: str = "Send", city: str = "City", street: str = "Street", by: tuple[int, int] = (0, 0)) -> Drawn:
    drawn = Drawn((WIDTH + 80, HEIGHT + 80)) if by != (0, 0) else Drawn()
    dx, dy = by
    drawn.write(street, 40 + dx, 40 + dy)
    drawn.field(40 + dx, 60 + dy)
    drawn.write(city, 40 + dx, 110 + dy)
    drawn.field(40 + dx, 130 + dy)
    drawn.button(send, 40 + dx, 200 + dy)
    drawn.button("Cancel", 170 + dx, 200 + dy)
    return drawn


SEND, CITY = Point(x=95, y=215), Point(x=140, y=144)


def cut(drawn: Drawn, at: Point, *, ignore: Sequence[Box] = ()) -> Anchor:
    anchor = TARGETS.cut(drawn.picture, at, WINDOW, ignore=ignore, reader=drawn)
    assert anchor is not None
    return anchor


def find(anchor: Anchor, drawn: Drawn, within: Box = WINDOW, *, far: bool = True) -> Found | Missing:
    return TARGETS.find(anchor, drawn.picture, within, reader=drawn, far=far)


FORM = form()
PICTURE = FORM.picture
SENDING = cut(FORM, SEND)


def test_a_button_is_cut_with_its_words_and_found_where_it_was() -> None:
    anchor = cut(form(), SEND)
    assert anchor.words == "Send"
    assert anchor.place == SEND
    found = find(anchor, form(), far=False)
    assert isinstance(found, Found)
    assert (found.point, found.how) == (SEND, "same_place")
    assert found.core == Box(x=40, y=200, width=110, height=30) or found.core.overlap(
        Box(x=40, y=200, width=110, height=30)
    )


@pytest.mark.parametrize("at", [SEND, CITY])
def test_it_is_found_when_the_window_is_elsewhere(at: Point) -> None:
    found = find(cut(form(), at), form(by=(33, 41)), Box(x=33, y=41, width=WIDTH, height=HEIGHT), far=False)
    assert isinstance(found, Found)
    assert (found.point, found.how) == (Point(x=at.x + 33, y=at.y + 41), "same_place")


@pytest.mark.parametrize("at", [SEND, CITY])
def test_it_is_found_when_all_moved_within_the_window(at: Point) -> None:
    wide = Box(x=0, y=0, width=WIDTH + 80, height=HEIGHT + 80)
    found = find(cut(form(), at), form(by=(33, 41)), wide)
    assert isinstance(found, Found)
    assert (found.point, found.how) == (Point(x=at.x + 33, y=at.y + 41), "moved")


@pytest.mark.parametrize("at", [SEND, CITY])
def test_it_is_found_when_a_page_was_shifted_in_a_window_of_the_same_size(at: Point) -> None:
    # Its row reaches from one side of the window to the other, and what is drawn in it does not.
    found = find(cut(form(), at), form(by=(70, 0)))
    assert isinstance(found, Found)
    assert (found.point, found.how) == (Point(x=at.x + 70, y=at.y), "moved")


@pytest.mark.parametrize("name", ["Sent", "Semd", "Sena", "Dispatch", "Send all", "send"])
def test_a_renamed_button_is_missing(name: str) -> None:
    for by in ((0, 0), (33, 41)):
        drawn = form(send=name, by=by)
        missing = find(cut(form(), SEND), drawn, Box(x=0, y=0, width=drawn.picture.width, height=drawn.picture.height))
        assert isinstance(missing, Missing)
    assert find(cut(form(), SEND), form(send=name)) == Missing(f'it reads "{name}" now')


def test_an_empty_field_is_told_from_another_by_its_label() -> None:
    anchor = cut(form(), CITY)
    assert isinstance(find(anchor, form(city="Town")), Missing)
    assert isinstance(find(anchor, form(city="Street", street="City")), Missing)


def test_a_value_that_is_ignored_may_be_another_and_is_not_kept() -> None:
    typed, other = form(), form()
    value = Box(x=42, y=132, width=190, height=24)
    typed.write("Helsinki", 50, 138)
    other.write("Oslo", 50, 138)
    anchor = cut(typed, CITY, ignore=[value])
    assert isinstance(find(anchor, other), Found)
    kept = decoded(anchor.image)
    assert kept is not None
    assert not kept[kept[..., 3] == 0].any()


def test_a_caret_does_not_make_it_another_but_a_letter_does() -> None:
    image = TARGETS.crop(form().picture, Box(x=40, y=130, width=200, height=28))
    blinking, typed = form(), form()
    blinking.pixels[135:153, 50:51, :3] = 0
    typed.write("l", 50, 138)
    typed.write("o", 56, 138)
    box = Box(x=40, y=130, width=200, height=28)
    assert TARGETS.same(image, blinking.picture, box)
    assert not TARGETS.same(image, typed.picture, box)
    assert isinstance(find(cut(form(), CITY), blinking), Found)


def test_smoothing_makes_no_difference_and_paleness_does() -> None:
    smoothed, pale = form(), form()
    smoothed.pixels[200:230, 40:150, :3] = np.clip(smoothed.pixels[200:230, 40:150, :3].astype(int) - 7, 0, 255)
    pale.button("Send", 40, 200, ink=150)
    anchor = cut(form(), SEND)
    assert isinstance(find(anchor, smoothed, far=False), Found)
    assert isinstance(find(anchor, pale), Missing)


def rows(*names: str, top: int = 40) -> Drawn:
    drawn = Drawn()
    for number, name in enumerate(names):
        drawn.write(name, 40, top + 9 + 50 * number)
        drawn.button("Delete", 480, top + 50 * number)
    return drawn


def test_a_rows_button_is_found_by_its_row() -> None:
    anchor = cut(rows("alice", "bob", "cara"), Point(x=535, y=105))
    found = find(anchor, rows("bob", "alice", "cara"))
    assert isinstance(found, Found)
    assert found.point == Point(x=535, y=55)
    assert isinstance(find(anchor, rows("alice", "cara")), Missing)
    assert isinstance(find(anchor, rows("alice", "rob", "cara")), Missing)
    assert isinstance(find(anchor, rows("alice", "bob 2", "cara")), Missing)


def test_equal_rows_are_refused_when_they_moved() -> None:
    anchor = cut(rows("alice", "bob", "cara"), Point(x=535, y=105))
    assert find(anchor, rows("bob", "cara", "bob", top=60)) == Missing("it is there more than once")


def test_a_dialog_in_front_hides_it() -> None:
    covered = form()
    cv2.rectangle(covered.pixels, (20, 150), (300, 300), (255, 255, 255, 255), -1)
    assert isinstance(find(cut(form(), SEND), covered), Missing)


def test_nothing_to_recognise_is_no_anchor() -> None:
    blank = Drawn()
    assert TARGETS.cut(blank.picture, Point(x=99, y=99), WINDOW, ignore=(), reader=blank) is None
    assert TARGETS.cut(blank.picture, Point(x=9999, y=99), WINDOW, ignore=(), reader=blank) is None


def test_a_region_is_cut_as_it_is_told() -> None:
    region = Box(x=30, y=30, width=250, height=140)
    anchor = TARGETS.cut(form().picture, region, WINDOW, ignore=(), reader=form())
    assert anchor is not None
    assert (anchor.core.width, anchor.core.height) == (250, 140)
    assert anchor.place == region.centre
    assert isinstance(find(anchor, form(), far=False), Found)


def _png(width: int, height: int) -> str:
    return encoded(np.zeros((height, width, 4), np.uint8))


_BOMB = base64.b64encode(
    base64.b64decode(_png(8, 8))[:16] + (60000).to_bytes(4, "big") * 2 + base64.b64decode(_png(8, 8))[24:]
).decode()


@pytest.mark.parametrize(
    "image", ["", "no base64", "aGFsbG8=", _png(20, 20)[:40], _BOMB, "A" * 5_000_000, "é", _png(64, 64)]
)
def test_what_is_no_anchor_is_missing(image: str) -> None:
    anchor = cut(form(), SEND).model_copy(update={"image": image})
    assert isinstance(find(anchor, form()), Missing)
    assert not TARGETS.same(image, form().picture, Box(x=0, y=0, width=9, height=9))


@given(
    st.builds(
        Box,
        x=st.integers(-(2**40), 2**40),
        y=st.integers(-50, 2**40),
        width=st.integers(-5, 2**40),
        height=st.integers(-5, 400),
    ),
    st.builds(Point, x=st.integers(-(2**40), 2**40), y=st.integers(-500, 500)),
    st.builds(Point, x=st.integers(-(2**40), 2**40), y=st.integers(-500, 500)),
)
def test_boxes_of_whatever_kind_are_no_fault(core: Box, point: Point, place: Point) -> None:
    anchor = SENDING.model_copy(update={"core": core, "point": point, "place": place})
    assert isinstance(TARGETS.find(anchor, PICTURE, WINDOW, reader=FORM, far=False), Found | Missing)


def test_a_crop_is_the_same_only_where_it_is_the_same() -> None:
    picture = form().picture
    box = Box(x=40, y=200, width=110, height=30)
    image = TARGETS.crop(picture, box)
    assert TARGETS.same(image, picture, box)
    assert not TARGETS.same(image, picture, box.model_copy(update={"width": 109}))
    assert not TARGETS.same(image, picture, box.model_copy(update={"x": 170}))
    assert not TARGETS.same(image, picture, box.model_copy(update={"x": WIDTH - 50}))
    assert not TARGETS.crop(picture, box.model_copy(update={"x": 9999}))


@given(st.integers(1, 40), st.integers(1, 40), st.randoms(use_true_random=False))
def test_what_is_encoded_is_decoded(width: int, height: int, random: object) -> None:
    pixels = np.random.default_rng(random.getrandbits(32)).integers(0, 256, (height, width, 4), np.uint8)  # type: ignore[attr-defined]
    pixels[..., 3] |= 1
    assert np.array_equal(decoded(encoded(pixels)), pixels)  # pyright: ignore[reportArgumentType]


def test_looking_at_the_same_place_is_fast() -> None:
    anchor, drawn = cut(form(), SEND), form()
    assert pixels_of(drawn.picture).shape == (HEIGHT, WIDTH, 4)
    picture = drawn.picture
    took: list[float] = []
    for _ in range(10):
        began = time.perf_counter()
        TARGETS.find(anchor, picture, WINDOW, reader=drawn, far=False)
        took.append(time.perf_counter() - began)
    within(0.004, min(took))
