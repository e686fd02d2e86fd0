"""What models cost, where their public price is certain; nothing is guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MILLION: Final = 1_000_000
_DATED: Final = re.compile(r"-\d{8}$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input_usd: float
    output_usd: float


_PRICES: Final = {"claude-opus-4-6": Price(5, 25)}


def price(model: str) -> Price | None:
    """The price of a model by its name, with a date or without; ``None`` when it is not certain."""
    return _PRICES.get(_DATED.sub("", model))


def cost(model: str, usage: Mapping[str, int]) -> float | None:
    """US dollars of ``input_tokens`` and ``output_tokens``, ``None`` when nobody knows.

    Cached input counts in full: an upper bound, as is right for a budget.
    """
    known = price(model)
    if known is None:
        return None
    spent = usage.get("input_tokens", 0) * known.input_usd + usage.get("output_tokens", 0) * known.output_usd
    return spent / _MILLION
