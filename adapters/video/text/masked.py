"""Follows hidden characters that are typed one after another: dots that no reader reads as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, same_row

if TYPE_CHECKING:
    from adapters.video.frame import Box

_PAUSE_MS: Final = 1500
_WIDE: Final = 48
_GAP: Final = 12
_LEAST: Final = 3


@dataclass(slots=True, eq=False)
class Masked:
    """A row of dots that grew from ``t_ms`` until ``until_ms``."""

    t_ms: int
    until_ms: int
    box: Box
    steps: int = 1
    sure: bool = False


class MaskedTyping:
    """Told every small change without text, it says which continue a row."""

    def __init__(self) -> None:
        self._row: Masked | None = None

    def take(self, t_ms: int, box: Box) -> Masked | None:
        """The row that this change belongs to; ``None`` when it is no letter by its size."""
        if box[2] > _WIDE or box[3] > _WIDE:
            return None
        row = self._row
        if row is not None and self._continues(row, t_ms, box):
            row.until_ms, row.box, row.steps = t_ms, around((row.box, box)), row.steps + 1
        else:
            row = self._row = Masked(t_ms, t_ms, box)
        return row

    @staticmethod
    def is_worth_reading(row: Masked) -> bool:
        """Whether it has grown enough to be recognised."""
        return not row.sure and row.steps >= _LEAST

    def _continues(self, row: Masked, t_ms: int, box: Box) -> bool:
        onward = box[0] + box[2] >= row.box[0] + row.box[2]
        near = gap(row.box, box)[0] <= _GAP and same_row(row.box, box)
        return onward and near and t_ms - row.until_ms <= _PAUSE_MS
