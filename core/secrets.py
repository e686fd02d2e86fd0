"""Sensitive values of a run: named in all that is written or told, and spelt out only where they are typed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MASK: Final = "•••"


@dataclass(frozen=True, slots=True)
class Secrets:
    """The values by the name of their parameter."""

    values: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def mask(self, text: str) -> str:
        """The text without any of the values; longer values first, so that no part of one stays."""
        for value in sorted(filter(None, self.values.values()), key=len, reverse=True):
            text = text.replace(value, MASK)
        return text

    def reveal(self, text: str) -> str:
        """The text with ``{name}`` replaced by the value, once: values are not searched for further places."""
        if not self.values:
            return text
        places = "|".join(re.escape(f"{{{name}}}") for name in self.values)
        return re.sub(places, lambda found: self.values[found[0][1:-1]], text)
