"""``/reload``: what may be done again, what was done, and what is kept of it; ``POST /replay`` does it again."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr
from pydantic.alias_generators import to_camel

from core.errors import InvalidRequest, TooLarge
from core.reload.entry import MAX_ACTIONS, MAX_REQUEST, TriggerType
from core.reload.offers import Option, Posted, Question, Refusal
from core.reload.views import EntryView, ImportAnswer, ListedEntry
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.security import LARGE_BODIES
from server.services import Services, ServicesOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.reload.reloads import ActionCache

AnswerT = TypeVar("AnswerT")

router = APIRouter(prefix="/reload", tags=["reload"], route_class=JsonRoute)

EntryId = Annotated[str, Path(min_length=1, max_length=100, description="As options and the list have it: reload-7.")]
_IMPORT: Final = "/reload/import"
_Text = Annotated[StrictStr, Field(max_length=1000)]


class _Body(JsonBody):
    model_config = ConfigDict(alias_generator=to_camel)


class OptionsQuestion(_Body):
    """What somebody is about to do; what is left out does not narrow the answer."""

    trigger_type: TriggerType | None = None
    trigger_target: _Text | None = None
    request: Annotated[StrictStr, Field(max_length=MAX_REQUEST)] = ""
    window_state: Any = Field(default=None, description="The caller's own account of its windows, any JSON.")
    explain: StrictBool = Field(default=False, description="Tell also what is not offered, and why; count nothing.")


class Options(BaseModel):
    """What may be done again now, the nearest first."""

    options: list[Option]
    refused: list[Refusal] = Field(description="What is alike and why it is not offered, if that was asked.")


class Sequence(_Body):
    """What somebody carried out."""

    trigger_type: TriggerType
    trigger_target: _Text = ""
    request: Annotated[StrictStr, Field(max_length=MAX_REQUEST)]
    window_state: Any = Field(default=None, description="The windows as they were before.")
    actions: list[dict[str, Any]] = Field(
        min_length=1, max_length=MAX_ACTIONS, description="Vaider's own, or all of a vocabulary of the caller's."
    )
    summary: Annotated[StrictStr, Field(max_length=2000)] = ""
    succeeded: StrictBool
    message_id: Annotated[StrictStr, Field(max_length=200)] = ""
    agent_id: Annotated[StrictStr, Field(max_length=200)] = ""


class Kept(BaseModel):
    """What came of it."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    cache_id: str | None = Field(description="null when nothing was kept.")
    reason: str


class Report(JsonBody):
    """What became of the last use, or of a job's."""

    succeeded: StrictBool
    reason: Annotated[StrictStr, Field(max_length=500)] = ""
    job_id: Annotated[StrictStr, Field(max_length=100)] = Field(default="", description="Else the last use.")


class Reported(BaseModel):
    """How the entry stands."""

    entry: ListedEntry


class EntryList(BaseModel):
    """Entries, those used last first."""

    entries: list[ListedEntry]
    count: int = Field(description="How many there are in all.")


class Forgotten(BaseModel):
    """What is no longer there."""

    forgotten: int


@router.post(
    "/options",
    summary="What may be done again now",
    description="At most ten, the nearest first. `same` is the recorded request with its slots filled as proposed; of "
    "an `offer` read what `differs`, and give the values of its slots. Labels are data.",
    responses=documented(413, 415, 507),
)
async def options(asked: OptionsQuestion, services: ServicesOf) -> Options:
    question = Question.model_validate(asked.model_dump(exclude={"explain"}))
    if asked.explain:
        found, others = await _of(services, lambda reloads: reloads.explained(question))
        return Options(options=list(found), refused=list(others))
    return Options(options=list(await _of(services, lambda reloads: reloads.options(question))), refused=[])


