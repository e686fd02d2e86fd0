"""Builds what runs need: the deciders, the displays, the folders. Part of the composition root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.desktop.displays import LocalDesktops
from adapters.desktop.notices import show_notice
from adapters.desktop.warm_eyes import WarmEyes
from adapters.effects.readers import EffectReaders
from adapters.keys import ANTHROPIC, GEMINI, OPENAI, Keys
from adapters.models.computer.providers import cost, find_openai_compatible_provider
from adapters.perception.client import ProcessDecider, ProcessEyes, ProcessTargets
from config.prompts import load_prompt
from core.runs.budget import Limits
from core.runs.execution import ReplayParts
from core.runs.gate import GatePolicy
from core.runs.live import Approvals, LiveRuns
from core.runs.replay import Replay
from server.composition.reload import ActionCacheServices
from server.presenters import tasks_of
from storage.runs import RunFolders
from storage.tasks.runs import TaskRunFolders
from storage.workflows.workflows import WorkflowFolders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.models.computer.model_decider import Asking
    from config.settings import Settings
    from core.runs.ports import Decider
    from core.runs.run import Run
    from core.tasks.ports import Tasks
    from core.workflows.workflow import Workflow
    from storage.database import Database

    Make = Callable[[str | None], Decider]


@dataclass(frozen=True)
class Replaying:
    """The use case and its helpers for front ends."""

    replay: Replay
    approvals: Approvals
    live: LiveRuns
    workflows: WorkflowFolders
    runs: RunFolders
    tasks: Tasks
    desktops: LocalDesktops
    eyes: WarmEyes[ProcessEyes]
    reload: ActionCacheServices

    def close(self) -> None:
        """Release the processes that are kept warm for the next run."""
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

    ``remember`` is called after each run; ``is_alive`` returns whether the job of an id may still go on.
    """
    approvals = Approvals()
    live = LiveRuns()
    workflows = WorkflowFolders(settings.workflow_roots)
    tasks = tasks_of(settings)
    eyes = WarmEyes(ProcessEyes)
    runs = RunFolders(data_dir=settings.data_path, encode=eyes.png, shrink=eyes.thumbnail, redact=keys.redact)
    desktops = LocalDesktops(data_dir=settings.data_path, stop_key=settings.stop_key)
    reload = ActionCacheServices(
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
        effects=EffectReaders(),
        live=live,
        limits=Limits(minutes=settings.replay_max_minutes, usd=settings.replay_max_usd),
        policy=GatePolicy(mode=settings.gate, allow_apps=settings.gate_allow_apps, block_apps=settings.gate_block_apps),
        cost=cost,
        notify=show_notice if settings.replay_notify else lambda _title, _text: None,
        remember=remember,
        reload_extensions=lambda: reload.reload_extensions if settings.reload else None,
    )
    return Replaying(Replay(parts), approvals, live, workflows, runs, tasks, desktops, eyes, reload)


def _deciders(settings: Settings, keys: Keys) -> Mapping[str, Make]:
    """One row a provider. What asks models is imported with its first use."""

    def asking(key: str, tools: str = "") -> Asking:
        """``tools``: the description of the tools for a model whose API has none."""
        return {
            "key": lambda: keys.get(key),
            "prompt": load_prompt("computer_use").text + tools,
            "task_prompt": load_prompt("execution_agent").text + tools,
            "elements": settings.replay_elements,
        }

    def local(_model: str | None) -> Decider:
        return ProcessDecider()

    def anthropic(model: str | None) -> Decider:
        from adapters.models.computer.deciders import ANTHROPIC_ADDRESS, anthropic_decider  # noqa: PLC0415 - see above

        address = settings.anthropic_base_url or ANTHROPIC_ADDRESS
        return anthropic_decider(model=model or settings.anthropic_model, base_url=address, **asking(ANTHROPIC))

    def openai(model: str | None) -> Decider:
        from adapters.models.computer.deciders import OPENAI_ADDRESS, openai_decider  # noqa: PLC0415 - see above

        address = settings.openai_base_url or OPENAI_ADDRESS
        return openai_decider(model=model or settings.openai_model, base_url=address, **asking(OPENAI))

    def gemini(model: str | None) -> Decider:
        from adapters.models.computer.deciders import gemini_decider  # noqa: PLC0415 - see above

        return gemini_decider(model=model or settings.gemini_model, base_url=settings.gemini_base_url, **asking(GEMINI))

    def openai_compatible(model: str | None) -> Decider:
        from adapters.models.computer.deciders import openai_compatible_decider  # noqa: PLC0415 - see above

        server = find_openai_compatible_provider(settings.tagged_provider)
        return openai_compatible_decider(
            server,
            model=model or settings.tagged_model,
            base_url=settings.tagged_base_url,
            **asking(server.key, "\n" + load_prompt("computer_use_tagged").text),
        )

    return {"local": local, "anthropic": anthropic, "openai": openai, "gemini": gemini, "tagged": openai_compatible}
