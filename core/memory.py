"""What was done on the screen, as it is remembered and recalled."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, field_serializer

from core.steps import REMEMBERED, Step
from core.values import Value

Source = Literal["recorder", "video", "run"]
"""Where it was seen: the continuous recording, a video that was given to Vaider, a run of its own."""
DEFAULT_LIMIT = 3
MOST_RESULTS = 20
DEFAULT_RECENCY_BIAS = 0.5


class Procedure(Value):
    """The steps of one undertaking, in order, and where they can be seen."""

    id: str
    """The same for the same undertaking however often its video is read again."""
    source: Source
    video: str
    """A segment's id, or the path of a video; of a run its job's id."""
    started_at: datetime
    """In UTC."""
    start_ms: Annotated[int, Field(ge=0)]
    """Within the video."""
    end_ms: Annotated[int, Field(ge=0)]
    applications: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    """Of the windows in which it was done."""
    summary: str
    """One sentence that quotes, e.g. ``Added "work laptop" in Firefox``."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    texts: tuple[str, ...] = ()
    """What else stood on the screen that may be asked for: headings, results; never what a field hid."""

    @field_serializer("steps")
    def _write_steps(self, steps: tuple[Step, ...]) -> list[dict[str, Any]]:
        return [{name: getattr(step, name) for name in REMEMBERED} for step in steps]

    @property
    def ended_at(self) -> datetime:
        """In UTC."""
        return self.started_at + timedelta(milliseconds=self.end_ms - self.start_ms)

    @property
    def inferred(self) -> bool:
        """Whether any step was inferred from the screen alone."""
        return any(step.inferred for step in self.steps)


class RecallRequest(Value):
    """What somebody wants to be reminded of."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    limit: Annotated[int, Field(ge=1, le=MOST_RESULTS)] = DEFAULT_LIMIT
    recency_bias: Annotated[float, Field(ge=0, le=1)] = DEFAULT_RECENCY_BIAS
    """0: only how well it fits; 1: of what fits, the newest first."""


class Recalled(Value):
    """One procedure that answers, as ``memory_recall`` and ``GET /memory`` tell it."""

    id: str
    timestamp: datetime
    """When it began, in UTC."""
    duration_seconds: float
    confidence: Annotated[float, Field(ge=0, le=1)]
    """How often an answer that looks like this one is right, measured on a labelled set."""
    summary: str
    steps: tuple[str, ...]
    video_url: str | None
    """A playable clip of just this stretch; ``None`` once its video is gone."""
    video_start_ms: int
    """Within its video."""
    video_end_ms: int
    source: Source
    video: str
    applications: tuple[str, ...]
    windows: tuple[str, ...]
    inferred: bool


class RecallAnswer(Value):
    """The answer to a request, best first; never padded."""

    results: tuple[Recalled, ...]
    message: str | None = None
    """Said when there are none (why, and what to do), or when they are not of the time that was asked for."""
