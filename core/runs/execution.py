"""One run from its first look to its report, and the dependencies of replaying, which the composition root supplies."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from core.effects.watching import EffectWatch, NoEffectReader, NothingDone
from core.errors import ActionFailed, Cancelled, TakenOver, VaiderError
from core.headlines import of_run
from core.loop import Loop, RunState
from core.runs.acting import Acting
from core.runs.budget import Budget, BudgetSpent, Limits
from core.runs.confirming import caution_of, confirmed
from core.runs.deciding import Briefing, Subtask
from core.runs.gate import Gate, GatePolicy
from core.runs.input_control import InputControl
from core.runs.journal import Journal
from core.runs.live import Approvals, LiveRun, LiveRuns
from core.runs.outcomes import Verification, expected_outcome
from core.runs.planned import planned_parts
from core.runs.run import Check, Ended, Run, RunOutcome, RunRequest, SubtaskRun
from core.secrets import MASK, Secrets
from core.workflows.workflow import PlannedSubtask, Workflow, fill_extracts, map_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from core.effects.ports import EffectReader
    from core.ports import JobContext
    from core.runs.ports import (
        ActionCacheExtension,
        ActionCacheExtensions,
        Conversation,
        Decider,
        Desktop,
        Desktops,
        Eyes,
        RunFolder,
        Runs,
        RunSubject,
        Workflows,
    )
    from core.tasks.ports import Tasks

    Notify = Callable[[str, str], None]
    Cost = Callable[[str, Mapping[str, int]], float | None]
    Remember = Callable[[Run, Workflow], None]


@dataclass(frozen=True)
class ReplayParts:
    """The dependencies.

    ``deciders`` makes one, with another model than the setting's if one is named; ``eyes`` gives each run its own;
    ``cost`` converts a model's tokens to dollars, ``None`` when unknown; ``notify`` shows a notice with a title on the
    user's desktop; ``effects`` reads what runs have brought about, by another way than their screens; ``remember`` is
    called after each run with its workflow as it was rendered, and raises nothing;
    ``reload_extensions`` makes the extension that replays cached actions, or ``None``; ``live`` knows the runs that go
    on.
    """

    deciders: Mapping[str, Callable[[str | None], Decider]]
    workflows: Workflows
    runs: Runs
    tasks: Tasks
    task_runs: Runs
    desktops: Desktops
    eyes: Callable[[], AbstractContextManager[Eyes]]
    approvals: Approvals
    effects: EffectReader = field(default_factory=NoEffectReader)
    live: LiveRuns = field(default_factory=LiveRuns)
    limits: Limits = field(default_factory=Limits)
    policy: GatePolicy = field(default_factory=GatePolicy)
    cost: Cost = lambda _model, _usage: None
    notify: Notify = lambda _title, _text: None
    remember: Remember = lambda _run, _workflow: None
    reload_extensions: Callable[[], ActionCacheExtensions | None] = lambda: None


_SCHEMES: Final = frozenset({"http", "https", "file", "about"})


@dataclass
class RunSummary:
    """The run's result so far."""

    outcome: RunOutcome = RunOutcome.FAILED
    reason: str = ""
    subtasks: list[SubtaskRun] = field(default_factory=list[SubtaskRun])
    subtask: int | None = None
    """Index of the one that is being done."""
    state: RunState = field(default_factory=RunState)
    success_check: Check | None = None
    effects: Sequence[Check] = ()
    confirmed_by: Literal["", "effect", "screen"] = ""
    blocked: bool = False
    """Whether it ended because it could not go on."""
    inputs: int = 0
    """Number of inputs that a person made on its display."""


