"""What is done with a pointer, in terms of moves, presses and releases: the same on every platform."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Final, Protocol

from adapters.desktop.hands import (
    CLICKS_MERGE_PIXELS,
    CLICKS_MERGE_SECONDS,
    MULTI_CLICK_SECONDS,
    pause,
    unusable_point,
)
from core.actions import Click, Drag, Move, Press, Scroll
from core.screens import Point

_LEFT, _MIDDLE, _RIGHT = 1, 2, 3
_BUTTONS: Final = {"right_click": _RIGHT, "middle_click": _MIDDLE}
_TIMES: Final = {"double_click": 2, "triple_click": 3}
_DRAG_STEPS: Final = 8
_DRAG_STEP_SECONDS: Final = 0.005
_DRAG_SECONDS: Final = 1.0
_DRAG_EVENTS: Final = 200
_DRAG_REST_SECONDS: Final = 0.02

PointerAction = Click | Press | Drag | Move | Scroll


class Mouse(Protocol):
    """What a platform does; buttons are 1 left, 2 middle, 3 right."""

    def move(self, point: Point) -> None:
        """Move the pointer there."""
        ...

    def press_button(self, button: int) -> None:
        """Press a button, unless it is held."""
        ...

    def release_button(self, button: int) -> None:
        """Let a button go, if it is held."""
        ...

    def turn_wheel(self, step: int, *, sideways: bool) -> None:
        """Turn the wheel by one notch: 1 is down or right, -1 is up or left."""
        ...

    def pointer(self) -> Point:
        """Where the pointer is."""
        ...

    def size(self) -> tuple[int, int]:
        """Width and height of the screen."""
        ...


class Pointing:
    """Clicks, drags and scrolls.

    Args:
        mouse: does it.
        holding: a context in which modifiers are held; it calls the check.

    """

    def __init__(
        self, mouse: Mouse, holding: Callable[[Sequence[str], Callable[[], None]], AbstractContextManager[None]]
    ) -> None:
        self._mouse = mouse
        self._holding = holding
        self._last_press: tuple[int, Point, float] | None = None

    def perform(self, action: PointerAction, check: Callable[[], None]) -> None:
        """Do it; ``check`` is called between any two events. Raises ``ActionFailed`` for a point outside."""
        points = action.path if isinstance(action, Drag) else (action.at,)
        size = self._mouse.size()
        for point in points:
            if point is not None and (refusal := unusable_point(point, size)) is not None:
                raise refusal
        with self._holding(() if isinstance(action, Press) else action.modifiers, check):
            self._move(points[0], check)
            match action:
                case Click():
                    self._click(_BUTTONS.get(action.action, _LEFT), _TIMES.get(action.action, 1), check)
                case Press(action="left_mouse_down"):
                    self._press(_LEFT, check)
                case Press():
                    self._release(_LEFT, check)
                case Drag():
                    self._drag(action.path, check)
                case Scroll():
                    for _ in range(abs(action.notches)):
                        self._mouse.turn_wheel(1 if action.notches > 0 else -1, sideways=action.action == "hscroll")
                        check()
                case Move():
                    pass

    def _click(self, button: int, times: int, check: Callable[[], None]) -> None:
        self._keep_apart(button, check)
        for click in range(times):
            if click:
                pause(MULTI_CLICK_SECONDS, check)
            self._press_now(button, check)
            self._release(button, check)

    def _drag(self, path: Sequence[Point], check: Callable[[], None]) -> None:
        self._press(_LEFT, check)
        pause(_DRAG_REST_SECONDS, check)
        # Toolkits start a drag at the first motion, and follow it only through motions.
        steps = max(1, min(_DRAG_STEPS, _DRAG_EVENTS // (len(path) - 1)))
        rest = min(_DRAG_STEP_SECONDS, _DRAG_SECONDS / (steps * (len(path) - 1)))
        for start, end in pairwise(path):
            for point in _line(start, end, steps):
                self._move(point, check)
                pause(rest, check)
        pause(_DRAG_REST_SECONDS, check)
        self._release(_LEFT, check)

    def _move(self, point: Point | None, check: Callable[[], None]) -> None:
        if point is not None:
            self._mouse.move(point)
            check()

    def _press(self, button: int, check: Callable[[], None]) -> None:
        self._keep_apart(button, check)
        self._press_now(button, check)

    def _press_now(self, button: int, check: Callable[[], None]) -> None:
        self._mouse.press_button(button)
        self._last_press = (button, self._mouse.pointer(), time.monotonic())
        check()

    def _release(self, button: int, check: Callable[[], None]) -> None:
        self._mouse.release_button(button)
        check()

    def _keep_apart(self, button: int, check: Callable[[], None]) -> None:
        """Wait until a press here is no more taken for the second of a double click."""
        if self._last_press is None or self._last_press[0] != button:
            return
        _, there, then = self._last_press
        here = self._mouse.pointer()
        if max(abs(here.x - there.x), abs(here.y - there.y)) <= CLICKS_MERGE_PIXELS:
            pause(max(0.0, then + CLICKS_MERGE_SECONDS - time.monotonic()), check)


def _line(start: Point, end: Point, steps: int) -> Sequence[Point]:
    """Points on the way, the last of them the end."""
    return [
        Point(
            x=round(start.x + (end.x - start.x) * step / steps),
            y=round(start.y + (end.y - start.y) * step / steps),
        )
        for step in range(1, steps + 1)
    ]
