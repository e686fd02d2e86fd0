"""Looking at a display while a run acts on it: what a page shows."""

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from core.actions import HoldKey, Move, OpenApp, Type
from core.runs.ports import Desktop
from core.screens import Picture, Point
from tests.clock import until, within
from tests.fakes.desktops.acting_desktops import is_taken_over, nothing, opened
from tests.fakes.desktops.x_user import User, x_display
from tests.fakes.runs.replaying import PATIENCE

pytestmark = pytest.mark.screen


@pytest.fixture
def display() -> Iterator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def desktop(display: str, tmp_path: Path) -> Iterator[Desktop]:
    with opened(display, tmp_path) as desktop:
        yield desktop


def fresh(desktop: Desktop) -> Picture:
    """A look that began after it was asked for."""
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        picture = desktop.peek()
        if picture is not None and picture.taken > began:
            return picture
    raise AssertionError("nothing was seen")


@pytest.mark.nightly
def test_a_display_is_seen_while_nothing_and_while_something_is_done(desktop: Desktop) -> None:

    idle = fresh(desktop)
    acting = Thread(target=lambda: desktop.act(HoldKey(keys=("shift",), seconds=1.5), nothing))
    acting.start()
    began = time.monotonic()
    during = [fresh(desktop), fresh(desktop)]
    took = time.monotonic() - began
    acting.join()

    assert (idle.width, idle.height, len(idle.bgra)) == (1280, 720, 4 * 1280 * 720)
    assert during[0].taken < during[1].taken
    within(1.2, took)


@pytest.mark.nightly
def test_what_a_run_settles_from_is_not_what_was_glimpsed(desktop: Desktop) -> None:
    before = desktop.look()
    desktop.act(OpenApp(name="xterm", arguments=("-e", "cat")), nothing)
    fresh(desktop)
    opened_ = desktop.settle(before, nothing, seconds=5)
    glimpsed = fresh(desktop)
    again = desktop.settle(opened_, nothing, seconds=0.5)

    assert opened_.bgra != before.bgra
    assert glimpsed is not again
    assert len(again.bgra) == len(before.bgra)


def test_text_arrives_whole_while_somebody_watches(desktop: Desktop, tmp_path: Path) -> None:
    desktop.act(OpenApp(name="xterm", arguments=("-e", "sh")), nothing)
    desktop.settle(desktop.look(), nothing, seconds=3)
    typed, ended = tmp_path / "typed", Event()

    def watch() -> None:
        while not ended.wait(0.02):
            desktop.peek()

    watching = Thread(target=watch)
    watching.start()
    text = "The quick brown fox jumps over the lazy dog, 0123456789. " * 3
    desktop.act(Type(text=f"echo '{text}' > {typed}\n"), nothing)
    until(lambda: typed.exists() and typed.read_text(encoding="utf-8") == f"{text}\n")
    ended.set()
    watching.join()


@pytest.mark.nightly
def test_a_display_is_seen_while_the_user_has_it(desktop: Desktop, display: str) -> None:
    desktop.act(Move(at=Point(x=50, y=50)), nothing)
    user = User(display)
    try:
        user.move(9, 4)
        until(lambda: is_taken_over(desktop))
        assert fresh(desktop).width == 1280
    finally:
        user.close()


@pytest.mark.nightly
def test_a_display_that_is_gone_is_seen_as_it_was(display: str, tmp_path: Path) -> None:
    with opened(display, tmp_path) as desktop:
        last = fresh(desktop)
    assert desktop.peek() is last
