"""``POST /analyse``: a video and what to look for in; what happened, and whether it was right, out."""

import asyncio
import difflib
import time
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, Self, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    ValidationError,
    model_validator,
)
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from config.settings import Settings
from core.analysis import Analysis, AnalysisRequest
from core.analysis_jobs import worked_for
from core.errors import Forbidden, InvalidPath, InvalidRequest, TimedOut
from core.jobs import LONGEST_SECONDS, Job, JobState
from core.text import did_you_mean
from core.tokens import Scope
from server.http.bodies import read_json
from server.http.errors import documented, invalid, shaped, status_of
from server.http.uploads import Upload
from server.routes.jobs import Started, started
from server.scopes import bearer_of
from server.security import is_near
from server.services import Services, ServicesOf
from server.submitting import Place, place_for


class Preferences(NamedTuple):
    """What the caller prefers."""

    respond_async: bool
    """To be answered with a handle rather than to wait."""
    wait: int | None
    """Whole seconds that it waits at most, before it is answered with a handle."""

    def applied(self, *, answered: bool) -> dict[str, str]:
        """``Preference-Applied`` for an answer, or for a handle; no header when nothing was preferred."""
        applied = ["respond-async"] if self.respond_async and not answered else []
        applied += [] if self.wait is None else [f"wait={self.wait}"]
        return {"Preference-Applied": ", ".join(applied)} if applied else {}


def preferences(headers: Iterable[str]) -> Preferences:
    """What all ``Prefer`` headers of a request say; of one that stands twice the first, unreadable ones are ignored."""
    found: dict[str, str] = {}
    for preference in ",".join(headers).split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    wait = found.get("wait", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) < 10 else None  # noqa: PLR2004 - 30 years
    return Preferences("respond-async" in found, seconds)


router = APIRouter(tags=["analysis"])


_ALIKE: Final = 0.8
"""Of 1: so near another key is to ``expectations`` that it is meant."""


def _as_list(given: object) -> object:
    return [given] if isinstance(given, str) else given


class Question(BaseModel):
    """What to look for in a video, in either of the two ways to send one."""

    model_config = ConfigDict(extra="allow")

    expectations: Annotated[list[StrictStr], BeforeValidator(_as_list)] = Field(
        default_factory=list,
        description='What should have happened, e.g. `"Order 1042 confirmed" is shown`; a string is one expectation.',
        json_schema_extra={"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]},
    )
    provider: StrictStr | None = Field(default=None, description="auto, local, gemini or vision; else the setting's.")
    use_cache: StrictBool = Field(
        default=True,
        validation_alias=AliasChoices("use_cache", "useCache"),
        description="Whether a kept answer to the same question about the same content will do.",
    )
    no_cache: StrictBool = Field(
        default=False, validation_alias=AliasChoices("no_cache", "noCache"), description="The opposite of `use_cache`."
    )
    label: Annotated[StrictStr, Field(max_length=64)] = Field(
        default="", description="Under which the job is listed, e.g. `pr-123`: `GET /jobs?label=`."
    )
    timeout_seconds: Annotated[float, Field(ge=1, strict=True)] | None = Field(
        default=None,
        validation_alias=AliasChoices("timeout_seconds", "timeoutSec", "timeoutSeconds"),
        description="How long the analysis may take of a call that waits for it, without its time in line: then it is "
        "stopped and the call answered 408. Else a call that has waited long enough is answered 202.",
    )

    @model_validator(mode="after")
    def _asks_what_is_meant(self) -> Self:
        """Refuse expectations under a misspelt key, for further keys are kept and ask nothing."""
        misspelt = difflib.get_close_matches("expectations", self.model_extra or (), n=1, cutoff=_ALIKE)
        if misspelt and not self.expectations:
            raise ValueError(f"{misspelt[0]!r} asks nothing; the key is 'expectations'")
        return self


class PathQuestion(Question):
    """The JSON body: a video on this machine, by its path."""

    model_config = ConfigDict(extra="forbid")

    video_path: StrictStr = Field(
        validation_alias=AliasChoices("video_path", "videoPath"),
        description="Absolute path of a video, a Playwright trace.zip, or the folder of one test.",
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="Anything else to keep in the interaction log; never interpreted."
    )


class UploadQuestion(Question):
    """The JSON body on a farm: a video that was put into its store, by the name that ``POST /uploads`` gave it."""

    model_config = ConfigDict(extra="forbid")

    upload: StrictStr
    metadata: dict[str, Any] = Field(default_factory=dict)


QuestionT = TypeVar("QuestionT", bound=Question)


class _ParsedRequest(NamedTuple):
    request: AnalysisRequest
    limit_seconds: float | None
    """How long the analysis may take, where the caller says so."""
    upload: Path | None
    label: str
    size: int
    """Bytes that were sent."""


_OLD: Final = "/v1/"
"""Its callers know no 202: their limit is the setting where they name none."""
_RETRY_SECONDS: Final = 2
_LONGEST_RETRY_SECONDS: Final = 60
_FORM: Final = {
    "type": "object",
    "required": ["video"],
    "additionalProperties": False,
    "properties": {
        "video": {
            "type": "string",
            "format": "binary",
            "description": "The file: mp4, webm, mov, mkv, avi, gif or a Playwright trace.zip.",
        },
        "trace": {
            "type": "string",
            "format": "binary",
            "description": "The Playwright trace.zip of the test that the video shows.",
        },
        "metadata": {
            "type": "string",
            "description": "JSON: `expectations`, `provider`, `use_cache`; further keys are kept in the log.",
            "example": '{"expectations": ["\\"Saved\\" is shown"]}',
        },
    },
}
_BODY: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": _FORM},
            "application/json": {"schema": PathQuestion.model_json_schema()},
        },
    },
    "parameters": [
        {
            "name": "Prefer",
            "in": "header",
            "required": False,
            "schema": {"type": "string"},
            "description": "`respond-async` answers 202 with a job at once, `wait=N` after N seconds (RFC 7240).",
        }
    ],
}


