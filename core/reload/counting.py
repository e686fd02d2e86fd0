"""What uses do to an entry's counts: each counts once, however often it is told."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Outcome = Literal["succeeded", "failed", "interrupted"]

ENOUGH_USES: Final = 3
"""Finished uses; of fewer, failures say too little."""


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

    @property
    def are_too_bad(self) -> bool:
        """Whether more than half of enough uses failed: with the last of these failures the entry is removed."""
        finished = self.successes + self.failures
        return finished >= ENOUGH_USES and 2 * self.failures > finished
