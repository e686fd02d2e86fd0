"""``/jobs/{id}/video`` and ``frames``: an analysed video, its timeline, contact sheet, pictures, and a new question."""

import asyncio
import contextlib
import os
import sys
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import Annotated, BinaryIO, Final
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, StrictBool, StrictStr

from adapters.video.contact_sheet import contact_sheet, small_still
from adapters.video.decoding.files import Limits, open_file
from core.analysis import Analysis, AnalysisRequest
from core.errors import CallerError, Cancelled, Conflict, NotFound
from core.jobs import Job
from core.narrative import timeline_markdown
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.http.ranges import ranged
from server.media.frames import TYPES, frame_file
from server.media.playable import media_type, playable_type
from server.routes.jobs import JobId, Started, started
from server.services import Services, ServicesOf

router = APIRouter(route_class=JsonRoute)

_CONVERTING: Final = asyncio.Semaphore(1)
"""Converting takes all that a processor has; the others wait their turn."""
_ANY_SIZE: Final = Limits(max_bytes=sys.maxsize, max_seconds=sys.maxsize, max_pixels=sys.maxsize)
"""It was analysed, whatever the settings say by now."""
_DRAWING: Final = asyncio.Semaphore(1)


class NextQuestion(JsonBody):
    """What else somebody wants to know about a video that was analysed before."""

    expectations: list[StrictStr] = Field(default_factory=list, description="What should have happened.")
    provider: StrictStr | None = Field(default=None, description="auto, local, gemini or vision; else the setting's.")
    use_cache: StrictBool = Field(default=True, description="Whether a kept answer to the same question will do.")


class RemovedVideo(BaseModel):
    """Whose copy of a video was removed."""

    removed: str = Field(description="The job's id.")


@router.get(
    "/jobs/{job_id}/video",
    tags=["analysis"],
    summary="The video that was analysed",
    description="By byte ranges. 404 when the file is gone or is another one by now, or when it is an upload that is "
    "kept no longer (`upload_keep_days`, `upload_keep_bytes`). With `playable=true`, a copy in mp4 or webm where "
    "browsers do not play the file itself; the first one takes a while to make.",
    response_class=Response,
    responses={
        200: {"description": "The video.", "content": {"video/*": {}, "image/gif": {}}},
        206: {"description": "The bytes that `Range` asks for.", "content": {"video/*": {}, "image/gif": {}}},
        **documented(404, 409, 413, 416, 507),
    },
)
async def video(
    job_id: JobId,
    request: Request,
    services: ServicesOf,
    playable: Annotated[bool, Query(description="As something that browsers play.")] = False,
) -> Response:
    job = await services.jobs.get(job_id)
    file, kind = await asyncio.to_thread(_analysed_file, job)
    if playable:
        try:
            copy, kind = await _playable(job, kind, services)
        except BaseException:
            file.close()
            raise
        if copy is not None:
            file.close()
            file = await asyncio.to_thread(copy.open, "rb")
    size = os.fstat(file.fileno()).st_size
    beyond = f"The video has {size} bytes; ask for some of those."
    return ranged(file, size, request.headers.get("range"), kind, beyond)


@router.delete(
    "/jobs/{job_id}/video",
    tags=["analysis"],
    summary="Remove the kept copy of an upload",
    description="Before its time is over. What was found in it stays. A video that was named by its path is yours and "
    "stays where it is: 409.",
    responses=documented(404, 409),
)
async def remove_video(job_id: JobId, services: ServicesOf) -> RemovedVideo:
    job = analysis_job(await services.jobs.get(job_id))
    if not job.request.get("uploaded"):
        raise Conflict("This video was named by its path: it is no copy of Vaider's. Remove the file yourself.")
    path = Path(job.request["video_path"])
    if not job.state.is_final or services.kept_uploads.is_held(path):
        raise Conflict("The video is still being analysed. Wait until that is done, or cancel it.")
    if not await asyncio.to_thread(services.kept_uploads.discard, path):
        raise NotFound("This upload is kept no longer: there is nothing to remove.")
    return RemovedVideo(removed=job_id)


