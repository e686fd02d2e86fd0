"""Replays of actions that are not Vaider's: each is emitted on ``/events`` for the front end that owns them."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

from core.errors import InvalidRequest, VaiderError
from core.jobs import Stage
from core.reload.entry import Entry, SlotKind
from core.reload.ports import EntryStore, UseOutcome
from core.reload.templates import filled_in
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Generator

    from core.ports import JobContext
    from core.runs.run import ReplayRequest

KIND: Final = "reload"
"""The kind of these jobs."""
_LOOKS_EVERY_SECONDS: Final = 0.1


class ForeignRun(Value):
    """How such a replay ended: its job's result."""

    job_id: str
    cache_id: str
    label: str
    outcome: Literal["succeeded", "failed", "unclear"]
    """``unclear``: no report in time."""
    reason: str
    """One sentence; empty when it succeeded."""
    actions: int
    """How many were emitted."""
    skipped: tuple[int, ...]
    duration_ms: int


class Reports:
    """What front ends say of the replays that wait for it in this process. Safe to share between threads."""

    def __init__(self) -> None:
        self._heard = threading.Condition()
        self._waiting: dict[tuple[str, str], UseOutcome | None] = {}

    @contextmanager
    def expected(self, entry_id: str, job_id: str) -> Generator[None]:
        """Take reports on that job inside."""
        key = (entry_id, job_id)
        with self._heard:
            self._waiting[key] = None
        try:
            yield
        finally:
            with self._heard:
                del self._waiting[key]

    def give(self, entry_id: str, job_id: str, outcome: UseOutcome) -> bool:
        """Hand a report to the replay that waits for it; false when none does. The first one counts."""
        key = (entry_id, job_id)
        with self._heard:
            if key not in self._waiting or self._waiting[key] is not None:
                return False
            self._waiting[key] = outcome
            self._heard.notify_all()
            return True

    def wait(self, entry_id: str, job_id: str, seconds: float) -> UseOutcome | None:
        """What was reported, once it is, ``None`` after so many seconds."""
        key = (entry_id, job_id)
        with self._heard:
            self._heard.wait_for(lambda: self._waiting[key] is not None, seconds)
            return self._waiting[key]


class ForeignReplays:
    """Emits entries of a foreign vocabulary, in order, and waits for what their front end reports.

    Values of secret slots are not known here: in the emitted actions they stay as ``{name}``, and the front end, which
    receives their names, fills them in.

    Args:
        entries: where entries are kept, and uses counted.
        reports: where front ends report.
        seconds: how long they may take to.

    """

    def __init__(self, entries: EntryStore, reports: Reports, *, seconds: float = 30.0) -> None:
        self._entries = entries
        self._reports = reports
        self._seconds = seconds

    def run(self, request: ReplayRequest, context: JobContext) -> ForeignRun:
        """Emit it; blocks until it is reported on, or for so many seconds.

        A use is counted that succeeded, failed or, without a report, was interrupted. Raises ``VaiderError``.
        """
        began = time.monotonic()
        entry = self._entries.get(request.cache_id)
        refuse_skips(request, entry)
        use = self._entries.begin_use(entry.id, context.job_id)
        self._entries.note({("hit", "emitted"): 1})
        ended = UseOutcome("interrupted", "It was stopped.")
        try:
            with self._reports.expected(entry.id, context.job_id):
                self._emit(entry, request, context)
                reported = self._heard(entry.id, context)
            ended = reported or UseOutcome("interrupted", self._silence())
            if ended.outcome == "succeeded":
                ended = UseOutcome.success(entry, _since(began), 0)
        except VaiderError as error:
            ended = UseOutcome("interrupted", error.message)
            raise
        finally:
            self._entries.end_use(use, ended)
        run = ForeignRun(
            job_id=context.job_id,
            cache_id=entry.id,
            label=entry.summary,
            outcome="unclear" if ended.outcome == "interrupted" else ended.outcome,
            reason=ended.reason,
            actions=len(entry.actions) - len(set(request.skip_indices)),
            skipped=tuple(sorted(set(request.skip_indices))),
            duration_ms=_since(began),
        )
        context.publish(Stage.RELOAD_FINISHED, {"cache_id": entry.id, "outcome": run.outcome, "reason": run.reason})
        return run

    def _emit(self, entry: Entry, request: ReplayRequest, context: JobContext) -> None:
        values = {**entry.values(), **request.values}
        secrets = [slot.name for slot in entry.slots if slot.kind is SlotKind.SECRET]
        values = {name: value for name, value in values.items() if name not in secrets}
        kept = [index for index in range(len(entry.actions)) if index not in request.skip_indices]
        about = {"cache_id": entry.id, "total": len(kept)}
        started = {**about, "label": entry.summary, "skipped": sorted(set(request.skip_indices)), "secrets": secrets}
        context.publish(Stage.RELOAD_STARTED, started)
        for done, index in enumerate(kept, 1):
            context.raise_if_cancelled()
            action = filled_in(entry.actions[index].action, values)
            context.publish(Stage.RELOAD_ACTION, {**about, "index": index, "done": done, "action": action})
        url = f"/reload/{entry.id}/report"
        context.publish(Stage.RELOAD_EMITTED, {**about, "report_url": url, "within_seconds": self._seconds})

    def _heard(self, entry_id: str, context: JobContext) -> UseOutcome | None:
        end = time.monotonic() + self._seconds
        while (left := end - time.monotonic()) > 0:
            context.raise_if_cancelled()
            heard = self._reports.wait(entry_id, context.job_id, min(left, _LOOKS_EVERY_SECONDS))
            if heard is not None:
                return heard
        return self._reports.wait(entry_id, context.job_id, 0)

    def _silence(self) -> str:
        return f"No front end reported within {self._seconds:g} s: look whether it was done."


def refuse_skips(request: ReplayRequest, entry: Entry) -> None:
    """Refuse indices that the entry does not have, and to skip it all. Raises ``InvalidRequest``."""
    wrong = [index for index in request.skip_indices if not 0 <= index < len(entry.actions)]
    if wrong:
        message = f"{entry.id} has no action {wrong[0]}: its actions are 0 to {len(entry.actions) - 1}."
        raise InvalidRequest(message)
    if len(set(request.skip_indices)) == len(entry.actions):
        raise InvalidRequest(f"All {len(entry.actions)} actions of {entry.id} are skipped: leave one, or do nothing.")


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
