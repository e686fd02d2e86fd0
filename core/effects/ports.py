"""The port through which effects are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.effects.effect import Effect
    from core.effects.rows import Reading


class EffectReader(Protocol):
    """Reads pages, JSON and files anew, with nothing of the browser or program that a run acts on."""

    def read(self, effect: Effect, raise_if_cancelled: Callable[[], None]) -> Reading:
        """The rows that have the effect's columns, as they are now.

        Bounded in time and size; calls ``raise_if_cancelled`` at least every 500 ms. A file that is not there has no
        rows. Raises ``EffectUnreadable`` for everything that cannot be told apart from a fault: no answer, a refusal,
        a redirect to another host, no table with those columns, or several.
        """
        ...
