"""A workflow as what a run carries out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from core.workflows.parameter_use import parameter_faults
from core.workflows.templates import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.runs.ports import RunFolder, Runs
    from core.runs.replay_parts import ReplayParts
    from core.runs.run import Run, RunRequest
    from core.secrets import Secrets
    from core.workflows.workflow import Workflow


@dataclass(frozen=True)
class WorkflowUndertaking:
    """Implements ``core.runs.ports.Undertaking``."""

    request: RunRequest
    workflow: Workflow
    runs: Runs

    @classmethod
    def find(cls, request: RunRequest, parts: ReplayParts) -> Self:
        """The workflow that a request names. Raises ``NotFound``, ``InvalidWorkflow``."""
        folder = parts.workflows.find(request.workflow)
        workflow = parts.workflows.load(folder)
        return cls(request.model_copy(update={"workflow": folder}), workflow, parts.runs)

    @property
    def root(self) -> str:
        """The workflow's folder."""
        return self.request.workflow

    @property
    def faults(self) -> Sequence[str]:
        """See the port."""
        return parameter_faults(self.workflow)

    def rendered(self, values: Mapping[str, str], secrets: Secrets) -> Workflow:
        """See the port. Raises ``InvalidRequest`` for a place without a value."""
        return render(self.workflow, values, secrets)

    def open(self, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """See the port."""
        return self.runs.open(self.root, job_id, secrets)

    def conclude(self, run: Run, *, blocked: bool) -> Run:
        """Nothing more: a workflow keeps no questions."""
        del blocked
        return run
