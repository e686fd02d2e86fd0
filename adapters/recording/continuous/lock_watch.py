"""Whether the screen is locked or asleep: then no one works at it, and what it shows is private."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from xcffib import dpms, screensaver

from adapters.desktop.x11.connection import Connection, WindowGone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.screens import Box

_SAVER_ON: Final = 1
_LOCKERS: Final = re.compile(
    r"(?:^|[\0/\s])(?:i3lock\S*|xsecurelock|auth_x11|saver_\w+|slock|xlock\w*|xtrlock|alock|physlock|xscreensaver\S*"
    r"|light-locker|(?:gnome|mate|cinnamon|xfce4|ukui)-screensaver\S*|kscreenlocker\S*|screenlocker|betterlockscreen)(?=$|[\0\s])",
    re.IGNORECASE,
)
_LOGIND_SECONDS: Final = 3.0


class LockWatch:
    """Used by one thread.

    Args:
        display: the display, e.g. ``:99``.
        environment: of the user's session.

    Raises:
        DesktopUnavailable: there is no such display.

    """

    def __init__(self, display: str, environment: Mapping[str, str]) -> None:
        self._server = Connection(display)
        self._saver: Any = self._server.extension(screensaver.key)
        self._dpms: Any = self._server.extension(dpms.key)
        self._session = environment.get("XDG_SESSION_ID", "")
        self._loginctl = shutil.which("loginctl", path=environment.get("PATH")) if self._session else None
        self._reported = self._ended = False
        self._wake = threading.Event()
        if self._loginctl is not None:
            threading.Thread(target=self._ask_logind, name="lock watch", daemon=True).start()

    def reason(self, area: Box, tops: Iterable[tuple[Box, bool, str]]) -> str | None:
        """Why the screen cannot be worked at, ``None`` when it can. Raises ``DesktopLost``.

        Args:
            area: what is recorded.
            tops: the windows that are shown: where, whether no window manager has it, and the words that name it.

        """
        if self._reported:
            return "The session is locked."
        for box, bare, name in tops:
            if bare and box.overlap(area) == area.width * area.height and _LOCKERS.search(name):
                return "The screen is locked."
        with self._server.held():
            with suppress(WindowGone):
                if self._saver and self._saver.QueryInfo(self._server.root).reply().state == _SAVER_ON:
                    return "The screen saver is on."
            with suppress(WindowGone):
                if self._dpms:
                    info = self._dpms.Info().reply()
                    if info.state and info.power_level != dpms.DPMSMode.On:
                        return "The screen is asleep."
        return None

    def close(self) -> None:
        """End its connection."""
        self._ended = True
        self._wake.set()
        self._server.close()

    def _ask_logind(self) -> None:
        command = [self._loginctl or "loginctl", "show-session", self._session, "--property=LockedHint", "--value"]
        while not self._ended:
            try:
                found = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_LOGIND_SECONDS,
                    env=dict(os.environ),
                    check=True,
                )
            except (OSError, subprocess.SubprocessError):
                self._reported = False
                return
            self._reported = found.stdout.strip() == b"yes"
            self._wake.wait(_LOGIND_SECONDS)
