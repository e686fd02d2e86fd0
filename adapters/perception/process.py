"""The daemon's side of a perception process: starts it, asks it, and ends it."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.process.asked import AskedProcess
from adapters.perception.messages import Album, heard, packed
from adapters.video.process.child import child_environment
from core.errors import Internal, TakenOver

if TYPE_CHECKING:
    from collections.abc import Callable

WORKER: Final = (sys.executable, "-P", "-m", "adapters.perception.worker")
"""``-P``: a folder ``core`` or ``adapters`` where the daemon was started must not be imported instead of ours."""
SECONDS: Final = 60.0
"""For one answer: the largest screen takes three seconds to read, on a machine that is busy ten times as long."""


class PerceptionProcess(AskedProcess):
    """Reads screens, finds targets and decides without a model; safe to share between threads.

    It has no key, loads its networks as soon as it is started, and ends when it is closed or the daemon dies.

    Args:
        threads: how many cores reading may use.

    """

    def __init__(self, threads: int) -> None:
        super().__init__(
            (*WORKER, str(threads)),
            (),
            child_environment(os.environ, threads),
            title="The process that reads the screen",
            gone=Internal,
        )
        self._album = Album()
        self._sending = threading.Lock()
        self.begin()

    def call(self, on: str, method: str, *arguments: Any, heed: Callable[[], None] | None = None, **named: Any) -> Any:
        """Call a method of an object there, and return what it returns.

        Args:
            on: the object: ``eyes``, ``targets`` or ``decider``.
            method: its method.
            arguments: of the method; a picture is sent only if the process does not have it.
            heed: called at least every 20 ms; what it raises ends the wait, except that a takeover waits for the
                answer, because the loop notices it before the next action.
            named: more arguments.

        Raises:
            VaiderError: what the method raises, or that the process is gone.

        """

        def check() -> None:
            if self._lost is not None:
                raise self._gone(self._lost)
            if heed is not None:
                try:
                    heed()
                except TakenOver:
                    return

        with self._sending:
            # Both ends number pictures in the order in which frames are sent.
            pictures, payload = packed(self._album, (arguments, named))
            header = {"on": on, "method": method, "pictures": pictures}
            number = self._send(header, payload, check)
        return heard(self._answered(number, check=check, stop=_nothing, seconds=SECONDS)[1])

    def forget_pictures(self) -> None:
        """Keep no picture on this side while no run uses the process."""
        with self._sending:
            self._album.forget()


def _nothing(_: int) -> None:
    """Leave it to finish: its answer is not waited for."""
