"""The tools around tasks: learn one from a recording, answer its questions, carry it out."""

import asyncio
import difflib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import BaseModel, Field

from core.errors import InvalidRequest, NotFound
from core.jobs import Job
from core.ports import Jobs
from core.runs.ports import Workflows
from core.runs.run import RunRequest
from core.tasks.answers import answered
from core.tasks.ports import LearnRequest, StoredTask, Tasks, find_task
from mcp_tools.analysis import video_path
from mcp_tools.answers import size
from mcp_tools.consent import Consent, round_of
from mcp_tools.handles import DEFAULT_TOKENS, clipped, result
from mcp_tools.job_answers import DOCUMENT, to_tool_result
from mcp_tools.registering import add_tool
from mcp_tools.run_answers import ShortQuestion, question_line, short_questions
from mcp_tools.waiting import HEARTBEAT_SECONDS, LONGEST_SECONDS, ProgressNotifier, given_up, submit, wait_with_progress

_RUN: Final = """\
Carry out a task (or a workflow) on the user's desktop: it clicks and types until what was expected is seen on the \
screen. `task` is its id, its title, or a workflow's name. Run it only when the user wants it done now.

Answers SUCCESS only when the result was seen; `confirmed_by: screen` is the program's own word, `effect` \
was read elsewhere: pass a caution on. NEEDS_CLARIFICATION comes with questions: ask the user, \
answer by answer_question, run again. Never repeat a FAILED run without the user. After wait_seconds it \
answers with a job_id for job_status. The user can stop it by moving the mouse."""
_LEARN: Final = """\
Learn a task from recordings of somebody doing it (mp4, webm, mov, mkv; at most 5 minutes and 2 GB each). Writes a \
HEARTBEAT.md that the user can correct, and answers with its id and one round of questions: ask the \
user all at once, and give the answers to answer_question. With `into`, another recording is merged into a \
task that is there; answers and edits are kept."""
_ANSWER: Final = """\
Answer one question of a task with the user's own words; the question_id is in the answer of learn_task or run_task. \
A question may be answered again."""
_BY: Final = "mcp"
_MOST_NAMES: Final = 6
_PLANS: Final = ((2000, 60), (400, 40), (240, 12), (120, 5), (20, 0))

TaskName = Annotated[str, Field(min_length=1, max_length=4096)]
WaitSeconds = Annotated[float, Field(ge=0, le=45, description="Then a job_id is given instead.")]


class AnsweredQuestion(BaseModel):
    """What `answer_question` answers."""

    task: str = Field(description="The task's id.")
    question_id: str
    question: str
    open_questions: list[ShortQuestion] = Field(description="Those that still wait for an answer.")
    open_questions_left_out: int | None = None
    heartbeat: str = Field(description="The file with the task.")
    version: int = Field(description="The file's version with this answer; older ones are kept.")
    next_step: str


@dataclass(frozen=True)
class TaskParts:
    """What the tools work with.

    Args:
        tasks: where tasks are kept.
        workflows: where workflows are kept.
        admit: refuses at once a run that is plainly wrong, see ``core.runs.replay.Replay.admit``.
        usual: provider, display and the like of a run whose call does not say; the user's settings.
        admit_learning: the same for recordings, see ``core.tasks.learning.TaskLearning.admit``.
        learns: who learns when a call does not say; the user's setting.
        exposed: the tasks and workflows that are tools of their own; the user's setting.

    """

    tasks: Tasks
    workflows: Workflows
    admit: Callable[[RunRequest], RunRequest]
    usual: RunRequest
    admit_learning: Callable[[LearnRequest], LearnRequest]
    learns: str = "auto"
    exposed: tuple[str, ...] = ()


