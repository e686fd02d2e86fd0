"""A sequence that a client carried out and posted, as what a run carries out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.workflows.workflow import Plan, PlannedSubtask, Workflow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.entry import Entry
    from core.runs.ports import RunFolder, Runs
    from core.runs.run import Run, RunRequest
    from core.secrets import Secrets


@dataclass(frozen=True)
class ReloadUndertaking:
    """Implements ``core.runs.ports.Undertaking``: the request in words is all that a decider can go on by."""

    request: RunRequest
    entry: Entry
    runs: Runs
    root: str

    @property
    def workflow(self) -> Workflow:
        """The request as one subtask, with its values."""
        values = dict(self.entry.values())
        if self.request.reload is not None:
            values |= self.request.reload.values
        asked = self.entry.requests[0].filled(values) if self.entry.requests else self.entry.summary
        return Workflow(
            task_name=self.entry.summary or self.entry.id,
            task_description_user=asked,
            detailed_task_description=asked,
            success_criteria=self.entry.success_criteria.filled(values),
            plan=Plan(subtasks=(PlannedSubtask(subtask_i=0, text=asked),)),
        )

    @property
    def faults(self) -> Sequence[str]:
        """None: which slots may have other values is known of each."""
        return ()

    def rendered(self, values: Mapping[str, str], secrets: Secrets) -> Workflow:
        """Its values are filled in already."""
        del values, secrets
        return self.workflow

    def open(self, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """See the port."""
        return self.runs.open(self.root, job_id, secrets)

    def conclude(self, run: Run, *, blocked: bool) -> Run:
        """Nothing more."""
        del blocked
        return run
