"""The runs that go on now, by their jobs: how each looks, what it has used, and the hold on it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import Conflict, NotFound
from core.runs.holding import Hold
from core.runs.live_state import LiveState

if TYPE_CHECKING:
    from collections.abc import Generator

    from core.runs.budget import Budget
    from core.runs.ports import Desktop
    from core.screens import Picture


@dataclass
class LiveRun:
    """One of them; ``desktop`` is there while its display is open."""

    hold: Hold
    budget: Budget
    desktop: Desktop | None = None

    @contextmanager
    def shows(self, desktop: Desktop) -> Generator[None]:
        """Its display is open."""
        self.desktop = desktop
        try:
            yield
        finally:
            self.desktop = None


class LiveRuns:
    """All of them; safe from any thread.

    Args:
        held_minutes: how long a run may be held, 0 for ever.

    """

    def __init__(self, *, held_minutes: float = 60.0) -> None:
        self._minutes = held_minutes
        self._runs: dict[str, LiveRun] = {}
        self._lock = threading.Lock()

    @contextmanager
    def during(self, job_id: str, budget: Budget) -> Generator[LiveRun]:
        """The run of this job goes on."""
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
