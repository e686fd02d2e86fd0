"""The runs that go on now: how each looks, what it has used, the hold on it, and its questions to a person."""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from core.errors import Conflict, NotFound
from core.jobs import Stage
from core.runs.budget import Budget, LiveState, OpenApproval
from core.runs.input_control import Hold

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from core.ports import JobContext
    from core.runs.ports import Desktop
    from core.screens import Picture


@dataclass
class LiveRun:
    """One run; ``desktop`` is set while its display is open."""

    hold: Hold
    budget: Budget
    desktop: Desktop | None = None

    @contextmanager
    def shows(self, desktop: Desktop) -> Generator[None]:
        """Note the run's open display."""
        self.desktop = desktop
        try:
            yield
        finally:
            self.desktop = None


class LiveRuns:
    """All runs that go on; safe from any thread.

    Args:
        held_minutes: how long a run may be held, 0 for ever.

    """

    def __init__(self, *, held_minutes: float = 60.0) -> None:
        self._minutes = held_minutes
        self._runs: dict[str, LiveRun] = {}
        self._lock = threading.Lock()

    @contextmanager
    def during(self, job_id: str, budget: Budget) -> Generator[LiveRun]:
        """Register the run of this job while the block runs."""
        run = LiveRun(Hold(minutes=self._minutes), budget)
        with self._lock:
            self._runs[job_id] = run
        try:
            yield run
        finally:
            with self._lock:
                self._runs.pop(job_id, None)
            run.hold.close()

    def hold(self, job_id: str) -> Hold:
        """The hold on a run. Raises ``Conflict`` when this job is no run that goes on."""
        run = self._run(job_id)
        if run is None:
            raise Conflict(f"Job {job_id} is no run that acts on a desktop just now: there is nothing to hold.")
        return run.hold

    def state(self, job_id: str) -> LiveState | None:
        """How it stands, ``None`` when this job is no run that goes on."""
        run = self._run(job_id)
        if run is None:
            return None
        desktop, hold = run.desktop, run.hold
        return LiveState(
            held="no" if not hold.is_wanted else "held" if hold.has_let_go else "asked",
            spent=run.budget.spent,
            minutes=round(run.budget.minutes, 3),
            limits=run.budget.limits,
            size=desktop.size if desktop is not None else None,
            viewer=desktop.viewer if desktop is not None else None,
        )

    def picture(self, job_id: str) -> Picture:
        """How its display looks. Raises ``NotFound`` when it has none, not yet or no more."""
        run = self._run(job_id)
        desktop = run.desktop if run is not None else None
        picture = desktop.peek() if desktop is not None else None
        if picture is None:
            raise NotFound(f"Job {job_id} has no display that can be looked at now.")
        return picture

    def _run(self, job_id: str) -> LiveRun | None:
        with self._lock:
            return self._runs.get(job_id)


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
        seconds: timeout of a question; a timeout counts as a no.

    """

    def __init__(self, *, seconds: float = 120.0) -> None:
        self._seconds = seconds
        self._open: dict[tuple[str, str], _Question] = {}
        self._lock = threading.Lock()

    def of(self, context: JobContext) -> JobApprover:
        """The approver of one job."""
        return JobApprover(self, context)

    def ask(self, context: JobContext, question: str, raise_if_cancelled: Callable[[], None]) -> bool:
        """Publish the question and wait for the answer. Raises what ``raise_if_cancelled`` raises."""
        approval_id = secrets.token_hex(4)
        pending = _Question(question, time.monotonic() + self._seconds)
        key, answer = (context.job_id, approval_id), "withdrawn"
        with self._lock:
            self._open[key] = pending
        try:
            reported: Mapping[str, Any] = {"approval_id": approval_id, "question": question, "seconds": self._seconds}
            context.publish(Stage.APPROVAL_ASKED, reported)
            while not pending.answered.wait(_BEAT_SECONDS) and time.monotonic() < pending.until:
                raise_if_cancelled()
            answer = "yes" if pending.agreed else "no" if pending.answered.is_set() else "none in time"
            return pending.agreed
        finally:
            with self._lock:
                self._open.pop(key, None)
            context.publish(Stage.APPROVAL_GIVEN, {"approval_id": approval_id, "answer": answer})

    def open_of(self, job_id: str) -> OpenApproval | None:
        """The unanswered questions of a job."""
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

    def approve(self, question: str, raise_if_cancelled: Callable[[], None]) -> bool:
        """Whether the person agrees."""
        return self.approvals.ask(self.context, question, raise_if_cancelled)
