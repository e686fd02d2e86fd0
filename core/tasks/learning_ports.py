"""What learning a task asks of the outside. See also ``core.ports`` and ``core.tasks.ports``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from core.analysis import Video
    from core.ports import JobContext
    from core.recording.input_log import InputLog
    from core.tasks.lessons import ExtractionReply


class TaskExtractor(Protocol):
    """Answers «what task does this recording show?»."""

    @property
    def name(self) -> str:
        """The provider's name as settings and answers spell it, e.g. ``local``."""
        ...

    @property
    def model(self) -> str:
        """The model's name with what else decides its answer, e.g. the version of the prompt."""
        ...

    def unavailable(self) -> str | None:
        """``None`` when it can be used now, else one sentence that says what is missing and how to supply it."""
        ...

    def extract(self, video: Video, log: InputLog | None, context: JobContext) -> ExtractionReply:
        """The reply in the form that ``core.tasks.learning_gate`` reads; blocks until done.

        MUST report progress at least every two seconds while it computes, and leave nothing running or stored with
        a provider. Raises ``ProviderError``, ``InvalidVideo``, ``Cancelled``, ``TimedOut``.
        """
        ...


class InputLogs(Protocol):
    """Where input logs are: beside their videos."""

    def of(self, video: Path) -> InputLog | None:
        """The log of a recording, ``None`` if it has none. Raises ``InvalidRequest`` for a broken one."""
        ...


class Lessons(Protocol):
    """Memories as demonstrations."""

    def check(self, memory: str) -> None:
        """Find out that a memory can be shown again. Raises ``NotFound``."""
        ...

    def taken(self, memory: str, job_id: str, heed: Callable[[], None]) -> AbstractContextManager[Path]:
        """The memory's stretch of its video as a file, with its input log beside it; both are gone when it is left.

        For the same job it is the same file, also after a crash.
        ``heed`` is called at least five times a second; what it raises stops the work.
        Raises ``NotFound``, ``InvalidVideo``, ``TooLarge``, ``StorageFailed``.
        """
        ...
