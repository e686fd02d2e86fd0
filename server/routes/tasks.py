"""``/tasks``: tasks to read, correct, answer, compare and restore; see ``server.routes.learning`` for new ones."""

import asyncio
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr, model_validator

from core.headlines import Headline
from core.runs.run import RunOutcome, RunStatus
from core.schedules.book import ScheduleAnswer, ScheduleWish
from core.schedules.schedule import Missed
from core.tasks.answers import answered
from core.tasks.heartbeat import Heartbeat
from core.tasks.moments import AskedQuestion, PlanStep, plan_steps, with_moments
from core.tasks.ports import StoredTask, Version
from core.tasks.questions import Question
from core.tasks.workflow import compiled
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.presenters import (
    ActiveJob,
    Activity,
    Added,
    AskedParameter,
    ListedRun,
    last_runs,
    listed_task,
    task_answer,
    upcoming,
)
from server.services import Services, ServicesOf
from storage.tasks.recordings import recordings_of
from storage.tasks.runs import runs_of
from storage.workflows.packages import add_workflow

router = APIRouter(prefix="/tasks", tags=["tasks"], route_class=JsonRoute)

BY = "http"
TaskId = Annotated[str, Path(min_length=1, max_length=100, description="A task's id.")]
QuestionId = Annotated[str, Path(min_length=1, max_length=200, description="As the task's `questions` have it.")]
Number = Annotated[int, Path(ge=1, le=1_000_000_000, description="A version's number.")]


class LastRun(BaseModel):
    """How a task's newest finished run ended."""

    run_id: str
    outcome: RunOutcome
    confirmed_by: str = Field(description="Of a success: `effect`, or `screen` alone; empty without one.")
    status: RunStatus | None
    reason: str
    headline: Headline
    started_at: str
    duration_ms: int


class ListedTask(BaseModel):
    """A line of the list."""

    id: str
    title: str
    open_questions: int
    asks: str = Field(description="The first of them; what it says in parentheses is left out.")
    questions: int
    modified: str
    fault: str = Field(description="Why it cannot be used; empty if it can.")
    schedule: str
    next: str | None = Field(description="When it is next carried out by itself, ISO 8601.")
    schedule_fault: str
    last_run: LastRun | None
    jobs: list[ActiveJob] = Field(description="What carries it out or learns into it now, or waits to.")


class TaskList(BaseModel):
    """All tasks."""

    tasks: list[ListedTask]


class TaskAnswer(BaseModel):
    """A task whole."""

    id: str
    title: str
    folder: str
    fault: str = Field(description="Why it cannot be used; empty if it can.")
    version: Version
    text: str = Field(description="HEARTBEAT.md as it stands, line ends included.")
    plan: list[PlanStep] = Field(description="Its plan, with the moments of the film that its evidence tells.")
    film: str = Field(description="The recording that its plan was learned from; empty without one.")
    questions: list[AskedQuestion]
    parameters: list[AskedParameter] = Field(description="What `params` of `POST /replay` may give.")
    jobs: list[ActiveJob] = Field(description="What carries it out or learns into it now, or waits to.")


class Text(JsonBody):
    """Another text for a task."""

    text: StrictStr = Field(min_length=1, description="The whole HEARTBEAT.md.")
    version: StrictInt = Field(
        ge=1, description="The number of the version that was read; another one is not overwritten."
    )


class Answer(JsonBody):
    """An answer to a question, or another state of it."""

    answer: StrictStr | None = Field(default=None, description="What the answer is.")
    state: Literal["open", "stale"] | None = Field(
        default=None, description="`open` asks it again and keeps its answer beside it; `stale` asks it no more."
    )

    @model_validator(mode="after")
    def _says_one(self) -> Self:
        if (self.answer is None) is (self.state is None):
            raise ValueError("give either an 'answer' or a 'state'")
        return self


class Restored(JsonBody):
    """Which version a task is to be again."""

    version: StrictInt = Field(ge=1)


class Making(JsonBody):
    """How a workflow that is made of a task is kept."""

    name: Annotated[StrictStr, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Another name than the task's id."
    )
    force: StrictBool = Field(
        default=False, description="Replace a workflow of that name; the old one is kept as a backup."
    )


class Answered(BaseModel):
    """What became of a question."""

    task: str
    version: int
    question: Question
    open_questions: int = Field(description="How many of the task's questions are open now.")


