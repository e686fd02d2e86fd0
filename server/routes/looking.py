"""``GET /jobs/{id}/look``: pictures of moments for a model; ``POST /jobs/{id}/verdicts``: what it judged by them."""

import asyncio
import base64
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from core.analysis import Region, VerdictResult
from core.errors import InvalidRequest
from core.jobs import Job
from core.looking import DEFAULT_TOKENS, FEWEST_TOKENS, MOST_PICTURES, MOST_TOKENS, AgentVerdict, LookRequest, Moment
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.routes.jobs import JobId
from server.services import ServicesOf

router = APIRouter(route_class=JsonRoute)

_TAKING = asyncio.Semaphore(2)
"""Each takes a process that decodes."""
_When = Annotated[str | None, Query(max_length=20, description="Milliseconds, or mm:ss.s.")]


class LookPicture(BaseModel):
    """One picture."""

    t_ms: int = Field(description="Of the frame that stood at the moment asked for.")
    region: Region = Field(description="What of the frame it shows: x, y, width, height.")
    why: str
    video: str = Field(description="The name of the file, where there are two.")
    width: int
    height: int
    tokens: int = Field(description="What it costs a model: width x height / 750.")
    media_type: str
    data: str = Field(description="Base64.")


class LookAnswer(BaseModel):
    """At most four pictures."""

    pictures: list[LookPicture]
    tokens: int


class GivenVerdict(JsonBody):
    """What an agent that looked itself says."""

    expectation: str = Field(min_length=1, max_length=2000, description="Word for word as the verdict has it.")
    verdict: VerdictResult
    reason: str = Field(min_length=1, max_length=1000, description="What was seen.")
    at: list[Moment] = Field(min_length=1, max_length=MOST_PICTURES, description="The moments that show it.")


@router.get(
    "/jobs/{job_id}/look",
    tags=["analysis"],
    summary="Pictures of a video's moments, for a model that looks itself",
    description="At most four, cropped to what changed. With no moment named: what failed or is unclear, else the "
    "events. `compare_with` names another job, of whose video the same moments are shown.",
    responses=documented(404, 413),
)
async def look(
    job_id: JobId,
    services: ServicesOf,
    *,
    at: _When = None,
    begin: Annotated[str | None, Query(alias="from", max_length=20, description="As `at`.")] = None,
    end: Annotated[str | None, Query(alias="to", max_length=20, description="As `at`.")] = None,
    event: Annotated[
        str | None, Query(max_length=500, description="Its place in the timeline from 0, or words of it.")
    ] = None,
    region: Annotated[str | None, Query(max_length=40, description="Crop: x,y,width,height.")] = None,
    compare_with: Annotated[str | None, Query(max_length=100, description="Another job's id.")] = None,
    max_tokens: Annotated[int, Query(ge=FEWEST_TOKENS, le=MOST_TOKENS)] = DEFAULT_TOKENS,
) -> LookAnswer:
    jobs = [await services.jobs.get(each) for each in (job_id, compare_with) if each]
    request = LookRequest(at=at, begin=begin, end=end, event=event, region=_region(region), max_tokens=max_tokens)
    async with _TAKING:
        stills = await asyncio.to_thread(services.looking.look, request, jobs)
    pictures = [
        LookPicture(
            t_ms=still.t_ms,
            region=still.region,
            why=still.why,
            video=still.video,
            width=still.width,
            height=still.height,
            tokens=still.tokens,
            media_type="image/jpeg",
            data=base64.b64encode(still.data).decode(),
        )
        for still in stills
    ]
    return LookAnswer(pictures=pictures, tokens=sum(each.tokens for each in pictures))


@router.post(
    "/jobs/{job_id}/verdicts",
    tags=["analysis"],
    summary="Keep an agent's verdict on what was left unclear",
    description="With the pictures of the moments that it names as evidence; the verdict says `judged_by: agent`.",
    responses=documented(404, 413, 415),
)
async def judge(job_id: JobId, given: GivenVerdict, services: ServicesOf) -> Job:
    return await services.agent_verdicts.judge(job_id, AgentVerdict(**given.model_dump()))


def _region(text: str | None) -> Region | None:
    if text is None:
        return None
    sides = text.split(",")
    if len(sides) != 4 or not all(side.strip().isdecimal() for side in sides):  # noqa: PLR2004 - as it says
        raise InvalidRequest("region is x,y,width,height in whole pixels, e.g. 0,0,400,300.")
    x, y, width, height = (int(side) for side in sides)
    return x, y, width, height