class TaskTools:
    """`run_task`, `learn_task` and `answer_question`.

    Args:
        jobs: where runs and learning happen.
        parts: what else there is.
        consent: waits, and lets the user answer what a run asks.
        heartbeat_seconds: the longest silence within a call.

    """

    def __init__(
        self,
        jobs: Jobs,
        parts: TaskParts,
        consent: Consent,
        *,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        self._jobs = jobs
        self._parts = parts
        self._consent = consent
        self._heartbeat = heartbeat_seconds

    def register(self, server: MCPServer) -> None:
        """Put the tools on a server."""
        add_tool(server, self.run_task, "Carry out a task", _RUN, acts=True, far=True)
        add_tool(server, self.learn_task, "Learn a task from a recording", _LEARN, far=True)
        add_tool(server, self.answer_question, "Answer a task's question", _ANSWER)

    async def run_task(
        self,
        *,
        ctx: Context,
        task: Annotated[
            TaskName,
            Field(description="A task's id or title, or a workflow's name; `task:…` or `workflow:…` where both exist."),
        ],
        params: Annotated[
            dict[str, str] | None, Field(description="Values by the parameters' names; others have their examples.")
        ] = None,
        display: Annotated[
            str | None,
            Field(
                pattern=r"^(current|private|:\d{1,5}(\.\d{1,3})?)$",
                description="current (the user's own screen), private or :N; else as the user has set it.",
            ),
        ] = None,
        provider: Annotated[
            str | None,
            Field(
                max_length=64,
                description="local (offline), anthropic, openai, gemini or tagged; else as the user has set it.",
            ),
        ] = None,
        trial: Annotated[bool, Field(description="Try it on a private display.")] = False,
        wait_seconds: WaitSeconds = 40,
    ) -> CallToolResult | InputRequiredResult:
        """Start the run, wait a while, put what it asks to the user, and answer with how it ended or its handle."""
        deadline = time.monotonic() + min(wait_seconds, LONGEST_SECONDS)
        again = round_of(ctx)
        if again is None:
            job = await self._begin(
                task, {"params": params or {}, "display": display, "provider": provider}, trial=trial
            )
        else:
            job = await self._jobs.get(again.job_id)
        async with given_up(self._jobs, job.id):
            waited = await self._consent.wait(job, deadline - time.monotonic(), ctx, again=again)
        return waited.ask or to_tool_result(waited.job, DEFAULT_TOKENS, waited.question)

    async def learn_task(
        self,
        *,
        ctx: Context,
        path: Annotated[str | None, Field(max_length=4096, description="The recording.")] = None,
        paths: Annotated[
            list[Annotated[str, Field(max_length=4096)]] | None,
            Field(max_length=10, description="Or several recordings of the same task, the first one first."),
        ] = None,
        memory: Annotated[
            str | None, Field(max_length=200, description="Or a memory's id, as memory_recall tells it.")
        ] = None,
        into: Annotated[str | None, Field(max_length=4096, description="A task to merge it into.")] = None,
        provider: Annotated[
            str | None,
            Field(
                max_length=64,
                description="local (offline), gemini or auto; else as the user has set it.",
            ),
        ] = None,
        wait_seconds: WaitSeconds = 40,
    ) -> CallToolResult:
        """Start learning, wait a while, and answer with the task and its questions or the job's handle."""
        deadline = time.monotonic() + min(wait_seconds, LONGEST_SECONDS)
        job = await self._begin_learning([*([path] if path else []), *(paths or [])], memory, into, provider)
        async with given_up(self._jobs, job.id):
            job = await wait_with_progress(
                self._jobs,
                job,
                deadline - time.monotonic(),
                ProgressNotifier(ctx.report_progress),
                heartbeat_seconds=self._heartbeat,
            )
        return to_tool_result(job, DEFAULT_TOKENS)

    async def answer_question(
        self,
        *,
        task: Annotated[TaskName, Field(description="The task's id or title.")],
        question_id: Annotated[str, Field(min_length=1, max_length=200)],
        answer: Annotated[str, Field(min_length=1, max_length=20_000)],
    ) -> CallToolResult:
        """Write the answer into the task."""

        def write() -> StoredTask:
            found = find_task(self._parts.tasks, _without(task, "task:"))
            return self._parts.tasks.change(
                found.id,
                lambda document: answered(document, question_id, answer),
                by=_BY,
                why=f"answered {question_id}",
            )

        return _answered(await asyncio.to_thread(write), question_id)

    async def _begin(self, task: str, asked: Mapping[str, Any], *, trial: bool) -> Job:
        def admitted() -> RunRequest:
            said = {name: value for name, value in asked.items() if value}
            return self._parts.admit(self._parts.usual.model_copy(update={**said, "trial": trial, **self.named(task)}))

        return await submit(self._jobs, "replay", await asyncio.to_thread(admitted))

    async def _begin_learning(
        self, paths: list[str], memory: str | None, into: str | None, provider: str | None
    ) -> Job:
        if not paths and not memory:
            raise InvalidRequest("Give the recording's absolute path as `path`, several as `paths`, or a `memory`.")
        videos = tuple(video_path(each) for each in paths)

        task = _without(into, "task:") if into else None
        request = LearnRequest(videos=videos, memory=memory or None, into=task, provider=provider or self._parts.learns)
        admitted = await asyncio.to_thread(self._parts.admit_learning, request)
        return await submit(self._jobs, "learning", admitted)

    def named(self, name: str) -> dict[str, str]:
        """The field of a request that names it. Raises ``NotFound``, ``InvalidRequest``, ``Conflict``."""
        for kind in ("task", "workflow"):
            if name.startswith(f"{kind}:"):
                return {kind: _without(name, f"{kind}:")}
        if PurePath(name).is_absolute():
            return {"workflow": name}
        tasks = {each.id: each.title for each in self._parts.tasks.list()}
        words = " ".join(name.split()).casefold()
        is_task = name in tasks or words in {title.casefold() for title in tasks.values()}
        workflows = self._parts.workflows.names()
        if is_task and name in workflows:
            raise InvalidRequest(f"There is a task and a workflow {name!r}: say 'task:{name}' or 'workflow:{name}'.")
        if is_task:
            return {"task": name}
        if name in workflows:
            return {"workflow": name}
        known = [*tasks, *tasks.values(), *workflows]
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else _listed([*tasks, *workflows])
        raise NotFound(f"There is no task or workflow {name[:80]!r}. {hint}")


def _listed(names: list[str]) -> str:
    if not names:
        return "There is none yet: learn one from a recording with learn_task."
    more = ", …" if len(names) > _MOST_NAMES else ""
    return f"There are: {', '.join(names[:_MOST_NAMES])}{more}."


def _without(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).strip()


def _answered(task: StoredTask, question_id: str) -> CallToolResult:
    waiting = task.heartbeat.open_questions
    attempt = CallToolResult(content=[])
    for words, most in _PLANS:
        questions = short_questions(waiting, words, most)
        answered = AnsweredQuestion(
            task=task.id,
            question_id=question_id,
            question=clipped(task.heartbeat.question(question_id).text, words),
            open_questions=questions,
            open_questions_left_out=len(waiting) - len(questions) or None,
            heartbeat=str(task.folder / DOCUMENT),
            version=task.version.number,
            next_step="ask the user the rest, at once" if waiting else "call run_task, when the user wants it done",
        )
        lines = [f"Answered in {answered.heartbeat}: {answered.question}"]
        lines += ["Still open:", *(question_line(each) for each in questions)] if waiting else ["No question is open."]
        attempt = result("\n".join(lines), answered)
        if size(attempt) <= DEFAULT_TOKENS:
            break
    return attempt
