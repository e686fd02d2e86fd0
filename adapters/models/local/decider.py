"""Decides without a model: finds again on the live screen what a workflow's steps name, and never guesses."""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

    from core.runs.deciding import Briefing
    from core.runs.ports import Conversation, Eyes

_NEEDED: Final = ("cv2", "numpy")
_PATIENCE: Final = 10.0


class LocalDecider:
    """Implements ``core.runs.ports.Decider`` with no key, no network and no cost.

    Args:
        patience: how many seconds are waited for what should be on the screen.

    """

    name = "local"
    model = "grounding-1"
    chooses = False

    def __init__(self, *, patience: float = _PATIENCE) -> None:
        self.patience = patience

    def unavailable(self) -> str | None:
        """Name the packages that are missing, if any; imports nothing."""
        missing = [name for name in _NEEDED if find_spec(name) is None]
        return f"The Python packages {', '.join(missing)} are missing. Install Vaider anew." if missing else None

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:
        """See the port."""
        # Only here: who merely asks whether it can be used, as /health does, needs neither NumPy nor OpenCV (40 MB).
        from adapters.desktop.accessibility.display import DisplayAccessibility  # noqa: PLC0415
        from adapters.models.local.conversation import LocalConversation  # noqa: PLC0415

        accessibility = DisplayAccessibility(briefing.session_bus) if briefing.session_bus else None
        try:
            yield LocalConversation(briefing, eyes, accessibility, patience=self.patience)
        finally:
            if accessibility is not None:
                accessibility.close()
