"""Everything around one run of the use case: a desktop of plain memory, and a decider that follows a script."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.actions import Action, Click
from core.effects.ports import EffectReader
from core.effects.watching import NoEffectReader
from core.jobs import Stage
from core.runs.budget import Limits
from core.runs.execution import ReplayParts
from core.runs.gate import GatePolicy
from core.runs.live import Approvals, LiveRuns
from core.runs.ports import ActionCacheExtensions
from core.runs.replay import Replay
from core.runs.run import Run, RunRequest
from core.screens import Point
from core.tasks.ports import Tasks
from core.workflows.workflow import Parameter, Plan, PlannedSubtask, Workflow
from storage.tasks.tasks import TaskFolders
from tests.fakes.desktops.drawn_desktop import DrawnDesktop, DrawnDesktops, DrawnEyes
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.scripted_decider import ScriptedDecider
from tests.fakes.runs.memory_runs import MemoryRun, MemoryRuns, MemoryWorkflows

CLICK = Click(action="left_click", at=Point(x=20, y=10))
SAVED = 'Save it. Expected outcome: "Saved" is shown.'


def workflow(*subtasks: str, success: str = '"Saved" is shown', params: tuple[Parameter, ...] = ()) -> Workflow:
    planned = tuple(PlannedSubtask(subtask_i=n, text=text) for n, text in enumerate(subtasks))
    return Workflow(task_name="Save a note", task_params=params, success_criteria=success, plan=Plan(subtasks=planned))


def saves(desktop: DrawnDesktop, action: Action) -> None:
    """Any click saves."""
    if isinstance(action, Click):
        desktop.lines = ["Saved"]


@dataclass
class Scene:
    """Everything around one run."""

    script: Iterable[Any]
    workflow: Workflow = field(default_factory=lambda: workflow(SAVED))
    desktop: DrawnDesktop = field(default_factory=lambda: DrawnDesktop(["Save"], saves))
    limits: Limits = field(default_factory=lambda: Limits(verify_seconds=2, quiet_seconds=0))
    policy: GatePolicy = field(default_factory=GatePolicy)
    request: dict[str, Any] = field(default_factory=dict[str, Any])
    cost: Callable[[str, Any], float | None] = lambda _model, _usage: None
    tasks: Tasks = field(default_factory=lambda: TaskFolders(Path("/none")))
    effects: EffectReader = field(default_factory=NoEffectReader)
    reload_extensions: Callable[[], ActionCacheExtensions | None] = lambda: None

    def __post_init__(self) -> None:
        self.decider = ScriptedDecider(self.script)
        self.context = FakeContext()
        self.runs = MemoryRuns()
        self.desktops = DrawnDesktops(self.desktop)
        self.approvals = Approvals(seconds=5)
        self.live = LiveRuns()
        self.rebuild()

    def rebuild(self) -> None:
        """The use case of the parts as they now are."""
        self.workflows = MemoryWorkflows(note=self.workflow)
        self.replay = Replay(
            ReplayParts(
                deciders={"scripted": lambda _model: self.decider},
                workflows=self.workflows,
                runs=self.runs,
                tasks=self.tasks,
                task_runs=self.runs,
                desktops=self.desktops,
                eyes=lambda: nullcontext(DrawnEyes()),
                approvals=self.approvals,
                effects=self.effects,
                live=self.live,
                limits=self.limits,
                policy=self.policy,
                cost=self.cost,
                reload_extensions=self.reload_extensions,
            )
        )

    def admit(self) -> RunRequest:
        named = {} if self.request.keys() & {"task", "reload"} else {"workflow": "note"}
        asked = {**named, "provider": "scripted", **self.request}
        return self.replay.admit(RunRequest.model_validate(asked))

    def run(self) -> Run:
        return self.replay.run(self.admit(), self.context)

    @property
    def folder(self) -> MemoryRun:
        return self.runs.opened[0]

    @property
    def read_reports(self) -> list[Stage]:
        return [stage for stage, _ in self.context.reported]
