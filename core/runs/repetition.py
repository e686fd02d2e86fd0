"""Going in circles: the same action, again and again, on the same screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.actions import Action
    from core.screens import Box, Picture


@dataclass
class Repetition:
    """Counts how often in a row the same action was chosen while the screen looked the same.

    Args:
        changes: where two pictures differ.

    """

    changes: Callable[[Picture, Picture], Sequence[Box]]
    _last: tuple[Action, Picture] | None = None
    _times: int = 0

    def count(self, action: Action, picture: Picture) -> int:
        """How often it has now been chosen in a row, 1 for the first time."""
        last = self._last
        is_same = last is not None and last[0] == action and not self.changes(last[1], picture)
        self._times = self._times + 1 if is_same else 1
        self._last = (action, picture)
        return self._times
