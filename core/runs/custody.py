"""Who has mouse and keyboard: the run, the user who is at the desktop, or a person who holds the run from afar."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.errors import TakenOver
from core.runs.holding import is_hold

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.runs.budget import Budget
    from core.runs.holding import Hold
    from core.runs.journal import Journal
    from core.runs.ports import Desktop

GIVEN_BACK: Final = "The user took over mouse and keyboard in the middle, and has given them back: look afresh."


@dataclass(frozen=True)
class Custody:
    """One run's.

    Args:
        desktop: what is acted on.
        hold: a person's hold on the run.
        journal: what is told of it.
        budget: what may be used; its minutes and the job's stand still while the run is held.
        stop: raises when the run shall stop.
        spare: told the seconds that the job has waited for a person.
        pauses: whether a takeover pauses the run; else it ends it. A hold always does.

    """

    desktop: Desktop
    hold: Hold
    journal: Journal
    budget: Budget
    stop: Callable[[], None]
    spare: Callable[[float], None]
    pauses: bool = False

    def heed(self) -> None:
        """Raise when the run shall stop, or shall be held."""
        self.stop()
        self.hold.heed()

    def watch(self) -> None:
        """Raise when the run shall stop, also because somebody took over or the display is gone."""
        self.heed()
        self.desktop.heed()

    def give_way(self, takeover: TakenOver) -> None:
        """Wait until whoever took over has given back. Raises ``TakenOver`` when that ends the run."""
        taken: TakenOver | None = takeover
        while taken is not None:
            if not (self.pauses or is_hold(taken)):
                raise taken
            try:
                self._wait(taken)
                taken = None
            except TakenOver as again:
                if not is_hold(again):
                    raise
                taken = again

    def _wait(self, takeover: TakenOver) -> None:
        held, inputs = is_hold(takeover), 0
        self.journal.taken_over(takeover.message, resumed=False, held=held)
        if held:
            self.desktop.announce(takeover.message)
            inputs = self.hold.wait(self.desktop, self._stop_while_held())
        if not held or self._is_taken_over():
            self.desktop.await_user(self.heed, quiet_seconds=self.budget.limits.quiet_seconds)
        self.journal.taken_over(GIVEN_BACK, resumed=True, held=held, inputs=inputs)

    def _stop_while_held(self) -> Callable[[], None]:
        """``stop``, for which no time goes by."""
        last = time.monotonic()

        def stop() -> None:
            nonlocal last
            now = time.monotonic()
            self.budget.spare(now - last)
            self.spare(now - last)
            last = now
            self.stop()

        return stop

    def _is_taken_over(self) -> bool:
        try:
            self.desktop.heed()
        except TakenOver:
            return True
        return False
