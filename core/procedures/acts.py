"""One thing that was done, with what tells whose undertaking it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["click", "type", "choose", "key", "scroll", "drag", "copy", "paste", "open", "run", "switch", "seen"]


@dataclass(frozen=True, slots=True)
class Act:
    """Times are milliseconds of the video."""

    t_ms: int
    until_ms: int
    kind: Kind
    said: str
    """A past-tense sentence without a full stop and without its result."""
    target: str = ""
    """The text on what was clicked, or the name of a field."""
    value: str = ""
    """What was typed or chosen, if it may be told."""
    result: str = ""
    """A text that came of it."""
    result_ms: int = 0
    confirms: bool = False
    """Whether the result says that something is done."""
    application: str = ""
    title: str = ""
    """Of the window in which it was done."""
    inferred: bool = False
    at: tuple[int, int] | None = None
    """Where."""

    @property
    def ends_ms(self) -> int:
        """When what came of it was seen."""
        return max(self.until_ms, self.result_ms if self.result else 0)