class TaskRuns(BaseModel):
    """What became of a task each time."""

    task: str
    runs: list[ListedRun]


class Versions(BaseModel):
    """All states that a task's file had, the oldest first."""

    task: str
    versions: list[Version]


class Content(BaseModel):
    """What a version said, and what it changed."""

    task: str
    number: int
    text: str
    diff: str = Field(description="Against the version before it, unified.")


@router.get("", summary="List tasks", description="Those with a fault too.", responses=documented(507))
async def list_tasks(services: ServicesOf) -> TaskList:

    def listed() -> list[dict[str, Any]]:
        found = services.tasks.list()
        scheduled, last = upcoming(services.settings, found), last_runs(services.settings, found)
        return [
            {**listed_task(each, scheduled.get(each.id), last.get(each.id)), "jobs": activity.of_task(each.id)}
            for each in found
        ]

    activity = await Activity.now(services.jobs)
    return TaskList.model_validate({"tasks": await asyncio.to_thread(listed)})


@router.get("/{task_id}", summary="A task and its questions", responses=documented(404, 409, 413, 507))
async def get_task(task_id: TaskId, services: ServicesOf) -> TaskAnswer:
    """Look it up."""
    return await to_task_response(services, await asyncio.to_thread(services.tasks.load, task_id))


@router.put(
    "/{task_id}",
    summary="Edit a task",
    description="Writes the file in the place of the version that was read; 409 if it is another one by now.",
    responses=documented(404, 409, 413, 415, 507),
)
async def put_task(task_id: TaskId, wanted: Text, services: ServicesOf) -> TaskAnswer:

    def save() -> StoredTask:
        read = version_read(services, task_id, wanted.version)
        return services.tasks.save(task_id, Heartbeat(wanted.text), read=read, by=BY, why="edited")

    return await to_task_response(services, await asyncio.to_thread(save))


@router.delete(
    "/{task_id}",
    status_code=204,
    response_class=Response,
    summary="Delete a task",
    description="With its versions, recordings and runs, for good.",
    responses=documented(404, 409, 507),
)
async def delete_task(task_id: TaskId, services: ServicesOf) -> Response:
    await asyncio.to_thread(services.tasks.remove, task_id)
    return Response(status_code=204)


@router.put(
    "/{task_id}/questions/{question_id}",
    summary="Answer a question of a task",
    description="Or answer it anew, ask it again (`open`), or ask it no more (`stale`).",
    responses=documented(404, 409, 413, 415, 507),
)
async def put_question(task_id: TaskId, question_id: QuestionId, given: Answer, services: ServicesOf) -> Answered:

    def edit(now: Heartbeat) -> Heartbeat:
        if given.answer is not None:
            return answered(now, question_id, given.answer)
        return now.reopened(question_id) if given.state == "open" else now.stale(question_id)

    why = f"answered {question_id}" if given.answer is not None else f"{question_id} is {given.state}"
    done = await asyncio.to_thread(lambda: services.tasks.change(task_id, edit, by=BY, why=why))
    return Answered(
        task=done.id,
        version=done.version.number,
        question=done.heartbeat.question(question_id),
        open_questions=len(done.heartbeat.open_questions),
    )


@router.get(
    "/{task_id}/runs",
    summary="The runs of a task",
    description="Those that have come to their end, the newest first, at most 50.",
    responses=documented(404, 409, 413, 507),
)
async def list_runs(task_id: TaskId, services: ServicesOf) -> TaskRuns:
    found = await asyncio.to_thread(lambda: runs_of(services.tasks.load(task_id).folder))
    return TaskRuns(task=task_id, runs=[ListedRun.of(each) for each in found])


@router.get("/{task_id}/versions", summary="The versions of a task", responses=documented(404, 409, 507))
async def list_versions(task_id: TaskId, services: ServicesOf) -> Versions:
    """List them."""
    return Versions(task=task_id, versions=list(await asyncio.to_thread(services.tasks.history, task_id)))


@router.get(
    "/{task_id}/versions/{number}",
    summary="What a version of a task said",
    responses=documented(404, 409, 507),
)
async def get_version(
    task_id: TaskId,
    number: Number,
    services: ServicesOf,
    against: Annotated[int | None, Query(ge=1, description="Another version to compare with.")] = None,
) -> Content:
    """Look it up."""

    def read() -> Content:
        text = services.tasks.content(task_id, number).decode("utf-8", "replace")
        other = against or max(number - 1, 1)
        return Content(task=task_id, number=number, text=text, diff=services.tasks.diff(task_id, other, number))

    return await asyncio.to_thread(read)