@dataclass(frozen=True)
class Execution:
    """Carries out one rendered workflow, or a task in its shape.

    Args:
        parts: what the use case works with.
        subject: the workflow or task; sensitive values are masked in its request.
        workflow: with its values filled in.
        secrets: the sensitive ones.
        decider: chooses the actions.
        folder: where the run is kept.
        context: the job.
        reload_extension: offers and replays recorded actions; ``None`` without the cache.

    """

    parts: ReplayParts
    subject: RunSubject
    workflow: Workflow
    secrets: Secrets
    decider: Decider
    folder: RunFolder
    context: JobContext
    reload_extension: ActionCacheExtension | None = None

    @property
    def request(self) -> RunRequest:
        """The request that the run answers."""
        return self.subject.request

    def carry_out(self) -> Run:
        """Carry it out and write its summary, whatever the outcome. Raises ``VaiderError`` for an external failure."""
        started, began = dt.datetime.now(tz=dt.UTC), time.monotonic()
        budget = Budget(self.parts.limits, lambda usage: self.parts.cost(self.decider.model, usage))
        journal = Journal(self.folder, self.context, self.secrets)
        account, stopped = RunSummary(), None
        try:
            with self.parts.live.during(self.context.job_id, budget) as live:
                try:
                    self._act_on_desktop(account, journal, live)
                finally:
                    account.inputs = live.hold.inputs
        except (Ended, BudgetSpent) as end:
            account.blocked = isinstance(end, Ended)
            account.outcome = end.outcome if isinstance(end, Ended) else RunOutcome.FAILED
            account.reason = str(end)
        except VaiderError as error:
            account.outcome, account.reason, stopped = _stopped(error), error.message, error
        except BaseException:
            account.reason = "The run failed by a fault of Vaider's, or the daemon was stopped in its middle."
            self._close(account, journal, budget, started.isoformat(timespec="milliseconds"), began)
            raise
        run = self._close(account, journal, budget, started.isoformat(timespec="milliseconds"), began)
        if stopped is not None:
            raise stopped
        self.parts.remember(run, self.workflow)
        self.parts.notify(self.workflow.task_name, of_run(run.model_dump(mode="json")).text)
        return run

    def _act_on_desktop(self, account: RunSummary, journal: Journal, live: LiveRun) -> None:
        request = self.request
        subtasks = self.workflow.plan.subtasks
        name = self.workflow.task_name or Path(self.subject.root).name
        size = tuple(int(part) for part in request.size.split("x")) if request.size else None
        opening = self.parts.desktops.open(
            request.display,
            run=self.context.job_id,
            size=(size[0], size[1]) if size else None,
            raise_if_cancelled=self.context.raise_if_cancelled,
        )
        effects = self._effects_before()
        # Create the eyes first, because they load while the display starts.
        with self.parts.eyes() as eyes, opening as desktop, live.shows(desktop):
            plan = planned_parts(self.workflow, is_task=bool(self.request.task))
            journal.started(name, self.workflow.task_description_user, plan, desktop.viewer)
            reload_extension, chooses = self.reload_extension, self.decider.chooses
            offered = reload_extension.offered(desktop, eyes, chooses=chooses) if reload_extension is not None else ""
            with self.decider.open(self._briefing(name, desktop, offered), eyes) as decider:
                conversation = (
                    reload_extension.wrap_conversation(decider, eyes) if reload_extension is not None else decider
                )
                input_control = InputControl(
                    desktop=desktop,
                    hold=live.hold,
                    journal=journal,
                    budget=live.budget,
                    stop=self.context.raise_if_cancelled,
                    extend_deadline=self.context.extend_deadline,
                    pauses=request.on_takeover == "pause",
                )
                loop = self._loop(input_control, conversation, eyes)
                for planned in subtasks:
                    account.subtask = planned.subtask_i
                    self._do_subtask(loop, planned, account)
                account.subtask = None
                self._judge(loop, effects, account)

    def _effects_before(self) -> EffectWatch:
        """The effects as they are before the acts. Raises ``Ended`` where the run must not act."""
        stop = self.context.raise_if_cancelled
        effects = EffectWatch(self.workflow.effects, self.parts.effects, self.parts.limits.verify_seconds, stop)
        try:
            effects.begin()
        except NothingDone as reason:
            raise Ended(RunOutcome.FAILED, str(reason)) from reason
        return effects

    def _briefing(self, name: str, desktop: Desktop, offered: str) -> Briefing:
        width, height = desktop.size
        return Briefing(
            task=self.workflow.detailed_task_description or self.workflow.task_description_user or name,
            success_criteria=self.workflow.success_criteria,
            parameters=self.request.params | {key: f"{{{key}}}" for key in self.secrets.values},
            width=width,
            height=height,
            folder=self.subject.root,
            document=self.workflow.detailed_task_description if self.request.task else "",
            session_bus=desktop.session_bus,
            reload_options=offered,
        )

    def _loop(self, input_control: InputControl, conversation: Conversation, eyes: Eyes) -> Loop:
        desktop, journal, budget = input_control.desktop, input_control.journal, input_control.budget
        acting = Acting(
            desktop=desktop,
            eyes=eyes,
            gate=Gate(self.parts.policy),
            approver=self.parts.approvals.of(self.context),
            journal=journal,
            budget=budget,
            secrets=self.secrets,
            resolve=self._address,
            watch=input_control.watch,
        )
        return Loop(
            desktop=desktop,
            conversation=conversation,
            eyes=eyes,
            acting=acting,
            verification=Verification(desktop, eyes, self.parts.limits.verify_seconds),
            journal=journal,
            budget=budget,
            input_control=input_control,
        )

    def _do_subtask(self, loop: Loop, planned: PlannedSubtask, account: RunSummary) -> None:
        extracts = account.state.extracts
        filled = map_texts(self.workflow, lambda text: fill_extracts(text, extracts)).plan.subtasks[planned.subtask_i]
        subtask = Subtask(
            index=planned.subtask_i,
            total=len(self.workflow.plan.subtasks),
            text=filled.text,
            expected_outcome=expected_outcome(filled.text),
            steps=filled.steps,
        )
        loop.journal.subtask(subtask)
        began = time.monotonic()
        finished = loop.run(subtask, account.state)
        account.subtasks.append(
            SubtaskRun(
                index=subtask.index,
                text=self.secrets.mask(subtask.text),
                iterations=finished.iterations,
                result=self.secrets.mask(finished.result),
                check=finished.check,
                duration_ms=_since(began),
            )
        )
        where = f"Subtask {subtask.index + 1}"
        if not finished.succeeded:
            raise Ended(RunOutcome.FAILED, f"{where}: {finished.result}")
        if finished.check is not None and finished.check.verdict == "fail":
            reason = f"{where} is said to be done, but what was expected is not seen: {finished.check.evidence}"
            raise Ended(RunOutcome.UNCLEAR, reason)

    def _judge(self, loop: Loop, effects: EffectWatch, account: RunSummary) -> None:
        """Claim success only for effects that are there, or for criteria that are visible on the screen now."""
        extracts = account.state.extracts
        account.success_check = loop.judge(fill_extracts(self.workflow.success_criteria, extracts))
        account.effects = effects.checks(lambda text: fill_extracts(text, extracts))
        account.outcome, account.confirmed_by, account.reason = confirmed(account.success_check, account.effects)
        account.blocked = account.outcome is not RunOutcome.SUCCEEDED

    def _close(self, account: RunSummary, journal: Journal, budget: Budget, started_at: str, began: float) -> Run:
        mask = self.secrets.mask
        params = {parameter.name: MASK for parameter in self.workflow.task_params if parameter.sensitive}
        run = Run(
            run_id=self.folder.directory.name,
            job_id=self.context.job_id,
            workflow=self.request.workflow,
            task_name=self.workflow.task_name,
            outcome=account.outcome,
            reason=mask(account.reason),
            provider=self.decider.name,
            model=self.decider.model,
            display=self.request.display,
            params={**self.request.params, **params},
            extracts={name: mask(value) for name, value in account.state.extracts.items()},
            subtasks=tuple(account.subtasks),
            subtask_total=len(self.workflow.plan.subtasks),
            stopped_at=account.subtask,
            success_check=account.success_check,
            effects=tuple(account.effects),
            confirmed_by=account.confirmed_by,
            caution=caution_of(self.workflow) if account.confirmed_by == "screen" else "",
            targets={at: mask(name) for at, name in account.state.targets.items()},
            spent=budget.spent,
            started_at=started_at,
            duration_ms=_since(began),
            directory=str(self.folder.directory),
            inputs=account.inputs,
        )
        run = self.subject.conclude(run, blocked=account.blocked)
        if self.reload_extension is not None:
            run = self.reload_extension.concluded(run)
        self.folder.finish(run)
        journal.finished(run)
        return run

    def _address(self, url: str) -> str:
        """The address that a browser takes: one without a scheme names a file of the workflow's or task's folder."""
        scheme = urlsplit(url).scheme.lower()
        if scheme in _SCHEMES:
            return url
        root = Path(self.subject.root).resolve()
        path = (root / url.partition("#")[0].partition("?")[0]).resolve()
        if scheme or not path.is_relative_to(root) or not path.is_file():
            raise ActionFailed(f"{url!r} is no address, and no file of the workflow's or task's folder.")
        return path.as_uri() + url[len(url.partition("#")[0].partition("?")[0]) :]


def _stopped(error: VaiderError) -> RunOutcome:
    if isinstance(error, TakenOver):
        return RunOutcome.TAKEN_OVER
    return RunOutcome.CANCELLED if isinstance(error, Cancelled) else RunOutcome.FAILED


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
