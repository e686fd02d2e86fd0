import os
import subprocess
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from adapters.desktop.settling import BLOCK, GRACE, QUIET, changed_blocks, settle
from adapters.desktop.x11.screen import X11Screen
from adapters.desktop.x11.windows import WindowList
from core.errors import Cancelled
from core.screens import Box, Picture
from tests.clock import until, within
from tests.fakes.desktops.x_user import Program, running, x_display

WIDTH, HEIGHT = 640, 400


def blank(width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint32]:
    return np.full((height, width), 0xFFFFFFFF, np.uint32)


def picture(drawn: NDArray[np.uint32]) -> Picture:
    return Picture(drawn.shape[1], drawn.shape[0], drawn.tobytes(), time.monotonic())


def fill(drawn: NDArray[np.uint32], box: Box, colour: int) -> None:
    drawn[box.y : box.y + box.height, box.x : box.x + box.width] = colour


class Film:
    """A screen that looks as it is told to at each moment after the action."""

    def __init__(self, draw: Callable[[float, NDArray[np.uint32]], None]) -> None:
        self._draw = draw
        self.before = picture(blank())
        self._began = 0.0
        self.took = 0.0

    def grab(self) -> Picture:
        drawn = blank()
        self._draw(time.monotonic() - self._began, drawn)
        return picture(drawn)

    def settled(self, seconds: float = 3.0, *, rest: bool = True) -> NDArray[np.uint32]:
        self._began = time.monotonic()
        last = settle(self.grab, self.before, lambda: None, seconds, rest=rest)
        self.took = time.monotonic() - self._began
        return np.frombuffer(last.bgra, np.uint32).reshape(last.height, last.width)


def test_a_screen_that_does_not_react_is_waited_for_no_longer_than_the_grace() -> None:
    film = Film(lambda _at, _drawn: None)
    film.settled()
    assert film.took >= GRACE
    within(GRACE + 0.15, film.took)


def test_a_screen_that_reacts_at_once_is_at_rest_soon() -> None:
    film = Film(lambda _at, drawn: fill(drawn, Box(x=0, y=0, width=200, height=100), 0))
    assert film.settled()[50, 50] == 0
    assert film.took >= QUIET
    within(GRACE, film.took)


def test_where_no_rest_is_asked_for_a_caret_is_reaction_enough() -> None:
    film = Film(lambda at, drawn: fill(drawn, Box(x=10, y=10, width=1, height=16), int(at * 1e4)))
    film.settled(rest=False)
    within(QUIET, film.took)
    still = Film(lambda _at, _drawn: None)
    still.settled(rest=False)
    assert still.took >= GRACE
    within(GRACE + 0.15, still.took)


def test_a_reaction_late_in_the_grace_is_waited_for() -> None:
    def draw(at: float, drawn: NDArray[np.uint32]) -> None:
        fill(drawn, Box(x=600, y=10, width=2, height=16), int(at * 20) % 2 * 0xFF)
        if at > GRACE * 0.7:
            fill(drawn, Box(x=0, y=0, width=200, height=100), 0)

    film = Film(draw)
    assert film.settled()[50, 50] == 0


def test_something_big_that_moves_is_waited_for_until_it_stands_still() -> None:
    def draw(at: float, drawn: NDArray[np.uint32]) -> None:
        fill(drawn, Box(x=int(min(at, 0.5) * 600), y=50, width=200, height=300), 0xFF00AA00)

    film = Film(draw)
    last = film.settled()
    assert last[100, 300] == 0xFF00AA00
    assert last[100, 299] == 0xFFFFFFFF
    assert film.took >= 0.5
    within(0.9, film.took)


def test_a_text_that_appears_letter_by_letter_is_waited_for() -> None:
    def draw(at: float, drawn: NDArray[np.uint32]) -> None:
        for letter in range(min(20, int(at * 50))):
            fill(drawn, Box(x=10 + letter * 16, y=20, width=12, height=14), 0)

    film = Film(draw)
    assert film.settled()[25, 10 + 19 * 16] == 0


@pytest.mark.parametrize(
    ("size", "period"),
    [((2, 18), 0.03), ((2, 18), 0.2), ((40, 40), 0.016), ((64, 20), 0.05)],
    ids=["nervous caret", "caret", "spinner", "clock"],
)
def test_a_small_place_that_never_rests_does_not_hold_it_up(size: tuple[int, int], period: float) -> None:
    def draw(at: float, drawn: NDArray[np.uint32]) -> None:
        colour = int(at / period) * 0x10101 & 0xFFFFFF
        fill(drawn, Box(x=300, y=200, width=size[0], height=size[1]), colour)

    film = Film(draw)
    film.settled()
    within(0.5, film.took)


