"""Holds an acting process: started before it is needed, asked, stopped at once, cleaned up after; no key reaches it."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from adapters.desktop.process.asked import AskedProcess, Frame
from adapters.desktop.process.wire import heard
from core.errors import DesktopLost, VaiderError
from core.idle import IdleCache

_PASSED_ON: Final = frozenset(
    {
        *("BROWSER", "DISPLAY", "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "SHELL", "TERM"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "SESSION_MANAGER", "SSH_AUTH_SOCK"),
        *("TMPDIR", "TZ", "USER", "WAYLAND_DISPLAY", "XAUTHORITY", "XMODIFIERS", "DBUS_SESSION_BUS_ADDRESS"),
        *("DESKTOP_SESSION", "GNOME_DESKTOP_SESSION_ID", "KDE_FULL_SESSION", "KDE_SESSION_VERSION", "PULSE_SERVER"),
    }
)
_FAMILIES: Final = ("LC_", "XDG_", "GTK_", "GDK_", "QT_", "XCURSOR_", "FONTCONFIG_")
_PROXIES: Final = frozenset({"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"})


def desktop_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What a desktop's programs need of ``own``; a proxy's address only when no password stands in it."""
    kept = {name: value for name, value in own.items() if name in _PASSED_ON or name.startswith(_FAMILIES)}
    kept |= {name: value for name, value in own.items() if name.lower() in _PROXIES and not _has_password(value)}
    return kept | {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}


def _has_password(address: str) -> bool:
    try:
        return "@" in urlsplit(address if "//" in address else f"//{address}").netloc
    except ValueError:
        return True


WORKER: Final = (sys.executable, "-P", "-m", "adapters.desktop.process.worker")
"""``-P``: a folder ``core`` or ``adapters`` where the daemon was started must not be imported instead of ours."""
RELEASE: Final = (sys.executable, "-P", "-m", "adapters.desktop.process.release")
STOP_SECONDS: Final = 0.15
"""How long it may take to let go when asked; after that it is killed."""
_RELEASE_SECONDS: Final = 5.0
_log = logging.getLogger(__name__)


