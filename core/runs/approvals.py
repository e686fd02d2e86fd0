"""Questions that only a person may answer while a run waits: asked on ``/events``, answered by any front end."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from core.errors import Conflict, NotFound
from core.jobs import Stage
from core.runs.live_state import OpenApproval

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.ports import JobContext

_BEAT_SECONDS: Final = 0.05


@dataclass
class _Question:
    question: str
    until: float
    answered: threading.Event = field(default_factory=threading.Event)
    agreed: bool = False


class Approvals:
    """The open questions of all runs; safe from any thread.

    Args:
        seconds: how long an answer is waited for; none in time means no.

    """

    def __init__(self, *, seconds: float = 120.0) -> None:
        self._seconds = seconds
        self._open: dict[tuple[str, str], _Question] = {}
        self._lock = threading.Lock()

    def of(self, context: JobContext) -> JobApprover:
        """Who asks for one job."""
        return JobApprover(self, context)

    def ask(self, context: JobContext, question: str, heed: Callable[[], None]) -> bool:
        """Tell the question, and wait for the answer. Raises what ``heed`` raises."""
        approval_id = secrets.token_hex(4)
        pending = _Question(question, time.monotonic() + self._seconds)
        key, answer = (context.job_id, approval_id), "withdrawn"
        with self._lock:
            self._open[key] = pending
        try:
            told: Mapping[str, Any] = {"approval_id": approval_id, "question": question, "seconds": self._seconds}
            context.tell(Stage.APPROVAL_ASKED, told)
            while not pending.answered.wait(_BEAT_SECONDS) and time.monotonic() < pending.until:
                heed()
            answer = "yes" if pending.agreed else "no" if pending.answered.is_set() else "none in time"
            return pending.agreed
        finally:
            with self._lock:
                self._open.pop(key, None)
            context.tell(Stage.APPROVAL_GIVEN, {"approval_id": approval_id, "answer": answer})

    def open_of(self, job_id: str) -> OpenApproval | None:
        """What a job asks now and nobody has answered yet."""
        with self._lock:
            found = next(
                (
                    (approval_id, pending)
                    for (asker, approval_id), pending in self._open.items()
                    if asker == job_id and not pending.answered.is_set()
                ),
                None,
            )
        if found is None:
            return None
        approval_id, pending = found
        left = max(pending.until - time.monotonic(), 0.0)
        return OpenApproval(approval_id=approval_id, question=pending.question, seconds_left=round(left, 1))

    def answer(self, job_id: str, approval_id: str, *, agree: bool) -> None:
        """Answer it, once. Raises ``NotFound``, ``Conflict``."""
        with self._lock:
            pending = self._open.get((job_id, approval_id))
            if pending is None:
                raise NotFound(f"Job {job_id} asks no question {approval_id!r}, or no longer.")
            if pending.answered.is_set():
                raise Conflict(f"Question {approval_id!r} is answered already.")
            pending.agreed = agree
            pending.answered.set()


@dataclass(frozen=True, slots=True)
class JobApprover:
    """Implements ``core.runs.ports.Approver`` for one job."""

    approvals: Approvals
    context: JobContext

    def approve(self, question: str, heed: Callable[[], None]) -> bool:
        """Whether the person agrees."""
        return self.approvals.ask(self.context, question, heed)
