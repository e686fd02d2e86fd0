"""The daemon beginning anew: so that settings that wait for a start are in force without a terminal."""

import os
import sys
from collections.abc import Callable

from core.errors import Conflict


class Restart:
    """Asked for by a route, done by the process once everything has been closed as at any other end.

    Without ``stop`` there is no daemon that could be started again, as in a command or a test.
    """

    def __init__(self) -> None:
        self.stop: Callable[[], None] | None = None
        """Begins the end of the process."""
        self.asked = False

    def ask(self, port: int) -> None:
        """End, and begin anew; ``port`` is the setting. Raises ``Conflict`` where clients would not find it again."""
        if self.stop is None:
            raise Conflict("This daemon cannot start itself again: stop it and start it where it was started.")
        if port == 0:
            raise Conflict("This daemon has any free port, and would have another one then: start it again by hand.")
        self.asked = True
        self.stop()


def begin_anew() -> None:
    """Become the same command in the same process, which keeps its id and its environment."""
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - its own command, as it was given
