"""What replaying works with: handed in by whoever builds the daemon, a command or a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.runs.budget import Limits
from core.runs.gate import GatePolicy
from core.runs.live import LiveRuns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from core.runs.approvals import Approvals
    from core.runs.ports import Companions, Decider, Desktops, Eyes, Runs, Workflows
    from core.runs.run import Run
    from core.tasks.ports import Tasks
    from core.workflows.workflow import Workflow

    Notify = Callable[[str, str], None]
    Cost = Callable[[str, Mapping[str, int]], float | None]
    Remember = Callable[[Run, Workflow], None]


@dataclass(frozen=True)
class ReplayParts:
    """The parts.

    ``deciders`` makes one, with another model than the setting's if one is named; ``eyes`` gives each run its own;
    ``cost`` tells the dollars of a model's tokens, ``None`` when nobody knows; ``notify`` shows a notice with a title
    on the user's desktop; ``remember`` is told of each run that is over, with its workflow as it was rendered, and
    raises nothing; ``companions`` gives who knows what was done before, ``None`` for nobody; ``live`` knows the runs
    that go on.
    """

    deciders: Mapping[str, Callable[[str | None], Decider]]
    workflows: Workflows
    runs: Runs
    tasks: Tasks
    task_runs: Runs
    desktops: Desktops
    eyes: Callable[[], AbstractContextManager[Eyes]]
    approvals: Approvals
    live: LiveRuns = field(default_factory=LiveRuns)
    limits: Limits = field(default_factory=Limits)
    policy: GatePolicy = field(default_factory=GatePolicy)
    cost: Cost = lambda _model, _usage: None
    notify: Notify = lambda _title, _text: None
    remember: Remember = lambda _run, _workflow: None
    companions: Callable[[], Companions | None] = lambda: None
