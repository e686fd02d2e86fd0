"""A look at the user's desktop without taking it: nothing is drawn, nothing is sent; and whose program a window is."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.desktop.display_names import CURRENT, SCREEN, resolve
from core.errors import DesktopLost, DesktopUnavailable
from core.idle import IdleCache
from core.reload.ports import Surroundings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.desktop.x11.screen import X11Screen
    from adapters.desktop.x11.windows import WindowList
    from core.screens import Window


SECONDS: Final = 60.0
"""Connecting takes longer than looking; an unused connection would only keep the display from ending."""
_NOTHING: Final = Surroundings(None, (), None)


class LocalDesktopObserver:
    """Implements ``core.reload.ports.DesktopObserver`` for X displays; elsewhere nothing is seen.

    Safe to share between threads.

    Args:
        environment: of the user's session, where ``DISPLAY`` stands; it is asked anew at each look.
        seconds: how long an unused connection is kept.

    """

    def __init__(self, *, environment: Mapping[str, str] = os.environ, seconds: float = SECONDS) -> None:
        self._environment = environment
        self._views = IdleCache(_View.close, seconds)

    def look(self) -> Surroundings:
        """The desktop as it is now; empty when there is no display, or none that may be looked at."""
        try:
            display = resolve(CURRENT, self._environment)
        except DesktopUnavailable:
            self.close()
            return _NOTHING
        if display == SCREEN:
            return _NOTHING
        for _ in range(2):
            # The view that was kept may be of a server that has been started anew.
            with suppress(DesktopLost, DesktopUnavailable):
                return self._seen(display)
        return _NOTHING

    def close(self) -> None:
        """End the connection; the next look makes another."""
        self._views.close()

    def _seen(self, display: str) -> Surroundings:
        view = self._views.take()
        if view is not None and view.display != display:
            view.close()
            view = None
        view = view or _view(display)
        try:
            picture = view.screen.grab()
            windows = tuple(view.windows.windows())
        except BaseException:
            view.close()
            raise
        self._views.keep(view)
        return Surroundings(picture, windows, (picture.width, picture.height))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    display: str
    screen: X11Screen
    windows: WindowList

    def close(self) -> None:
        for one in (self.screen, self.windows):
            with suppress(DesktopLost):
                one.close()


def _view(display: str) -> _View:
    from adapters.desktop.x11.screen import X11Screen  # noqa: PLC0415 - not to be had on other systems, and heavy
    from adapters.desktop.x11.windows import WindowList  # noqa: PLC0415 - same

    screen = X11Screen(display)
    try:
        return _View(display, screen, WindowList(display))
    except BaseException:
        screen.close()
        raise


_PROCESSES: Final = Path("/proc")
_DELETED: Final = " (deleted)"
"""What Linux writes behind the name of an executable that was replaced while it ran; see proc(5)."""


class ProcessPrograms:
    """Implements ``core.reload.ports.Programs``.

    It relies on ``Window.pid`` being the process that the X server itself names as its client.

    Args:
        processes: where the system tells of its processes.

    """

    def __init__(self, processes: Path = _PROCESSES) -> None:
        self._processes = processes

    def program(self, window: Window) -> str:
        """The file name of its executable; empty when there is no such process, or it is another user's."""
        if window.pid is None:
            return ""
        try:
            return (self._processes / str(window.pid) / "exe").readlink().name.removesuffix(_DELETED)
        except OSError:
            return ""