@router.post(
    "",
    summary="Post what was carried out",
    description="201 when it is kept, 200 when not; `reason` says why. What failed counts against what is the same.",
    responses={201: {"model": Kept, "description": "Kept"}, **documented(413, 415, 507)},
)
async def post(done: Sequence, response: Response, services: ServicesOf) -> Kept:
    posted = Posted.model_validate(done.model_dump())
    recorded = await _of(services, lambda reloads: reloads.post(posted))
    response.status_code = 201 if recorded.cache_id is not None else 200
    return Kept(cache_id=recorded.cache_id, reason=recorded.reason)


@router.get("", summary="List what is kept", description="Those used last first.", responses=documented(507))
async def list_entries(
    services: ServicesOf,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many.")] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="Pass over so many.")] = 0,
) -> EntryList:

    def look(reloads: "ActionCache") -> EntryList:
        return EntryList(entries=list(reloads.entries(limit, offset)), count=reloads.count())

    return await _of(services, look)


@router.delete("", summary="Forget all that is kept", responses=documented(507))
async def forget_all(services: ServicesOf) -> Forgotten:
    """Remove it."""
    return Forgotten(forgotten=await _of(services, lambda reloads: reloads.forget_all()))


@router.get(
    "/stats",
    summary="What reload is good for",
    description="`hit_rate`: the share of requests that led to a replay, however it ended. `success_rate`: the share "
    "of replays that succeeded, of those that succeeded or failed; one that stopped and was handed over failed.",
    responses=documented(507),
)
async def stats(services: ServicesOf) -> dict[str, Any]:
    return dict(await _of(services, lambda reloads: reloads.statistics()))


@router.get(
    "/export",
    summary="All that is kept as one file",
    description="JSON, as `POST /reload/import` takes it.",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "The file"}, **documented(507)},
)
async def export(services: ServicesOf) -> Response:
    data = await _of(services, lambda reloads: reloads.export())
    name = 'attachment; filename="reload-cache.json"'
    return Response(data, media_type="application/json", headers={"Content-Disposition": name})


@router.post(
    "/import",
    summary="Keep what a file holds",
    description="As `GET /reload/export` writes it, or of the formats it grew from. Values and actions are checked; "
    "what is imported has to be seen to succeed before it is replayed without asking.",
    responses=documented(413, 415, 507),
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}},
)
async def import_entries(request: Request, services: ServicesOf) -> ImportAnswer:
    data = await _read_file(request)
    return await _of(services, lambda reloads: reloads.import_(data))


@router.get(
    "/{entry_id}",
    summary="One entry whole",
    description="Its actions in words and as they are kept, its counts, and what it would be once it has healed.",
    responses=documented(404, 507),
)
async def get_entry(
    entry_id: EntryId,
    services: ServicesOf,
    images: Annotated[bool, Query(description="With the pictures of its targets, as data in base64.")] = False,
) -> EntryView:
    return await _of(services, lambda reloads: reloads.entry(entry_id, images=images))


@router.delete("/{entry_id}", summary="Forget an entry", responses=documented(404, 507))
async def forget(entry_id: EntryId, services: ServicesOf) -> Forgotten:
    """Remove it."""
    await _of(services, lambda reloads: reloads.forget(entry_id))
    return Forgotten(forgotten=1)


@router.post(
    "/{entry_id}/report",
    summary="Say what became of a replay",
    description="Of the job that emitted it, else of the last use. One use counts one success or one failure, "
    "however often it is reported; a failure quarantines.",
    responses=documented(404, 409, 413, 415, 507),
)
async def report(entry_id: EntryId, said: Report, services: ServicesOf) -> Reported:
    return Reported(entry=await _of(services, lambda reloads: reloads.report(entry_id, **said.model_dump())))


async def _of(services: Services, ask: "Callable[[ActionCache], AnswerT]") -> AnswerT:
    """Ask on a thread, where it is also built when it is the first time."""
    return await asyncio.to_thread(lambda: ask(services.reload.reloads))


async def _read_file(request: Request) -> bytes:
    limit, body = LARGE_BODIES[_IMPORT], bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise TooLarge(f"The file is over {limit} bytes; import it in parts.", limit=limit)
    if not body:
        raise InvalidRequest("The body is empty: send the file that GET /reload/export writes.")
    return bytes(body)
