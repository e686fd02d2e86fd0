"""What it takes to put input into a desktop; ``x11`` and ``pyautogui_hands`` do it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, Protocol

from core.errors import ActionFailed
from core.key_names import MODIFIERS

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator, Sequence

    from core.actions import Action
    from core.screens import Point

Kind = Literal["key_press", "key_release", "button_press", "button_release", "motion"]
"""The kinds of input events, as XInput2 names them."""

CHECK_SECONDS: Final = 0.008
"""How long nothing is checked at most."""

CLICKS_MERGE_SECONDS: Final = 0.55
"""Two presses of a button that lie apart for longer are never taken for a double click (GTK 0.4, Tk, Chromium 0.5)."""

CLICKS_MERGE_PIXELS: Final = 8
"""Two presses that lie apart for more than this are never taken for a double click."""

MULTI_CLICK_SECONDS: Final = 0.02
"""Between the clicks of a double or triple click."""


class Ledger(Protocol):
    """Keeps account of what we send, so that the watch can tell it from the user's input."""

    def record(self, kind: Kind, detail: int) -> None:
        """Called right before an event is sent; ``detail`` is its keycode or button, 0 for a motion."""
        ...


class Hands(Protocol):
    """The pointer and the keyboard of one display; used by one thread."""

    def perform(self, action: Action, check: Callable[[], None]) -> None:
        """Carry out a click, press, drag, move, scroll, text or key; returns when its last event is sent.

        ``check`` is called between any two events and at least every 10 ms. It raises to stop: then everything that
        these hands hold is let go, also what an earlier action held, before its exception goes on.

        Raises:
            ActionFailed: a point outside the screen, a key that the layout lacks, a text that did not arrive. What
                the action itself held is let go.
            DesktopLost: the display is gone.

        """
        ...

    def read_field(
        self, at: Point, check: Callable[[], None], *, several_lines: bool, deletes: bool = False
    ) -> str | None:
        """Select what the field at a point holds and read the selection; ``None`` where that is not possible.

        With ``deletes`` what was read is deleted. Nothing stays selected, and the user's selection and clipboard are
        as before. ``check`` and errors as above.
        """
        ...

    def release(self) -> None:
        """Let go of every key and button that these hands hold. Does nothing the second time."""
        ...

    def pointer(self) -> Point:
        """Where the pointer is."""
        ...

    def close(self) -> None:
        """Let go of everything and give the display back. Does nothing the second time."""
        ...


def unusable_point(point: Point, size: tuple[int, int]) -> ActionFailed | None:
    """Why a point cannot be pointed at, if it cannot."""
    width, height = size
    if 0 <= point.x < width and 0 <= point.y < height:
        return None
    return ActionFailed(
        f"The point {point.x}, {point.y} is outside the screen of {width}x{height}; "
        f"choose x from 0 to {width - 1} and y from 0 to {height - 1}."
    )


def pause(seconds: float, check: Callable[[], None]) -> None:
    """Wait so long, checking all the time."""
    deadline = time.monotonic() + seconds
    while True:
        check()
        left = deadline - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, CHECK_SECONDS))


def wait(event: threading.Event, seconds: float, check: Callable[[], None]) -> bool:
    """Wait for an event at most so long, checking all the time; whether it came."""
    deadline = time.monotonic() + seconds
    while not event.wait(min(CHECK_SECONDS, max(0.0, deadline - time.monotonic()))):
        check()
        if time.monotonic() >= deadline:
            return False
    return True


@contextmanager
def letting_go(let_go: Callable[[int], None], kept: int) -> Generator[None]:
    """Release what an action pressed when it fails, and everything that is held when it is interrupted.

    Args:
        let_go: releases all but the first so many of what is held.
        kept: how much was held before the action.

    """
    try:
        yield
    except ActionFailed:
        let_go(kept)
        raise
    except BaseException:
        let_go(0)
        raise


def struck(keys: Sequence[str]) -> tuple[str, ...]:
    """The keys as they are struck: beside a modifier a capital letter is its key, so ``Ctrl+A`` holds no shift."""
    if not MODIFIERS.intersection(keys):
        return tuple(keys)
    return tuple(key.lower() if len(key) == 1 and len(key.lower()) == 1 else key for key in keys)


def release_everything(display: str) -> None:
    """Let go of whatever a process that is gone has left pressed on an X display, e.g. ``:99``.

    Does nothing when there is no such display. What the user holds on real devices stays as it is.
    """
    from adapters.desktop.x11.releasing import release_left_behind  # noqa: PLC0415 - the ports need no X11

    release_left_behind(display)
