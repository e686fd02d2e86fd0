"""Learning: recordings of a demonstration in, a task out that a person can read and correct."""

from __future__ import annotations

from pydantic import Field

from core.tasks.questions import Question
from core.values import Value


class LearnRequest(Value):
    """Which recordings or which memory, into which task, and who extracts it."""

    videos: tuple[str, ...] = ()
    """Absolute paths, the first one first; each further one is merged into what was learned before it."""
    memory: str | None = None
    """A memory's id: its stretch of the recording is learned from, instead of videos."""
    into: str | None = None
    """A task's id; a new one is made without it."""
    provider: str = "auto"
    uploaded: bool = False
    """Whether the files are Vaider's own copies of an upload."""


class ExtractionReply(Value):
    """What an extractor answered."""

    text: str
    usage: dict[str, int] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Learned(Value):
    """The answer to ``vaider learn``, ``POST /tasks`` and ``learn_task``."""

    task: str
    """Its id."""
    title: str
    folder: str
    created: bool
    """Whether it is new; else the recordings were merged into it."""
    version: int
    recordings: tuple[str, ...]
    """Their names below ``recordings/``."""
    questions: tuple[Question, ...]
    """Those that are open."""
    provider: str
    provider_reason: str
    model: str
    job_id: str
    duration_ms: int
    usage: dict[str, int]
    warnings: tuple[str, ...]
