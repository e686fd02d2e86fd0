"""Workflows and run folders of plain memory."""

import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import NotFound
from core.runs.run import Run
from core.screens import Picture
from core.secrets import Secrets
from core.workflows.workflow import Workflow


class MemoryWorkflows:
    """Implements ``core.runs.ports.Workflows``; a workflow's folder is ``/workflows/<name>``."""

    def __init__(self, **workflows: Workflow) -> None:
        self._workflows = workflows

    def find(self, name: str) -> str:
        plain = name.rsplit("/", 1)[-1]
        if plain not in self._workflows:
            near = difflib.get_close_matches(plain, self._workflows, n=1)
            raise NotFound(f"There is no workflow {plain!r}.{f' Did you mean {near[0]!r}?' if near else ''}")
        return f"/workflows/{plain}"

    def load(self, folder: str) -> Workflow:
        return self._workflows[folder.rsplit("/", 1)[-1]]

    def names(self) -> Sequence[str]:
        return list(self._workflows)


class MemoryRun:
    """Implements ``core.runs.ports.RunFolder``."""

    def __init__(self, directory: Path, secrets: Sequence[str]) -> None:
        self.directory = directory
        self.document: dict[str, Any] = {}
        self.pictures: list[str] = []
        self.rows: list[dict[str, Any]] = []
        self.task_memory = ""
        self.extracts: dict[str, str] = {}
        self.run: Run | None = None
        self._secrets = Secrets({str(n): value for n, value in enumerate(secrets)})

    def rendered(self, document: Mapping[str, Any]) -> None:
        self.document = dict(document)

    def screenshot(self, subtask: int, iteration: int, picture: Picture) -> str:
        del picture
        self.pictures.append(f"subtask_{subtask:02d}_iter_{iteration:03d}.png")
        return self.pictures[-1]

    def row(self, row: Mapping[str, Any]) -> None:
        self.rows.append(self._secrets.mask_json(dict(row)))

    def memory(self, task_memory: str, extracts: Mapping[str, str]) -> None:
        self.task_memory, self.extracts = task_memory, dict(extracts)

    def finish(self, run: Run) -> None:
        self.run = run

    @property
    def text(self) -> str:
        """All that was written, in one piece."""
        return json.dumps([self.document, self.rows, self.run.model_dump(mode="json") if self.run else None])


class MemoryRuns:
    """Implements ``core.runs.ports.Runs``."""

    def __init__(self) -> None:
        self.opened: list[MemoryRun] = []

    def open(self, folder: str, job_id: str, secrets: Sequence[str]) -> MemoryRun:
        self.opened.append(MemoryRun(Path(folder, ".replay", f"{len(self.opened)}-{job_id}"), secrets))
        return self.opened[-1]
