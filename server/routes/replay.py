"""``POST /replay``: a workflow, a task or what is cached in, a run's job out; trials; and answers that a run awaits."""

import asyncio
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Path
from pydantic import Field, StrictBool, StrictInt, StrictStr, model_validator

from core.jobs import Job
from core.reload.entry import MAX_ACTIONS
from core.runs.run import RunRequest
from core.values import Value
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.routes.jobs import Started, current
from server.services import Services, ServicesOf

router = APIRouter(route_class=JsonRoute)

DISPLAY = r"^(current|private|:\d+(\.\d+)?)$"


class ReplayQuestion(JsonBody):
    """What to replay, with what values, by whom and where."""

    workflow: StrictStr = Field(
        default="", max_length=4096, description="A workflow's name, or the absolute path of its folder."
    )
    task: StrictStr = Field(default="", max_length=4096, description="Or a task's id or title.")
    cache_id: StrictStr = Field(default="", max_length=100, description="Or what is cached, as `/reload` tells it.")
    skip_indices: list[Annotated[StrictInt, Field(ge=0)]] = Field(
        default_factory=list[int], max_length=MAX_ACTIONS, description="Its actions that are left out, from 0 on."
    )
    values: dict[str, StrictStr] = Field(
        default_factory=dict, description="Values of its slots; others are as they were recorded."
    )
    params: dict[str, StrictStr] = Field(default_factory=dict, description="Values; others have their examples.")
    provider: StrictStr | None = Field(default=None, description="Who decides; else the setting `replay_provider`.")
    model: StrictStr | None = Field(default=None, description="Another model than the provider's setting names.")
    display: Annotated[StrictStr, Field(pattern=DISPLAY)] | None = Field(
        default=None, description="current, private or :N; else the setting `display`."
    )
    size: Annotated[StrictStr, Field(pattern=r"^\d{3,5}x\d{3,5}$")] | None = Field(
        default=None, description="Of a private display, e.g. 1920x1080."
    )
    on_takeover: Literal["cancel", "pause"] | None = Field(
        default=None, description="What happens when the user takes the mouse; else `replay_on_takeover`."
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if sum(map(bool, (self.workflow, self.task, self.cache_id))) != 1:
            raise ValueError("name a 'workflow', a 'task' or a 'cache_id', just one of them")
        if (self.skip_indices or self.values) and not self.cache_id:
            raise ValueError("'skip_indices' and 'values' go with a 'cache_id'")
        return self


class Trial(JsonBody):
    """The values that the recording hides, and others where they are wanted."""

    params: dict[str, StrictStr] = Field(default_factory=dict, description="Values; others are as they were shown.")


class Approval(JsonBody):
    """A person's answer to what a run asks."""

    agree: StrictBool


@router.post(
    "/replay",
    tags=["replay"],
    status_code=202,
    summary="Carry out a workflow, a task or what is cached",
    description="Answers at once with the run's job; `/events` shows it live, `DELETE /jobs/{id}` stops it.",
    responses=documented(404, 409, 413, 415, 507),
)
async def replay(question: ReplayQuestion, services: ServicesOf) -> Started:
    settings = services.settings
    asked = RunRequest(
        workflow=question.workflow,
        task=question.task,
        params=question.params,
        provider=question.provider or settings.replay_provider,
        model=question.model,
        display=question.display or settings.display,
        size=question.size or settings.display_size,
        on_takeover=question.on_takeover or settings.replay_on_takeover,
    )
    kind, admitted = await asyncio.to_thread(_admitted, services, question, asked)
    job = await services.jobs.submit(kind, admitted)
    return Started.of(job)


@router.post(
    "/tasks/{task_id}/try",
    tags=["tasks"],
    status_code=202,
    summary="Try a task",
    description="Carries it out once on a private display, with the values that were shown. What stopped it, and what "
    "programs call the things that it found, are questions of the task afterwards.",
    responses=documented(404, 409, 413, 415, 507),
)
async def try_task(
    task_id: Annotated[str, Path(min_length=1, max_length=100, description="A task's id.")],
    wanted: Trial,
    services: ServicesOf,
) -> Started:
    settings = services.settings
    asked = RunRequest(
        task=task_id,
        params=wanted.params,
        provider=settings.replay_provider,
        display="private",
        size=settings.display_size,
        on_takeover=settings.replay_on_takeover,
        trial=True,
    )
    job = await services.jobs.submit("replay", await asyncio.to_thread(services.replay.admit, asked))
    return Started.of(job)


@router.post(
    "/jobs/{job_id}/approvals/{approval_id}",
    tags=["replay"],
    summary="Answer what a run asks",
    description="A run that may not do something without a person tells `approval_asked` on `/events` and waits.",
    responses=documented(404, 409, 413, 415),
)
async def answer(
    job_id: Annotated[str, Path(min_length=1, max_length=100)],
    approval_id: Annotated[str, Path(min_length=1, max_length=100)],
    given: Approval,
    services: ServicesOf,
) -> Job:
    services.approvals.answer(job_id, approval_id, agree=given.agree)
    return current(services, await services.jobs.get(job_id))


def _admitted(services: Services, question: ReplayQuestion, asked: RunRequest) -> tuple[str, Value]:
    """The kind and the request of the job."""
    admit, values = services.replay.admit, question.params | question.values
    if not question.cache_id:
        return "replay", admit(asked)
    return services.reload.reloads.begin(question.cache_id, question.skip_indices, values, asked, admit)
