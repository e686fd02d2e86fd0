"""How a run comes to its end before all of its subtasks are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.runs.run import RunOutcome


class Ended(Exception):
    """The run is over; ``reason`` is one sentence for whoever started it."""

    def __init__(self, outcome: RunOutcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
