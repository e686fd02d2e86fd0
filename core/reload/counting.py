"""What uses do to an entry's counts: each counts once, however often it is told."""

from __future__ import annotations

from typing import Literal, NamedTuple

Outcome = Literal["succeeded", "failed", "interrupted"]


class Counts(NamedTuple):
    """An entry's finished uses. What was interrupted says nothing of the entry."""

    successes: int = 0
    failures: int = 0

    def replaced(self, before: Outcome | None, after: Outcome | None) -> Counts:
        """With a use that was counted as ``before`` counted as ``after``; ``None`` is not counted yet."""
        return Counts(
            max(0, self.successes + (after == "succeeded") - (before == "succeeded")),
            max(0, self.failures + (after == "failed") - (before == "failed")),
        )
