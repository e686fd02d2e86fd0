"""How many tokens an answer takes, and texts and lists made to fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

ItemT = TypeVar("ItemT")

DEFAULT_TOKENS: Final = 2000
FEWEST_TOKENS: Final = 400
MOST_TOKENS: Final = 20_000
"""Claude Code cuts results off at 25,000."""
_BYTES_PER_TOKEN: Final = 3.5
"""English prose has more than 4, JSON about 3.5, Chinese and Japanese 3 to 4 (a character or a little more)."""


def tokens(text: str) -> int:
    """An estimate."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


def clipped(text: str, most: int) -> str:
    """The text, or its beginning and an ellipsis within ``most`` characters."""
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"


def middle_out(items: Sequence[ItemT], keep: int) -> tuple[Sequence[ItemT], Sequence[ItemT]]:
    """The first and the last items, ``keep`` in all; what lies between is left out."""
    if len(items) <= keep:
        return items, ()
    head = (keep + 1) // 2
    return items[:head], items[len(items) - (keep - head) :]
