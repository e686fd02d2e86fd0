"""What a run may use: iterations, steps, minutes, model calls, money."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from core.runs.run import Spent
from core.values import Value

Price = Callable[[Mapping[str, int]], float | None]


class Limits(Value):
    """The bounds of a run; 0 means that there is none."""

    iterations: Annotated[int, Field(ge=1)] = 30
    """Decisions a subtask."""
    call_attempts: Annotated[int, Field(ge=1)] = 5
    """How often a model is asked for one decision until its answer can be used."""
    steps: Annotated[int, Field(ge=0)] = 500
    minutes: Annotated[float, Field(ge=0)] = 30
    model_calls: Annotated[int, Field(ge=0)] = 500
    usd: Annotated[float, Field(ge=0)] = 0
    settle_seconds: Annotated[float, Field(ge=0)] = 2.0
    """Seconds to wait for an action's effect."""
    verify_seconds: Annotated[float, Field(ge=0)] = 5.0
    """Seconds to look for an expected outcome."""
    quiet_seconds: Annotated[float, Field(ge=0)] = 3.0
    """Seconds without user input before a paused run resumes."""


class BudgetSpent(Exception):
    """The run has reached a limit; the message names the limit and its setting."""


@dataclass
class Budget:
    """Counts what a run uses. ``price`` converts one answer's tokens to US dollars, ``None`` when unknown."""

    limits: Limits
    price: Price
    clock: Callable[[], float] = time.monotonic
    _spent: Spent = field(default_factory=Spent)

    def __post_init__(self) -> None:
        self._started = self.clock()

    @property
    def spent(self) -> Spent:
        """What was used so far."""
        return self._spent

    @property
    def minutes(self) -> float:
        """Minutes used so far."""
        return (self.clock() - self._started) / 60

    def extend_deadline(self, seconds: float) -> None:
        """Exclude so many seconds from the run's time, because it waited for a person."""
        self._started += seconds

    def act(self) -> None:
        """Count one action that is about to be done. Raises ``BudgetSpent`` instead of going over a bound."""
        if self.limits.steps and self._spent.steps >= self.limits.steps:
            raise BudgetSpent(f"The run has used its {self.limits.steps} steps, as many as a run may.")
        self._spent = self._spent.model_copy(update={"steps": self._spent.steps + 1})

    def pay(self, usage: Mapping[str, int]) -> None:
        """Count what a decision has used."""
        spent, paid = self._spent, self.price(usage) if usage.get("calls", 0) else 0.0
        self._spent = spent.model_copy(
            update={
                "model_calls": spent.model_calls + usage.get("calls", 0),
                "input_tokens": spent.input_tokens + usage.get("input_tokens", 0),
                "output_tokens": spent.output_tokens + usage.get("output_tokens", 0),
                "usd": None if spent.usd is None or paid is None else spent.usd + paid,
            }
        )

    def check(self) -> None:
        """Raise ``BudgetSpent`` before a further decision that no limit allows; a paid one is still carried out."""
        self.check_minutes()
        limits, spent = self.limits, self._spent
        if limits.model_calls and spent.model_calls >= limits.model_calls:
            raise BudgetSpent(f"The run has used its {limits.model_calls} model calls, as many as a run may.")
        if limits.usd and spent.usd is not None and spent.usd >= limits.usd:
            raise BudgetSpent(f"The run has used its {limits.usd:g} US dollars; replay_max_usd moves that.")

    def check_minutes(self) -> None:
        """Raise ``BudgetSpent`` when the time is over. Checked while a decider works, because it may never end."""
        minutes = self.limits.minutes
        if minutes and self.minutes >= minutes:
            raise BudgetSpent(f"The run has used its {minutes:g} minutes; replay_max_minutes moves that.")


class OpenApproval(Value):
    """What a run asks, and waits for a person to answer."""

    approval_id: str
    question: str
    seconds_left: float
    """Timeout; a timeout counts as a no."""


class LiveState(Value):
    """A run that goes on, as it stands."""

    held: Literal["no", "asked", "held"]
    """``asked``: the run has not released the display yet."""
    spent: Spent
    minutes: float
    """Minutes used so far, without those in which a person held the run."""
    limits: Limits
    size: tuple[int, int] | None
    """Of its display in pixels, ``None`` until it is open."""
    viewer: str | None
    """Where a private display can be watched."""
