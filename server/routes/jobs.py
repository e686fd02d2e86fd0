"""``/jobs``: what takes long, its state, result and end; ``GET /events``: its progress, resumable without a gap."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, Self, cast

import anyio
from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sse_starlette import EventSourceResponse
from starlette.responses import Response

from core.analysis import FindingsSoFar
from core.analysis_jobs import KIND as ANALYSIS
from core.errors import InvalidRequest, NotFound
from core.job_briefs import BriefJob
from core.jobs import Job, JobEvent, JobFilter, JobState, Stage
from core.tokens import Scope
from server.http.errors import documented
from server.scopes import bearer_of
from server.services import Services, ServicesOf


class Started(BaseModel):
    """The handle of a job that goes on in the background."""

    job_id: str
    state: JobState
    place: int | None = Field(description="Its place in line, 1 = next; null when it does not wait.")
    progress: JobEvent | None = Field(default=None, description="How far it is.")
    so_far: FindingsSoFar | None = Field(default=None, description="What an analysis has found by now.")
    traceparent: str | None = Field(default=None, description="The caller's trace, as its request named it.")
    job_url: str
    events_url: str

    @classmethod
    def of(cls, job: Job) -> Self:
        """The handle of a job."""
        return cls(
            job_id=job.id,
            state=job.state,
            place=job.place,
            progress=job.progress,
            so_far=job.so_far,
            traceparent=job.traceparent,
            job_url=f"/jobs/{job.id}",
            events_url=f"/events?job={job.id}",
        )


def started(job: Job, headers: Mapping[str, str] | None = None) -> Response:
    """The answer 202 about a job."""
    handle = Started.of(job)
    headers = {"Location": handle.job_url, **(headers or {})}
    return JSONResponse(handle.model_dump(mode="json"), HTTPStatus.ACCEPTED, headers)


router = APIRouter()

JobKind = Literal["analysis", "comparison", "replay", "reload", "learning"]
JobId = Annotated[str, Path(min_length=1, max_length=100, description="A job's id.")]


class JobList(BaseModel):
    """Jobs, newest first."""

    jobs: list[Job] | list[BriefJob]


@router.get(
    "/jobs",
    tags=["jobs"],
    summary="List jobs, newest first",
    description="With `brief`, what a list needs of each: its title, how it ended, what it took; without what it was "
    "asked and what it answered, which may be megabytes.",
    responses=documented(404),
)
async def list_jobs(
    request: Request,
    services: ServicesOf,
    *,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    kind: Annotated[list[JobKind], Query(description="Only jobs that do this, or one of these.")] = [],  # noqa: B006 - FastAPI copies it
    before: Annotated[
        str | None, Query(min_length=1, max_length=100, description="Only jobs older than the job of this id.")
    ] = None,
    brief: Annotated[bool, Query(description="Tell of each what a list needs.")] = False,
    submitter: Annotated[str | None, Query(max_length=64, description="Only what this token submitted.")] = None,
    label: Annotated[str | None, Query(max_length=64, description="Only what was submitted under this label.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many.")] = 50,
) -> JobList:
    bearer = bearer_of(request)
    if before is not None and not (await services.jobs.get(before) and await services.sees(bearer, before)):
        raise NotFound(f"There is no job {before!r}.")
    if bearer.scope is Scope.SUBMIT:
        submitter = bearer.name
    kinds = kind if bearer.scope is Scope.ADMIN else [ANALYSIS]
    which: JobFilter = {"state": state, "kinds": kinds, "before": before, "limit": limit}
    if submitter is not None or label is not None:
        which["among"] = await asyncio.to_thread(services.submissions.jobs, submitter=submitter, label=label)
    if brief:
        return JobList(jobs=await _submitted(services, await services.jobs.briefs(**which)))
    return JobList(jobs=[current(services, job) for job in await services.jobs.list(**which)])


async def _submitted(services: Services, briefs: Sequence[BriefJob]) -> list[BriefJob]:
    """With who submitted each, where that is known."""
    known = await asyncio.to_thread(services.submissions.of, [brief.id for brief in briefs])
    named = {job_id: {"submitter": submitter, "label": label} for job_id, (submitter, label) in known.items()}
    return [brief.model_copy(update=named[brief.id]) if brief.id in named else brief for brief in briefs]


@router.get(
    "/jobs/{job_id}",
    tags=["jobs"],
    summary="A job's state, progress and result",
    description="`so_far` is what an analysis has found that still runs.",
    responses=documented(404),
)
async def get_job(job_id: JobId, services: ServicesOf) -> Job:
    """Look it up."""
    return current(services, await services.jobs.get(job_id))


@router.delete(
    "/jobs/{job_id}",
    tags=["jobs"],
    summary="Cancel a job",
    description="Asks the job to stop and answers at once; a finished job stays as it is. An analysis that several "
    "callers asked for goes on until each of them has taken it back (`asked_by` says how many are left), or until it "
    "is cancelled for `all` of them.",
    responses=documented(404),
)
async def cancel_job(
    job_id: JobId,
    services: ServicesOf,
    request: Request,
    *,
    for_all: Annotated[
        bool, Query(alias="all", description="Also for the others who asked for it; needs the scope `admin`.")
    ] = False,
) -> Job:
    jobs = services.jobs
    ends = for_all and bearer_of(request).scope is Scope.ADMIN
    return current(services, await (jobs.cancel(job_id) if ends else jobs.leave(job_id)))


def current(services: Services, job: Job) -> Job:
    """The job with what only this process knows of it: what it asks, and how its run stands."""
    if job.state is not JobState.RUNNING:
        return job
    now = {"approval": services.approvals.open_of(job.id), "live": services.live.state(job.id)}
    return job.model_copy(update=now) if any(now.values()) else job


KEEP_ALIVE_SECONDS: Final = 15
_MOST_AHEAD: Final = 128
_RETRY_MS: Final = 2000
_MAX_ID: Final = 2**63 - 1
_EVENT: Final = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "Grows from event to event; `Last-Event-ID` takes it."},
        "event": {"type": "string", "enum": [*(stage.value for stage in Stage), "shutdown"]},
        "data": {"type": "string", "description": "JSON."},
        "retry": {"type": "integer"},
    },
}
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The stream. Each event has `id`, `event` (the stage) and `data` "
        '(`{"job_id", "t", …}`); `event: shutdown` says that the daemon stops. A place in line that has changed '
        "(`event: queued`) has no `id`: it is not stored.",
        "content": {"text/event-stream": {"schema": _EVENT}},
    },
    204: {"description": "The job's last event was seen already: there is nothing more to come."},
}


@router.get(
    "/events",
    tags=["jobs"],
    summary="Follow jobs live (server-sent events)",
    description="Without a place to resume from: live from now on, or with `job` from the job's first event. "
    "With `job`, the stream ends after that job's last event. `found` tells, twice a second at most, what an "
    "analysis has found since: `first_screen`, and `timeline` from place `at` on; it is `provisional` until the "
    "answer is there.",
    response_class=Response,
    responses={**_STREAM, **documented(404)},
)
async def events(
    services: ServicesOf,
    job: Annotated[str | None, Query(max_length=100, description="Only this job's events.")] = None,
    after: Annotated[int | None, Query(ge=0, le=_MAX_ID, description="Resume after this event id.")] = None,
    last_event_id: Annotated[str | None, Header(description="The same, as browsers send it; wins.")] = None,
) -> Response:
    newest = await services.jobs.last_event_id()
    place = _place(last_event_id, after)
    if job is not None:
        known = await services.jobs.get(job)
        last = known.progress
        # 204 is what makes a browser's EventSource stop coming back.
        if place is not None and known.state.is_final and last is not None and _is_last(last) and place >= last.id:
            return Response(status_code=HTTPStatus.NO_CONTENT)
    if place is None:
        place = 0 if job is not None else newest
    return EventSourceResponse(
        _stream(services, min(place, newest), job),
        ping=KEEP_ALIVE_SECONDS,
        send_timeout=services.viewer_patience_seconds,
        shutdown_event=anyio.Event(),
        shutdown_grace_period=1,
    )


async def _stream(services: Services, after: int, job_id: str | None) -> AsyncGenerator[bytes]:
    yield f"retry: {_RETRY_MS}\r\n\r\n".encode()
    stored = cast("AsyncGenerator[JobEvent]", services.jobs.events(after=after, job_id=job_id))
    async with contextlib.aclosing(stored) as events:
        ahead = _Ahead(events, job_id)
        reading = asyncio.ensure_future(ahead.read())
        stopping = asyncio.ensure_future(services.stopping.wait())
        stopping.add_done_callback(lambda _: ahead.news.set())
        try:
            ended = False
            while not ended:
                await ahead.news.wait()
                # Asked before taking: what came until then is in the pieces.
                ended = ahead.ended
                if pieces := ahead.take():
                    yield pieces
                if stopping.done() and not ended:
                    yield b'event: shutdown\r\ndata: {"reason": "the daemon stops"}\r\n\r\n'
                    return
            reading.result()
        finally:
            reading.cancel()
            stopping.cancel()
            await asyncio.gather(reading, stopping, return_exceptions=True)


class _Ahead:
    """Reads events for one viewer while another piece is being sent, so that what piles up goes out in one piece.

    A thousand viewers of a busy daemon fall behind by some events; one piece for each event would leave them there.
    """

    def __init__(self, events: AsyncIterator[JobEvent], job_id: str | None) -> None:
        self.news = asyncio.Event()
        self.ended = False
        self._events = events
        self._job_id = job_id
        self._pieces: list[bytes] = []
        self._room = asyncio.Event()

    async def read(self) -> None:
        """Read until the job's last event, if it is one job's stream, or until there are no more."""
        try:
            async for event in self._events:
                self._pieces.append(encode(event))
                self.news.set()
                if self._job_id is not None and _is_last(event):
                    return
                if len(self._pieces) >= _MOST_AHEAD:
                    self._room.clear()
                    await self._room.wait()
        finally:
            self.ended = True
            self.news.set()

    def take(self) -> bytes:
        """What has piled up."""
        pieces = b"".join(self._pieces)
        self._pieces.clear()
        self._room.set()
        if not self.ended:
            self.news.clear()
        return pieces


def encode(event: JobEvent) -> bytes:
    """One event as it goes over the wire."""
    data = json.dumps({**event.data, "job_id": event.job_id, "t": event.t}, ensure_ascii=False)
    # A place that was computed for this viewer has no id: nothing is to be resumed after it.
    number = f"id: {event.id}\r\n" if event.id else ""
    return f"{number}event: {event.stage}\r\ndata: {data}\r\n\r\n".encode()


def _is_last(event: JobEvent) -> bool:
    return event.stage.value in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}


def _place(header: str | None, query: int | None) -> int | None:
    # A browser comes back to the same address with the header added, so the header is newer.
    if header is None or not header.strip():
        return query
    text = header.strip()
    if not (text.isascii() and text.isdecimal()) or int(text) > _MAX_ID:
        raise InvalidRequest("Last-Event-ID must be the id of an event of this stream.", field="Last-Event-ID")
    return int(text)