def test_a_spinner_hides_no_reaction_elsewhere() -> None:
    def draw(at: float, drawn: NDArray[np.uint32]) -> None:
        fill(drawn, Box(x=300, y=200, width=40, height=40), int(at / 0.016) * 0x10101 & 0xFFFFFF)
        fill(drawn, Box(x=0, y=0, width=int(min(at, 0.4) * 500), height=100), 0xFF112233)

    film = Film(draw)
    assert film.settled()[50, 199] == 0xFF112233
    within(1.0, film.took)


def test_a_film_that_never_ends_is_waited_for_until_the_limit() -> None:
    film = Film(lambda at, drawn: fill(drawn, Box(x=0, y=0, width=400, height=300), int(at * 1000)))
    film.settled(0.6)
    assert film.took >= 0.6
    within(0.8, film.took)


def test_a_limit_of_nothing_takes_one_look() -> None:
    film = Film(lambda _at, drawn: fill(drawn, Box(x=0, y=0, width=200, height=100), 0))
    assert film.settled(0)[50, 50] == 0
    within(0.1, film.took)


def test_a_screen_that_changes_its_size_is_settled_in_its_new_size() -> None:
    looks = [blank(), blank(), *[blank(800, 600)] * 100]

    def grab() -> Picture:
        return picture(looks.pop(0))

    assert settle(grab, picture(blank()), lambda: None, 3).width == 800


def test_a_run_that_shall_stop_stops_at_the_next_look() -> None:
    film = Film(lambda at, drawn: fill(drawn, Box(x=0, y=0, width=400, height=300), int(at * 1000)))
    calls: list[float] = []

    def check() -> None:
        calls.append(time.monotonic())
        if len(calls) == 6:
            raise Cancelled("Stop.")

    with pytest.raises(Cancelled):
        settle(film.grab, film.before, check, 5)
    within(0.1, max(later - sooner for sooner, later in pairwise(calls)))


@pytest.mark.parametrize("size", [(640, 400), (641, 399), (15, 17), (1, 1)])
def test_a_change_is_told_in_the_square_where_it_is(size: tuple[int, int]) -> None:
    width, height = size
    before, after = blank(width, height), blank(width, height)
    spots: Sequence[tuple[int, int]] = [(0, 0), (width - 1, height - 1), (width // 2, height // 2)]
    for x, y in spots:
        after[y, x] = 0
    blocks = changed_blocks(picture(before), picture(after))
    assert blocks is not None
    assert blocks.shape == (-(-height // BLOCK), -(-width // BLOCK))
    assert int(blocks.sum()) == len(set(spots))
    assert all(blocks[y // BLOCK, x // BLOCK] for x, y in spots)
    assert changed_blocks(picture(before), picture(before)) is None


@pytest.mark.screen
def test_a_click_that_shows_its_effect_at_once_is_settled_in_a_tenth_of_a_second() -> None:
    toggle = "button .b -text off -bg white -activebackground white -command "
    toggle += "{.b configure -text on -bg black -fg white -activebackground black}; pack .b -fill both -expand 1"
    took: list[float] = []
    with x_display() as display:
        environment = {**os.environ, "DISPLAY": display}
        screen, listed, program = X11Screen(display), WindowList(display), Program(display)
        with running(["wish"], env=environment, stdin=subprocess.PIPE) as wish:
            assert wish.stdin
            wish.stdin.write(f"wm geometry . 300x200+100+100; {toggle}; entry .e; pack .e; focus .e\n".encode())
            wish.stdin.flush()
            until(lambda: bool(listed.windows()))
            at = listed.windows()[0].box.centre
            program.send("motion", 0, at.x, at.y)
            for _ in range(5):
                wish.stdin.write(b".b configure -text off -bg white -fg black -activebackground white; update\n")
                wish.stdin.flush()
                until(lambda: _shade(screen, at.x - 100, at.y) > 200)
                before = screen.grab()
                began = time.monotonic()
                program.send("button_press", 1)
                program.send("button_release", 1)
                settle(screen.grab, before, lambda: None, 3)
                took.append(time.monotonic() - began)
                assert _shade(screen, at.x - 100, at.y) < 60
        screen.close()
        listed.close()
        program.close()
    within(0.2, sorted(took)[2])


def _shade(screen: X11Screen, x: int, y: int) -> int:
    look = screen.grab()
    return look.bgra[(y * look.width + x) * 4]