@router.post("/v1/analyse", include_in_schema=False, response_model=Analysis)
@router.post(
    "/analyse",
    summary="Say what happened in a video",
    description="Takes a video (a form's `video`, or JSON with its path) and answers with its timeline and verdicts. "
    "Waits for it for `analysis_timeout_seconds`, or as `Prefer` says; when it is not there by then, the call is "
    "answered 202 with the job, which goes on, how far it is and what it has found by then. What is no video that is "
    "taken is refused at once, and a job that answers the same question about the same bytes is joined.",
    response_model=Analysis,
    responses={
        202: {
            "model": Started,
            "description": "Started: it goes on in the background; `Location` is the job, `Retry-After` when to ask",
        },
        **documented(408, 409, 413, 415, 429, 503, 507),
    },
    openapi_extra=_BODY,
)
async def analyse(request: Request, services: ServicesOf) -> Response:
    """Answer the question, or hand out the job that will."""
    started = time.monotonic()
    async with place_for(request, services) as place:
        asked, job = await _submit(request, services, place)
    wishes = preferences(request.headers.getlist("prefer"))
    patience = _patience(services.settings, wishes, asked.limit_seconds)
    if patience != 0:
        job = await _wait(request, services, job, _Waiting(started, patience, asked.limit_seconds))
    if not job.state.is_final or (wishes.respond_async and wishes.wait is None):
        return _accepted(job, wishes)
    if job.state is JobState.DONE:
        answer = Analysis.model_validate(job.result).model_dump(mode="json")
        return JSONResponse(answer, headers=wishes.applied(answered=True))
    error = job.error or {"error": f"Job {job.id} was {job.state}.", "code": "cancelled"}
    return shaped(status_of(str(error["code"])), {**error, "job_id": job.id})


async def _submit(request: Request, services: Services, place: Place) -> tuple[_ParsedRequest, Job]:
    asked = await _read(request, services)
    if request.url.path.startswith(_OLD) and asked.limit_seconds is None:
        asked = asked._replace(limit_seconds=services.settings.analysis_timeout_seconds)
    with services.uploads.discarded_if_refused(asked.upload):
        await place.weigh(asked.size)
        job = await services.analyses.submit(asked.request, place.sender)
    if asked.upload is not None:
        services.settle_soon(job, asked.upload)
    await place.settle(job, asked.label, asked.size)
    return asked, job


def _patience(settings: Settings, wishes: Preferences, limit_seconds: float | None) -> float | None:
    """After how many seconds the call is answered in any case; ``None`` when the caller limits the analysis instead."""
    if wishes.wait is not None:
        return min(wishes.wait, LONGEST_SECONDS)
    if wishes.respond_async:
        return 0
    return settings.analysis_timeout_seconds if limit_seconds is None else None


