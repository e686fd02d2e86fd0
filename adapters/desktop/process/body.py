"""What an acting process is made of once it is bound to a display: hands, eyes, overlay and the watch for the user."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from adapters.desktop.children import Children
from adapters.desktop.hands import CHECK_SECONDS
from adapters.desktop.private_folder import PrivateFolder
from adapters.desktop.virtual import VirtualDisplay, furnish, start_server
from core.errors import DesktopLost
from core.screens import Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from adapters.desktop.hands import Hands
    from core.actions import Action
    from core.screens import Point, Window


class Body:
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
            self._build(where, header, private, closing)
            self._watch(header["stop_key"], taken_over, lost, closing)
            self._closing = closing.pop_all()
        self._pointer: Point | None = None
        self._seen = (0, Picture(0, 0, b"", 0.0))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together."""
        return self._screen.size

    def look(self) -> tuple[dict[str, Any], bytes]:
        """Grab the screen."""
        return self._show(self._screen.grab())

    def act(self, action: Mapping[str, Any], check: Callable[[], None]) -> None:
        """Do an action, given as JSON."""
        from core.actions import ACTION, Look, OpenApp, OpenUrl, Wait, Zoom  # noqa: PLC0415 - as below

        if self._pointer is not None and self._watched.pointer_moved_away(self._pointer):
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
                    self._overlay.keep_clear(point)
                self._hands.perform(what, check)
        self._pointer = self._hands.pointer()

    def settle(
        self, header: Mapping[str, Any], payload: bytes, check: Callable[[], None]
    ) -> tuple[dict[str, Any], bytes]:
        """Wait until the screen is quiet; ``known`` is the number of the picture before, unless ``payload`` is it."""
        from adapters.desktop.settling import settle  # noqa: PLC0415 - as below

        before = self._seen[1] if header["known"] == self._seen[0] else Picture(bgra=payload, **header["before"])
        return self._show(settle(self._screen.grab, before, check, header["limit"]))

    def windows(self) -> Sequence[Window]:
        """The windows that are shown, the topmost first."""
        return self._windows.windows()

    def announce(self, text: str) -> None:
        """Show what is being done."""
        self._overlay.show(text)

    def release(self) -> None:
        """Let go of everything that is held."""
        self._hands.release()

    @property
    def quiet_seconds(self) -> float:
        """How long the user has left mouse and keyboard alone."""
        return self._watched.quiet_seconds

    def resume(self) -> None:
        """Watch for the user anew."""
        self._pointer = None
        self._watched.rearm()

    def close(self) -> None:
        """Take the overlay away, end what was started on a private display, and the display."""
        self._closing.close()

    def _display(self, header: Mapping[str, Any], private: PrivateFolder | None) -> VirtualDisplay:
        """The display, started if it is to be a private one; what is imported from here on finds it by its name."""
        if private is None:
            os.environ["DISPLAY"] = header["display"]
            return VirtualDisplay(header["display"], dict(os.environ), None)
        width, height = header["size"]
        name = start_server(private, (width, height), self._children)
        os.environ |= {"DISPLAY": name, "XAUTHORITY": str(private.cookie)}
        password_file = header.get("password_file")
        return furnish(name, private, self._children, Path(password_file) if password_file else None)

    def _build(
        self, where: VirtualDisplay, header: Mapping[str, Any], private: PrivateFolder | None, closing: ExitStack
    ) -> None:
        from adapters.desktop.launching import Launcher  # noqa: PLC0415 - imported when its display is there
        from adapters.desktop.x11.hands import X11Hands  # noqa: PLC0415 - same
        from adapters.desktop.x11.ledger import SentEvents  # noqa: PLC0415 - same
        from adapters.desktop.x11.overlay import Overlay  # noqa: PLC0415 - same
        from adapters.desktop.x11.screen import X11Screen  # noqa: PLC0415 - same
        from adapters.desktop.x11.windows import WindowList  # noqa: PLC0415 - same

        self._ledger = SentEvents()
        self._screen = X11Screen(where.name)
        _close_with(closing, self._screen)
        self._windows = WindowList(where.name)
        _close_with(closing, self._windows)
        self._hands: Hands = X11Hands(where.name, self._ledger)
        _close_with(closing, self._hands)
        self._launcher = Launcher(
            children=self._children,
            environment=where.environment,
            windows=self._windows.windows,
            browser=header.get("browser", ""),
            profile=None if private is None else private.profile,
        )
        self._overlay = Overlay(where.name, _title(header["stop_key"]))
        _close_with(closing, self._overlay)

    def _watch(
        self,
        stop_key: Sequence[str],
        taken_over: Callable[[str, str], None],
        lost: Callable[[str], None],
        closing: ExitStack,
    ) -> None:
        from adapters.desktop.x11.takeover import Takeover, TakeoverWatch  # noqa: PLC0415 - as above

        def tell(takeover: Takeover) -> None:
            taken_over(takeover.sentence, takeover.source)

        self._watched = TakeoverWatch(self.name, self._ledger, tell, lost=lost, hot_key=stop_key)
        _close_with(closing, self._watched)

    def _wait(self, seconds: float, check: Callable[[], None]) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            check()
            time.sleep(min(left, CHECK_SECONDS))

    def _show(self, picture: Picture) -> tuple[dict[str, Any], bytes]:
        number = self._seen[0] + 1
        self._seen = (number, picture)
        told = {"number": number, "width": picture.width, "height": picture.height, "taken": picture.taken}
        return told, picture.bgra


class _Closable(Protocol):
    def close(self) -> None: ...


def _close_with(closing: ExitStack, part: _Closable) -> None:
    """A display that is gone must not keep the rest from being ended."""

    def close() -> None:
        with suppress(DesktopLost):
            part.close()

    closing.callback(close)


def _title(stop_key: Sequence[str]) -> str:
    """Who is in control, and how to stop it."""
    chord = f" or press {'+'.join(key.capitalize() for key in stop_key)}" if stop_key else ""
    return f"Vaider is in control. Move the mouse{chord} to stop it."


def _points(action: Action) -> Sequence[Point]:
    """Where an action points, the last place last."""
    path: tuple[Point, ...] = getattr(action, "path", ())
    at: Point | None = getattr(action, "at", None)
    return path[:1] + path[-1:] if path else () if at is None else (at,)
