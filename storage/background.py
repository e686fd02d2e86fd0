"""Work that goes on beside what asked for it, in order, a little at a time."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from core.errors import Internal, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG: Final = logging.getLogger("vaider.background")


class Background:
    """Does one piece of work after the other; its thread lives only while there is some.

    Args:
        waiting: so many may wait; whoever brings one more waits himself.

    """

    def __init__(self, waiting: int) -> None:
        self._most = waiting
        self._work: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._busy = False
        self._failure: VaiderError | None = None

    def do(self, work: Callable[[], None]) -> None:
        """Begin it, or put it in line. Raises the failure of an earlier piece, after which no more is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure or len(self._work) < self._most)
            if self._failure is not None:
                raise self._failure
            self._work.append(work)
            if not self._busy:
                self._busy = True
                threading.Thread(target=self._run, name="run-pictures", daemon=True).start()

    def finish(self) -> VaiderError | None:
        """Wait until all is done; the first failure, if there was one."""
        with self._changed:
            self._changed.wait_for(lambda: not self._busy)
            return self._failure

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._work or self._failure is not None:
                    self._work.clear()
                    self._busy = False
                    self._changed.notify_all()
                    return
                work = self._work.popleft()
                self._changed.notify_all()
            failure = _failure_of(work)
            if failure is not None:
                with self._changed:
                    self._failure = failure


def _failure_of(work: Callable[[], None]) -> VaiderError | None:
    try:
        work()
    except VaiderError as failure:
        return failure
    except Exception:  # noqa: BLE001 - whoever waits for the end of it must hear of it
        _LOG.exception("a picture could not be kept")
        return Internal("A picture of the run could not be kept; the daemon's log says why.")
    return None
