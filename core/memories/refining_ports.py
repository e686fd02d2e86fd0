"""What refining memories asks of whoever words them better, and the only way by which anything leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.memories.refinements import Refinement
    from core.memories.sent import What
    from core.memory import Procedure


class Outlet(Protocol):
    """The only way out: whoever sends something says so here first."""

    def send(self, what: What, *, times_ms: Sequence[int], size_bytes: int, text_bytes: int) -> None:
        """Count what is about to leave, and write it down.

        Raises ``DailyCallsSpent``, ``StorageFailed``, ``Cancelled``: then it MUST not leave.
        """
        ...

    def told(self, what: What) -> None:
        """Write down what became of what was sent: ``deleted`` or ``not deleted``. Raises ``StorageFailed``."""
        ...

    def heed(self) -> None:
        """Raise ``Cancelled`` once the work shall stop."""
        ...


class Refiner(Protocol):
    """A model that looks at recorded film and words what was done in it."""

    @property
    def name(self) -> str:
        """As the setting ``memory_refiner`` spells it."""
        ...

    @property
    def host(self) -> str:
        """Where pictures go."""
        ...

    @property
    def model(self) -> str:
        """Which model, as answers call it."""
        ...

    def unavailable(self) -> str | None:
        """What is missing as a sentence that says how to supply it, without contacting anybody."""
        ...

    def refine(self, procedure: Procedure, film: Path, asked: Sequence[int], outlet: Outlet) -> Refinement:
        """Ask about the steps of these numbers, from 1; blocks.

        All that leaves MUST be sent through ``outlet`` first, and be of the film between the procedure's begin and end.
        Raises ``ProviderError``, ``InvalidVideo``, ``Internal`` and what the outlet raises.
        """
        ...
