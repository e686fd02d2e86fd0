"""What is told of a run that goes on: how it stands, and what it asks."""

from __future__ import annotations

from typing import Literal

from core.runs.budget import Limits
from core.runs.run import Spent
from core.values import Value


class OpenApproval(Value):
    """What a run asks, and waits for a person to answer."""

    approval_id: str
    question: str
    seconds_left: float
    """When they are over, the answer is no."""


class LiveState(Value):
    """A run that goes on, as it stands."""

    held: Literal["no", "asked", "held"]
    """``asked``: it has not let go yet."""
    spent: Spent
    minutes: float
    """Used so far; those in which a person held it do not count."""
    limits: Limits
    size: tuple[int, int] | None
    """Of its display in pixels, ``None`` until it is open."""
    viewer: str | None
    """Where a private display can be watched."""
