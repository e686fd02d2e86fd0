"""Whether what was expected is there: looked for on the screen, whatever a decider claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.runs.outcomes import check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.runs.ports import Desktop, Eyes
    from core.runs.run import Check
    from core.screens import Picture, TextLine


@dataclass
class Verification:
    """Looks until it is seen, or until the time is over.

    Args:
        desktop: whose screen.
        eyes: who reads it.
        seconds: how long a page may take to show it.

    """

    desktop: Desktop
    eyes: Eyes
    seconds: float
    _before: Picture | None = None
    _lines: Sequence[TextLine] | None = None

    def begin(self, picture: Picture) -> None:
        """Remember how the screen looked before the subtask."""
        self._before, self._lines = picture, None

    def of(self, expected: str, watch: Callable[[], None], *, confirms: bool = False) -> Check | None:
        """The check of a sentence, ``None`` when nothing is expected; ``confirms`` as ``core.runs.outcomes.check``."""
        if not expected.strip():
            return None
        before = self._lines_before()
        picture = self.desktop.look()
        first = picture.taken
        while True:
            watch()
            found = check(expected, self.eyes.read(picture), before, confirms=confirms)
            if found.verdict != "fail" or picture.taken - first >= self.seconds:
                return found
            picture = self.desktop.settle(picture, watch, seconds=self.seconds)

    def _lines_before(self) -> Sequence[TextLine] | None:
        if self._lines is None and self._before is not None:
            self._lines = self.eyes.read(self._before)
        return self._lines