async def _read(request: Request, services: Services) -> _ParsedRequest:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        body = await read_json(request)
        if "upload" in body:
            sent = _validated(UploadQuestion, body, "the body")
            claimed = await services.uploads.claim(sent.upload, bearer_of(request).name)
            # It stays when it is asked about wrongly: a large file is not sent twice for that.
            return _asked(services, sent, str(claimed.path), sent.metadata, claimed)._replace(upload=None)
        refuse_path(request)
        question = _validated(PathQuestion, body, "the body")
        if not Path(question.video_path).is_absolute():
            raise InvalidPath(
                "video_path must be absolute: the daemon does not know the folder that you call it from.",
                field="video_path",
            )
        return _asked(services, question, question.video_path, question.metadata, None)
    upload = await services.uploads.receive(request, takes_trace=True)
    with services.uploads.discarded_if_refused(upload.path):
        question = _validated(Question, upload.metadata, "metadata")
        return _asked(services, question, str(upload.path), question.model_extra or {}, upload)


def refuse_path(request: Request) -> None:
    """Paths are this machine's: callers from elsewhere may not have its files read."""
    if bearer_of(request).scope is not Scope.ADMIN or not is_near(request):
        raise Forbidden("video_path names a file of the server: send the video itself, as -F video=@FILE.")


def _asked(
    services: Services, question: Question, path: str, metadata: dict[str, Any], upload: Upload | None
) -> _ParsedRequest:
    settings = services.settings
    request = AnalysisRequest(
        video_path=path,
        expectations=tuple(question.expectations),
        provider=question.provider or settings.provider,
        use_cache=question.use_cache and not question.no_cache,
        uploaded=upload is not None,
        metadata=metadata,
    )
    kept = None if upload is None else upload.path
    return _ParsedRequest(request, question.timeout_seconds, kept, question.label, upload.size if upload else 0)


def _validated(kind: type[QuestionT], body: dict[str, Any], where: str) -> QuestionT:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "extra_forbidden":
            raise _unknown(str(first["loc"][0]), kind) from None
        raise invalid(error, where) from None


def _unknown(name: str, kind: type[Question]) -> InvalidRequest:
    hint = did_you_mean(name, kind.model_fields, "What is to be kept in the log goes into 'metadata'.")
    return InvalidRequest(f"There is no field {name!r}. {hint}", field=name)


def _accepted(job: Job, wishes: Preferences) -> Response:
    after = min(_LONGEST_RETRY_SECONDS, _RETRY_SECONDS * (1 + (job.place or 0)))
    return started(job, {"Retry-After": str(after), **wishes.applied(answered=False)})


class _Waiting(NamedTuple):
    started: float
    patience_seconds: float | None
    limit_seconds: float | None

    @property
    def left(self) -> float | None:
        """For how many seconds from now the call still waits."""
        spent = time.monotonic() - self.started
        return None if self.patience_seconds is None else max(0.0, self.patience_seconds - spent)


async def _wait(request: Request, services: Services, job: Job, waiting: _Waiting) -> Job:
    """The job when it is final, or as it is when the caller waits no longer.

    A caller who hangs up, or whose limit has passed, wants the job no more.
    """
    if job.state.is_final:
        return job
    ending = asyncio.ensure_future(services.jobs.wait(job.id, waiting.left))
    hanging_up = asyncio.ensure_future(_hang_up(request))
    stopping = asyncio.ensure_future(services.stopping.wait())
    tasks: set[asyncio.Future[Any]] = {ending, hanging_up, stopping}
    overtime = None
    if waiting.limit_seconds is not None:
        overtime = asyncio.ensure_future(worked_for(services.jobs, job.id, waiting.limit_seconds))
        tasks.add(overtime)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            return ending.result()
        if hanging_up.done():
            await services.jobs.leave(job.id)
            raise ClientDisconnect
        if overtime is not None and overtime.done():
            raise _timed_out(await services.jobs.leave(job.id), waiting)
        raise HTTPException(
            HTTPStatus.SERVICE_UNAVAILABLE, f"The daemon stops now; job {job.id} goes on when it is started again."
        )
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _timed_out(job: Job, waiting: _Waiting) -> TimedOut:
    became = "goes on for others who asked the same" if job.asked_by else "was stopped"
    return TimedOut(
        f"The analysis took longer than {waiting.limit_seconds:g} s and {became}. "
        "Ask with 'Prefer: respond-async', or give it more time.",
        job_id=job.id,
        duration_ms=round((time.monotonic() - waiting.started) * 1000),
    )


async def _hang_up(request: Request) -> None:
    # The body was read to its end, so the next message can only be the farewell.
    while (await request.receive())["type"] != "http.disconnect":
        pass
