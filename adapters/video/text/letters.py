"""Letters that are being typed: they need not be read one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.video.frame import same_row
from adapters.video.text.lines import strip_spaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.video.frame import Box
    from adapters.video.motion.settled import Settled
    from adapters.video.text.matching import Match

_A_FEW: Final = 3
_AT_MOST: Final = 8
PAUSE_MS: Final = 1000
"""After that long without another letter none is waited for."""
_ALTOGETHER_MS: Final = 2000
_HIGH: Final = 2.2
_WIDE: Final = 3
_BACK: Final = 1
_ON: Final = 2
"""How high and wide a letter's surroundings are, and how far left and right of the end of its line they may begin; in
heights of that line."""


class LetterTracker:
    """Holds back what comes behind the end of a line that is growing, until something else happens.

    What is held is not lost: whoever holds it reads the newest of it, which shows all of the letters.
    """

    def __init__(self) -> None:
        self._row: Box | None = None
        self._held: list[Settled] = []

    def hold(self, settled: Sequence[Settled]) -> bool:
        """Keep it for later, if it is nothing but the next letter."""
        if len(settled) != 1 or self._row is None or not self._is_next(settled[0], self._row):
            return False
        self._held.append(settled[0])
        self._row = _until(self._row, settled[0].box)
        return True

    def release(self) -> list[Settled]:
        """What was held, newest first."""
        held, self._held = self._held, []
        return held[::-1]

    @property
    def newest_ms(self) -> int | None:
        """When the last of what is held came, ``None`` when nothing is."""
        return self._held[-1].t_ms if self._held else None

    def learn(self, match: Match) -> None:
        """See whether a line is growing: it reads as before, with a letter or a few behind."""
        self._row = None
        if len(match.changed) != 1 or match.added or match.removed:
            return
        old, new = match.changed[0]
        before, after = strip_spaces(old.text), strip_spaces(new.text)
        if after.startswith(before) and 0 < len(after) - len(before) <= _A_FEW + _AT_MOST:
            self._row = new.box

    def _is_next(self, one: Settled, row: Box) -> bool:
        if one.first or one.scroll is not None or one.uncovered:
            return False
        if self._held and not (
            len(self._held) < _AT_MOST
            and one.t_ms - self._held[-1].t_ms <= PAUSE_MS
            and one.t_ms - self._held[0].t_ms <= _ALTOGETHER_MS
        ):
            return False
        x, _, width, height = one.box
        unit, end = row[3], row[0] + row[2]
        return (
            same_row(one.box, row)
            and height <= _HIGH * unit
            and width <= _WIDE * unit
            and end - _BACK * unit <= x <= end + _ON * unit
            and x + width > end
        )


def _until(row: Box, box: Box) -> Box:
    return row[0], row[1], max(box[0] + box[2], row[0] + row[2]) - row[0], row[3]
