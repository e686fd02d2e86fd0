"""Whose window is under the pointer, and whether its program may be asked for what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from xcffib import res

from adapters.desktop.x11.connection import Connection, WindowGone
from adapters.desktop.x11.windows import pid_of
from adapters.recording.element_reader import Place
from core.window_kinds import is_manager

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.screens import Point, Window

_LOCAL_CLIENT_PID: Final = 2
_MOST_KNOWN: Final = 1000


class PointedWindows:
    """Used by one thread.

    Args:
        server: its requests are made here.
        names: what may be said of a window, ``None`` or empty where nothing may. If not given, each may be named but
            a password manager.
        may_ask: whether a process may be asked; each if not given.

    """

    def __init__(
        self,
        server: Connection,
        names: Callable[[Window], tuple[str, str] | None] | None,
        may_ask: Callable[[int], bool] | None,
    ) -> None:
        self._server, self._names, self._allowed = server, names, may_ask
        self._resources: Any = server.extension(res.key)
        self._popups: dict[int, int | None] = {}
        """The processes of windows that no window manager has, ``None`` for other windows."""
        self.windows: Sequence[Window] = ()
        """What is shown, the topmost first."""

    def at(self, point: Point, top: int) -> Place | None:
        """Whose element is at a point; ``None`` where it may not be asked for.

        Args:
            point: of the screen.
            top: the child of the root that is there.

        """
        popup = self._popup(top)
        if popup is not None:
            is_open = any(each.pid == popup and self._may_describe(each) for each in self.windows)
            return Place(point, popup, "", is_popup=True) if is_open and self._may_ask(popup) else None
        window = next((each for each in self.windows if each.box.contains(point)), None)
        if window is None or window.pid is None or not self._may_describe(window):
            return None
        return Place(point, window.pid, window.title)

    def focused(self) -> Window | None:
        """The window that has the keyboard, if its program may be asked."""
        window = next((each for each in self.windows if each.focused), None)
        return window if window is not None and window.pid is not None and self._may_describe(window) else None

    def _may_describe(self, window: Window) -> bool:
        if is_manager(window.application) or is_manager(window.title):
            return False
        said = (window.application, window.title) if self._names is None else self._names(window)
        return said is not None and any(said) and window.pid is not None and self._may_ask(window.pid)

    def _may_ask(self, pid: int) -> bool:
        return self._allowed is None or self._allowed(pid)

    def _popup(self, window: int) -> int | None:
        if window not in self._popups:
            if len(self._popups) > _MOST_KNOWN:
                self._popups.clear()
            try:
                self._popups[window] = self._process(window)
            except WindowGone:
                return None
        return self._popups[window]

    def _process(self, window: int) -> int | None:
        if not window or not self._resources:
            return None
        if not self._server.core.GetWindowAttributes(window).reply().override_redirect:
            return None
        asked = self._resources.QueryClientIds(1, [res.ClientIdSpec.synthetic(window, _LOCAL_CLIENT_PID)])
        return pid_of(asked.reply())
