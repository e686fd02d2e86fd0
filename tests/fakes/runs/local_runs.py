"""Whole runs of the local decider on a page: the use case, the loop and the eyes are the real ones."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from adapters.desktop.eyes import ScreenEyes
from adapters.models.local.decider import LocalDecider
from core.runs.budget import Limits
from core.runs.execution import ReplayParts
from core.runs.live import Approvals
from core.runs.ports import Workflows
from core.runs.replay import Replay
from core.runs.run import Run, RunRequest
from core.steps import Step, Target
from core.workflows.workflow import Plan, PlannedSubtask, Workflow
from storage.tasks.tasks import TaskFolders
from tests.fakes.desktops.page_desktop import PageDesktop, PageDesktops
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.runs.memory_runs import MemoryRuns


@dataclass(frozen=True)
class LocalRun:
    """What became of a run, and what it did."""

    run: Run
    desktop: PageDesktop
    rows: Sequence[Mapping[str, Any]]

    @property
    def read_reports(self) -> str:
        """Why it ended as it did."""
        return self.run.reason


def step(action: str, target: str = "the page", value: str | None = None, **more: Any) -> Step:
    """A step with nothing in it that a test does not say."""
    return Step(
        i=0,
        expected_current_state=more.pop("before", "The page is open."),
        intent=more.pop("intent", f"{action.lower()} {target}"),
        action_type=action,  # type: ignore[arg-type] # pydantic checks it
        action_value=value,
        target=Target(primary=target, fallback=more.pop("fallback", None)),
        post_action=tuple(more.pop("after", ("It is done.",))),
        variable_name=value if action == "EXTRACT" else None,
        additional_args=more,
    )


def workflow(*steps: Step, expected: str = "", success: str = "") -> Workflow:
    """One subtask of these steps."""
    text = f"Do it.{f' Expected outcome: {expected}' if expected else ''}"
    numbered = tuple(each.model_copy(update={"i": at}) for at, each in enumerate(steps))
    plan = Plan(subtasks=(PlannedSubtask(subtask_i=0, text=text, steps=numbered),))
    return Workflow(task_name="Try it", success_criteria=success, plan=plan)


def replayed(
    page: Page,
    eyes: ScreenEyes,
    workflows: Workflows,
    *,
    params: Mapping[str, str] | None = None,
    zoom: float = 1.0,
    patience: float = 2.0,
    name: str = "parcel-form",
) -> LocalRun:
    """Replay the workflow on the page."""
    desktop = PageDesktop(page, zoom=zoom)
    runs = MemoryRuns()
    replay = Replay(
        ReplayParts(
            deciders={"local": lambda _model: LocalDecider(patience=patience)},
            workflows=workflows,
            runs=runs,
            tasks=TaskFolders(Path("/none")),
            task_runs=runs,
            desktops=PageDesktops(desktop),
            eyes=lambda: nullcontext(eyes),
            approvals=Approvals(seconds=1),
            limits=Limits(verify_seconds=1, settle_seconds=2),
        )
    )
    request = replay.admit(RunRequest(workflow=name, params=dict(params or {})))
    run = replay.run(request, FakeContext())
    return LocalRun(run, desktop, runs.opened[0].rows)