@router.get(
    "/jobs/{job_id}/timeline.md",
    tags=["analysis"],
    summary="An analysis as Markdown",
    description="Verdicts and timeline; its links to pictures are relative to this address.",
    response_class=Response,
    responses={200: {"description": "The timeline.", "content": {"text/markdown": {}}}, **documented(404)},
)
async def timeline(job_id: JobId, services: ServicesOf) -> Response:
    analysis = await asyncio.to_thread(answer_of, await services.jobs.get(job_id))
    text = await asyncio.to_thread(timeline_markdown, analysis)
    return Response(text.encode("utf-8", "replace"), HTTPStatus.OK, _named(analysis, "timeline.md"), "text/markdown")


@router.get(
    "/jobs/{job_id}/contact-sheet.jpg",
    tags=["analysis"],
    summary="An analysis as one picture",
    description="At most 40 of its events, evenly chosen, each with its moment, its sentence and what changed boxed.",
    response_class=Response,
    responses={200: {"description": "The sheet.", "content": {"image/jpeg": {}}}, **documented(404)},
)
async def sheet(job_id: JobId, services: ServicesOf) -> Response:
    analysis = await asyncio.to_thread(answer_of, await services.jobs.get(job_id))
    async with _DRAWING:
        picture = await asyncio.to_thread(contact_sheet, analysis, Path(analysis.interactions_dir))
    return Response(picture, HTTPStatus.OK, _named(analysis, "contact-sheet.jpg"), "image/jpeg")


@router.post(
    "/jobs/{job_id}/again",
    tags=["analysis"],
    status_code=202,
    summary="Ask something else about the same video",
    description="Answers at once with another job. 404 when the video is gone or is another one by now.",
    response_model=Started,
    responses=documented(404, 409, 413, 415),
)
async def again(job_id: JobId, question: NextQuestion, services: ServicesOf) -> Response:
    before = await services.jobs.get(job_id)
    asked = next_request(before, question, services.settings.provider)
    (await asyncio.to_thread(_analysed_file, before))[0].close()
    job = await services.analyses.submit(asked)
    if asked.uploaded:
        services.later(services.settle_upload(job.id, Path(asked.video_path)))
    return started(job)


def next_request(before: Job, question: NextQuestion, provider: str) -> AnalysisRequest:
    """What is asked of the video of a job that has ended. Raises ``NotFound``, ``Conflict``."""
    request = analysis_job(before).request
    if not before.state.is_final:
        raise Conflict("The video is still being analysed; ask when that is done.")
    return AnalysisRequest(
        video_path=str(request["video_path"]),
        expectations=tuple(question.expectations),
        provider=question.provider or provider,
        use_cache=question.use_cache,
        uploaded=bool(request.get("uploaded")),
        metadata=request.get("metadata") or {},
    )


def analysis_job(job: Job) -> Job:
    """The job, if it is one that analysed a video. Raises ``NotFound``."""
    if job.kind != "analysis":
        raise NotFound(f"Job {job.id} analysed no video. GET /jobs?kind=analysis lists those that did.")
    return job


def answer_of(job: Job) -> Analysis:
    """What a job found out about a video. Raises ``NotFound``."""
    analysis_job(job)
    if job.result is None:
        raise NotFound(f"Job {job.id} has no timeline: it is {job.state}.")
    return Analysis.model_validate(job.result)


def _analysed_file(job: Job) -> tuple[BinaryIO, str]:
    """The video's file, open, and its media type, if it is still the one that was analysed, as its size tells.

    Raises ``NotFound``.
    """
    analysis_job(job)
    path = Path(job.request["video_path"])
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(open_file(path, _ANY_SIZE))
            kind = media_type(file)
        except (OSError, CallerError):
            raise NotFound(_gone(job, path)) from None
        size = os.fstat(file.fileno()).st_size
        if size != (job.result or {}).get("video", {}).get("size_bytes", size):
            raise NotFound(f"{str(path)!r} has changed since it was analysed; analyse it again to see it as it is now.")
        if kind is None:
            raise NotFound(NO_VIDEO)
        stack.pop_all()
    return file, kind


