"""Follows hidden characters that are typed one after another, or come in a field at once: dots that no reader reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.video.frame import around, gap, grown, overlap, same_row
from adapters.video.text.field_borders import within_border
from adapters.video.text.fields import field_around, underlined
from adapters.video.text.ink import tight

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.video.frame import Box, Luma

_PAUSE_MS: Final = 1500
_WIDE: Final = 48
_GAP: Final = 12
_LEAST: Final = 3
_LEFT_MS: Final = 3000
"""For so long after a row came in a field, what changes there is the field's border."""


@dataclass(slots=True, eq=False)
class Masked:
    """A row of dots that grew from ``t_ms`` until ``until_ms``."""

    t_ms: int
    until_ms: int
    box: Box
    steps: int = 1
    sure: bool = False


def is_letter(box: Box) -> bool:
    """Whether it is small enough for a letter."""
    return max(box[2:]) <= _WIDE


class MaskedTyping:
    """Told every small change without text, it says which continue a row."""

    def __init__(self) -> None:
        self._row: Masked | None = None
        self._filled: Masked | None = None

    def follow(
        self, t_ms: int, box: Box, solid: Box | None, luma: Luma, is_row: Callable[[Box], bool]
    ) -> Masked | None:
        """The row that a change belongs to, or is; ``None`` when it is neither a letter by its size nor in a field.

        Args:
            t_ms: when it was.
            box: where.
            solid: what of it became brighter or darker as a whole, if anything did.
            luma: the picture since.
            is_row: reads whether a row of dots stands at a place.

        """
        if not is_letter(box):
            return None if solid is None else self._at_once(t_ms, solid, luma, is_row)
        row = self._row
        if row is not None and self._continues(row, t_ms, box):
            row.until_ms, row.box, row.steps = t_ms, around((row.box, box)), row.steps + 1
        else:
            row = self._row = Masked(t_ms, t_ms, box)
        if not row.sure and row.steps >= _LEAST:
            row.sure = is_row(grown(row.box, 2, 0, luma))
        return row

    def replace(self, t_ms: int, hint: Box, box: Box, luma: Luma, is_row: Callable[[Box], bool]) -> Masked | None:
        """The row that came whole where an empty field said what it asks for, if one did.

        Args:
            t_ms: when it was.
            hint: where those words stood.
            box: around all that changed.
            luma: the picture since.
            is_row: reads whether a row of dots stands at a place.

        """
        return self._at_once(t_ms, (*hint[:2], box[0] + box[2] - hint[0], hint[3]), luma, is_row)

    def _at_once(self, t_ms: int, box: Box, luma: Luma, is_row: Callable[[Box], bool]) -> Masked | None:
        """A row that came whole; when its field loses the focus it is no other one."""
        ink = tight(luma, within_border(luma, box))
        if ink[3] > _WIDE:
            return None
        text = grown(ink, 0, ink[3], luma)
        field = field_around(luma, text) or underlined(luma, text)
        known = self._filled
        if field is None or not is_row(ink):
            return None
        if known is not None and overlap(field, known.box) and t_ms - known.t_ms <= _LEFT_MS:
            return None
        self._filled = Masked(t_ms, t_ms, field, sure=True)
        return self._filled

    def _continues(self, row: Masked, t_ms: int, box: Box) -> bool:
        onward = box[0] + box[2] >= row.box[0] + row.box[2]
        near = gap(row.box, box)[0] <= _GAP and same_row(row.box, box)
        return onward and near and t_ms - row.until_ms <= _PAUSE_MS
