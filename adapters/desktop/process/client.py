"""A desktop as the loop sees it, whose hands and eyes are in an acting process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from core.actions import ACTION, Action
from core.screens import Picture, Point, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.desktop.process.child import ActingProcess

_START_SECONDS: Final = 40.0
_ANSWER_SECONDS: Final = 10.0
_FRESH_SECONDS: Final = 0.2
"""A look that is no older counts as how the screen looks now, for viewers of the run."""
_GLIMPSE_SECONDS: Final = 1.0
_LONGEST_ACTION_SECONDS: Final = 900.0
"""Beyond the longest wait and the longest text that an action may have."""


class ProcessDesktop:
    """Implements ``core.runs.ports.Desktop``.

    Args:
        process: its process, just started.
        raise_if_cancelled: called while the display is prepared; may raise.
        opening: what the worker's ``open`` takes.

    Raises:
        DesktopUnavailable: there is no such display, or it cannot be used.

    """

    def __init__(self, process: ActingProcess, raise_if_cancelled: Callable[[], None], **opening: Any) -> None:
        self._process = process
        found, _ = process.ask("open", raise_if_cancelled, seconds=_START_SECONDS, **opening)
        self._name: str = found["name"]
        self._viewer: str | None = found["viewer"]
        self._size: tuple[int, int] = (found["size"][0], found["size"][1])
        self._session_bus: str = found["session_bus"]
        self._last: tuple[int, Picture] | None = None
        self._newest: Picture | None = None

    @property
    def name(self) -> str:
        """The display, e.g. ``:99``."""
        return self._name

    @property
    def viewer(self) -> str | None:
        """Where it can be watched."""
        return self._viewer

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together, as the last look found them."""
        return self._size

    @property
    def session_bus(self) -> str:
        """The address of its session bus."""
        return self._session_bus

    def look(self) -> Picture:
        """Grab the screen, without the overlay."""
        return self._picture(*self._process.ask("look", seconds=_ANSWER_SECONDS))

    def peek(self) -> Picture | None:
        """How it looks now, or how it was seen last when there is no telling."""
        last = self._newest
        if last is not None and time.monotonic() - last.taken < _FRESH_SECONDS:
            return last
        seen = self._process.glimpse(_GLIMPSE_SECONDS)
        if seen is not None:
            found, bgra = seen
            self._newest = Picture(found["width"], found["height"], bgra, found["taken"])
        return self._newest

    def act(self, action: Action, raise_if_cancelled: Callable[[], None]) -> None:
        """Do it."""
        self._process.ask(
            "act", raise_if_cancelled, seconds=_LONGEST_ACTION_SECONDS, action=ACTION.dump_python(action, mode="json")
        )

    def read_field(
        self, at: Point, raise_if_cancelled: Callable[[], None], *, several_lines: bool, deletes: bool
    ) -> str | None:
        """Select what a field holds, and read the selection."""
        found, _ = self._process.ask(
            "read_field",
            raise_if_cancelled,
            seconds=_ANSWER_SECONDS,
            at=at.model_dump(),
            several_lines=several_lines,
            deletes=deletes,
        )
        text: str | None = found["text"]
        return text

    def settle(
        self, before: Picture, raise_if_cancelled: Callable[[], None], *, seconds: float, rest: bool = True
    ) -> Picture:
        """Wait until the screen has reacted and, with ``rest``, is quiet."""
        known = self._last is not None and self._last[1] is before
        sketch = {"width": before.width, "height": before.height, "taken": before.taken}
        return self._picture(
            *self._process.ask(
                "settle",
                raise_if_cancelled,
                payload=b"" if known else before.bgra,
                seconds=seconds + _ANSWER_SECONDS,
                known=self._last[0] if known and self._last is not None else None,
                before=sketch,
                limit=seconds,
                rest=rest,
            )
        )

    def windows(self) -> Sequence[Window]:
        """The windows that are shown, the topmost first."""
        found, _ = self._process.ask("windows", seconds=_ANSWER_SECONDS)
        return [Window.model_validate(window) for window in found["windows"]]

    def announce(self, text: str) -> None:
        """Show in the overlay what is being done, also while the user has taken over."""
        self._process.ask("announce", seconds=_ANSWER_SECONDS, in_takeover=True, text=text)

    def raise_if_cancelled(self) -> None:
        """Raise ``TakenOver`` or ``DesktopLost`` if so."""
        self._process.raise_if_cancelled()

    def await_user(self, raise_if_cancelled: Callable[[], None], *, quiet_seconds: float) -> None:
        """Wait until the user has left mouse and keyboard alone for so long, and take over again."""
        self._process.ask(
            "await_user", raise_if_cancelled, seconds=float("inf"), in_takeover=True, quiet_seconds=quiet_seconds
        )

    def release(self) -> None:
        """Let go of every key and button that is held; nothing is held after a takeover, and then it does nothing."""
        self._process.ask("release", seconds=_ANSWER_SECONDS, in_takeover=True)

    def _picture(self, found: dict[str, Any], bgra: bytes) -> Picture:
        picture = Picture(found["width"], found["height"], bgra, found["taken"])
        self._size = picture.width, picture.height
        self._last = found["number"], picture
        self._newest = picture
        return picture
