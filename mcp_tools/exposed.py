"""Workflows and tasks that the user wants as tools of their own, with their names and parameters."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mcp.types import Tool, ToolAnnotations

from core.errors import VaiderError
from core.tasks.parameters import parametrised
from core.tasks.ports import find_task
from core.tasks.workflow import as_workflow
from mcp_tools.handles import clipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.workflows.workflow import Parameter, Workflow
    from mcp_tools.tasks import TaskParts

_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME: Final = 60
_MOST_WORDS: Final = 300
_TAKEN, _OTHER = "run_task", "run_the_task"
_HOW: Final = "Carries it out on the user's desktop, as run_task does; only when the user wants it done now."


class _Exposed(NamedTuple):
    """One of them."""

    tool: Tool
    runs: str
    """As ``run_task`` takes it."""
    parameters: Mapping[str, str]
    """The parameter's own name by the argument's."""


class ExposedTools:
    """The tools that the setting ``expose_as_tools`` names; read anew each time, for their files change.

    Args:
        parts: where tasks and workflows are, and which of them are wanted.
        named: tells a task from a workflow, as a field of a request.

    """

    def __init__(self, parts: TaskParts, named: Callable[[str], Mapping[str, str]]) -> None:
        self._parts = parts
        self._named = named
        self._listed: list[Tool] | None = None

    @property
    def wanted(self) -> bool:
        """Whether there are to be any."""
        return bool(self._parts.exposed)

    async def tools(self) -> Sequence[Tool]:
        """Those that can be read now; a client has seen them then."""
        self._listed = [each.tool for each in (await self._found()).values()]
        return self._listed

    async def has_changed(self) -> bool:
        """Whether clients that listed them would see others by now."""
        return self._listed is not None and self._listed != [each.tool for each in (await self._found()).values()]

    async def run_of(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, str]] | None:
        """What ``run_task`` takes in the place of this call; ``None`` where the name is none of them."""
        found = (await self._found()).get(name)
        if found is None:
            return None
        return found.runs, {found.parameters[each]: str(value) for each, value in arguments.items()}

    async def _found(self) -> Mapping[str, _Exposed]:
        return await asyncio.to_thread(self._read) if self.wanted else {}

    def _read(self) -> Mapping[str, _Exposed]:
        found: dict[str, _Exposed] = {}
        for name in self._parts.exposed:
            try:
                kind, known = next(iter(self._named(name).items()))
                each = _exposed(f"{kind}:{known}", known, self._workflow(kind, known))
            except VaiderError:
                continue  # It is not there, or cannot be read: `run_task` would say why.
            found.setdefault(each.tool.name, each)
        return found

    def _workflow(self, kind: str, name: str) -> Workflow:
        if kind == "task":
            return as_workflow(parametrised(find_task(self._parts.tasks, name).heartbeat))
        return self._parts.workflows.load(self._parts.workflows.find(name))


def _exposed(runs: str, name: str, workflow: Workflow) -> _Exposed:
    arguments = {_fitting(each.name, at): each for at, each in enumerate(workflow.task_params)}
    words = " ".join(f"{workflow.task_name}. {workflow.task_description_user}".split())
    tool = Tool(
        name=_OTHER if (own := f"run_{_fitting(name, 0)}") == _TAKEN else own,
        title=clipped(workflow.task_name, 80),
        description=f"{clipped(words, _MOST_WORDS)} {_HOW}",
        input_schema={
            "type": "object",
            "properties": {argument: _described(each) for argument, each in arguments.items()},
            "required": [argument for argument, each in arguments.items() if _is_needed(each)],
        },
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
    )
    return _Exposed(tool, runs, {argument: each.name for argument, each in arguments.items()})


def _described(parameter: Parameter) -> dict[str, Any]:
    words = parameter.description or parameter.name
    example = f" Left out: {parameter.example}" if parameter.example and not parameter.sensitive else ""
    return {"type": "string", "description": clipped(f"{words}.{example}", _MOST_WORDS)}


def _is_needed(parameter: Parameter) -> bool:
    return not parameter.optional and not parameter.example


def _fitting(name: str, place: int) -> str:
    """A name as every client takes it."""
    return _UNFIT.sub("_", name.lower()).strip("_")[:_LONGEST_NAME] or f"value_{place + 1}"
