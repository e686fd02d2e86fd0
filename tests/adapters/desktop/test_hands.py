"""What both hands do on X11, as a window sees it."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from adapters.desktop.x11.hands import X11Hands
from core.actions import Click, Drag, HoldKey, Key, Move, Press, Scroll, Type
from core.errors import TakenOver
from core.screens import Point
from tests.fakes.x_programs import Listening, Sent
from tests.fakes.x_user import x_display

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from core.actions import Action

pytestmark = pytest.mark.screen

SHIFT, CONTROL, ALT = 1, 4, 8
HERE, THERE = Point(x=300, y=200), Point(x=500, y=350)


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with x_display(manager=False) as name:
        yield name


@pytest.fixture
def window(display: str) -> Iterator[Listening]:
    listening = Listening(display)
    yield listening
    listening.close()


@pytest.fixture
def hands(display: str) -> Iterator[X11Hands]:
    with x11_hands(display) as made:
        yield made


@contextmanager
def x11_hands(display: str) -> Generator[X11Hands]:
    made = X11Hands(display, Sent())
    try:
        yield made
    finally:
        made.close()


def presses(window: Listening) -> list[tuple[int, int, int, int]]:
    return [(e.detail, e.x, e.y, e.state & 0xFF) for e in window.events() if e.kind == "button_press"]


def keys(window: Listening) -> list[tuple[str, int]]:
    return [(e.kind, e.detail) for e in window.events() if e.kind.startswith("key")]


ACTIONS: list[Action] = [
    Click(action="left_click", at=HERE, modifiers=("ctrl", "shift")),
    Click(action="triple_click", at=THERE),
    Press(action="left_mouse_down", at=HERE),
    Drag(path=(HERE, THERE, HERE), modifiers=("alt",)),
    Move(at=THERE, modifiers=("shift",)),
    Scroll(action="scroll", notches=4, at=HERE, modifiers=("ctrl",)),
    Scroll(action="hscroll", notches=-3),
    Type(text="Hello, World! {~}\n\tétà"),
    Key(keys=("ctrl", "shift", "a"), repeat=3),
    Key(keys=("kp_7",)),
    HoldKey(keys=("shift", "x"), seconds=0.05),
]


class Stopping:
    """A check that raises at its n-th call."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self) -> None:
        if self.left == 0:
            raise TakenOver("The user moved the mouse.")
        self.left -= 1


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.action)
def test_nothing_stays_down_wherever_an_action_is_stopped(display: str, window: Listening, action: Action) -> None:
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1

    before = window.layout(), window.locks()
    with x11_hands(display) as hands:
        hands.perform(action, count)
    points = range(calls) if calls < 40 else random.Random(7).sample(range(calls), 10)
    for stop in points:
        # A new pair of hands has not clicked here a moment ago, and need not wait.
        with x11_hands(display) as hands:
            with pytest.raises(TakenOver):
                hands.perform(action, Stopping(stop))
            assert window.keys_down() == []
            assert window.buttons_down() == 0
            assert window.locks() == before[1]
    assert window.layout() == before[0]
    window.events()
