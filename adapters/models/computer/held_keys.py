"""Keys that a model says it holds down: no action leaves one down, so they come with each action until let go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from core.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST: Final = 4


@dataclass
class HeldKeys:
    """In the order in which they went down, by their canonical names."""

    keys: list[str] = field(default_factory=list[str])

    def press(self, keys: Sequence[str]) -> None:
        """Hold them from now on. Raises ``InvalidCall`` for more than a hand could."""
        self.keys = list(self.join(keys))

    def release(self, keys: Sequence[str]) -> None:
        """Let them go; what is not held stays so."""
        self.keys = [key for key in self.keys if key not in keys]

    def forget(self) -> None:
        """Let all of them go."""
        self.keys = []

    def join(self, keys: Sequence[str], most: int = _MOST) -> tuple[str, ...]:
        """The keys that are held, and these. Raises ``InvalidCall`` for more than ``most``."""
        joined = tuple(dict.fromkeys((*self.keys, *keys)))
        if len(joined) > most:
            raise InvalidCall(f"{'+'.join(joined)[:80]} are more than {most} keys at once.")
        return joined

    def forbid(self, action: str) -> None:
        """Raise ``InvalidCall`` while any is held: this action types, and would type something else with it."""
        if self.keys:
            raise InvalidCall(f"{action}: {'+'.join(self.keys)} is still held down: let it go first with key_up.")
