"""Holds an acting process: starts it, asks it, stops it within a fifth of a second, and cleans up after its death."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.process.environment import desktop_environment
from adapters.desktop.process.wire import Channel, heard
from core.errors import DesktopLost, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORKER: Final = (sys.executable, "-P", "-m", "adapters.desktop.process.worker")
"""``-P``: a folder ``core`` or ``adapters`` where the daemon was started must not be imported instead of ours."""
RELEASE: Final = (sys.executable, "-P", "-m", "adapters.desktop.process.release")
HEED_SECONDS: Final = 0.02
STOP_SECONDS: Final = 0.15
"""How long it may take to let go when it is told to; after that it is killed."""
_RELEASE_SECONDS: Final = 5.0
_END_SECONDS: Final = 10.0
_KEPT_COMPLAINTS: Final = 4096
_log = logging.getLogger(__name__)


class ActingProcess:
    """One process bound to one display. One thread asks at a time; any may ``heed`` and ``glimpse``.

    Args:
        shared: open files that say who has the display; it keeps them until it has ended.
        after: called once it has ended, however it did.

    """

    def __init__(self, shared: Sequence[int], after: Callable[[], None]) -> None:
        ours, its = socket.socketpair()
        self._after = after
        self._handing: tuple[socket.socket, int] | None = None
        try:
            self._process = subprocess.Popen(
                [*WORKER, str(its.fileno()), *map(str, shared)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=desktop_environment(os.environ),
                cwd="/",
                pass_fds=[its.fileno(), *shared],
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            its.close()
        self._channel = Channel(ours)
        self._news = threading.Condition()
        self._turn = threading.Lock()
        self._number = 0
        self._answer: tuple[dict[str, Any], bytes] | None = None
        self._looking = threading.Lock()
        self._glimpsed: tuple[dict[str, Any], bytes] | None = None
        self._taken_over: VaiderError | None = None
        self._lost: str | None = None
        self._ending = False
        self._cleared = threading.Event()
        self._complaints = b""
        self.display: str | None = None
        """The display to let go of when it was killed; ``None`` while there is none, or when it dies as well."""
        for work in (self._listen, self._hear_complaints):
            threading.Thread(target=work, name=f"acting-{self._process.pid}", daemon=True).start()

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

    @property
    def is_alive(self) -> bool:
        """Whether it has not been noticed to be gone."""
        return self._lost is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def heed(self) -> None:
        """Raise ``DesktopLost`` or ``TakenOver`` when that has been noticed."""
        if self._lost is not None:
            raise DesktopLost(self._lost)
        if self._taken_over is not None:
            raise self._taken_over

    def ask(
        self,
        do: str,
        heed: Callable[[], None] | None = None,
        *,
        payload: bytes = b"",
        seconds: float,
        in_takeover: bool = False,
        **arguments: Any,
    ) -> tuple[dict[str, Any], bytes]:
        """Have something done, and wait for it.

        Args:
            do: what.
            heed: called at least every 20 ms; when it raises, what is done is stopped and everything released first.
            payload: bytes that belong to it.
            seconds: after which the process is given up.
            in_takeover: whether it may be done while the user has taken over.
            arguments: JSON.

        Raises:
            DesktopLost: the process or its display is gone.
            TakenOver: the user took over, now or before.
            VaiderError: what the process answers with.

        """
        with self._turn:
            self._heed(in_takeover)
            self._number += 1
            number = self._number
            self._answer = None
            try:
                self._channel.send({"id": number, "do": do, **arguments}, payload)
            except OSError:
                self._await_end()
                self._heed(in_takeover)
                raise DesktopLost("The acting process does not listen any more. Start the run again.") from None
            try:
                header, picture = self._await(heed, seconds, in_takeover=in_takeover)
            except BaseException:
                self._stop(number)
                raise
        if "error" in header:
            # When the display is lost the process only says that it stopped.
            self._heed(in_takeover=True)
            raise heard(header["error"])
        return header["result"], picture

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

    def end(self) -> None:
        """Let it release everything, end its programs and itself; kill it when it does not."""
        self._ending = True
        with contextlib.suppress(OSError):
            self._channel.send({"end": True})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._kill()
        self._await_end()

    def _await(
        self, heed: Callable[[], None] | None, seconds: float, *, in_takeover: bool
    ) -> tuple[dict[str, Any], bytes]:
        deadline = time.monotonic() + seconds
        while True:
            with self._news:
                if self._answer is None and self._lost is None:
                    self._news.wait(HEED_SECONDS)
                answer = self._answer
            if answer is not None:
                return answer
            self._heed(in_takeover)
            if heed is not None:
                heed()
            if time.monotonic() > deadline:
                _log.error("The acting process has not answered in %s s", seconds)
                self._kill()
                raise DesktopLost("The acting process does not answer. Start the run again.")

    def _heed(self, in_takeover: bool) -> None:
        if not in_takeover or self._lost is not None:
            self.heed()

    def _stop(self, number: int) -> None:
        """Have it stop what it does and let go; returns when that is so."""
        with contextlib.suppress(OSError):
            self._channel.send({"cancel": number})
        deadline = time.monotonic() + STOP_SECONDS
        with self._news:
            while self._answer is None and self._lost is None and (left := deadline - time.monotonic()) > 0:
                self._news.wait(left)
            stopped = self._answer is not None
        if not stopped:
            _log.warning("The acting process did not let go in %s s, and is killed", STOP_SECONDS)
            self._kill()
            self._await_end()

    def _listen(self) -> None:
        while (frame := self._channel.receive()) is not None:
            header = frame[0]
            with self._news:
                if header.get("notice") == "taken_over":
                    self._taken_over = heard(header["error"])
                elif header.get("notice") == "resumed":
                    self._taken_over = None
                elif header.get("notice") == "glimpse":
                    self._glimpsed = frame
                elif header.get("notice") == "lost":
                    self._lost = str(header.get("message"))
                elif header.get("id") == self._number:
                    self._answer = frame
                self._news.notify_all()
        with self._news:
            self._lost = self._lost or "The process that acts on the desktop is gone. Start the run again."
            self._news.notify_all()
        self._clear()

    def _clear(self) -> None:
        """What is left to do when it has ended: whatever it held is let go, and what it started is ended."""
        self._kill()
        status = self._process.wait()
        self._channel.close()
        with self._news:
            if self._handing is not None:
                self._handing[0].close()
                self._handing = None
        try:
            if status != 0 or self._complaints:
                _log.error("The acting process ended (%s): %s", status, self._complaints.decode(errors="replace"))
            if status != 0:
                self._release()
            self._after()
        finally:
            self._cleared.set()

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
            _log.warning("Nobody could let go of the keys of %s: %s", self.display, type(error).__name__)

    def _hear_complaints(self) -> None:
        if self._process.stderr is not None:
            with self._process.stderr as pipe:
                while chunk := os.read(pipe.fileno(), 1 << 16):
                    self._complaints = (self._complaints + chunk)[-_KEPT_COMPLAINTS:]

    def _await_end(self) -> None:
        self._cleared.wait(_END_SECONDS)

    def _kill(self) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)


def _nothing() -> None:
    """A spare one leaves nothing behind."""
