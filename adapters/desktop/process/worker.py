"""The acting process: ``python -m adapters.desktop.process.worker FD [FD …]``, spoken to by ``child.py`` alone.

It is bound to one display for its whole life. The first number is its end of a pair of sockets, the others are open
files that say who has the display, and are only kept. It lets go of everything and ends when the other end of the pair
closes, when it is asked to, and on SIGTERM; a thread notices that also in the middle of an action. What it needs is
imported late, while its display starts.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.process.wire import Channel, error_message
from core.errors import Cancelled, DesktopLost, Internal, TakenOver, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.desktop.process.display_controller import DisplayController

_CLOSE_SECONDS: Final = 8.0
_POLL_SECONDS: Final = 0.02
HOT_KEY: Final = "hotkey"
"""The source of a takeover that always ends the run; see ``x11.takeover``."""
_STUCK: Final = 70
"""Exit code: a child of ours or the display did not let us end in order."""


class Worker:
    """Does one thing at a time, and hears at any time that it shall stop."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._asked: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None] = queue.SimpleQueue()
        self._is_ending = False
        self._glimpse_wanted = threading.Event()
        self._lock = threading.RLock()
        self._cancelled = 0
        self._current = 0
        self._taken_over: TakenOver | None = None
        self._controller: DisplayController | None = None
        self._kept: list[int] = []
        self._tasks: Mapping[str, Callable[[Mapping[str, Any], bytes], tuple[dict[str, Any], bytes]]] = {
            "warm": self._warm,
            "keep": self._keep,
            "open": self._open,
            "look": self._look,
            "glimpse": self._glimpse,
            "act": self._act,
            "read_field": self._read_field,
            "settle": self._settle,
            "windows": self._windows,
            "announce": self._announce,
            "release": self._release,
            "await_user": self._await_user,
        }

    def run(self) -> None:
        """Answer until the daemon is gone; then let go of everything."""
        signal.signal(signal.SIGTERM, self._terminated)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=self._listen, name="listen", daemon=True).start()
        try:
            while not self._is_ending and (asked := self._asked.get()) is not None:
                self._answer(*asked)
        finally:
            self._is_ending = True
            if self._controller is not None:
                with contextlib.suppress(VaiderError):
                    self._controller.release()
                self._controller.close()

    def check(self) -> None:
        """Raise when what is being done shall stop."""
        if self._is_ending:
            raise Cancelled("The acting process ends.")
        if self._taken_over is not None:
            raise self._taken_over
        self._check_cancelled()
        self._show_glimpse()

    def taken_over(self, message: str, source: str) -> None:
        """Tell at once that the user acts; called from the thread that watches."""
        with self._lock:
            self._taken_over = TakenOver(message, source=source)
            with contextlib.suppress(OSError):
                self._channel.send({"notice": "taken_over", "error": error_message(self._taken_over)})
        # What an earlier action left down is let go by the thread that has the hands.
        self._asked.put(({"do": "release"}, b""))

    def lost(self, message: str) -> None:
        """Tell at once that the display is gone, and end; called from the thread that watches."""
        with contextlib.suppress(OSError):
            self._channel.send({"notice": "lost", "message": message})
        self._end()

    def _check_cancelled(self) -> None:
        if self._is_ending or self._cancelled >= self._current:
            raise Cancelled("It was told to stop.")

    def _terminated(self, _: int, __: object) -> None:
        self._end()

    def _end(self) -> None:
        self._is_ending = True
        self._asked.put(None)

    def _listen(self) -> None:
        while (frame := self._channel.receive()) is not None:
            header = frame[0]
            if "cancel" in header:
                self._cancelled = int(header["cancel"])
            elif "end" in header:
                break
            elif "glimpse" in header:
                self._glimpse_wanted.set()
                # For when nothing is being done; else whatever is done finds it in its ``check``.
                self._asked.put(({"do": "glimpse"}, b""))
            else:
                self._asked.put(frame)
        self._end()
        # The main thread ends us, unless something that it waits for stands still.
        time.sleep(_CLOSE_SECONDS)
        os._exit(_STUCK)

    def _answer(self, header: Mapping[str, Any], payload: bytes) -> None:
        number = header.get("id", 0)
        answer: dict[str, Any] = {"id": number}
        picture = b""
        try:
            self._current = number or self._cancelled + 1
            result, picture = self._tasks[header["do"]](header, payload)
            answer["result"] = result
        except VaiderError as error:
            answer["error"] = error_message(error)
        except Exception:  # noqa: BLE001 - whatever it was, the run gets it and the keys are released
            traceback.print_exc()
            answer["error"] = error_message(Internal("The acting process failed; the daemon's log says why."))
        if number:
            with contextlib.suppress(OSError):
                self._channel.send(answer, picture)

    def _warm(self, _: Mapping[str, Any], __: bytes) -> tuple[dict[str, Any], bytes]:
        """Load what a display of X needs; nothing here connects to one."""
        from adapters.desktop.process.parts import load_x11  # noqa: PLC0415 - as the module says

        load_x11()
        return {}, b""

    def _keep(self, header: Mapping[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        """Take the open files that say who has the display, which a spare process is given later."""
        with socket.socket(fileno=int(header["handed"])) as handed:
            self._kept += socket.recv_fds(handed, 1, int(header["count"]))[1]
        return {}, b""

    def _open(self, header: Mapping[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        from adapters.desktop.process.display_controller import DisplayController  # noqa: PLC0415 - as the module says

        self._controller = DisplayController(header, self.check, self.taken_over, self.lost)
        return {
            "name": self._controller.name,
            "viewer": self._controller.viewer,
            "size": list(self._controller.size),
            "session_bus": self._controller.session_bus,
        }, b""

    def _look(self, _: Mapping[str, Any], __: bytes) -> tuple[dict[str, Any], bytes]:
        return self._the_body.look()

    def _glimpse(self, _: Mapping[str, Any], __: bytes) -> tuple[dict[str, Any], bytes]:
        self._show_glimpse()
        return {}, b""

    def _show_glimpse(self) -> None:
        """Let somebody who watches the run have a look, if one is wanted: by the thread that has the screen."""
        if self._glimpse_wanted.is_set() and self._controller is not None:
            self._glimpse_wanted.clear()
            reported, picture = self._controller.peek()
            with contextlib.suppress(OSError):
                self._channel.send({"notice": "glimpse", **reported}, picture)

    def _act(self, header: Mapping[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        self.check()
        self._the_body.act(header["action"], self.check)
        return {}, b""

    def _read_field(self, header: Mapping[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        self.check()
        return {"text": self._the_body.read_field(header, self.check)}, b""

    def _settle(self, header: Mapping[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
        return self._the_body.settle(header, payload, self.check)

    def _windows(self, _: Mapping[str, Any], __: bytes) -> tuple[dict[str, Any], bytes]:
        return {"windows": [window.model_dump() for window in self._the_body.windows()]}, b""

    def _announce(self, header: Mapping[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        self._the_body.announce(header["text"])
        return {}, b""

    def _release(self, _: Mapping[str, Any], __: bytes) -> tuple[dict[str, Any], bytes]:
        self._the_body.release()
        return {}, b""

    def _await_user(self, header: Mapping[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        while True:
            self._check_cancelled()
            self._show_glimpse()
            with self._lock:
                if self._taken_over is not None and self._taken_over.details.get("source") == HOT_KEY:
                    raise self._taken_over
                if self._the_body.quiet_seconds >= header["quiet_seconds"]:
                    # Forgotten first: what the watch tells from now on is a new takeover.
                    self._taken_over = None
                    self._channel.send({"notice": "resumed"})
                    self._the_body.resume()
                    return {}, b""
            time.sleep(_POLL_SECONDS)

    @property
    def _the_body(self) -> DisplayController:
        if self._controller is None:
            raise DesktopLost("No display was opened.")
        return self._controller


def main() -> None:
    """Talk on the socket that was handed over, until it closes."""
    worker = Worker(Channel(socket.socket(fileno=int(sys.argv[1]))))
    worker.run()
    # At once: the libraries' own clean-up costs time, and may wait for a server that is gone.
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
