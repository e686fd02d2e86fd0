"""What an acting process is made of once it is bound to a display: hands, eyes, overlay and the watch for the user."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.desktop.accessibility.setup import ACCESSIBLE, session_bus
from adapters.desktop.children import Children
from adapters.desktop.display_names import SCREEN
from adapters.desktop.hands import CHECK_SECONDS
from adapters.desktop.launching import Launcher
from adapters.desktop.process.parts import TakeoverCallbacks, build_parts
from adapters.desktop.virtual import PrivateFolder, VirtualDisplay, furnish, start_server
from core.screens import Picture, Point, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.actions import Action


class DisplayController:
    """All parts on one display, used by one thread.

    Args:
        header: ``display`` (a name), or ``private`` (its folder) with ``size`` and ``password_file``; ``browser``,
            ``hands`` (``auto`` or ``pyautogui``), and ``stop_key``, a list of canonical key names.
        check: raises when what is being done shall stop.
        taken_over: called with a sentence and who it was when the user acts.
        lost: called with a sentence when the display is gone.

    Raises:
        DesktopUnavailable: the display cannot be used.

    """

    def __init__(
        self,
        header: Mapping[str, Any],
        check: Callable[[], None],
        taken_over: Callable[[str, str], None],
        lost: Callable[[str], None],
    ) -> None:
        with ExitStack() as closing:
            private = PrivateFolder(Path(header["private"])) if header.get("private") else None
            self._children = Children(kept=private is not None)
            if private is not None:
                closing.callback(private.clear)
                closing.callback(self._children.end)
            where = self._display(header, private)
            check()
            self.name, self.viewer = where.name, where.viewer
            self.session_bus = session_bus(where.environment)
            self._parts = build_parts(
                self.name,
                hands=header["hands"],
                stop_key=header["stop_key"],
                report=TakeoverCallbacks(taken_over, lost),
                closing=closing,
            )
            self._launcher = Launcher(
                children=self._children,
                environment=where.environment,
                windows=self._parts.windows.windows if self._parts.sees_windows else None,
                browser=header["browser"],
                profile=None if private is None else private.profile,
            )
            self._closing = closing.pop_all()
        self._pointer: Point | None = None
        self._seen = (0, Picture(0, 0, b"", 0.0))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together."""
        return self._parts.screen.size

    def look(self) -> tuple[dict[str, Any], bytes]:
        """Grab the screen."""
        return self._show(self._parts.screen.grab())

    def peek(self) -> tuple[dict[str, Any], bytes]:
        """Grab the screen for somebody who only watches: what was seen last, and may be settled from, stays."""
        picture = self._parts.screen.grab()
        return {"width": picture.width, "height": picture.height, "taken": picture.taken}, picture.bgra

    def act(self, action: Mapping[str, Any], check: Callable[[], None]) -> None:
        """Do an action, given as JSON."""
        from core.actions import ACTION, Look, OpenApp, OpenUrl, Wait, Zoom  # noqa: PLC0415 - as below

        if self._pointer is not None and self._parts.watch.pointer_moved_away(self._pointer):
            check()
        match ACTION.validate_python(action):
            case OpenApp() | OpenUrl() as what:
                self._launcher.perform(what, check)
            case Wait(seconds=seconds):
                self._wait(seconds, check)
            case Look() | Zoom():
                return
            case what:
                for point in _points(what):
                    self._parts.banner.keep_clear(point)
                self._parts.hands.perform(what, check)
        self._pointer = self._parts.hands.pointer()

    def read_field(self, header: Mapping[str, Any], check: Callable[[], None]) -> str | None:
        """Read the field at the point ``at``."""
        from core.screens import Point  # noqa: PLC0415 - as below

        at = Point.model_validate(header["at"])
        if self._pointer is not None and self._parts.watch.pointer_moved_away(self._pointer):
            check()
        self._parts.banner.keep_clear(at)
        text = self._parts.hands.read_field(at, check, several_lines=header["several_lines"], deletes=header["deletes"])
        self._pointer = self._parts.hands.pointer()
        return text

    def settle(
        self, header: Mapping[str, Any], payload: bytes, check: Callable[[], None]
    ) -> tuple[dict[str, Any], bytes]:
        """Wait until the screen is quiet; ``known`` is the number of the picture before, unless ``payload`` is it."""
        from adapters.desktop.settling import settle  # noqa: PLC0415 - as below

        before = self._seen[1] if header["known"] == self._seen[0] else Picture(bgra=payload, **header["before"])
        return self._show(settle(self._parts.screen.grab, before, check, header["limit"], rest=header["rest"]))

    def windows(self) -> Sequence[Window]:
        """The windows that are shown, the topmost first."""
        return self._parts.windows.windows()

    def announce(self, text: str) -> None:
        """Show what is being done."""
        self._parts.banner.show(text)

    def release(self) -> None:
        """Let go of everything that is held."""
        self._parts.hands.release()

    @property
    def quiet_seconds(self) -> float:
        """How long the user has left mouse and keyboard alone."""
        return self._parts.watch.quiet_seconds

    def resume(self) -> None:
        """Watch for the user anew."""
        self._pointer = None
        self._parts.watch.rearm()

    def close(self) -> None:
        """Take the overlay away, end what was started on a private display, and the display."""
        self._closing.close()

    def _display(self, header: Mapping[str, Any], private: PrivateFolder | None) -> VirtualDisplay:
        """The display, started if it is to be a private one; what is imported from here on finds it by its name."""
        if private is None:
            if header["display"] != SCREEN:
                os.environ["DISPLAY"] = header["display"]
            return VirtualDisplay(header["display"], {**os.environ, **ACCESSIBLE}, None)
        width, height = header["size"]
        name = start_server(private, (width, height), self._children)
        os.environ |= {"DISPLAY": name, "XAUTHORITY": str(private.cookie)}
        password_file = header.get("password_file")
        return furnish(name, private, self._children, Path(password_file) if password_file else None)

    def _wait(self, seconds: float, check: Callable[[], None]) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            check()
            time.sleep(min(left, CHECK_SECONDS))

    def _show(self, picture: Picture) -> tuple[dict[str, Any], bytes]:
        number = self._seen[0] + 1
        self._seen = (number, picture)
        reported = {"number": number, "width": picture.width, "height": picture.height, "taken": picture.taken}
        return reported, picture.bgra


def _points(action: Action) -> Sequence[Point]:
    """Where an action points, the last place last."""
    path: tuple[Point, ...] = getattr(action, "path", ())
    at: Point | None = getattr(action, "at", None)
    return path[:1] + path[-1:] if path else () if at is None else (at,)
