"""Which of the many reports of a job become stored events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.jobs import JobEvent, Stage

INTERVAL_SECONDS = 0.2
"""At most this often an event of the same stage is stored."""

Told = tuple["Stage", "Mapping[str, Any]"]


class Progress:
    """Keeps first and last report of each stage and at most five a second between, and never goes backwards.

    Args:
        history: what an earlier, crashed attempt has stored; a resumed job passes there again, silently.

    """

    def __init__(self, history: Iterable[JobEvent] = ()) -> None:
        self._most: dict[Stage, int] = {}
        self._earlier: set[tuple[Stage, str]] = set()
        self._newest: tuple[Stage, str] | None = None
        self._stored_at: dict[Stage, float] = {}
        self._withheld: dict[Stage, Mapping[str, Any]] = {}
        for event in history:
            self._note(event.stage, event.data)
            self._earlier.add((event.stage, _key(event.data)))

    def admit(self, stage: Stage, data: Mapping[str, Any], now: float) -> list[Told]:
        """What to store upon this report, in order; ``now`` in seconds of any clock that does not jump."""
        if self._is_repeat(stage, data):
            return []
        self._note(stage, data)
        self._newest = (stage, _key(data))
        last = self._stored_at.get(stage)
        if last is not None and now - last < INTERVAL_SECONDS and not _is_complete(data):
            self._withheld.pop(stage, None)
            self._withheld[stage] = data
            return []
        before = self.rest() if last is None else []
        self._withheld.pop(stage, None)
        self._stored_at[stage] = now
        return [*before, (stage, data)]

    def rest(self) -> list[Told]:
        """What was withheld last of each stage: to be stored before the job moves on or ends."""
        rest = list(self._withheld.items())
        self._withheld.clear()
        return rest

    def _is_repeat(self, stage: Stage, data: Mapping[str, Any]) -> bool:
        done = data.get("done")
        if isinstance(done, int):
            return done <= self._most.get(stage, -1)
        # Whoever only asks whether to go on says again what it said before.
        told = (stage, _key(data))
        return told == self._newest or told in self._earlier

    def _note(self, stage: Stage, data: Mapping[str, Any]) -> None:
        done = data.get("done")
        if isinstance(done, int):
            self._most[stage] = max(done, self._most.get(stage, -1))


def _is_complete(data: Mapping[str, Any]) -> bool:
    return data.get("done") is not None and data.get("done") == data.get("total")


def _key(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True)
