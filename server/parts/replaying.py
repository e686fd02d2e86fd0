"""Builds what runs need: the deciders, the displays, the folders. Part of the composition root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.desktop.displays import LocalDesktops
from adapters.desktop.notices import show_notice
from adapters.desktop.warm_eyes import WarmEyes
from adapters.key_kinds import ANTHROPIC, GEMINI, OPENAI
from adapters.models.computer.prices import cost
from adapters.models.computer.tagged_providers import find_tagged_provider
from adapters.models.retry import RetryPolicy
from adapters.perception.eyes import ProcessDecider, ProcessEyes, ProcessTargets
from config.prompts import load_prompt
from core.runs.approvals import Approvals
from core.runs.budget import Limits
from core.runs.gate import GatePolicy
from core.runs.live import LiveRuns
from core.runs.replay import Replay
from core.runs.replay_parts import ReplayParts
from server.answers.tasks import tasks_of
from server.parts.reload import Reload
from storage.runs import RunFolders
from storage.tasks.runs import TaskRunFolders
from storage.workflows.workflows import WorkflowFolders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.keys import Keys
    from config.settings import Settings
    from core.runs.ports import Decider
    from core.runs.run import Run
    from core.tasks.ports import Tasks
    from core.workflows.workflow import Workflow
    from storage.database import Database

    Make = Callable[[str | None], Decider]


@dataclass(frozen=True)
class Replaying:
    """The use case, and what front ends need beside it."""

    replay: Replay
    approvals: Approvals
    live: LiveRuns
    workflows: WorkflowFolders
    runs: RunFolders
    tasks: Tasks
    desktops: LocalDesktops
    eyes: WarmEyes[ProcessEyes]
    reload: Reload

    def close(self) -> None:
        """Let go of what is kept ready for the next run."""
        self.reload.close()
        self.eyes.close()
        self.desktops.close()


def build_replaying(
    settings: Settings,
    keys: Keys,
    remember: Callable[[Run, Workflow], None],
    database: Database,
    is_alive: Callable[[str], bool],
) -> Replaying:
    """Build it; nothing is started or loaded before the first run.

    ``remember`` is told of each run that is over, ``is_alive`` tells whether the job of an id may still go on.
    """
    approvals = Approvals()
    live = LiveRuns()
    workflows = WorkflowFolders(settings.workflow_roots)
    tasks = tasks_of(settings)
    eyes = WarmEyes(ProcessEyes)
    runs = RunFolders(data_dir=settings.data_path, encode=eyes.png, shrink=eyes.thumbnail, redact=keys.redact)
    desktops = LocalDesktops(data_dir=settings.data_path, stop_key=settings.stop_key)
    reload = Reload(
        settings,
        lambda: database,
        workflows=workflows,
        tasks=tasks,
        runs=runs,
        reader=eyes,
        targets=ProcessTargets(eyes),
        is_alive=is_alive,
        offered=desktops.warm,
    )
    parts = ReplayParts(
        deciders=_deciders(settings, keys),
        workflows=workflows,
        runs=runs,
        tasks=tasks,
        task_runs=TaskRunFolders(encode=eyes.png, shrink=eyes.thumbnail, redact=keys.redact),
        desktops=desktops,
        eyes=eyes.borrow,
        approvals=approvals,
        live=live,
        limits=Limits(minutes=settings.replay_max_minutes, usd=settings.replay_max_usd),
        policy=GatePolicy(mode=settings.gate, allow_apps=settings.gate_allow_apps, block_apps=settings.gate_block_apps),
        cost=cost,
        notify=show_notice if settings.replay_notify else lambda _title, _text: None,
        remember=remember,
        companions=lambda: reload.companions if settings.reload else None,
    )
    return Replaying(Replay(parts), approvals, live, workflows, runs, tasks, desktops, eyes, reload)


def _deciders(settings: Settings, keys: Keys) -> Mapping[str, Make]:
    """One row a provider. Its module is imported with its first use: an SDK takes up to a second."""
    retry = RetryPolicy()
    prompt, task_prompt = load_prompt("computer_use").text, load_prompt("execution_agent").text

    def local(_model: str | None) -> Decider:
        return ProcessDecider()

    def anthropic(model: str | None) -> Decider:
        from adapters.models.computer.anthropic_decider import ADDRESS, AnthropicDecider  # noqa: PLC0415 - see above

        return AnthropicDecider(
            key=lambda: keys.get(ANTHROPIC),
            prompt=prompt,
            task_prompt=task_prompt,
            model=model or settings.anthropic_model,
            base_url=settings.anthropic_base_url or ADDRESS,
            retry=retry,
        )

    def openai(model: str | None) -> Decider:
        from adapters.models.computer.openai_decider import ADDRESS, OpenAiDecider  # noqa: PLC0415 - see above

        return OpenAiDecider(
            key=lambda: keys.get(OPENAI),
            prompt=prompt,
            task_prompt=task_prompt,
            model=model or settings.openai_model,
            base_url=settings.openai_base_url or ADDRESS,
            retry=retry,
        )

    def gemini(model: str | None) -> Decider:
        from adapters.models.computer.gemini_decider import GeminiComputerDecider  # noqa: PLC0415 - see above

        return GeminiComputerDecider(
            key=lambda: keys.get(GEMINI),
            prompt=prompt,
            task_prompt=task_prompt,
            model=model or settings.gemini_model,
            base_url=settings.gemini_base_url,
            retry=retry,
        )

    tagged = _tagged(settings, keys, retry)
    return {"local": local, "anthropic": anthropic, "openai": openai, "gemini": gemini, "tagged": tagged}


def _tagged(settings: Settings, keys: Keys, retry: RetryPolicy) -> Make:
    def make(model: str | None) -> Decider:
        from adapters.models.computer.tagged_decider import TaggedDecider  # noqa: PLC0415 - see _deciders

        provider = find_tagged_provider(settings.tagged_provider)
        tools = load_prompt("computer_use_tagged").text
        return TaggedDecider(
            name="tagged",
            model=model or settings.tagged_model,
            base_url=settings.tagged_base_url or provider.base_url,
            key=lambda: keys.get(provider.key),
            prompt=f"{load_prompt('computer_use').text}\n{tools}",
            task_prompt=f"{load_prompt('execution_agent').text}\n{tools}",
            title=provider.title,
            key_name=provider.key,
            example=provider.example,
            needs_key=provider.needs_key,
            extra=provider.extra,
            retry=retry,
        )

    return make