class ActingProcess(AskedProcess):
    """One process bound to one display. One thread asks at a time; any may ``raise_if_cancelled`` and ``glimpse``.

    Args:
        shared: open files that say who has the display; it keeps them until it has ended.
        after: called once it has ended, however it did.

    """

    def __init__(self, shared: Sequence[int], after: Callable[[], None]) -> None:
        super().__init__(WORKER, shared, desktop_environment(os.environ), title="The acting process", gone=DesktopLost)
        self._after = after
        self._handing: tuple[socket.socket, int] | None = None
        self._turn = threading.Lock()
        self._looking = threading.Lock()
        self._glimpsed: tuple[dict[str, Any], bytes] | None = None
        self._taken_over: VaiderError | None = None
        self.display: str | None = None
        """The display to let go of when it was killed; ``None`` while there is none, or when it dies as well."""
        self.begin()

    @classmethod
    def spare(cls) -> ActingProcess:
        """One that is not for any display yet, and loads meanwhile what it will need; see ``hand_over``."""
        ours, its = socket.socketpair()
        try:
            process = cls([its.fileno()], _nothing)
            process._handing = ours, its.fileno()
        except BaseException:
            ours.close()
            raise
        finally:
            its.close()
        with contextlib.suppress(OSError):
            process._channel.send({"do": "warm"})
        return process

    def hand_over(self, shared: Sequence[int], after: Callable[[], None]) -> bool:
        """Give a spare one what it would have been started with; false when it has ended, or was given it before."""
        with self._news:
            if self._handing is None or not self.is_alive:
                return False
            (handing, its), self._handing = self._handing, None
            with handing:
                try:
                    self._channel.send({"do": "keep", "handed": its, "count": len(shared)})
                    socket.send_fds(handing, [b"k"], shared)
                except OSError:
                    return False
            self._after = after
        return True

    def raise_if_cancelled(self) -> None:
        """Raise ``DesktopLost`` or ``TakenOver`` when that has been noticed."""
        if self._lost is not None:
            raise DesktopLost(self._lost)
        if self._taken_over is not None:
            raise self._taken_over

    def ask(
        self,
        do: str,
        raise_if_cancelled: Callable[[], None] | None = None,
        *,
        payload: bytes = b"",
        seconds: float,
        in_takeover: bool = False,
        **arguments: Any,
    ) -> tuple[dict[str, Any], bytes]:
        """Have something done, and wait for it.

        Args:
            do: what.
            raise_if_cancelled: called at least every 20 ms; when it raises, the action is stopped and everything
                released first.
            payload: bytes that belong to it.
            seconds: after which the process is given up.
            in_takeover: whether it may be done while the user has taken over.
            arguments: JSON.

        Raises:
            DesktopLost: the process or its display is gone.
            TakenOver: the user took over, now or before.
            VaiderError: what the process answers with.

        """

        def check() -> None:
            self._raise_if_cancelled(in_takeover)
            if raise_if_cancelled is not None:
                raise_if_cancelled()

        with self._turn:
            self._raise_if_cancelled(in_takeover)
            return self._asked({"do": do, **arguments}, payload, check=check, stop=self._stop, seconds=seconds)

    def glimpse(self, seconds: float) -> tuple[dict[str, Any], bytes] | None:
        """How the screen looks, also in the middle of an action and while the user has taken over; from any thread.

        ``None`` when the process does not get round to it in time, or is gone.
        """
        with self._looking:
            self._glimpsed = None
            try:
                self._channel.send({"glimpse": True})
            except OSError:
                return None
            deadline = time.monotonic() + seconds
            with self._news:
                while self._glimpsed is None and self._lost is None and (left := deadline - time.monotonic()) > 0:
                    self._news.wait(left)
                return self._glimpsed

    def _raise_if_cancelled(self, in_takeover: bool) -> None:
        if not in_takeover or self._lost is not None:
            self.raise_if_cancelled()

    def _stop(self, number: int) -> None:
        """Have it stop what it does and let go; returns when that is so."""
        with contextlib.suppress(OSError):
            self._channel.send({"cancel": number})
        if not self._has_answered(number, STOP_SECONDS):
            _log.warning("The acting process did not let go in %s s, and is killed", STOP_SECONDS)
            self._kill()
            self._await_end()

    def _noticed(self, frame: Frame) -> None:
        header = frame[0]
        if header.get("notice") == "taken_over":
            self._taken_over = heard(header["error"])
        elif header.get("notice") == "resumed":
            self._taken_over = None
        elif header.get("notice") == "glimpse":
            self._glimpsed = frame
        elif header.get("notice") == "lost":
            self._lost = str(header.get("message"))

    def _cleaned(self, status: int) -> None:
        """Let go of whatever it held, and tell that it has ended."""
        with self._news:
            if self._handing is not None:
                self._handing[0].close()
                self._handing = None
        if status != 0:
            self._release()
        self._after()

    def _heard(self, error: Mapping[str, Any]) -> VaiderError:
        # When the display is lost the process only says that it stopped.
        self._raise_if_cancelled(in_takeover=True)
        return heard(error)

    def _release(self) -> None:
        if self.display is None:
            return
        command = [*RELEASE, self.display]
        try:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=desktop_environment(os.environ),
                cwd="/",
                timeout=_RELEASE_SECONDS,
                check=True,
            )
        except (subprocess.SubprocessError, OSError) as error:
            _log.warning("The keys of %s could not be released: %s", self.display, type(error).__name__)


def _nothing() -> None:
    """A spare one leaves nothing behind."""


SECONDS: Final = 60.0
"""How long an unused one is kept: it has 60 MB."""


class SpareProcess:
    """Keeps one acting process at most; safe to share between threads.

    Args:
        seconds: how long an unused one is kept.

    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._lock = threading.Lock()
        self._kept = IdleCache(_end, seconds)

    def warm(self) -> None:
        """Have one for the next taker, for a while; returns before it is ready."""
        with self._lock:
            spare = self._kept.take()
            self._kept.keep(spare if spare is not None and spare.is_alive else ActingProcess.spare())

    def take(self, shared: Sequence[int], after: Callable[[], None]) -> ActingProcess:
        """The one that is kept, else a new one; the arguments are those of ``ActingProcess``."""
        with self._lock:
            spare = self._kept.take()
        if spare is not None:
            if spare.hand_over(shared, after):
                return spare
            spare.end()
        return ActingProcess(shared, after)

    def close(self) -> None:
        """End the one that is kept."""
        self._kept.close()


def _end(spare: ActingProcess) -> None:
    with contextlib.suppress(OSError):
        spare.end()
