"""Where windows that may not be recorded are and were, as the server tells it: no list would know."""

import time
from collections.abc import Generator
from contextlib import closing

import pytest

from adapters.recording.continuous.window_watch import LINGER_SECONDS, WindowWatch
from core.recording.recorder import Exclusions
from core.screens import Box
from tests.clock import until
from tests.fakes.desktops.x_user import x_display
from tests.fakes.recordings.continuous import patch

pytestmark = pytest.mark.screen

SIZE = 160
COLOUR = 0x00E060


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def watch(display: str) -> Generator[WindowWatch]:
    with closing(WindowWatch(display, Exclusions(titles=("vault",), applications=("Safe*",)))) as made:
        yield made


def covers(boxes: list[Box], x: int, y: int) -> bool:
    """Whether a window whose own pixels begin there is within one of them."""
    return any(
        box.x <= x and box.y <= y and x + SIZE <= box.x + box.width and y + SIZE <= box.y + box.height for box in boxes
    )


def test_a_window_that_is_renamed_after_a_look_is_hidden_in_it(display: str, watch: WindowWatch) -> None:
    with patch(display, COLOUR, "loading") as window:
        window.report("popup 900 400")
        window.report("show")
        until(lambda: watch.look() and len([*watch.tops()]) >= 2)
        before = time.monotonic()
        assert watch.look()
        assert watch.hidden(before) == []
        window.report("title my vault")
        assert watch.look()

        assert {(box.width, box.height) for box in watch.hidden(before)} > {(SIZE, SIZE)}
        assert covers(watch.hidden(before), 900, 400)


def test_a_window_that_opened_and_closed_between_two_looks_is_known(display: str, watch: WindowWatch) -> None:
    with patch(display, COLOUR, "my vault") as window:
        assert watch.look()
        before = time.monotonic()
        window.report("flash 200")
        until(lambda: watch.look() and watch.hidden(before) != [])

        assert watch.hidden(time.monotonic() + LINGER_SECONDS + 1) == []


def test_what_was_gone_before_it_could_be_asked_is_hidden(display: str, watch: WindowWatch) -> None:
    assert watch.look()
    before = time.monotonic()
    with patch(display, COLOUR, "harmless") as window:
        window.report("flash 100")
    until(lambda: watch.look() and watch.hidden(before) != [])


def test_each_place_on_its_way_is_hidden_for_as_long_as_its_pixels_may_stay(display: str, watch: WindowWatch) -> None:
    with patch(display, COLOUR, "my vault") as window:
        window.report("show")
        until(lambda: watch.look() and watch.hidden(time.monotonic()) != [])
        before = time.monotonic()
        for place in ("move 100 100", "move 500 300", "move 900 450"):
            window.report(place)
        until(lambda: watch.look() and covers(watch.hidden(before), 900, 450))

        assert covers(watch.hidden(before), 100, 100)
        assert covers(watch.hidden(before), 500, 300)
        assert not covers(watch.hidden(time.monotonic() + LINGER_SECONDS + 1), 500, 300)


def test_the_menu_of_an_excluded_program_is_hidden_and_anothers_is_not(display: str, watch: WindowWatch) -> None:
    with patch(display, COLOUR, "entries", "SafeBox") as safe, patch(display, COLOUR, "notes") as notes:
        safe.report("show")
        safe.report("popup 700 300")
        notes.report("popup 300 500")
        until(lambda: watch.look() and len(watch.hidden(time.monotonic())) == 2)

        assert covers(watch.hidden(time.monotonic()), 700, 300)
        assert not covers(watch.hidden(time.monotonic()), 300, 500)


def test_the_keyboard_is_hidden_for_as_long_as_an_excluded_window_has_it(display: str, watch: WindowWatch) -> None:
    with patch(display, COLOUR, "my vault") as safe, patch(display, COLOUR, "notes") as notes:
        safe.report("show")
        notes.report("show")
        until(lambda: watch.look() and watch.hidden(time.monotonic()) != [])
        notes.report("focus")
        until(lambda: watch.look() and not watch.keys_hidden(time.monotonic(), time.monotonic()))
        began = time.monotonic()
        assert not watch.keys_hidden(began, time.monotonic())
        safe.report("focus")
        until(lambda: watch.look() and watch.keys_hidden(began, time.monotonic()))
        notes.report("focus")
        until(lambda: watch.look() and not watch.keys_hidden(time.monotonic(), time.monotonic()))

        assert watch.keys_hidden(began, time.monotonic())
