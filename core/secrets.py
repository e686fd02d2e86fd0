"""Sensitive values of a run: placeholders in all files and messages, replaced by the value only where it is typed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

MASK: Final = "•••"
_NAME: Final = re.compile(
    r"pass(?:word|code|phrase|wort)|secret|token|(?:\b|_)(?:pin|code|cvc|cvv|key)(?:\b|_)", re.IGNORECASE
)


def is_secret_name(name: str) -> bool:
    """Whether the name of a field or a parameter marks its value as secret."""
    return _NAME.search(name) is not None


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

    def mask_json(self, value: Any, *, longest: int = 1 << 20) -> Any:
        """The same for all texts in a JSON value, keys too; each is cut after ``longest`` letters."""
        if isinstance(value, str):
            text = self.mask(value)
            return text if len(text) <= longest else f"{text[:longest]}…"
        if isinstance(value, dict):
            parts = cast("dict[str, Any]", value)
            return {self.mask(key): self.mask_json(part, longest=longest) for key, part in parts.items()}
        if isinstance(value, list | tuple):
            return [self.mask_json(part, longest=longest) for part in cast("list[Any]", value)]
        return value