def _gone(job: Job, path: Path) -> str:
    if job.request.get("uploaded"):
        return (
            "This upload is kept no longer (see the settings upload_keep_days and upload_keep_bytes); "
            "send the video again to watch it."
        )
    return f"There is no file {str(path)!r} any more; put it back to watch it."


async def _playable(job: Job, kind: str, services: Services) -> tuple[Path | None, str]:
    """The copy that browsers play, ``None`` where they play the file itself, and its media type."""
    seen = (job.result or {}).get("video")
    if seen is None:
        # What is in it is not known yet; browsers find out.
        plain = playable_type(kind, "h264") or playable_type(kind, "vp9")
        if plain is None:
            raise NotFound("This kind of video can be played once it is analysed.")
        return None, plain
    plain = playable_type(kind, str(seen["codec"]))
    if plain is not None:
        return None, plain

    def raise_if_cancelled() -> None:
        if services.stopping.is_set():
            raise Cancelled("The daemon stops now; ask again when it is started anew.")

    path, sha256, uploaded = Path(job.request["video_path"]), str(seen["sha256"]), bool(job.request.get("uploaded"))
    async with _CONVERTING:
        return await asyncio.to_thread(
            services.playable.copy, path, sha256, uploaded=uploaded, raise_if_cancelled=raise_if_cancelled
        )


def _named(analysis: Analysis, what: str) -> dict[str, str]:
    name = quote(f"{PurePath(analysis.video.path).stem}.{what}".encode("utf-8", "replace"))
    return {"Content-Disposition": f"inline; filename*=utf-8''{name}"}


NO_VIDEO: Final = "This file is no mp4, webm, mov, mkv, avi or gif; only videos are sent."
FOR_EVER: Final = {"Cache-Control": "private, max-age=31536000, immutable"}
"""A job's id names one analysis for ever, and its pictures are never written again."""
_MOST_FOLDERS: Final = 256
_SHRINKING: Final = asyncio.Semaphore(2)
"""Limits concurrent requests, because a scrolling page asks for many at once."""
FrameName = Annotated[
    str,
    PathParameter(
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*$", max_length=200, description="The last part of an event's `frame`."
    ),
]


@router.get(
    "/jobs/{job_id}/frames/{name}",
    tags=["jobs"],
    summary="A picture of something that happened",
    description="What an event or an evidence names as `frame`, `frames/…` left out. With `width`, a small copy as "
    "JPEG, no wider than that.",
    response_class=FileResponse,
    responses={
        200: {"description": "The picture.", "content": {kind: {} for kind in TYPES.values()}},
        **documented(404),
    },
)
async def frame(
    job_id: JobId,
    name: FrameName,
    services: ServicesOf,
    width: Annotated[int | None, Query(ge=16, le=1920, description="Pixels.")] = None,
) -> Response:
    folder = await _folder(job_id, services)
    path = await asyncio.to_thread(frame_file, folder, name) if folder else None
    if path is None:
        raise NotFound(f"Job {job_id} has no picture {name!r}.")
    if width is None:
        return FileResponse(path, media_type=TYPES[path.suffix], headers=FOR_EVER)
    try:
        async with _SHRINKING:
            small = await asyncio.to_thread(small_still, path, width)
    except OSError:
        raise NotFound(f"The picture {name!r} of job {job_id} cannot be read; ask for the analysis again.") from None
    return Response(small, HTTPStatus.OK, FOR_EVER, "image/jpeg")


async def _folder(job_id: str, services: Services) -> str | None:
    """The interaction folder of a job's answer; known from the first picture on, for an answer may be megabytes."""
    known = services.interaction_folders
    if job_id not in known:
        job = await services.jobs.get(job_id)
        folder = _named_by(job)
        if folder is None:
            return None
        if len(known) >= _MOST_FOLDERS:
            known.clear()
        known[job_id] = folder
    return known[job_id]


def _named_by(job: Job) -> str | None:
    folder = (job.result or {}).get("interactions_dir")
    return folder if isinstance(folder, str) and folder else None
