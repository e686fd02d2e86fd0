"""What each family of Anthropic's models takes: which computer tool, how large a picture, which history."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from adapters.models.computer.screenshots import Limits

OLD_TOOL: Final = "computer_20250124"
TOOL: Final = "computer_20251124"
TOOLSET: Final = "computer_toolset_20260801"
BETAS: Final = {OLD_TOOL: "computer-use-2025-01-24", TOOL: "computer-use-2025-11-24", TOOLSET: None}
"""The header ``anthropic-beta`` by the tool; the toolset needs none."""

SMALL: Final = Limits(edge=1568, patches=1568)
"""Larger pictures are scaled down by the provider, and clicks then drift."""
LARGE: Final = Limits(edge=2576, patches=4784)
MANY: Final = Limits(edge=2000, patches=4784)
"""In a request of more than 20 pictures no edge is longer: what holds where no picture is ever taken out again."""


@dataclass(frozen=True, slots=True)
class Family:
    """One row: models of the same habits."""

    tool: str
    limits: Limits
    append_only: bool = False
    """Thinking is bound to all that stands before it: a picture that is taken out later makes it invalid (400)."""
    thinks: bool = False
    """Thinks unless told not to, and tells a summary of it when asked."""

    @property
    def max_tokens(self) -> int:
        """Room for an answer, with its thinking; the SDK demands streaming above 21,333."""
        return 16_000 if self.thinks or self.append_only else 4096


_BOUND: Final = Family(TOOLSET, MANY, append_only=True, thinks=True)
_FIVE: Final = Family(TOOLSET, LARGE)
UNKNOWN: Final = Family(TOOLSET, MANY, append_only=True)
"""What no model is known to refuse; for models that are newer than this table."""

FAMILIES: Final[dict[str, Family]] = {
    "claude-sonnet-4-5": Family(OLD_TOOL, SMALL),
    "claude-haiku-4-5": Family(OLD_TOOL, SMALL),
    "claude-opus-4-5": Family(TOOL, SMALL),
    "claude-opus-4-6": Family(TOOL, SMALL),
    "claude-sonnet-4-6": Family(TOOL, SMALL),
    "claude-opus-4-7": Family(TOOL, LARGE),
    "claude-opus-4-8": _FIVE,
    "claude-opus-5": _FIVE,
    "claude-sonnet-5": _FIVE,
    "claude-fable-5": _FIVE,
    "claude-mythos-5": _FIVE,
    "claude-opus-5-5": _BOUND,
    "claude-sonnet-5-5": _BOUND,
    "claude-haiku-5-5": _BOUND,
    "claude-fable-5-1": _BOUND,
    "claude-mythos-5-1": _BOUND,
    "claude-fable-5-2": _BOUND,
    "claude-mythos-5-2": _BOUND,
}
"""By the model's name without its date."""
_DATED: Final = re.compile(r"(?:-\d{8}|-latest|@.*)$")


def family_of(model: str) -> Family:
    """The row of a model by its name, with a date or without."""
    return FAMILIES.get(_DATED.sub("", model), UNKNOWN)
