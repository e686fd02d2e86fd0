"""What the MCP tools work with: scripted jobs, real tasks in a folder, a few workflows, answers that are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adapters.video.video_files import VideoFile, VideoStills
from core.agent_verdicts import AgentVerdicts
from core.analysis import AnalysisRequest
from core.comparison.values import CompareRequest
from core.errors import InvalidRequest, NotFound
from core.jobs import Job, Stage
from core.looking import Looking
from core.memory import RecallAnswer, RecallRequest
from core.runs.run import RunRequest
from core.tasks.heartbeat import Heartbeat
from core.tasks.ports import LearnRequest
from core.values import Value
from core.workflows.workflow import Workflow
from mcp_tools import surface
from mcp_tools.looking import LookParts
from mcp_tools.reload import ActionCacheParts
from mcp_tools.tasks import TaskParts
from server.composition.from_settings import VideoLimits
from server.media.frames import read_frame
from storage.agent_verdicts import keep_pictures
from storage.tasks.tasks import TaskFolders
from storage.workflows.workflows import WorkflowFolders
from tests.fakes.jobs.memory_jobs import MemoryJobs

_LIMITS: VideoLimits = {"max_bytes": 1 << 30, "max_seconds": 3600.0, "max_pixels": 1 << 24}


@dataclass
class NamedWorkflows:
    """Implements ``core.runs.ports.Workflows``, as far as names go."""

    known: tuple[str, ...] = ()

    def find(self, name: str) -> str:
        if name not in self.known:
            raise NotFound(f"There is no workflow {name!r}.")
        return f"/workflows/{name}"

    def load(self, folder: str) -> Workflow:
        raise NotFound(f"There is no workflow in {folder}.")

    def names(self) -> Sequence[str]:
        return self.known


@dataclass
class TaskTable:
    """Everything on one table: jobs that get on when a test says so, tasks, and what was answered to runs."""

    jobs: MemoryJobs
    folder: Path
    workflows: tuple[str, ...] = ()
    answers: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    refusal: Exception | None = None
    exposed: tuple[str, ...] = ()
    workflow_roots: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        self.tasks = TaskFolders(self.folder / "tasks")
        self.inspector = VideoFile(**_LIMITS)

    def task(self, title: str, *questions: str) -> str:
        """Make a task with required questions; its id."""
        document = Heartbeat.new(title)
        document = document.with_questions(list(questions), required=True) if questions else document
        return self.tasks.add(document, by="test", why="test").id

    def admit(self, request: RunRequest) -> RunRequest:
        if self.refusal is not None:
            raise self.refusal
        return request

    def admit_learning(self, request: LearnRequest) -> LearnRequest:
        if any("missing" in path for path in request.videos):
            raise InvalidRequest("There is no such recording.")
        return request

    async def approve(self, job_id: str, approval_id: str, agree: bool) -> None:
        """Go on as the run would: it tells what was answered."""
        self.answers.append((job_id, approval_id, agree))
        self.jobs.report(job_id, Stage.APPROVAL_GIVEN, approval_id=approval_id, answer="yes" if agree else "no")

    def surface(self, **options: Any) -> Any:
        parts = TaskParts(
            tasks=self.tasks,
            workflows=WorkflowFolders(self.workflow_roots) if self.workflow_roots else NamedWorkflows(self.workflows),
            admit=self.admit,
            usual=RunRequest(provider="local", display="private"),
            admit_learning=self.admit_learning,
            learns="gemini",
            exposed=self.exposed,
        )
        looking = Looking(self.inspector, VideoStills(**_LIMITS))
        reload = ActionCacheParts(find=lambda _: (), begin=_unknown)
        given: dict[str, Any] = {
            "analyse": self._analyse,
            "recall": _recall,
            "reload": reload,
            "look": LookParts(
                looking=looking,
                judge=AgentVerdicts(self.jobs, looking, keep_pictures).judge,
                read_frame=read_frame,
            ),
            "compare": self._compare,
            "version": "1.2.3",
            **options,
        }
        return surface.build(jobs=self.jobs, tasks=parts, approve=self.approve, **given)

    async def _compare(self, request: CompareRequest) -> Job:
        return await self.jobs.submit("comparison", request)

    async def _analyse(self, request: AnalysisRequest) -> Job:
        return await self.jobs.submit("analysis", request)


def _recall(_: RecallRequest) -> RecallAnswer:
    """Remember nothing."""
    return RecallAnswer(results=())


def _unknown(cache_id: str, _indices: Sequence[int], _values: Mapping[str, str]) -> tuple[str, Value]:
    """Keep nothing."""
    raise NotFound(f"There is no entry {cache_id}.")