@router.post(
    "/{task_id}/restore",
    summary="Make a task what it was in a version",
    description="As a new version: also this can be taken back.",
    responses=documented(404, 409, 413, 415, 507),
)
async def restore_version(task_id: TaskId, wanted: Restored, services: ServicesOf) -> TaskAnswer:
    done = await asyncio.to_thread(lambda: services.tasks.restore(task_id, wanted.version, by=BY))
    return await to_task_response(services, done)


@router.post(
    "/{task_id}/workflow",
    status_code=201,
    summary="Make a workflow of a task",
    description="With a parameter for each value of its plan; every line of that must be understood.",
    responses=documented(404, 409, 413, 415, 507),
)
async def make_workflow(task_id: TaskId, wanted: Making, services: ServicesOf) -> Added:

    def make() -> Added:
        task = services.tasks.load(task_id)
        root = services.settings.workflow_roots[0]
        return Added.of(add_workflow(compiled(task.heartbeat), root, wanted.name or task.id, force=wanted.force))

    return await asyncio.to_thread(make)


async def to_task_response(services: Services, task: StoredTask) -> TaskAnswer:
    """A task as it is answered, with what it does just now."""
    jobs = (await Activity.now(services.jobs)).of_task(task.id)
    return await asyncio.to_thread(lambda: TaskAnswer.model_validate({**_shown(task), "jobs": jobs}))


def _shown(task: StoredTask) -> dict[str, Any]:
    """The task beside its film."""
    plan = plan_steps(task.heartbeat)
    film = next(iter(recordings_of(task.folder)), "")
    return {**task_answer(task), "plan": plan, "film": film, "questions": with_moments(task.heartbeat.questions, plan)}


def version_read(services: Services, task_id: str, number: int) -> Version:
    """The version that somebody has read; one that no file can be if it is not known."""
    read = next((each for each in services.tasks.history(task_id) if each.number == number), None)
    return read or services.tasks.load(task_id).version.model_copy(update={"hash": ""})


class Wanted(JsonBody):
    """When, in plain English or as cron expressions, and what else is to hold."""

    schedule: StrictStr = Field(
        min_length=1, max_length=2000, description="Such as `every weekday at 9:00`, or `0 9 * * 1-5`."
    )
    zone: Annotated[StrictStr, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="An IANA name; else this machine's zone."
    )
    missed: Missed | None = Field(default=None, description="What becomes of missed times; else `once`.")
    display: Annotated[StrictStr, Field(pattern=r"^(current|private|:\d+(\.\d+)?)$", max_length=20)] | None = Field(
        default=None, description="current, private or :N; else private where that is possible."
    )
    dry_run: StrictBool = Field(default=False, description="Only repeat back what was understood.")


@router.get(
    "/{task_id}/schedule",
    summary="A task's schedule, its next five times and what was decided of late",
    description="What stands in the file and is not understood is told as `fault`; then nothing fires.",
    responses=documented(404, 409, 413, 507),
)
async def get_schedule(task_id: TaskId, services: ServicesOf) -> ScheduleAnswer:
    return await asyncio.to_thread(services.schedules.book.show, task_id)


@router.put(
    "/{task_id}/schedule",
    summary="Schedule a task",
    description="Repeats back what was understood, and writes it into the task's HEARTBEAT.md.",
    responses=documented(404, 409, 413, 415, 507),
)
async def put_schedule(task_id: TaskId, wanted: Wanted, services: ServicesOf) -> ScheduleAnswer:
    wish = ScheduleWish(words=wanted.schedule, zone=wanted.zone, missed=wanted.missed, display=wanted.display)
    done = await asyncio.to_thread(services.schedules.book.put, task_id, wish, by=BY, dry_run=wanted.dry_run)
    services.schedules.wake()
    return done


@router.delete(
    "/{task_id}/schedule",
    summary="Take a task's schedule away",
    description="Also one that is not understood. What was decided stays in the log.",
    responses=documented(404, 409, 413, 507),
)
async def delete_schedule(task_id: TaskId, services: ServicesOf) -> ScheduleAnswer:
    done = await asyncio.to_thread(services.schedules.book.remove, task_id, by=BY)
    services.schedules.wake()
    return done
