"""``POST /analyse``: a video and what to look for in; what happened, and whether it was right, out."""

import asyncio
import contextlib
import difflib
import time
from collections.abc import Generator
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StrictBool, StrictStr, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from core.analysis import Analysis, AnalysisRequest
from core.errors import InvalidPath, InvalidRequest, TimedOut
from core.jobs import Job, JobState
from server.http.bodies import read_json
from server.http.errors import documented, invalid, shaped, status_of
from server.services import Services, ServicesOf

router = APIRouter(tags=["analysis"])


class Question(BaseModel):
    """What to look for in a video, in either of the two ways to send one."""

    model_config = ConfigDict(extra="allow")

    expectations: list[StrictStr] = Field(
        default_factory=list, description='What should have happened, e.g. `"Order 1042 confirmed" is shown`.'
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
    timeout_seconds: Annotated[float, Field(ge=1, strict=True)] | None = Field(
        default=None,
        validation_alias=AliasChoices("timeout_seconds", "timeoutSec", "timeoutSeconds"),
        description="How long this call waits; else the setting `analysis_timeout_seconds`.",
    )


class PathQuestion(Question):
    """The JSON body: a video on this machine, by its path."""

    model_config = ConfigDict(extra="forbid")

    video_path: StrictStr = Field(
        validation_alias=AliasChoices("video_path", "videoPath"), description="Absolute path of a video file."
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="Anything else to keep in the interaction log; never interpreted."
    )


class Accepted(BaseModel):
    """The handle of an analysis that goes on in the background."""

    job_id: str
    state: JobState
    place: int | None = Field(description="Its place in line, 1 = next; null when it runs already.")
    job_url: str
    events_url: str


QuestionT = TypeVar("QuestionT", bound=Question)


class _Asked(NamedTuple):
    request: AnalysisRequest
    timeout_seconds: float
    upload: Path | None


_FORM: Final = {
    "type": "object",
    "required": ["video"],
    "additionalProperties": False,
    "properties": {
        "video": {"type": "string", "format": "binary", "description": "The file: mp4, webm, mov, mkv, avi or gif."},
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
            "description": "`respond-async` answers 202 with a job at once.",
        }
    ],
}


@router.post("/v1/analyse", include_in_schema=False, response_model=Analysis)
@router.post(
    "/analyse",
    summary="Say what happened in a video",
    description="Takes a video (a form's `video`, or JSON with its path) and answers with its timeline and verdicts. "
    "Waits for the answer unless asked not to (`Prefer: respond-async`); when it takes longer than "
    "`analysis_timeout_seconds`, the call is answered 408 and the work is stopped.",
    response_model=Analysis,
    responses={
        202: {"model": Accepted, "description": "Accepted: it goes on in the background"},
        **documented(408, 409, 413, 415, 503, 507),
    },
    openapi_extra=_BODY,
)
async def analyse(request: Request, services: ServicesOf) -> Response:
    """Answer the question, or hand out the job that will."""
    started = time.monotonic()
    asked = await _read(request, services)
    with _discarded_on_failure(services, asked.upload):
        await asyncio.to_thread(services.analysis.check, asked.request)
        job = await services.jobs.submit("analysis", asked.request)
    if asked.upload is not None:
        services.later(services.settle_upload(job.id, asked.upload))
    if _prefers_async(request):
        return _accepted(job)
    return await _answer(request, services, job, asked.timeout_seconds, started)


async def _read(request: Request, services: Services) -> _Asked:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        body = await read_json(request)
        question = _validated(PathQuestion, body, "the body")
        if not Path(question.video_path).is_absolute():
            raise InvalidPath(
                "video_path must be absolute: the daemon does not know the folder that you call it from.",
                field="video_path",
            )
        return _asked(services, question, question.video_path, question.metadata, None)
    upload = await services.uploads.receive(request)
    with _discarded_on_failure(services, upload.path):
        question = _validated(Question, upload.metadata, "metadata")
        return _asked(services, question, str(upload.path), question.model_extra or {}, upload.path)


def _asked(services: Services, question: Question, path: str, metadata: dict[str, Any], upload: Path | None) -> _Asked:
    settings = services.settings
    request = AnalysisRequest(
        video_path=path,
        expectations=tuple(question.expectations),
        provider=question.provider or settings.provider,
        use_cache=question.use_cache and not question.no_cache,
        uploaded=upload is not None,
        metadata=metadata,
    )
    timeout = question.timeout_seconds or settings.analysis_timeout_seconds
    return _Asked(request, min(timeout, settings.job_timeout_seconds), upload)


def _validated(kind: type[QuestionT], body: dict[str, Any], where: str) -> QuestionT:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "extra_forbidden":
            raise _unknown(str(first["loc"][0]), kind) from None
        raise invalid(error, where) from None


def _unknown(name: str, kind: type[Question]) -> InvalidRequest:
    near = difflib.get_close_matches(name, kind.model_fields, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "What is to be kept in the log goes into 'metadata'."
    return InvalidRequest(f"There is no field {name!r}. {hint}", field=name)


@contextlib.contextmanager
def _discarded_on_failure(services: Services, upload: Path | None) -> Generator[None]:
    try:
        yield
    except BaseException:
        if upload is not None:
            services.uploads.discard(upload)
        raise


def _prefers_async(request: Request) -> bool:
    wishes = ",".join(request.headers.getlist("prefer")).lower()
    return "respond-async" in {wish.partition(";")[0].strip() for wish in wishes.split(",")}


def _accepted(job: Job) -> Response:
    url = f"/jobs/{job.id}"
    handle = Accepted(job_id=job.id, state=job.state, place=job.place, job_url=url, events_url=f"/events?job={job.id}")
    headers = {"Location": url, "Preference-Applied": "respond-async"}
    return JSONResponse(handle.model_dump(mode="json"), HTTPStatus.ACCEPTED, headers)


async def _answer(request: Request, services: Services, job: Job, timeout_seconds: float, started: float) -> Response:
    ended = await _wait(request, services, job.id, timeout_seconds)
    if not ended.state.is_final:
        await services.jobs.cancel(job.id)
        raise TimedOut(
            f"The analysis took longer than {timeout_seconds:g} s and was stopped. "
            "Ask with 'Prefer: respond-async', or raise analysis_timeout_seconds.",
            job_id=job.id,
            duration_ms=round((time.monotonic() - started) * 1000),
        )
    if ended.state is JobState.DONE:
        return JSONResponse(Analysis.model_validate(ended.result).model_dump(mode="json"))
    error = ended.error or {"error": f"Job {job.id} was {ended.state}.", "code": "cancelled"}
    return shaped(status_of(str(error["code"])), {**error, "job_id": job.id})


async def _wait(request: Request, services: Services, job_id: str, seconds: float) -> Job:
    """The job when it is final, or as it is after ``seconds``; stops it when the caller hangs up."""
    ending = asyncio.ensure_future(services.jobs.wait(job_id, seconds))
    hanging_up = asyncio.ensure_future(_hang_up(request))
    stopping = asyncio.ensure_future(services.stopping.wait())
    tasks = (ending, hanging_up, stopping)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            return ending.result()
        if hanging_up.done():
            await services.jobs.cancel(job_id)
            raise ClientDisconnect
        raise HTTPException(
            HTTPStatus.SERVICE_UNAVAILABLE, f"The daemon stops now; job {job_id} goes on when it is started again."
        )
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _hang_up(request: Request) -> None:
    # The body was read to its end, so the next message can only be the farewell.
    while (await request.receive())["type"] != "http.disconnect":
        pass
