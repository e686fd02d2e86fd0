"""Whether what changed on a screen can be the effect of an action, or is only a caret that blinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.screens import Box

_THICKEST: Final = 4
"""Pixels: one or two, twice that on a screen drawn at double size."""
_SLIMNESS: Final = 4
_TALLEST: Final = 120


def more_than_caret(changes: Sequence[Box]) -> bool:
    """Whether the changes of a picture are more than a caret that came or went in one place.

    A caret that left one place and came in another is two changes, and so an effect. A lone upright stroke, such as a
    typed "l" whose caret was hidden in both pictures, cannot be told from a caret: compare the lines of text for that.
    """
    return len(changes) > 1 or any(not _is_bar(box) for box in changes)


def _is_bar(box: Box) -> bool:
    return box.width <= _THICKEST and box.width * _SLIMNESS <= box.height <= _TALLEST
