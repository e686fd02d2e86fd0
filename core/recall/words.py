"""What words mean by themselves, known on this machine: a port, so that the core needs no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Words(Protocol):
    """Meanings of words. Nothing leaves the machine; any text may be a word. Safe to call from any thread."""

    def near(self, word: str) -> Sequence[tuple[str, float]]:
        """Other words that mean nearly the same, and how much so (at most 1); none of a word that is not known."""
        ...

    def alike(self, asked: Mapping[str, float], texts: Sequence[Sequence[str]]) -> Sequence[float]:
        """How near the words of each text are, taken together, to those that are asked for: from -1 to 1.

        Args:
            asked: words, and how much each of them tells.
            texts: their words.

        """
        ...
